#pragma once

// What a wait waits for: pure predicates over what the screen shows and how the program ended.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/pattern.hpp"
#include "session/lines.hpp"

namespace smartcli::session {

struct Match {
  std::string text;
  Position begin;
  std::vector<std::string> groups;
};

/// What counts for a pattern. SPEC section 4, "What a pattern sees".
struct Scope {
  std::uint64_t fence = 0;  ///< output offset: on the primary screen only what was written after it counts
  bool anywhere = false;    ///< all that is there counts, old text and echo too
};

class Condition {
 public:
  virtual ~Condition() = default;
  /// Lines with a change since the last call. True once it holds; not called again after that.
  virtual bool look(std::span<const Line> lines, bool alt_screen) = 0;
  /// False: what is on the screen does not matter, and no line needs to be made for it.
  virtual bool reads_lines() const { return true; }
};

/// A pattern matches, and at least one cell of the match counts.
class MatchCondition final : public Condition {
 public:
  MatchCondition(Pattern pattern, Scope scope) : pattern_(std::move(pattern)), scope_(scope) {}
  bool look(std::span<const Line> lines, bool alt_screen) override;
  const std::optional<Match>& match() const { return match_; }
  /// It matched text that does not count (echo, or older than the fence): explains a timeout.
  bool only_old() const { return only_old_; }
  bool only_echo() const { return only_echo_; }

 private:
  bool look_at(const Line& line, std::string_view text, bool all_counts);

  Pattern pattern_;
  Scope scope_;
  std::optional<Match> match_;
  bool only_old_ = false, only_echo_ = false;
};

/// Never holds by what is on the screen: the wait ends with the program.
class EndCondition final : public Condition {
 public:
  bool look(std::span<const Line>, bool) override { return false; }
  bool reads_lines() const override { return false; }
};

}  // namespace smartcli::session
