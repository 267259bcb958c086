#include "proto/schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/text.hpp"
#include "proto/codec.hpp"
#include "proto/commands.hpp"
#include "proto/keys.hpp"
#include "proto/methods/daemon.hpp"
#include "proto/statuses.hpp"
#include "proto/variables.hpp"

namespace smartcli {
namespace {

using nlohmann::json;

constexpr const char* kDialect = "https://json-schema.org/draft/2020-12/schema";

enum class Side { request, reply };

json lines(std::string_view text) {
  json list = json::array();
  while (!text.empty()) {
    const auto end = text.find('\n');
    list.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return list;
}

json object_schema(const std::vector<FieldDescription>& fields, Side side);

json shape_schema(const Shape& shape, const Field& field, Side side) {
  using Type = Shape::Type;
  switch (shape.type) {
    case Type::text: return {{"type", "string"}};
    case Type::flag: return {{"type", "boolean"}};
    case Type::number:
    case Type::duration: {
      json number{{"type", "integer"}};
      if (field.limit != nullptr) {
        number["minimum"] = field.limit->least;
        number["maximum"] = field.limit->most;
      }
      return number;
    }
    case Type::session_name:
      return {{"type", "string"},
              {"pattern", "^[A-Za-z0-9][A-Za-z0-9_.-]*$"},
              {"maxLength", limits::sid_bytes.most}};
    case Type::bytes:
      return {{"anyOf",
               {{{"type", "string"}},
                {{"type", "object"},
                 {"properties", {{"b64", {{"type", "string"}, {"contentEncoding", "base64"}}}}},
                 {"required", {"b64"}},
                 {"additionalProperties", false}}}}};
    case Type::raw: return json::object();
    case Type::choice: return {{"type", "string"}, {"enum", shape.choices}};
    case Type::object: return object_schema(shape.members, side);
    case Type::list: return {{"type", "array"}, {"items", shape_schema(shape.item.front(), field, side)}};
  }
  return json::object();
}

void allow_null(json& schema) {
  if (schema.contains("enum")) {
    schema["enum"].push_back(nullptr);
  }
  if (schema.contains("type")) {
    schema["type"] = {schema["type"], "null"};
  } else if (schema.contains("anyOf")) {
    schema["anyOf"].push_back({{"type", "null"}});
  }
}

json field_schema(const FieldDescription& described, Side side) {
  json schema = shape_schema(described.shape, described.field, side);
  if (described.is_nullable) allow_null(schema);
  std::string doc(described.field.doc);
  if (!described.field.without.empty()) doc += " (default: " + std::string(described.field.without) + ")";
  schema["description"] = doc;
  if (side == Side::request && !described.standard.empty()) {
    schema["default"] = json::parse(described.standard);
  }
  return schema;
}

json object_schema(const std::vector<FieldDescription>& fields, Side side) {
  json properties = json::object(), required = json::array();
  for (const auto& described : fields) {
    if (described.field.place == Place::command_line) continue;
    properties[std::string(described.field.name)] = field_schema(described, side);
    if (described.is_required) required.push_back(described.field.name);
  }
  json schema{{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
  if (side == Side::request) schema["additionalProperties"] = false;
  return schema;
}

/// A group for each key: its name, the other names, and what a name with modifiers of its own stands for.
json keys() {
  json all = json::array();
  const KeyName* group = nullptr;
  for (const auto& row : key_names()) {
    if (group == nullptr || row.key != group->key || row.modifiers != group->modifiers) {
      group = &row;
      all.push_back({{"name", row.name}, {"aliases", json::array()}});
      if (row.modifiers != 0) all.back()["means"] = spell_key({row.key, 0, row.modifiers});
    } else {
      all.back()["aliases"].push_back(row.name);
    }
  }
  return all;
}

/// The options that the client acts on by itself: no field of the request.
json client_options(const MethodDescription& method) {
  json all = json::array();
  for (const auto& described : method.request) {
    if (described.field.place != Place::command_line) continue;
    json option = field_schema(described, Side::request);
    option["options"] = option_names(described);
    all.push_back(std::move(option));
  }
  return all;
}

json all_options(const MethodDescription& method) {
  json all = json::array();
  for (const auto& described : method.request) {
    if (!has_option(method.info, described)) continue;
    for (auto& name : option_names(described)) all.push_back(std::move(name));
  }
  for (const char* name : {"--json", "-h", "--help"}) all.push_back(name);
  return all;
}

}  // namespace

json request_schema(const MethodDescription& method) {
  json schema = object_schema(method.request, Side::request);
  schema["$schema"] = kDialect;
  return schema;
}

json reply_schema(const MethodDescription& method) {
  json schema = object_schema(method.reply, Side::reply);
  schema["$schema"] = kDialect;
  schema["properties"]["ok"] = {{"const", true}};
  schema["required"].push_back("ok");
  return schema;
}

json method_schema(const MethodDescription& method) {
  constexpr const char* kAccess[] = {"read", "write", "control"};
  const auto& info = method.info;
  json row{{"name", info.name},
           {"command", nullptr},
           {"is_command", info.is_command},
           {"summary", info.doc},
           {"access", kAccess[static_cast<int>(info.access)]},
           {"positional", nullptr},
           {"starts_daemon", info.starts_daemon},
           {"core_tool", info.core_tool},
           {"examples", lines(info.examples)},
           {"request", request_schema(method)},
           {"reply", reply_schema(method)},
           {"options", json::array()},
           {"client_options", client_options(method)}};
  if (!info.positional.empty()) row["positional"] = info.positional;
  if (info.is_command) {
    row["command"] = command_name(info.name);
    row["options"] = all_options(method);
  }
  return row;
}

json schema_document(std::string_view version) {
  json document{{"schema_version", kSchemaVersion},
                {"version", version},
                {"protocol", {{"min", kProtocolMin}, {"max", kProtocolMax}}},
                {"keys", keys()}};
  for (const char* list :
       {"methods", "streams", "commands", "limits", "errors", "exit_statuses", "variables"}) {
    document[list] = json::array();
  }
  for (const auto& method : describe_methods()) {
    document["methods"].push_back(method_schema(method));
    if (method.chunk.empty()) continue;
    document["streams"].push_back(
        {{"method", method.info.name}, {"chunk", object_schema(method.chunk, Side::reply)}});
  }
  for (const auto& row : kCommands) {
    document["commands"].push_back({{"name", row.name},
                                    {"summary", row.doc},
                                    {"argument", row.argument},
                                    {"starts_daemon", row.starts_daemon},
                                    {"examples", lines(row.examples)}});
  }
  for (const auto& row : kLimits) {
    document["limits"].push_back({{"name", row.name},
                                  {"variable", row.variable},
                                  {"default", row.standard},
                                  {"min", row.least},
                                  {"max", row.most},
                                  {"unit", row.unit},
                                  {"reason", row.reason}});
  }
  for (const auto& row : kErrors) {
    document["errors"].push_back({{"code", row.name},
                                  {"number", row.number},
                                  {"exit_status", row.exit_status},
                                  {"meaning", row.meaning}});
  }
  for (const auto& row : kExitStatuses) {
    document["exit_statuses"].push_back({{"status", row.status}, {"meaning", row.meaning}});
  }
  for (const auto& row : kVariables) {
    document["variables"].push_back({{"name", row.name}, {"meaning", row.meaning}});
  }
  return document;
}

Result<std::string> schema_text(std::string_view version, std::string_view method, int indent) {
  if (method.empty()) {
    json document = schema_document(version);
    document["ok"] = true;
    return dump_json(document, indent);
  }
  std::vector<std::string> known;
  for (const auto& described : describe_methods()) {
    const auto command = command_name(described.info.name);
    if (method == described.info.name || method == command) {
      json row = method_schema(described);
      row["ok"] = true;
      return dump_json(row, indent);
    }
    known.emplace_back(described.info.name);
    known.push_back(command);
  }
  return Error{ErrorCode::unknown_method, "no method " + text::quoted(method) +
                                              text::did_you_mean(method, known) +
                                              " (`smartcli schema` has them all)"};
}

}  // namespace smartcli
