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
  friend class PatternSet;
  struct Impl;
  explicit Pattern(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A pattern that may be looked for in many lines at once: it says nothing of a text's very ends (`\A`,
/// `\z`), and keeps the meaning of `^` and `$`.
bool may_look_at_many(std::string_view pattern);

/// Asks many patterns at once, in one pass over the text: which of them may match some line of it.
class PatternSet {
 public:
  /// What `which` may need for its automaton; the patterns together.
  static constexpr std::size_t kMemory = 64 << 20;

  /// In the order of their indices; none may be null.
  explicit PatternSet(const std::vector<const Pattern*>& patterns);
  PatternSet(PatternSet&&) noexcept;
  PatternSet& operator=(PatternSet&&) noexcept;
  ~PatternSet();

  /// It may be looked for in many lines at once.
  static bool takes(const Pattern& pattern);
  /// Indices of the patterns that may match a line of `lines` (joined by newlines): never one too few.
  /// Nothing: it cannot be told within its memory, ask each.
  std::optional<std::vector<int>> which(std::string_view lines) const;
  /// Whether `which` would name any, or nothing; stops at the first.
  bool may_match(std::string_view lines) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace smartcli
