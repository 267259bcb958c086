#pragma once

#include <string_view>

namespace smartcli {

enum class Access { read, write, control };  ///< looks only; changes a session; changes the daemon

/// Under what help and reference list a verb, in this order.
enum class Family { session, input, screen, wait, daemon, help };
inline constexpr std::string_view kFamilyNames[] = {"Sessions", "Input", "Screen", "Waits", "Daemon", "Help"};

/// What every visitor needs to know of a method; its name is spelled here once.
struct MethodInfo {
  std::string_view name;  ///< wire name; the command is the same with `-` for `_`
  std::string_view doc;   ///< one line
  Family family = Family::screen;
  Access access = Access::read;
  std::string_view positional = {};  ///< the request's field that stands without an option
  std::string_view examples = {};    ///< lines for help, each a command
  bool core_tool = false;            ///< in MCP's core set
  bool starts_daemon = false;
  bool is_command = true;  ///< false: wire only
};

}  // namespace smartcli
