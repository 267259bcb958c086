#include "proto/codec.hpp"

#include <map>

#include "proto/visitors.hpp"

namespace smartcli {
namespace detail {

bool is_session_name(std::string_view text) {
  constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  if (text.empty() || text.size() > static_cast<std::size_t>(limits::sid_bytes.most)) return false;
  if (kFirst.find(text[0]) == std::string_view::npos) return false;
  for (const char c : text) {
    if (kFirst.find(c) == std::string_view::npos && c != '_' && c != '.' && c != '-') return false;
  }
  return true;
}

void Decoder::fail(const std::string& path, std::string_view wanted, const json& found, const Limit* past) {
  std::string shown = found.is_string()
                          ? text::quoted(found.get_ref<const std::string&>())
                          : text::quoted(found.is_primitive() ? found.dump() : found.type_name());
  error_ = Error{ErrorCode::invalid_argument,
                 (path.empty() ? std::string("the parameters") : "'" + path + "'") + " must be " +
                     std::string(wanted) + ", not " + shown +
                     (past != nullptr ? " (limit '" + std::string(past->name) + "')" : ""),
                 past != nullptr ? std::string(past->name) : path};
}

void Decoder::read(const json& from, const std::string& path, const Field& field, std::int64_t& value) {
  const auto range = [&] {
    return field.limit == nullptr ? std::string("a whole number")
                                  : "a whole number from " + std::to_string(field.limit->least) + " to " +
                                        std::to_string(field.limit->most);
  };
  if (from.is_number_unsigned() && from.get<std::uint64_t>() > INT64_MAX) {
    return fail(path, range(), from, field.limit);
  }
  if (!from.is_number_integer()) return fail(path, range(), from);
  value = from.get<std::int64_t>();
  if (field.limit != nullptr && (value < field.limit->least || value > field.limit->most)) {
    return fail(path, range(), from, field.limit);
  }
}

void Decoder::read(const json& from, const std::string& path, const Field&, SessionName& value) {
  if (!from.is_string() || !is_session_name(from.get_ref<const std::string&>())) {
    const bool is_long = from.is_string() && from.get_ref<const std::string&>().size() >
                                                 static_cast<std::size_t>(limits::sid_bytes.most);
    return fail(path, "a session name (a letter or digit, then up to 63 of A-Z a-z 0-9 _ . -)", from,
                is_long ? &limits::sid_bytes : nullptr);
  }
  value.text = from.get_ref<const std::string&>();
}

void Decoder::read(const json& from, const std::string& path, const Field&, Bytes& value) {
  if (from.is_string()) {
    value.data = from.get_ref<const std::string&>();
    return;
  }
  if (from.is_object() && from.size() == 1 && from.contains("b64") && from["b64"].is_string()) {
    auto bytes = text::from_base64(from["b64"].get_ref<const std::string&>());
    if (bytes) {
      value.data = std::move(*bytes);
      return;
    }
  }
  fail(path, "a string or {\"b64\": base64}", from);
}

Result<void> Decoder::finish() {
  if (failed()) return error_;
  if (unknown_ != UnknownFields::refuse) return {};
  for (const auto& [name, unused] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
      // A name that long is nobody's typing error, and would come back six times as long in escapes.
      constexpr std::size_t kLongestShown = 256;
      return Error{ErrorCode::invalid_argument,
                   "unknown field " + text::quoted(path_of(name)) + text::did_you_mean(name, known_),
                   name.size() <= kLongestShown ? path_of(name) : path_};
    }
  }
  return {};
}

/// Names in all objects; the depth was checked.
std::size_t names_in(const json& value) {
  std::size_t count = value.is_object() ? value.size() : 0;
  if (value.is_structured()) {
    for (const auto& inner : value) count += names_in(inner);
  }
  return count;
}

}  // namespace detail

