#pragma once

// A struct's fields as data: what schema, reference page, help and completion are made of. One visitor reads
// the structs; everybody else reads this.

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli {

struct FieldDescription;

/// A value on the wire.
struct Shape {
  enum class Type { text, flag, number, duration, session_name, bytes, raw, choice, object, list };
  Type type = Type::text;
  std::vector<std::string_view> choices;  ///< of `choice`
  std::vector<FieldDescription> members;  ///< of `object`
  std::vector<Shape> item;                ///< of `list`: one
};

struct FieldDescription {
  Field field;
  bool is_required = false;  ///< in a request: must be given; in a reply: is always there
  bool is_nullable = false;  ///< may be null (a required field of a reply that holds nothing)
  Shape shape;
  std::string standard;  ///< JSON text of the value where it is left out; empty: none
};

struct MethodDescription {
  MethodInfo info;
  std::vector<FieldDescription> request, reply;
  std::vector<FieldDescription> chunk;  ///< of a `stream` notification, beside id and seq; empty: none come
};

/// All methods in the registry's order, `hello` first.
const std::vector<MethodDescription>& describe_methods();

/// A method's name as typed: `wait_regex` is `wait-regex`, `daemon_stop` is `daemon stop`.
std::string command_name(std::string_view method);

/// The method's command has an option for the field: it is neither the argument nor on the wire only.
bool has_option(const MethodInfo& method, const FieldDescription& field);

/// What the option of a field is called, without dashes: `timeout` for `timeout_ms`, `no-marks` for a flag
/// that is on unless told otherwise.
std::string option_name(const FieldDescription& field);

/// All names of the option as typed, short ones first and `--x-ms` last.
std::vector<std::string> option_names(const FieldDescription& field);

/// What help and reference say of it: its doc, the choices, the range, and what holds without it.
std::string explain(const FieldDescription& field);

/// One field, as `describe_methods` has it.
template <class T>
FieldDescription describe_field(const Field& field, T& value, bool is_required);

namespace detail {

template <class T>
struct Unwrap {
  using Inner = T;
  static constexpr bool kIsOptional = false;
};
template <class T>
struct Unwrap<std::optional<T>> {
  using Inner = T;
  static constexpr bool kIsOptional = true;
};

class Describer {
 public:
  std::vector<FieldDescription> fields;

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
    FieldDescription described;
    described.field = field;
    described.is_required = is_required;
    described.is_nullable = is_required && Unwrap<T>::kIsOptional;
    describe(value, described.shape);
    if (!is_required) described.standard = standard_of(field, value);
    fields.push_back(std::move(described));
  }

  template <class T>
  static void describe(std::optional<T>&, Shape& shape) {
    T inner{};
    describe(inner, shape);
  }
  template <class T>
  static void describe(std::vector<T>&, Shape& shape) {
    T inner{};
    shape.type = Shape::Type::list;
    describe(inner, shape.item.emplace_back());
  }
  template <class T>
  static void describe(T& value, Shape& shape) {
    using Type = Shape::Type;
    if constexpr (std::is_enum_v<T>) {
      shape.type = Type::choice;
      for (const auto name : EnumNames<T>::kNames) shape.choices.push_back(name);
    } else if constexpr (std::is_same_v<T, std::string>) {
      shape.type = Type::text;
    } else if constexpr (std::is_same_v<T, bool>) {
      shape.type = Type::flag;
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      shape.type = Type::number;
    } else if constexpr (std::is_same_v<T, Millis>) {
      shape.type = Type::duration;
    } else if constexpr (std::is_same_v<T, SessionName>) {
      shape.type = Type::session_name;
    } else if constexpr (std::is_same_v<T, Bytes>) {
      shape.type = Type::bytes;
    } else if constexpr (std::is_same_v<T, RawJson>) {
      shape.type = Type::raw;
    } else {
      shape.type = Type::object;
      Describer inner;
      value.fields(inner);
      shape.members = std::move(inner.fields);
    }
  }

  template <class T>
  static std::string standard_of(const Field& field, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return '"' + std::string(EnumNames<T>::kNames[static_cast<std::size_t>(value)]) + '"';
    } else if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      return std::to_string(value);
    } else if constexpr (std::is_same_v<T, std::optional<std::int64_t>> ||
                         std::is_same_v<T, std::optional<Millis>>) {
      if (field.limit != nullptr && field.without.empty()) return std::to_string(field.limit->standard);
    }
    return {};
  }
};

}  // namespace detail

template <class T>
FieldDescription describe_field(const Field& field, T& value, bool is_required) {
  detail::Describer describer;
  is_required ? describer.required(field, value) : describer.optional(field, value);
  return std::move(describer.fields.front());
}

}  // namespace smartcli
