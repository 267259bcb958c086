#pragma once

// What a wait waits for: pure predicates over what the screen shows, and when.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/clock.hpp"
#include "common/pattern.hpp"
#include "proto/types.hpp"
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

/// The whole screen at one moment; what is costly is made once for all who look.
class ScreenSight {
 public:
  /// @param last_activity  of the program's output or input to it, whichever is later
  ScreenSight(const terminal::Terminal& terminal, Clock::Steady now, Clock::Steady last_activity,
              bool is_alive)
      : terminal_(terminal), now_(now), last_activity_(last_activity), is_alive_(is_alive) {}

  Clock::Steady now() const { return now_; }
  Clock::Steady last_activity() const { return last_activity_; }
  bool is_alive() const { return is_alive_; }
  std::uint64_t text_hash();
  std::uint64_t visual_hash();
  /// Logical lines of the screen; the first may begin above it.
  const std::vector<Line>& lines();
  /// Something can be seen.
  bool is_painted();

 private:
  const terminal::Terminal& terminal_;
  Clock::Steady now_, last_activity_;
  bool is_alive_;
  std::optional<std::uint64_t> text_hash_, visual_hash_;
  std::optional<std::vector<Line>> lines_;
};

class Condition {
 public:
  virtual ~Condition() = default;
  /// Lines with a change since the last call; only where `reads_lines`.
  virtual void look(std::span<const Line>, bool /*alt_screen*/) {}
  /// The screen after a change, or at `due`; only where `reads_screen`.
  virtual void look(ScreenSight&) {}
  virtual bool reads_lines() const { return false; }
  virtual bool reads_screen() const { return false; }
  /// What it looks for in lines: a line that none of them matches need not be shown to it.
  virtual std::vector<const Pattern*> patterns() const { return {}; }
  /// By what was looked at. A condition on the screen may cease to hold.
  virtual bool holds() const = 0;
  /// It holds, and nothing further down the same screen can change how.
  virtual bool is_decided() const { return holds(); }
  /// It is to be looked at then, even if nothing changes before.
  virtual std::optional<Clock::Steady> due() const { return std::nullopt; }
  /// Where it holds.
  virtual Reason reason() const { return Reason::marker; }
};

/// A pattern matches, and at least one cell of the match counts.
class MatchCondition final : public Condition {
 public:
  MatchCondition(Pattern pattern, Scope scope) : pattern_(std::move(pattern)), scope_(scope) {}
  using Condition::look;
  void look(std::span<const Line> lines, bool alt_screen) override;
  bool reads_lines() const override { return true; }
  std::vector<const Pattern*> patterns() const override { return {&pattern_}; }
  bool holds() const override { return match_.has_value(); }
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

/// One of several patterns matches; of those that do at one moment the first of the list counts.
class AnyCondition final : public Condition {
 public:
  explicit AnyCondition(std::vector<MatchCondition> patterns) : patterns_(std::move(patterns)) {}
  using Condition::look;
  void look(std::span<const Line> lines, bool alt_screen) override;
  bool reads_lines() const override { return true; }
  std::vector<const Pattern*> patterns() const override;
  bool holds() const override { return index().has_value(); }
  bool is_decided() const override { return index() == 0u; }
  std::optional<std::size_t> index() const;
  const std::vector<MatchCondition>& matches() const { return patterns_; }

 private:
  std::vector<MatchCondition> patterns_;
};

/// A pattern does not match any line of the screen.
class GoneCondition final : public Condition {
 public:
  explicit GoneCondition(Pattern pattern) : pattern_(std::move(pattern)) {}
  using Condition::look;
  void look(ScreenSight& screen) override;
  bool reads_screen() const override { return true; }
  bool holds() const override { return is_gone_; }
  Reason reason() const override { return Reason::gone; }

 private:
  Pattern pattern_;
  bool is_gone_ = false;
};

/// The screen's hash is another one.
class ChangeCondition final : public Condition {
 public:
  enum class Of { text, all };  ///< which of the two hashes
  ChangeCondition(Of of, std::uint64_t from) : of_(of), from_(from) {}
  using Condition::look;
  void look(ScreenSight& screen) override;
  bool reads_screen() const override { return true; }
  bool holds() const override { return is_changed_; }
  Reason reason() const override { return Reason::changed; }

 private:
  Of of_;
  std::uint64_t from_;
  bool is_changed_ = false;
};

/// The program has painted and nothing visible changed for `quiet`; or the marker, if there is one, matches.
class ReadyCondition final : public Condition {
 public:
  ReadyCondition(std::optional<MatchCondition> marker, Clock::Steady::duration quiet)
      : marker_(std::move(marker)), quiet_(quiet) {}
  void look(std::span<const Line> lines, bool alt_screen) override;
  void look(ScreenSight& screen) override;
  bool reads_lines() const override { return marker_.has_value(); }
  std::vector<const Pattern*> patterns() const override {
    return marker_ ? marker_->patterns() : std::vector<const Pattern*>();
  }
  bool reads_screen() const override { return true; }
  bool holds() const override { return is_stable_ || has_marker(); }
  std::optional<Clock::Steady> due() const override;
  Reason reason() const override { return has_marker() ? Reason::marker : Reason::stable; }
  const std::optional<MatchCondition>& marker() const { return marker_; }

 private:
  bool has_marker() const { return marker_ && marker_->holds(); }

  std::optional<MatchCondition> marker_;
  Clock::Steady::duration quiet_;
  std::optional<std::uint64_t> seen_;  ///< visual hash
  Clock::Steady since_{};              ///< nothing changed after
  bool is_up_ = false, is_stable_ = false;
};

/// Never holds by what is on the screen: the wait ends with the program.
class EndCondition final : public Condition {
 public:
  bool holds() const override { return false; }
};

}  // namespace smartcli::session
