#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace smartcli {

/// A signal's name without SIG ("KILL", "RTMIN+3"), or its number where it has none.
std::string signal_name(int number);

/// The names of all signals but the real-time ones.
std::vector<std::string> signal_names();

/// "TERM", "SIGTERM" (any case), "RTMIN+3" or "15". Errors: invalid_argument with the nearest name.
Result<int> parse_signal(std::string_view text);

}  // namespace smartcli
