#include "cli/complete.hpp"

#include <algorithm>

#include "cli/completion_scripts.hpp"
#include "cli/help.hpp"
#include "common/signals.hpp"
#include "common/text.hpp"
#include "proto/commands.hpp"
#include "proto/describe.hpp"
#include "proto/keys.hpp"
#include "proto/topics.hpp"

namespace smartcli::cli {
namespace {

using Rest = Completion::Rest;

struct Shell {
  std::string_view name, script;
};
constexpr Shell kShells[] = {{"bash", kBashScript}, {"zsh", kZshScript}, {"fish", kFishScript}};

bool starts_like(std::string_view word, std::string_view start) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return word.size() >= start.size() && std::equal(start.begin(), start.end(), word.begin(),
                                                   [&](char a, char b) { return lower(a) == lower(b); });
}

bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

/// The first words of all verbs, or the second ones after `first`.
std::vector<Candidate> verb_words(std::string_view first) {
  std::vector<Candidate> found;
  for (const auto& verb : verbs()) {
    const auto blank = verb.name.find(' ');
    if (!first.empty()) {
      if (blank != std::string::npos && verb.name.substr(0, blank) == first)
        found.push_back({verb.name.substr(blank + 1), verb.doc});
      continue;
    }
    if (blank == std::string::npos) {
      found.push_back({verb.name, verb.doc});
      continue;
    }
    const std::string word = verb.name.substr(0, blank);
    const auto same = std::find_if(found.begin(), found.end(), [&](const auto& f) { return f.word == word; });
    if (same == found.end()) {
      found.push_back({word, verb.name.substr(blank + 1)});
    } else {
      same->doc += ", " + verb.name.substr(blank + 1);
    }
  }
  return found;
}

/// Key names after the modifiers that are typed already; aliases only once a letter is.
std::vector<Candidate> keys(std::string_view current) {
  auto stem = current.find_last_of("+-");
  stem = stem == std::string_view::npos ? 0 : stem + 1;
  const std::string modifiers(current.substr(0, stem));
  if (!modifiers.empty() && !parse_key(modifiers + "a")) return {};
  std::vector<Candidate> found;
  for (const auto& row : key_names()) {
    if (row.is_alias && current.size() == stem) continue;
    // What a shell would take for a pattern or a path is for those who know it.
    if (row.name.find_first_of("*/") != std::string_view::npos) continue;
    found.push_back(
        {modifiers + std::string(row.name), row.is_alias ? spell_key({row.key, 0, row.modifiers}) : ""});
  }
  if (modifiers.empty()) {
    for (const char* prefix : {"C-", "M-", "S-", "Ctrl+", "Alt+", "Shift+", "Super+"})
      found.push_back({prefix});
  }
  return found;
}

const Shape& one_of(const Shape& shape) {
  return shape.type == Shape::Type::list ? shape.item.front() : shape;
}

Completion value_of(const FieldDescription& described, std::string_view current,
                    const std::function<std::vector<Candidate>()>& sessions) {
  const Shape& shape = one_of(described.shape);
  const std::string_view metavar = described.field.metavar;
  if (shape.type == Shape::Type::choice) {
    Completion choices;
    for (const auto choice : shape.choices) choices.candidates.push_back({std::string(choice)});
    return choices;
  }
  if (metavar == "SID") return {sessions(), Rest::none};
  if (metavar == "KEY") return {keys(current), Rest::none};
  if (metavar == "DIR") return {{}, Rest::directories};
  if (metavar == "FILE") return {{}, Rest::files};
  if (metavar == "SIGNAL") {
    Completion signals;
    for (const auto& name : signal_names()) signals.candidates.push_back({name});
    return signals;
  }
  return {};
}

bool takes_value(const FieldDescription& described) {
  return described.shape.type != Shape::Type::flag;
}

class MethodLine {
 public:
  MethodLine(const MethodDescription& method, const std::function<std::vector<Candidate>()>& sessions)
      : method_(method), sessions_(sessions) {}

  /// @param words  after the verb, the current one last
  Completion complete(const std::vector<std::string>& words, bool is_split) {
    const std::string& current = words.back();
    const auto* positional = find_positional();
    const bool is_program = positional != nullptr && positional->field.metavar.starts_with("PROGRAM");
    bool options_ended = false;
    std::size_t arguments = 0;
    const FieldDescription* open = nullptr;  // an option that waits for its value
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      const auto& word = words[i];
      if (open != nullptr) {
        open = nullptr;
      } else if (!options_ended && word == "--") {
        options_ended = true;
      } else if (!options_ended && looks_like_option(word)) {
        const auto* option = find(word);
        if (option != nullptr && takes_value(*option)) open = option;
      } else {
        ++arguments;
        if (is_program) options_ended = true;
      }
    }
    if (open != nullptr) return value_of(*open, current, sessions_);
    if (!options_ended && current.starts_with("--")) {
      if (const auto equals = current.find('='); equals != std::string::npos)
        return joined(current, equals, is_split);
    }
    if (!options_ended && !current.empty() && current[0] == '-') return {options(), Rest::none};
    if (positional == nullptr) return {options_ended ? std::vector<Candidate>{} : options(), Rest::none};
    if (is_program) return {{}, arguments == 0 ? Rest::programs : Rest::files};
    if (arguments > 0 && positional->shape.type != Shape::Type::list) return {};
    return value_of(*positional, current, sessions_);
  }

