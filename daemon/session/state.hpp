#pragma once

// The state word from facts. Pure. SPEC section 6, DESIGN section 3.

#include <cstdint>
#include <optional>
#include <string>

#include "holder/holder.hpp"
#include "proto/methods/session.hpp"
#include "terminal/terminal.hpp"

namespace smartcli::session {

struct StateFacts {
  State state = State::running;
  std::optional<ForegroundProcess> foreground;
};

/// @param kernel  nothing if the shim gave none
/// @param child   the session's own program
StateFacts judge_state(const std::optional<holder::Facts>& kernel, const terminal::Terminal& terminal,
                       std::int32_t child, bool is_ended, bool is_lost);

/// Last component of the program's name, without a login shell's dash.
bool is_shell(std::string_view name);

}  // namespace smartcli::session
