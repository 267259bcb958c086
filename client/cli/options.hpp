#pragma once

// The visitor that makes CLI11 options of a request's fields. The only door to CLI11.

#include <CLI/CLI.hpp>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/text.hpp"
#include "common/utf8.hpp"
#include "proto/describe.hpp"
#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli::cli {

/// Collects a request's options; `assign` fills the fields after parsing. All values go through strings, so
/// that what CLI11 has to instantiate stays small.
class Options {
 public:
  Options(CLI::App& app, const MethodInfo& info) : app_(app), info_(info) {}

  template <class T>
  void required(const Field& field, T& value) {
    add(field, value, true);
  }
  template <class T>
  void optional(const Field& field, T& value) {
    add(field, value, false);
  }

  /// Errors: invalid_argument naming the option.
  Result<void> assign();
  /// The argument that stands without an option takes any number of words.
  bool has_list_argument() const { return has_list_argument_; }

 private:
  template <class T>
  void add(const Field& field, T& value, bool required) {
    // The environment has no option: the client fills it.
    if constexpr (!std::is_same_v<T, std::optional<std::vector<Bytes>>>) {
      if (field.place == Place::wire) return;
      const auto described = describe_field(field, value, required);
      add_value(described, value);
    }
  }
  void add_value(const FieldDescription& described, bool& value) {
    flag(described, [&value, standard = value](bool set) { value = set != standard; });
  }
  template <class T>
  void add_value(const FieldDescription& described, std::vector<T>& value) {
    list(described, [field = described.field, &value](const std::vector<std::string>& texts) -> Result<void> {
      for (const auto& text : texts) {
        T one{};
        if (auto read = convert(field, text, one); !read) return read;
        value.push_back(std::move(one));
      }
      return {};
    });
  }
  template <class T>
  void add_value(const FieldDescription& described, T& value) {
    single(described, [field = described.field, &value](const std::string& text) {
      return convert(field, text, value);
    });
  }

  static Result<void> convert(const Field&, const std::string& text, std::string& value);
  static Result<void> convert(const Field&, const std::string& text, Bytes& value);
  static Result<void> convert(const Field& field, const std::string& text, SessionName& value);
  static Result<void> convert(const Field& field, const std::string& text, std::int64_t& value);
  static Result<void> convert(const Field& field, const std::string& text, Millis& value);
  static Result<void> convert(const Field& field, const std::string& text, Region& value);
  template <class T>
  static Result<void> convert(const Field& field, const std::string& text,
                              T& value) requires std::is_enum_v<T> {
    std::size_t chosen = 0;
    if (auto read = choose(field, text, EnumNames<T>::kNames, chosen); !read) return read;
    value = static_cast<T>(chosen);
    return {};
  }
  static Result<void> choose(const Field& field, const std::string& text,
                             std::span<const std::string_view> names, std::size_t& chosen);
  template <class T>
  static Result<void> convert(const Field& field, const std::string& text, std::optional<T>& value) {
    return convert(field, text, value.emplace());
  }

  void flag(const FieldDescription& described, std::function<void(bool)> use);
  void single(const FieldDescription& described, std::function<Result<void>(const std::string&)> use);
  void list(const FieldDescription& described,
            std::function<Result<void>(const std::vector<std::string>&)> use);

  CLI::App& app_;
  const MethodInfo& info_;
  bool has_list_argument_ = false;
  std::deque<bool> flags_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::string>> lists_;
  std::vector<std::function<Result<void>()>> assignments_;
};

/// Put before each word of a positional list: CLI11 takes a word like `[a,b]` apart otherwise.
inline constexpr char kGuard = '\x02';

/// All of standard input.
std::string read_stdin();

}  // namespace smartcli::cli
