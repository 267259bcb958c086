#include "cli/help.hpp"

#include <algorithm>

#include "common/text.hpp"
#include "common/utf8.hpp"
#include "proto/describe.hpp"
#include "proto/registry.hpp"
#include "proto/topics.hpp"

namespace smartcli::cli {
namespace {

constexpr std::size_t kWidth = 79;  // the last column of a terminal of 80 stays free

/// The words of `text` in lines of at most `width` columns.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines{""};
  while (!text.empty()) {
    const auto end = text.find(' ');
    const auto word = text.substr(0, end);
    auto& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (utf8::length(line) + 1 + utf8::length(word) <= width) {
      line += " " + std::string(word);
    } else {
      lines.emplace_back(word);
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// `left` at `indent`, `right` wrapped at `column`, on a line of its own where the left one is too long.
std::string entry(std::string_view left, std::string_view right, std::size_t indent, std::size_t column) {
  std::string out(indent, ' ');
  out += left;
  bool is_first = true;
  for (const auto& line : wrapped(right, kWidth - column)) {
    if (line.empty()) break;
    std::size_t at = is_first ? indent + utf8::length(left) : 0;
    if (!is_first || at + 2 > column) {
      out += "\n";
      at = 0;
    }
    out += std::string(column - at, ' ') + line;
    is_first = false;
  }
  return out + "\n";
}

struct Line {
  std::string left, right;
};

std::string entries(const std::vector<Line>& lines) {
  constexpr std::size_t kIndent = 2, kWidest = 30;
  std::size_t column = 0;
  for (const auto& line : lines) {
    const auto width = kIndent + utf8::length(line.left) + 2;
    if (width <= kWidest) column = std::max(column, width);
  }
  std::string out;
  for (const auto& line : lines) out += entry(line.left, line.right, kIndent, column);
  return out;
}

/// Columns two blanks apart; a last one that has no room is put below its row.
std::string columns(const std::vector<std::vector<std::string>>& rows) {
  constexpr std::size_t kLeastRoom = 24, kBelow = 4;
  std::vector<std::size_t> widths(rows.front().size() - 1);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], utf8::length(row[i]));
  }
  std::size_t before = 0;
  for (const auto width : widths) before += width + 2;
  std::string out;
  for (const auto& row : rows) {
    std::string left;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      left += row[i] + std::string(widths[i] - utf8::length(row[i]) + 2, ' ');
    }
    while (left.ends_with(' ')) left.pop_back();
    if (before + kLeastRoom <= kWidth) {
      out += entry(left, row.back(), 0, before);
    } else {
      out += left + "\n";
      for (const auto& line : wrapped(row.back(), kWidth - kBelow))
        out += std::string(kBelow, ' ') + line + "\n";
    }
  }
  return out;
}

std::string examples(std::string_view lines) {
  std::string out = "\nExamples:\n";
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    out += "  " + std::string(lines.substr(0, end)) + "\n";
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return out;
}

std::string metavar_of(const FieldDescription& described) {
  using Type = Shape::Type;
  if (described.shape.type == Type::flag) return "";
  if (!described.field.metavar.empty()) return std::string(described.field.metavar);
  const auto type =
      described.shape.type == Type::list ? described.shape.item.front().type : described.shape.type;
  switch (type) {
    case Type::number: return "N";
    case Type::duration: return "D";
    case Type::choice: return "WHICH";
    default: return "TEXT";
  }
}

std::string argument_of(const FieldDescription& described) {
  std::string name = metavar_of(described);
  if (described.shape.type == Shape::Type::list && !name.ends_with("...")) name += "...";
  return described.is_required ? name : "[" + name + "]";
}

/// How an option stands in the list: its names without the twin in milliseconds, and what it takes.
std::string option_of(const FieldDescription& described) {
  auto names = option_names(described);
  if (described.shape.type == Shape::Type::duration) names.pop_back();
  std::string all = names.front().starts_with("--") ? "    " : "";
  for (const auto& name : names) all += (&name == &names.front() ? "" : ", ") + name;
  const auto metavar = metavar_of(described);
  return metavar.empty() ? all : all + " " + metavar;
}

std::string explained(const FieldDescription& described) {
  std::string text = explain(described);
  const bool is_negation = described.shape.type == Shape::Type::flag && described.standard == "true";
  if (is_negation) text.insert(0, "not: ");
  if (described.field.name == "sid" && described.field.metavar == "SID")
    text += " (default: $SMARTCLI_SESSION)";
  return text;
}

std::string method_help(const MethodDescription& method) {
  std::string usage = "Usage: smartcli " + command_name(method.info.name);
  std::vector<Line> arguments, options;
  std::string twins;
  std::string positional;
  for (const auto& described : method.request) {
    if (described.field.place == Place::wire) continue;
    if (!has_option(method.info, described)) {
      positional = " " + argument_of(described);
      std::string left = argument_of(described);
      std::erase_if(left, [](char c) { return c == '[' || c == ']'; });
      arguments.push_back({left, explained(described)});
      continue;
    }
    if (described.field.name == "sid") {
      usage += described.is_required ? " -s " + metavar_of(described) : " [-s " + metavar_of(described) + "]";
    }
    options.push_back({option_of(described), explained(described)});
    if (described.shape.type == Shape::Type::duration)
      twins += (twins.empty() ? "" : ", ") + option_names(described).back() + " N";
  }
  usage += " [OPTION...]" + positional + "\n";
  options.push_back({"    --json", "print the reply as JSON"});
  options.push_back({"-h, --help", "print this"});
  std::string help;
  for (const auto& line : wrapped(method.info.doc, kWidth)) help += line + "\n";
  help += usage + "\n";
  arguments.insert(arguments.end(), options.begin(), options.end());
  help += entries(arguments);
  if (!twins.empty()) {
    help += "\n";
    for (const auto& line :
         wrapped("D is 500ms, 30s, 5m, 1h or seconds; in milliseconds: " + twins, kWidth - 2))
      help += "  " + line + "\n";
  }
  return help + examples(method.info.examples);
}

