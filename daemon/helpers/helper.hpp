#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/error.hpp"

namespace smartcli::helpers {

/// A program of ours that does one job apart, so that a fault in it touches no session.
struct Helper {
  std::string program;  ///< full path
  std::vector<std::string> args;
  std::chrono::milliseconds time{30'000};
  std::size_t memory_bytes = std::size_t{1} << 30;  ///< of its address space
  std::size_t output_bytes = 4 << 20;               ///< of its standard output
};

/// How it ended by itself, and what it wrote.
struct HelperEnd {
  int status = 0;
  std::string out, err;  ///< `err` at most 4 KiB
};

/// Runs it to its end, with an empty environment, /dev/null as its input and no other descriptor of ours.
/// @param on_start  is given a call that ends it at once; for a client that goes away
/// Errors: internal (it cannot be started, was killed by a signal, ended by `on_start`'s call, or went past a
/// bound; the message names which).
boost::asio::awaitable<Result<HelperEnd>> run(Helper helper,
                                              std::function<void(std::function<void()>)> on_start);

}  // namespace smartcli::helpers
