#include "session/condition.hpp"

#include <algorithm>

namespace smartcli::session {

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

bool MatchCondition::look(std::span<const Line> lines, bool alt_screen) {
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
    if (look_at(line, text.substr(0, line.trimmed), all_counts)) return true;
    if (line.to_cursor > line.trimmed && look_at(line, text.substr(0, line.to_cursor), all_counts))
      return true;
  }
  return false;
}

}  // namespace smartcli::session
