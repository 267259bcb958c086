#pragma once

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

/// Value of a variable in a block of "NAME=value" entries, or empty.
std::string value_of(const std::vector<std::string>& env, std::string_view name);

/// The user's shell: SHELL of `env`, else the password database, else /bin/sh.
std::string user_shell(const std::vector<std::string>& env);

/// The environment a program gets: `base`, then `extra` over it; TERM and COLORTERM are ours, stale COLUMNS
/// and LINES go, and so does what only an outer session's own program should see (SMARTCLI_SID).
std::vector<std::string> program_environment(std::vector<std::string> base,
                                             const std::vector<std::string>& extra);

}  // namespace smartcli::session
