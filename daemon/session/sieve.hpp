#pragma once

// Many waits on one flooding screen: whose condition may have found something, told in one pass. Pure.

#include <optional>
#include <string_view>
#include <vector>

#include "common/pattern.hpp"
#include "session/condition.hpp"

namespace smartcli::session {

/// The patterns of all conditions that read lines. New ones go into a small set that is made anew each time,
/// and from there, many at once, into the large one: to make a set of n patterns takes about 4 n
/// microseconds.
class Sieve {
 public:
  void add(const Condition& condition);
  void remove(const Condition& condition);
  /// Conditions that read lines.
  std::size_t size() const { return conditions_; }

  /// Conditions with a pattern that may match a line of `lines` (joined by newlines), sorted; never one too
  /// few. Nothing: it cannot be told, let each look at each line.
  std::optional<std::vector<const Condition*>> candidates(std::string_view lines);
  /// Whether there would be any.
  bool may_match(std::string_view lines);

 private:
  struct Entry {
    const Condition* condition;  ///< null: removed since the set was made
    const Pattern* pattern;
  };
  struct Tier {
    std::vector<Entry> entries;
    std::optional<PatternSet> set;  ///< nothing: to be made
    std::size_t removed = 0;

    void make();
    void drop_removed();
  };
  static constexpr std::size_t kYoung = 64;

  Tier young_, old_;
  std::size_t conditions_ = 0;
  std::size_t not_taken_ = 0;  ///< patterns that no set takes
};

}  // namespace smartcli::session
