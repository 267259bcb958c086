#pragma once

#include <string_view>

namespace smartcli {

/// THE table of the command line's exit statuses. Which error has which: `common/error.hpp`. Source: SPEC
/// section 2.
struct ExitStatus {
  std::string_view status;
  std::string_view meaning;
};

inline constexpr ExitStatus kExitStatuses[] = {
    {"0", "done; the condition is met"},
    {"1",
     "the condition is not met (the program ended first, no match, not alive), or the program's state "
     "forbids it"},
    {"2", "usage: a request that cannot be meant so"},
    {"3", "no such session, or it is gone"},
    {"4", "the daemon is not reachable, versions do not fit, a limit is reached, or policy refuses"},
    {"5", "a bug of smartcli"},
    {"124", "a wait timed out"},
    {"125", "spawn: the program could not be started for another reason, or its status is unknown"},
    {"126", "spawn: the program is not executable"},
    {"127", "spawn: no such program"},
    {"N", "spawn --wait: the program's own status; 128+S where signal S killed it"},
    {"130", "smartcli was interrupted: its wait is cancelled, the session is untouched"},
    {"143", "smartcli was terminated: its wait is cancelled, the session is untouched"},
};

}  // namespace smartcli
