// smartcli-reference: prints the reference page, packaging/reference.md, from the tables.

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "proto/commands.hpp"
#include "proto/describe.hpp"
#include "proto/registry.hpp"
#include "proto/topics.hpp"

namespace smartcli {
namespace {

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

/// In a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

class Page {
 public:
  std::string text() {
    text_ =
        "# smartcli reference\n\n"
        "Printed by `smartcli-reference` from the tables that the programs are built from; not edited by "
        "hand.\n"
        "The same as one JSON document: `smartcli schema`.\n\n";
    for (const auto& topic : topics()) {
      if (topic.table.empty()) add(topic);
    }
    for (std::size_t family = 0; family < std::size(kFamilyNames); ++family) {
      text_ += "## " + std::string(kFamilyNames[family]) + "\n\n";
      for (const auto& method : describe_methods()) {
        if (method.info.family == static_cast<Family>(family)) add(method);
      }
      for (const auto& command : kCommands) {
        if (command.family == static_cast<Family>(family)) add(command);
      }
    }
    text_ += "## Objects\n\nWhat replies and requests hold under more than one name, or within another.\n\n";
    // Describing one may bring the next.
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      text_ += "### Object " + objects_[i].name + "\n\n";
      add_plain(objects_[i].members);
    }
    for (const auto& topic : topics()) {
      if (!topic.table.empty()) add(topic);
    }
    text_.pop_back();  // a blank line
    return text_;
  }

 private:
  struct Object {
    std::string name;
    std::vector<FieldDescription> members;
  };

  void add(const Topic& topic) {
    std::string title(topic.doc);
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    text_ += "## " + title + "\n" + topic.text + "\n";
    if (topic.text == "\n") text_.pop_back();
    if (!topic.table.empty()) add_table(topic.table);
  }

  void add_table(const std::vector<std::vector<std::string>>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text_ += "|";
      for (const auto& text : rows[i]) text_ += " " + cell(text) + " |";
      text_ += "\n";
      if (i != 0) continue;
      for (std::size_t k = 0; k < rows[i].size(); ++k) text_ += "|---";
      text_ += "|\n";
    }
    text_ += "\n";
  }

  void add_examples(std::string_view examples) {
    if (!examples.empty()) text_ += "```\n" + std::string(examples) + "\n```\n\n";
  }

  void add(const Command& command) {
    text_ += "### " + std::string(command.name) + "\n\n" + std::string(command.doc) + "\n\n";
    if (!command.argument.empty())
      text_ += code(command.argument) + ": " + std::string(command.argument_doc) + ".\n\n";
    add_examples(command.examples);
  }

  void add(const MethodDescription& method) {
    const auto& info = method.info;
    text_ += "### " + std::string(info.name) + "\n\n";
    text_ += (info.is_command ? code("smartcli " + command_name(info.name)) : "On the wire only") + ". " +
             std::string(info.doc);
    if (info.starts_daemon) text_ += " Starts the daemon.";
    text_ += "\n\n";
    if (!method.request.empty()) {
      std::vector<std::vector<std::string>> rows{{"request", "command line", "type", "default", "meaning"}};
      for (const auto& field : method.request) {
        std::string typed;
        if (!info.is_command || field.field.place == Place::wire) {
          typed = "";
        } else if (!has_option(info, field)) {
          typed = code(field.field.metavar);
        } else {
          for (const auto& name : option_names(field)) {
            if (!name.ends_with("-ms")) typed += (typed.empty() ? "" : ", ") + code(name);
          }
        }
        rows.push_back({field.field.place == Place::command_line ? "" : code(field.field.name), typed,
                        type_of(field), standard_of(field), std::string(field.field.doc)});
      }
      add_table(rows);
    }
    if (!method.reply.empty()) {
      text_ += "Reply:\n\n";
      add_plain(method.reply);
    }
    if (!method.chunk.empty()) {
      text_ += "Its notifications `stream`:\n\n";
      add_plain(method.chunk);
    }
    add_examples(info.examples);
  }

  void add_plain(const std::vector<FieldDescription>& fields) {
    std::vector<std::vector<std::string>> rows{{"field", "type", "meaning"}};
    for (const auto& field : fields) {
      rows.push_back({code(field.field.name) + (field.is_required ? "" : " (may be missing)"), type_of(field),
                      std::string(field.field.doc)});
    }
    add_table(rows);
  }

  static std::string standard_of(const FieldDescription& field) {
    if (field.is_required) return "required";
    if (!field.field.without.empty()) return std::string(field.field.without);
    if (!field.standard.empty()) return code(field.standard);
    return "";
  }

  std::string type_of(const FieldDescription& field) {
    return type_of(field.shape, field.field) + (field.is_nullable ? " or null" : "");
  }

  std::string type_of(const Shape& shape, const Field& field) {
    using Type = Shape::Type;
    const auto range = [&field] {
      return field.limit == nullptr
                 ? std::string()
                 : ", " + std::to_string(field.limit->least) + " to " + std::to_string(field.limit->most);
    };
    switch (shape.type) {
      case Type::text: return "string";
      case Type::flag: return "boolean";
      case Type::number: return "integer" + range();
      case Type::duration: return "milliseconds" + range();
      case Type::session_name: return "session name";
      case Type::bytes: return "string or {b64}";
      case Type::raw: return "any";
      case Type::choice: {
        std::string all;
        for (const auto choice : shape.choices) all += (all.empty() ? "" : ", ") + code(choice);
        return all;
      }
      case Type::list: return "list of " + type_of(shape.item.front(), field);
      case Type::object: return link_to(shape.members, field.name);
    }
    return {};
  }

  /// Objects of the same fields are one, under the name of the first field that holds one.
  std::string link_to(const std::vector<FieldDescription>& members, std::string_view field) {
    std::string signature;
    for (const auto& member : members) {
      signature += std::string(member.field.name) + "=" + std::string(member.field.doc) + "\n";
    }
    auto [known, is_new] = names_.try_emplace(signature);
    if (is_new) {
      known->second = field;
      for (const auto& object : objects_) {
        if (object.name == known->second) known->second += "_" + std::to_string(objects_.size());
      }
      objects_.push_back({known->second, members});
    }
    return "[" + known->second + "](#object-" + known->second + ")";
  }

  std::string text_;
  std::map<std::string, std::string> names_;
  std::vector<Object> objects_;
};

}  // namespace
}  // namespace smartcli

int main() {
  const std::string text = smartcli::Page().text();
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