 private:
  const FieldDescription* find_positional() const {
    for (const auto& described : method_.request) {
      if (described.field.name == method_.info.positional) return &described;
    }
    return nullptr;
  }
  const FieldDescription* find(const std::string& option) const {
    for (const auto& described : method_.request) {
      if (!has_option(method_.info, described)) continue;
      const auto names = option_names(described);
      if (std::find(names.begin(), names.end(), option) != names.end()) return &described;
    }
    return nullptr;
  }

  Completion joined(const std::string& current, std::size_t equals, bool is_split) const {
    const auto* option = find(current.substr(0, equals));
    if (option == nullptr) return {};
    Completion values = value_of(*option, current.substr(equals + 1), sessions_);
    if (is_split) return values;
    for (auto& candidate : values.candidates) candidate.word.insert(0, current.substr(0, equals + 1));
    values.rest = Rest::none;
    return values;
  }

  std::vector<Candidate> options() const {
    std::vector<Candidate> found;
    for (const auto& described : method_.request) {
      if (!has_option(method_.info, described)) continue;
      const bool has_twin = described.shape.type == Shape::Type::duration;
      auto names = option_names(described);
      if (has_twin) names.pop_back();
      for (auto& name : names) found.push_back({std::move(name), std::string(described.field.doc)});
    }
    found.push_back({"--json", "print the reply as JSON"});
    found.push_back({"--help", "print this verb's help"});
    return found;
  }

  const MethodDescription& method_;
  const std::function<std::vector<Candidate>()>& sessions_;
};

Completion command_words(const Command& command, const std::vector<std::string>& words) {
  Completion found;
  if (words.back().starts_with('-') || command.argument.empty()) {
    if (command.takes_json) found.candidates.push_back({"--json", "print the reply as JSON"});
    found.candidates.push_back({"--help", "print this verb's help"});
    return found;
  }
  if (words.size() > 1) {
    if (words.size() == 2 && command.argument != "SHELL") found.candidates = verb_words(words[0]);
    return found;
  }
  if (command.argument == "SHELL") {
    for (const auto& shell : kShells) found.candidates.push_back({std::string(shell.name)});
  } else if (command.argument == "[METHOD]") {
    for (const auto& method : describe_methods()) {
      found.candidates.push_back({std::string(method.info.name), std::string(method.info.doc)});
      if (const auto typed = command_name(method.info.name);
          typed != method.info.name && typed.find(' ') == std::string::npos)
        found.candidates.push_back({typed, std::string(method.info.doc)});
    }
  } else {
    for (const auto& topic : topics())
      found.candidates.push_back({std::string(topic.name), std::string(topic.doc)});
    for (auto& verb : verb_words("")) {
      const auto same = [&verb](const auto& known) { return known.word == verb.word; };
      if (std::none_of(found.candidates.begin(), found.candidates.end(), same))
        found.candidates.push_back(std::move(verb));
    }
  }
  return found;
}

Completion candidates(const std::vector<std::string>& words, bool is_split,
                      const std::function<std::vector<Candidate>()>& sessions) {
  if (words.size() == 1) {
    if (words[0].starts_with('-'))
      return {{{"--help", "what smartcli is, and its verbs"}, {"--version", "of this program"}}, Rest::none};
    return {verb_words(""), Rest::none};
  }
  if (words.size() == 2 && !verb_words(words[0]).empty()) return {verb_words(words[0]), Rest::none};
  const bool two_words = !verb_words(words[0]).empty();
  const std::string verb = two_words ? words[0] + " " + words[1] : words[0];
  const std::vector<std::string> rest(words.begin() + (two_words ? 2 : 1), words.end());
  for (const auto& command : kCommands) {
    if (command.name == verb) return command_words(command, rest);
  }
  for (const auto& method : describe_methods()) {
    if (method.info.is_command && command_name(method.info.name) == verb)
      return MethodLine(method, sessions).complete(rest, is_split);
  }
  return {};
}

}  // namespace

Completion complete(std::vector<std::string> words, const std::function<std::vector<Candidate>()>& sessions) {
  if (words.empty()) words.emplace_back();
  bool is_split = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] != "=" || !words[i - 1].starts_with("--")) continue;
    is_split = i + 2 >= words.size();
    const std::string value = i + 1 < words.size() ? words[i + 1] : "";
    words[i - 1] += "=" + value;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                words.begin() + static_cast<std::ptrdiff_t>(std::min(i + 2, words.size())));
  }
  Completion found = candidates(words, is_split, sessions);
  std::string_view start = words.back();
  if (is_split) start.remove_prefix(start.find('=') + 1);
  std::erase_if(found.candidates,
                [start](const auto& candidate) { return !starts_like(candidate.word, start); });
  return found;
}

Result<std::string> completion_script(std::string_view shell) {
  std::vector<std::string> known;
  for (const auto& row : kShells) {
    if (row.name == shell) return std::string(row.script);
    known.emplace_back(row.name);
  }
  return Error{ErrorCode::invalid_argument, "no completion for " + text::quoted(shell) +
                                                text::did_you_mean(shell, known) +
                                                "; there is one for bash, zsh and fish"};
}

}  // namespace smartcli::cli
