#pragma once

#include <string>
#include <vector>

#include "proto/commands.hpp"

namespace smartcli::cli {

/// One screen: what it is, the way to a first success, the verbs.
std::string main_help();

/// What `VERB --help` prints of a verb that is no method.
std::string command_help(const Command& command);

/// A line of the list of verbs.
struct Verb {
  std::string name, doc;
};
/// All verbs of the command line, in the registry's order; two-word ones with a blank.
const std::vector<Verb>& verbs();

}  // namespace smartcli::cli
