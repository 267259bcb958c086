#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"

namespace smartcli::session {

/// The file that a program's name means, as execvp would find it: with a `/` relative to `cwd`, else along
/// PATH of `env`
/// ("NAME=value" entries). Errors: program_not_found, not_executable (a directory, or no execute permission),
/// each naming it.
Result<std::string> find_program(const std::string& name, const std::vector<std::string>& env,
                                 const std::string& cwd);

/// What to execute.
struct Command {
  std::string file;  ///< the program's name or path, for `find_program`
  std::vector<std::string> argv;
};

/// From what a caller gave: a program, or a line for the user's shell, or neither: the shell itself. `login`
/// puts the dash before a shell's argv[0] that makes it a login shell.
/// Errors: invalid_argument (a program and a line; `login` for what is no shell).
Result<Command> command_of(std::vector<std::string> argv, std::optional<std::string> line, bool login,
                           const std::vector<std::string>& env);

/// Of a caller's environment what a program needs to find its way: HOME, LANG, LC_*, LOGNAME, PATH, SHELL,
/// TZ, USER.
std::vector<std::string> clean_environment(std::vector<std::string> env);

/// Value of a variable in a block of "NAME=value" entries, or empty.
std::string value_of(const std::vector<std::string>& env, std::string_view name);

/// The user's shell: SHELL of `env`, else the password database, else /bin/sh.
std::string user_shell(const std::vector<std::string>& env);

/// The environment a program gets: `base`, then `extra` over it; TERM and COLORTERM are ours, stale COLUMNS
/// and LINES go, and so does what only an outer session's own program should see (SMARTCLI_SID).
std::vector<std::string> program_environment(std::vector<std::string> base,
                                             const std::vector<std::string>& extra);

}  // namespace smartcli::session
