#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "proto/commands.hpp"

namespace smartcli::cli {

/// One screen: what it is, the way to a first success, verbs and topics.
std::string main_help();
/// The topics, a line each.
std::string topics_help();

/// What `VERB --help` prints of a method, by its wire name; and of a verb that is none.
std::string verb_help(std::string_view method);
std::string command_help(const Command& command);
/// The verbs that begin with this word and a second one; empty if there are none.
std::string family_help(std::string_view word);

/// The help of a topic or verb. Errors: invalid_argument with the nearest name.
Result<std::string> help_on(std::string_view about);

/// A line of the list of verbs.
struct Verb {
  std::string name, doc;
  Family family;
};
/// All verbs of the command line, family by family, methods first; two-word ones with a blank.
const std::vector<Verb>& verbs();

}  // namespace smartcli::cli
