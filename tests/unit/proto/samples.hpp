#pragma once

// What the tests of the codec know of a request: its fields, each with a value that fits and some that do
// not.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "proto/field.hpp"
#include "proto/registry.hpp"

namespace smartcli::test {

using nlohmann::json;

enum class Kind { text, flag, number, duration, session, bytes, list, name, raw, object };

struct FieldFacts {
  std::string name;
  bool is_required = false;
  Kind kind = Kind::text;
  const Limit* limit = nullptr;
  json fits;
};

/// Visits a request and writes down its fields.
class FieldList {
 public:
  std::vector<FieldFacts> all;

  template <class T>
  void required(const Field& field, T& value) {
    add(field, value, true);
  }
  template <class T>
  void optional(const Field& field, T& value) {
    add(field, value, false);
  }

 private:
  template <class T>
  void add(const Field& field, T& value, bool is_required) {
    if (field.place == Place::command_line) return;
    FieldFacts facts{std::string(field.name), is_required, Kind::text, field.limit, nullptr};
    describe(value, facts);
    all.push_back(std::move(facts));
  }
  static void set(FieldFacts& facts, Kind kind, json fits) {
    facts.kind = kind;
    facts.fits = std::move(fits);
  }
  static void describe(const std::string&, FieldFacts& facts) { set(facts, Kind::text, "text"); }
  static void describe(const bool&, FieldFacts& facts) { set(facts, Kind::flag, true); }
  static void describe(const std::int64_t&, FieldFacts& facts) {
    set(facts, Kind::number, facts.limit != nullptr ? facts.limit->least : 7);
  }
  static void describe(const Millis&, FieldFacts& facts) {
    set(facts, Kind::duration, facts.limit != nullptr ? facts.limit->most : 7);
  }
  static void describe(const SessionName&, FieldFacts& facts) { set(facts, Kind::session, "work-1"); }
  static void describe(const Bytes&, FieldFacts& facts) { set(facts, Kind::bytes, json{{"b64", "/w=="}}); }
  static void describe(const RawJson&, FieldFacts& facts) { set(facts, Kind::raw, json{{"any", {1, "x"}}}); }
  template <class T>
  static void describe(const std::optional<T>&, FieldFacts& facts) {
    describe(T{}, facts);
  }
  template <class T>
  static void describe(const std::vector<T>&, FieldFacts& facts) {
    FieldFacts inner;
    describe(T{}, inner);
    set(facts, Kind::list, json::array({inner.fits, inner.fits}));
  }
  template <class T>
  requires std::is_enum_v<T>
  static void describe(const T&, FieldFacts& facts) {
    set(facts, Kind::name, std::string(EnumNames<T>::kNames[1]));
  }
  template <class T>
  requires requires(T value, FieldList& list) { value.fields(list); }
  static void describe(const T&, FieldFacts& facts) {
    T value;
    FieldList inner;
    value.fields(inner);
    json object = json::object();
    for (const auto& field : inner.all) object[field.name] = field.fits;
    set(facts, Kind::object, std::move(object));
  }
};

template <class Request>
std::vector<FieldFacts> fields_of() {
  Request request;
  FieldList list;
  request.fields(list);
  return std::move(list.all);
}

/// A request with every field, or with the required ones only.
template <class Request>
json sample(bool with_optional) {
  json object = json::object();
  for (const auto& field : fields_of<Request>()) {
    if (field.is_required || with_optional) object[field.name] = field.fits;
  }
  return object;
}

/// Values of every JSON type that are none of this kind's.
inline std::vector<json> misfits(Kind kind) {
  std::vector<json> all;
  const auto unless = [&](bool fits, json value) {
    if (!fits) all.push_back(std::move(value));
  };
  const bool is_string = kind == Kind::text || kind == Kind::session || kind == Kind::bytes;
  const bool is_number = kind == Kind::number || kind == Kind::duration;
  if (kind == Kind::raw) return all;
  unless(kind == Kind::flag, true);
  unless(is_number, 5);
  all.push_back(1.5);
  if (is_number) {
    all.push_back(5.0);
    all.push_back(9223372036854775808ULL);
    all.push_back("5");
  }
  unless(is_string, "word");
  if (kind == Kind::session) {
    all.push_back("");
    all.push_back("a/b");
  }
  if (kind == Kind::name) all.push_back("TEXT");
  unless(kind == Kind::list, json::array());
  unless(kind == Kind::object, json::object());
  if (kind == Kind::list) {
    all.push_back(json::array({json::array()}));
    all.push_back(json::array({nullptr}));
  }
  if (kind == Kind::bytes) {
    all.push_back(json{{"b64", "*"}});
    all.push_back(json{{"b64", 5}});
    all.push_back(json{{"b64", "Zg=="}, {"more", 1}});
    all.push_back(json{{"base64", "Zg=="}});
  }
  return all;
}

/// Calls `visit.template operator()<M>()` for every method, `hello` too.
template <class Visit>
void for_each_message(Visit&& visit) {
  for_each_method(visit);
  visit.template operator()<Hello>();
}

}  // namespace smartcli::test
