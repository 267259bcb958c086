#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace smartcli {

inline constexpr std::size_t kPatternBytes = 4096;
inline constexpr std::size_t kPatternMemory = 8 << 20;  ///< of automaton

/// A compiled regular expression: RE2's syntax, linear time, no look-around or back-references. The only door
/// to RE2.
class Pattern {
 public:
  struct Options {
    bool literal = false;
    bool ignore_case = false;
    bool multi_line = false;  ///< `^` and `$` are the ends of every line of the text
  };
  struct Match {
    std::size_t begin = 0, end = 0;   ///< bytes of the text
    std::vector<std::string> groups;  ///< groups 1.., an unset one is empty
  };

  /// Errors: invalid_pattern with RE2's reason and, for look-around or back-references, that they do not
  /// exist here.
  static Result<Pattern> compile(std::string_view text, Options options);
  static Result<Pattern> compile(std::string_view text) { return compile(text, Options{}); }

  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  /// The leftmost match that begins at or after byte `from`. `^` and `$` are the ends of the whole `text` (a
  /// line).
  bool find(std::string_view text, std::size_t from, Match& match) const;
  /// Where that match begins, for less.
  std::optional<std::size_t> begin_of(std::string_view text, std::size_t from) const;
  bool matches(std::string_view text) const;
  const std::string& text() const;

 private:
  struct Impl;
  explicit Pattern(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace smartcli
