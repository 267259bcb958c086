#pragma once

#include <string_view>

namespace smartcli {

/// THE table of verbs that are no method of the daemon. Help, completion, schema and reference read it.
struct Command {
  std::string_view name;           ///< as typed
  std::string_view doc;            ///< one line
  std::string_view argument = {};  ///< as usage has it; brackets: it may be left out; empty: there is none
  std::string_view argument_doc = {};
  std::string_view examples = {};  ///< lines for help, each a command
  bool takes_json = true;
  bool starts_daemon = false;
};

inline constexpr Command kCommands[] = {
    {.name = "daemon start",
     .doc = "Start the daemon if it does not run.",
     .examples = "smartcli daemon start\nsmartcli daemon start --json",
     .starts_daemon = true},
    {.name = "get-sockname",
     .doc = "Print the path of the daemon's socket, and start the daemon if it does not run.",
     .examples = "smartcli get-sockname\nsmartcli get-sockname --json",
     .starts_daemon = true},
    {.name = "schema",
     .doc = "Print every method, field, default, limit, error and exit status as JSON.",
     .argument = "[METHOD]",
     .argument_doc = "only this one, by its name on the wire or as a verb",
     .examples = "smartcli schema\nsmartcli schema wait-regex\nsmartcli schema --json >schema.json"},
};

}  // namespace smartcli
