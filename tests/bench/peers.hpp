#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "streams.hpp"

namespace smartcli::bench {

inline constexpr int kCols = 80, kRows = 24;
inline constexpr std::size_t kHistory = 10'000;

/// Seconds of the processor that this process has used: the machine may be shared.
double cpu_seconds();
double median(std::vector<double> values);
/// MB/s of `feed` over `bytes`, in pieces of 64 KiB.
double megabytes_per_second(std::string_view bytes, const std::function<void(std::string_view)>& feed);

// MB/s of one fresh terminal of 80x24.
double run_ours(std::string_view bytes);
double run_vterm(std::string_view bytes);  ///< has no history of its own
double run_tsm(std::string_view bytes);

/// `@xterm/headless` in node, the median of three runs for each stream; empty where there is no node, or no
/// package in $SMARTCLI_XTERM_JS (a node_modules folder).
std::vector<double> run_xterm_js(const std::vector<Stream>& streams, std::size_t bytes);

}  // namespace smartcli::bench
