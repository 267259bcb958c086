#pragma once

// The visitor that makes CLI11 options of a request's fields. The only door to CLI11.

#include <CLI/CLI.hpp>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/text.hpp"
#include "common/utf8.hpp"
#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli::cli {

/// `wait_regex` as the command line has it.
std::string spelled(std::string_view name);

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

 private:
  template <class T>
  void add(const Field& field, T& value, bool required) {
    // What the client fills (an enum, the environment) has no option.
    if constexpr (!std::is_enum_v<T> && !std::is_same_v<T, std::optional<std::vector<Bytes>>>) {
      if (field.filled_by == FilledBy::user) add_value(field, value, required);
    }
  }
  void add_value(const Field& field, bool& value, bool) {
    flag(field, [&value](bool set) { value = set; });
  }
  template <class T>
  void add_value(const Field& field, std::vector<T>& value, bool required) {
    list(field, required, [field, &value](const std::vector<std::string>& texts) -> Result<void> {
      for (const auto& text : texts) {
        T one{};
        if (auto read = convert(field, text, one); !read) return read;
        value.push_back(std::move(one));
      }
      return {};
    });
  }
  template <class T>
  void add_value(const Field& field, T& value, bool required) {
    single(field, required, is_duration(value),
           [field, &value](const std::string& text) { return convert(field, text, value); });
  }

  static bool is_duration(const Millis&) { return true; }
  static bool is_duration(const std::optional<Millis>&) { return true; }
  template <class T>
  static bool is_duration(const T&) {
    return false;
  }

  static Result<void> convert(const Field&, const std::string& text, std::string& value);
  static Result<void> convert(const Field&, const std::string& text, Bytes& value);
  static Result<void> convert(const Field& field, const std::string& text, SessionName& value);
  static Result<void> convert(const Field& field, const std::string& text, std::int64_t& value);
  static Result<void> convert(const Field& field, const std::string& text, Millis& value);
  template <class T>
  static Result<void> convert(const Field& field, const std::string& text, std::optional<T>& value) {
    return convert(field, text, value.emplace());
  }

  void flag(const Field& field, std::function<void(bool)> use);
  void single(const Field& field, bool required, bool is_duration,
              std::function<Result<void>(const std::string&)> use);
  void list(const Field& field, bool required,
            std::function<Result<void>(const std::vector<std::string>&)> use);

  CLI::App& app_;
  const MethodInfo& info_;
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
