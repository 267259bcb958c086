#include "session/condition.hpp"

#include <algorithm>

namespace smartcli::session {

std::uint64_t ScreenSight::text_hash() {
  if (!text_hash_) text_hash_ = terminal_.text_hash();
  return *text_hash_;
}

std::uint64_t ScreenSight::visual_hash() {
  if (!visual_hash_) visual_hash_ = terminal_.visual_hash();
  return *visual_hash_;
}

const std::vector<Line>& ScreenSight::lines() {
  if (!lines_) lines_ = screen_lines(terminal_);
  return *lines_;
}

bool ScreenSight::is_painted() {
  for (const auto& line : lines()) {
    if (line.trimmed > 0) return true;
  }
  return false;
}

bool MatchCondition::look_at(const Line& line, std::string_view text, bool all_counts) {
  // Linear in the end: once so much of one line was gone through again, the matches are walked without
  // overlap.
  constexpr std::size_t kOverlapBytes = 1 << 20;
  std::size_t gone_through = 0;
  Pattern::Match found;
  for (std::size_t from = 0; from <= text.size() && pattern_.find(text, from, found);) {
    bool counts = all_counts;
    bool fresh = false;
    for (std::size_t i = found.begin; i < found.end && !counts; ++i) {
      if (!line.is_new(i, scope_.fence)) continue;
      fresh = true;
      counts = !line.echo[i];
    }
    if (counts) {
      Match match;
      match.text = std::string(text.substr(found.begin, found.end - found.begin));
      if (found.begin < line.positions.size()) {
        match.begin = line.positions[found.begin];
      } else {
        match.begin = {line.last_row, 0};
      }
      match.groups = std::move(found.groups);
      match_ = std::move(match);
      return true;
    }
    if (found.end > found.begin) (fresh ? only_echo_ : only_old_) = true;
    // A match that does not count hides none that overlaps it and does: go on one character later.
    gone_through += text.size() - found.begin;
    from = gone_through < kOverlapBytes ? found.begin + 1 : std::max(found.end, found.begin + 1);
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
  }
  return false;
}

void MatchCondition::look(std::span<const Line> lines, bool alt_screen) {
  if (match_) return;
  const bool all_counts = scope_.anywhere || alt_screen;
  for (const auto& line : lines) {
    bool has_new = all_counts;
    for (std::size_t i = 0; i < line.stamps.size() && !has_new; ++i) has_new = line.is_new(i, scope_.fence);
    const std::string_view text(line.text);
    if (!has_new) {
      // Still worth a look, cheaply: "the pattern stands there, but from before the fence" explains a
      // timeout.
      if (!only_old_ && pattern_.matches(text.substr(0, line.trimmed))) only_old_ = true;
      continue;
    }
    if (look_at(line, text.substr(0, line.trimmed), all_counts)) return;
    if (line.to_cursor > line.trimmed && look_at(line, text.substr(0, line.to_cursor), all_counts)) return;
  }
}

void AnyCondition::look(std::span<const Line> lines, bool alt_screen) {
  for (auto& pattern : patterns_) pattern.look(lines, alt_screen);
}

std::vector<const Pattern*> AnyCondition::patterns() const {
  std::vector<const Pattern*> all;
  for (const auto& one : patterns_) all.push_back(one.patterns().front());
  return all;
}

std::optional<std::size_t> AnyCondition::index() const {
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (patterns_[i].holds()) return i;
  }
  return std::nullopt;
}

void GoneCondition::look(ScreenSight& screen) {
  is_gone_ = true;
  for (const auto& line : screen.lines()) {
    const std::string_view text(line.text);
    const bool is_there = pattern_.matches(text.substr(0, line.trimmed)) ||
                          (line.to_cursor > line.trimmed && pattern_.matches(text.substr(0, line.to_cursor)));
    if (is_there) {
      is_gone_ = false;
      return;
    }
  }
}

void ChangeCondition::look(ScreenSight& screen) {
  is_changed_ = (of_ == Of::text ? screen.text_hash() : screen.visual_hash()) != from_;
}

void ReadyCondition::look(std::span<const Line> lines, bool alt_screen) {
  if (marker_) marker_->look(lines, alt_screen);
}

void ReadyCondition::look(ScreenSight& screen) {
  const auto hash = screen.visual_hash();
  if (!seen_) {
    since_ = screen.last_activity();
  } else if (*seen_ != hash) {
    since_ = screen.now();
  }
  seen_ = hash;
  // A program that has ended is ready for nothing.
  is_up_ = screen.is_alive() && screen.is_painted();
  is_stable_ = is_up_ && screen.now() >= since_ + quiet_;
}

std::optional<Clock::Steady> ReadyCondition::due() const {
  if (!is_up_) return std::nullopt;
  return since_ + quiet_;
}

}  // namespace smartcli::session
