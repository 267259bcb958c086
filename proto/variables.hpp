#pragma once

#include <string_view>

namespace smartcli {

/// THE table of environment variables, but for one per limit: those are in `proto/limits.hpp`. Source: SPEC
/// section 2.
struct Variable {
  std::string_view name;
  std::string_view meaning;
};

inline constexpr Variable kVariables[] = {
    {"SMARTCLI_SESSION", "the session where -s is not given; never names a new one"},
    {"SMARTCLI_CLIENT",
     "a name for one of several drivers of a session: what was last seen and last typed is "
     "then kept for each"},
    {"SMARTCLI_SOCKET", "absolute path of another daemon's socket; its lock and its shims stand beside it"},
    {"SMARTCLI_HOST", "unix:PATH, the same as SMARTCLI_SOCKET, which wins"},
    {"SMARTCLI_NO_AUTOSTART", "any value: never start a daemon"},
    {"SMARTCLI_LOG", "level of the daemon's log: debug, info, warning or error"},
    {"SMARTCLI_TRACE",
     "for debugging: a file to which the client appends every message of the wire, a JSON line each; what is "
     "typed "
     "stands there too"},
    {"SMARTCLI_FAILPOINTS", "for tests of smartcli itself: where the daemon fails on purpose"},
    {"SMARTCLI_SID", "set inside a session: its name"},
    {"NO_COLOR", "any value: no colours in what smartcli itself says (it uses none so far)"},
    {"XDG_RUNTIME_DIR",
     "sockets and locks stand in its folder smartcli; without it /run/user/UID, else a "
     "private folder in /tmp"},
    {"XDG_STATE_HOME", "journals and logs stand in its folder smartcli; without it ~/.local/state"},
    {"SHELL", "what `spawn` starts where no program is named"},
};

}  // namespace smartcli