Result<nlohmann::json> parse_json(std::string_view text, std::int64_t depth, std::int64_t values) {
  // Bounds first, on the bytes: the parser recurses when it destroys what it built, and takes its time to
  // build it.
  std::int64_t level = 0;
  std::size_t names = 0, commas = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++level > depth) {
        return Error{
            ErrorCode::invalid_argument,
            "the message nests deeper than " + std::to_string(depth) + " levels (limit 'json_depth')",
            "json_depth"};
      }
    } else if (c == '}' || c == ']') {
      --level;
    } else if (c == ':') {
      ++names;
    } else if (c == ',') {
      ++commas;
    }
  }
  if (static_cast<std::int64_t>(names + commas) >= values) {
    return Error{
        ErrorCode::invalid_argument,
        "the message has more than " + std::to_string(values) + " names and values (limit 'json_values')",
        "json_values"};
  }
  try {
    auto parsed = nlohmann::json::parse(text);
    // Of two values under one name the library keeps the last, another reader the first: neither is what was
    // meant.
    if (detail::names_in(parsed) != names) {
      return Error{ErrorCode::invalid_argument, "not a JSON message: a field is given twice in one object"};
    }
    return Result<nlohmann::json>(boost::system::in_place_value, std::move(parsed));
  } catch (const nlohmann::json::exception& failure) {
    std::string what = failure.what();
    if (const auto id = what.find("] "); what.starts_with("[json.exception.") && id != std::string::npos)
      what.erase(0, id + 2);
    return Error{ErrorCode::invalid_argument, "not a JSON message: " + text::inert_line(what.substr(0, 200))};
  }
}

std::string merge_objects(std::string_view first, std::string_view second) {
  auto merged = parse_json(first, 64), more = parse_json(second, 64);
  if (!merged || !more) return std::string(second);
  merged->update(*more);
  return dump_json(*merged);
}

std::string socket_json(std::string_view path) {
  return dump_json({{"ok", true}, {"socket", path}});
}

std::string merge_stream(const std::vector<std::string>& chunks, std::string_view reply) {
  auto whole = parse_json(reply, 64);
  if (!whole || chunks.empty()) return std::string(reply);
  std::map<std::string, nlohmann::json> lists;
  for (const auto& text : chunks) {
    auto chunk = parse_json(text, 64);
    if (!chunk || !chunk->is_object()) continue;
    for (auto& [name, value] : chunk->items()) {
      if (!value.is_array()) continue;
      auto& list = lists.try_emplace(name, nlohmann::json::array()).first->second;
      for (auto& item : value) list.push_back(std::move(item));
    }
  }
  for (auto& [name, list] : lists) {
    auto& own = (*whole)[name];
    if (own.is_array()) {
      for (auto& item : own) list.push_back(std::move(item));
    }
    own = std::move(list);
  }
  return dump_json(*whole);
}

std::size_t json_bytes(std::string_view text) {
  std::size_t bytes = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') {
      ++bytes;
    } else if (c < 0x20 || c == 0x7F) {
      bytes += 5;
    } else if (c == 0xC2) {
      bytes += 4;  // perhaps a C1 character
    }
  }
  return bytes;
}

std::string dump_json(const nlohmann::json& value, int indent) {
  const std::string plain = value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const auto byte = static_cast<unsigned char>(plain[i]);
    const bool c1 = byte == 0xC2 && i + 1 < plain.size() && static_cast<unsigned char>(plain[i + 1]) < 0xA0;
    if (byte != 0x7F && !c1) continue;
    out.append(plain, copied, i - copied);
    char escape[8];
    const unsigned code = byte == 0x7F ? 0x7F : static_cast<unsigned char>(plain[i + 1]);
    std::snprintf(escape, sizeof escape, "\\u%04x", code);
    out += escape;
    if (c1) ++i;
    copied = i + 1;
  }
  if (copied == 0) return plain;
  out.append(plain, copied);
  return out;
}

}  // namespace smartcli
