#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace smartcli::cli {

/// A word that may be typed, and what it is.
struct Candidate {
  std::string word, doc = {};
};

struct Completion {
  std::vector<Candidate> candidates;
  /// What may stand there besides, and the shell can list.
  enum class Rest { none, files, directories, programs } rest = Rest::none;
};

/// What the last of `words`, which may be empty, can become. `words` are a command line without the program's
/// name; bash hands `--x=y` over as three, and gets the value alone. `sessions` is called where a session's
/// name is due.
Completion complete(std::vector<std::string> words, const std::function<std::vector<Candidate>()>& sessions);

/// The script that makes a shell ask `smartcli __complete`.
/// Errors: invalid_argument naming the shells there are.
Result<std::string> completion_script(std::string_view shell);

}  // namespace smartcli::cli
