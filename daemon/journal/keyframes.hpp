#pragma once

// The daemon's keyframes in a journal folder: what the terminal held somewhere in segment N,
// `NNNNNNNN.keyframe`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace smartcli::journal {

/// Written whole, by rename; then those of segments that the cap has deleted go. Of a folder without an index
/// nothing is left. Any thread may call it. Errors: resource_exhausted.
Result<void> save_keyframe(const std::string& folder, std::uint64_t segment, std::string_view bytes);
/// Nothing if there is none that can be read.
std::optional<std::string> load_keyframe(const std::string& folder, std::uint64_t segment);
bool has_keyframe(const std::string& folder, std::uint64_t segment);

}  // namespace smartcli::journal
