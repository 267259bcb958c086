#pragma once

// The visitors behind codec.hpp; included only by the files that instantiate them.

#include <nlohmann/json.hpp>

#include "common/text.hpp"
#include "common/utf8.hpp"
#include "proto/codec.hpp"
#include "proto/types.hpp"

namespace smartcli::detail {

using nlohmann::json;

template <class T>
concept HasFields = requires(T value, struct AnyVisitor& v) {
  &T::template fields<AnyVisitor>;
};

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires {
  EnumNames<E>::kNames;
};

bool is_session_name(std::string_view text);

class Decoder {
 public:
  Decoder(const json& object, std::string path, UnknownFields unknown)
      : object_(object), path_(std::move(path)), unknown_(unknown) {
    if (!object.is_object()) fail(path_, "an object", object);
  }

  template <class T>
  void required(const Field& field, T& value) {
    visit(field, value, true);
  }
  template <class T>
  void optional(const Field& field, T& value) {
    visit(field, value, false);
  }
  /// After all fields: unknown ones, and the first error.
  Result<void> finish();

  bool failed() const { return !error_.message.empty(); }

 private:
  template <class T>
  void visit(const Field& field, T& value, bool required) {
    if (field.place == Place::command_line) return;
    known_.emplace_back(field.name);
    if (failed()) return;
    const auto found = object_.find(field.name);
    if (found == object_.end()) {
      if (required && unknown_ != UnknownFields::ignore) {
        error_ = Error{ErrorCode::invalid_argument,
                       "missing field '" + path_of(field.name) + "' (" + std::string(field.doc) + ")",
                       path_of(field.name)};
      }
      return;
    }
    if (!required && found->is_null()) return;
    read(*found, path_of(field.name), field, value);
  }

  void read(const json& from, const std::string& path, const Field&, std::string& value) {
    if (!from.is_string()) return fail(path, "a string", from);
    value = from.get_ref<const std::string&>();
  }
  void read(const json& from, const std::string& path, const Field&, bool& value) {
    if (!from.is_boolean()) return fail(path, "true or false", from);
    value = from.get<bool>();
  }
  void read(const json& from, const std::string& path, const Field& field, std::int64_t& value);
  void read(const json& from, const std::string& path, const Field& field, Millis& value) {
    read(from, path, field, value.count);
  }
  void read(const json& from, const std::string& path, const Field&, SessionName& value);
  void read(const json& from, const std::string& path, const Field&, Bytes& value);
  void read(const json& from, const std::string&, const Field&, RawJson& value) {
    value.text = dump_json(from);
  }
  template <NamedEnum E>
  void read(const json& from, const std::string& path, const Field&, E& value) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::size(EnumNames<E>::kNames); ++i) {
      if (from.is_string() && from.get_ref<const std::string&>() == EnumNames<E>::kNames[i]) {
        value = static_cast<E>(i);
        return;
      }
      names.emplace_back(EnumNames<E>::kNames[i]);
    }
    std::string all;
    for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
    fail(path, "one of " + all, from);
    if (from.is_string()) error_.message += text::did_you_mean(from.get_ref<const std::string&>(), names);
  }
  template <class T>
  void read(const json& from, const std::string& path, const Field& field, std::optional<T>& value) {
    if (from.is_null()) {
      value.reset();
      return;
    }
    read(from, path, field, value.emplace());
  }
  template <class T>
  void read(const json& from, const std::string& path, const Field& field, std::vector<T>& value) {
    if (!from.is_array()) return fail(path, "a list", from);
    value.clear();
    value.reserve(from.size());
    for (std::size_t i = 0; i < from.size() && !failed(); ++i) {
      read(from[i], path + "[" + std::to_string(i) + "]", field, value.emplace_back());
    }
  }
  template <HasFields T>
  void read(const json& from, const std::string& path, const Field&, T& value) {
    Decoder inner(from, path, unknown_);
    if (!inner.failed()) value.fields(inner);
    if (auto done = inner.finish(); !done) error_ = done.error();
  }

  std::string path_of(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  }
  /// A value of a wrong kind: the detail is its path. Past its bounds: the detail is the limit's name.
  void fail(const std::string& path, std::string_view wanted, const json& found, const Limit* past = nullptr);

  const json& object_;
  std::string path_;
  UnknownFields unknown_;
  std::vector<std::string> known_;
  Error error_;
};

class Encoder {
 public:
  json object = json::object();

  template <class T>
  void required(const Field& field, T& value) {
    object[std::string(field.name)] = write(value);
  }
  template <class T>
  void optional(const Field& field, T& value) {
    if (field.place != Place::command_line) object[std::string(field.name)] = write(value);
  }
  template <class T>
  void optional(const Field& field, std::optional<T>& value) {
    if (value && field.place != Place::command_line) object[std::string(field.name)] = write(*value);
  }

  static json write(const std::string& value) {
    return utf8::is_valid(value) ? value : utf8::to_valid(value);
  }
  static json write(bool value) { return value; }
  static json write(std::int64_t value) { return value; }
  static json write(const Millis& value) { return value.count; }
  static json write(const SessionName& value) { return value.text; }
  static json write(const Bytes& value) {
    if (utf8::is_valid(value.data)) return value.data;
    return json{{"b64", text::base64(value.data)}};
  }
  static json write(const RawJson& value) {
    json parsed = json::parse(value.text, nullptr, false);
    return parsed.is_discarded() ? json(nullptr) : parsed;
  }
  template <NamedEnum E>
  static json write(E value) {
    return std::string(EnumNames<E>::kNames[static_cast<std::size_t>(value)]);
  }
  template <class T>
  static json write(std::optional<T>& value) {
    return value ? write(*value) : json(nullptr);
  }
  template <class T>
  static json write(std::vector<T>& values) {
    json list = json::array();
    for (auto& value : values) list.push_back(write(value));
    return list;
  }
  template <HasFields T>
  static json write(T& value) {
    Encoder inner;
    value.fields(inner);
    return std::move(inner.object);
  }
};

}  // namespace smartcli::detail

namespace smartcli {

template <class T>
Result<T> decode(const nlohmann::json& object, UnknownFields unknown) {
  T value;
  detail::Decoder decoder(object, "", unknown);
  if (!decoder.failed()) value.fields(decoder);
  if (auto done = decoder.finish(); !done) return done.error();
  return value;
}

template <class T>
nlohmann::json encode(const T& value) {
  detail::Encoder encoder;
  const_cast<T&>(value).fields(encoder);  // one `fields` serves both directions; the encoder only reads
  return std::move(encoder.object);
}

template <class T>
Result<T> decode_text(std::string_view text) {
  auto parsed = parse_json(text, 64);
  if (!parsed) return parsed.error();
  return decode<T>(*parsed, UnknownFields::ignore);
}

template <class T>
std::string encode_text(const T& value) {
  return dump_json(encode(value));
}

}  // namespace smartcli