std::string topic_help(const Topic& topic) {
  std::string help(topic.doc);
  help[0] = static_cast<char>(help[0] - 'a' + 'A');
  help += ".\n" + topic.text;
  if (!topic.table.empty()) help += (topic.text == "\n" ? "" : "\n") + columns(topic.table);
  return help;
}

}  // namespace

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = [] {
    std::vector<Verb> list;
    for_each_method([&list]<class M>() {
      if (M::info.is_command)
        list.push_back({command_name(M::info.name), std::string(M::info.doc), M::info.family});
    });
    for (const auto& row : kCommands)
      list.push_back({std::string(row.name), std::string(row.doc), row.family});
    std::stable_sort(list.begin(), list.end(),
                     [](const Verb& a, const Verb& b) { return a.family < b.family; });
    return list;
  }();
  return all;
}

std::string verb_help(std::string_view method) {
  for (const auto& described : describe_methods()) {
    if (described.info.name == method) return method_help(described);
  }
  return {};
}

std::string command_help(const Command& command) {
  std::string usage = "Usage: smartcli " + std::string(command.name);
  std::vector<Line> lines;
  if (command.takes_json) usage += " [--json]";
  if (!command.argument.empty()) {
    usage += " " + std::string(command.argument);
    std::string name(command.argument);
    std::erase_if(name, [](char c) { return c == '[' || c == ']'; });
    lines.push_back({std::move(name), std::string(command.argument_doc)});
  }
  if (command.takes_json) lines.push_back({"    --json", "print it as JSON, on one line"});
  lines.push_back({"-h, --help", "print this"});
  return std::string(command.doc) + "\n" + usage + "\n\n" + entries(lines) + examples(command.examples);
}

std::string family_help(std::string_view word) {
  std::vector<Line> lines;
  for (const auto& verb : verbs()) {
    if (verb.name.size() > word.size() && verb.name.starts_with(word) && verb.name[word.size()] == ' ')
      lines.push_back({verb.name, verb.doc});
  }
  if (lines.empty()) return {};
  return "Usage: smartcli " + std::string(word) + " VERB\n\n" + entries(lines);
}

Result<std::string> help_on(std::string_view about) {
  std::string help;
  std::vector<std::string> known;
  for (const auto& topic : topics()) {
    if (topic.name == about) help = topic_help(topic);
    known.emplace_back(topic.name);
  }
  // `limits` is a topic and a verb.
  const std::string between = help.empty() ? "" : "\n";
  for (const auto& command : kCommands) {
    if (command.name == about) help += between + command_help(command);
  }
  for (const auto& method : describe_methods()) {
    if (method.info.is_command && (command_name(method.info.name) == about || method.info.name == about))
      help += between + method_help(method);
  }
  if (help.empty()) help = family_help(about);
  if (!help.empty()) return help;
  for (const auto& verb : verbs()) known.push_back(verb.name);
  return Error{ErrorCode::invalid_argument, "no topic and no verb " + text::quoted(about) +
                                                text::did_you_mean(about, known) +
                                                " (`smartcli help` lists them)"};
}

std::string topics_help() {
  std::vector<Line> lines;
  for (const auto& topic : topics()) lines.push_back({std::string(topic.name), std::string(topic.doc)});
  return "Topics, `smartcli help TOPIC`:\n" + entries(lines);
}

std::string main_help() {
  std::string help =
      "smartcli drives live terminal programs: start, type, wait, read the screen, end.\n"
      "\n"
      "  sid=$(smartcli spawn python3)          start it on a terminal of its own\n"
      "  smartcli wait-regex -s $sid '>>> $'    block until its prompt is there\n"
      "  smartcli send-line -s $sid 'print(6*7)'\n"
      "  smartcli wait-regex -s $sid '^42$'     output counts, the echo does not\n"
      "  smartcli snapshot -s $sid              what a person would see\n"
      "  smartcli close -s $sid\n"
      "\n";
  constexpr std::size_t kColumn = 10;
  const auto add = [&help](std::string_view title, const std::string& names) {
    help += entry(title, names, 0, kColumn);
  };
  for (std::size_t family = 0; family < std::size(kFamilyNames); ++family) {
    std::string names;
    for (const auto& verb : verbs()) {
      if (verb.family == static_cast<Family>(family)) names += (names.empty() ? "" : ", ") + verb.name;
    }
    add(kFamilyNames[family], names);
  }
  std::string names;
  for (const auto& topic : topics()) names += (names.empty() ? "" : ", ") + std::string(topic.name);
  add("Topics", names);
  help +=
      "\n"
      "  smartcli help VERB or TOPIC   options, examples    --json   any reply as JSON\n"
      "  SMARTCLI_SESSION=SID   the default for -s SID      --version\n";
  return help;
}

}  // namespace smartcli::cli
