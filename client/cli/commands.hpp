#pragma once

#include <string>
#include <vector>

#include "common/env.hpp"
#include "proto/commands.hpp"

namespace smartcli::cli {

/// Runs a verb that is no method. Returns the exit status.
int run_command(const Command& command, const std::vector<std::string>& args, const Environment& env);

/// Prints what the last of `words` (all of a command line but the program's name) may become, for the scripts
/// that `smartcli completion` prints: a line each, WORD or WORD, tab and what it is; then `:files`,
/// `:directories` or `:programs` where the shell knows better. Never starts the daemon.
int run_complete(std::vector<std::string> words, const Environment& env);

}  // namespace smartcli::cli
