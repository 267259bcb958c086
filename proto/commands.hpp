#pragma once

#include <string_view>

#include "proto/method.hpp"

namespace smartcli {

/// THE table of verbs that are no method of the daemon. Help, completion, schema and reference read it.
struct Command {
  std::string_view name;  ///< as typed
  std::string_view doc;   ///< one line
  Family family = Family::help;
  std::string_view argument = {};  ///< as usage has it; brackets: it may be left out; empty: there is none
  std::string_view argument_doc = {};
  std::string_view examples = {};  ///< lines for help, each a command
  bool takes_json = true;
  bool starts_daemon = false;
};

inline constexpr Command kCommands[] = {
    {.name = "daemon start",
     .doc = "Start the daemon if it does not run.",
     .family = Family::daemon,
     .examples = "smartcli daemon start\nsmartcli daemon start --json",
     .starts_daemon = true},
    {.name = "daemon restart",
     .doc = "Put a fresh daemon in the place of the running one; sessions and waits go on.",
     .family = Family::daemon,
     .examples = "smartcli daemon restart\nsmartcli daemon restart --json",
     .starts_daemon = true},
    {.name = "daemon upgrade",
     .doc = "The same with a smartclid installed since, tried before the old one goes.",
     .family = Family::daemon,
     .examples = "smartcli daemon upgrade\nsmartcli daemon upgrade --json",
     .starts_daemon = true},
    {.name = "get-sockname",
     .doc = "Print the path of the daemon's socket, and start the daemon if it does not run.",
     .family = Family::daemon,
     .examples = "smartcli get-sockname\nsmartcli get-sockname --json",
     .starts_daemon = true},
    {.name = "schema",
     .doc = "Print every method, field, default, limit, error and exit status as JSON.",
     .argument = "[METHOD]",
     .argument_doc = "only this one, by its name on the wire or as a verb",
     .examples = "smartcli schema\nsmartcli schema wait-regex\nsmartcli schema --json >schema.json"},
    {.name = "completion",
     .doc = "Print the script that completes smartcli's words in a shell.",
     .argument = "SHELL",
     .argument_doc = "bash, zsh or fish",
     .examples = "source <(smartcli completion bash)\n"
                 "smartcli completion zsh >_smartcli\n"
                 "smartcli completion fish >smartcli.fish",
     .takes_json = false},
    {.name = "help",
     .doc = "Print the help of a verb, or of a topic.",
     .argument = "[TOPIC]",
     .argument_doc = "a topic, or a verb; without it all are listed",
     .examples = "smartcli help keys\nsmartcli help wait-regex",
     .takes_json = false},
};

}  // namespace smartcli
