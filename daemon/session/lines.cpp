#include "session/lines.hpp"

#include <algorithm>

namespace smartcli::session {
namespace {

/// A line is joined from at most so many rows; a longer one is cut into such pieces (a pattern does not see
/// across).
constexpr std::uint64_t kRowsInLine = 1024;

}  // namespace

Position cursor_position(const terminal::Terminal& terminal) {
  const auto cursor = terminal.cursor();
  return {terminal.screen_top() + static_cast<std::uint64_t>(cursor.row),
          static_cast<std::uint32_t>(cursor.col + (cursor.pending_wrap ? 1 : 0))};
}

Line line_at(const terminal::Terminal& terminal, std::uint64_t ordinal, std::uint64_t not_before) {
  const std::uint64_t oldest = std::max(terminal.first_row(), not_before);
  const std::uint64_t end = terminal.screen_top() + static_cast<std::uint64_t>(terminal.size().rows);
  Line line;
  if (ordinal < oldest || ordinal >= end) return line;
  std::uint64_t first = ordinal;
  while (first > oldest && ordinal - first + 1 < kRowsInLine && terminal.row_text(first - 1).wraps) --first;
  line.first_row = line.last_row = first;
  line.now = terminal.offset();

  const Position cursor_at = cursor_position(terminal);
  std::size_t cursor_byte = std::string::npos;
  for (std::uint64_t row = first; row < end && row - first < kRowsInLine; ++row) {
    const auto part = terminal.row_text(row);
    line.last_row = row;
    if (row == cursor_at.row) {
      const auto at = std::lower_bound(part.columns.begin(), part.columns.end(), cursor_at.col);
      cursor_byte = line.text.size() + static_cast<std::size_t>(at - part.columns.begin());
    }
    line.text += part.text;
    for (const auto col : part.columns) line.positions.push_back({row, col});
    line.stamps.insert(line.stamps.end(), part.stamps.begin(), part.stamps.end());
    if (!part.wraps) break;
  }
  line.echo.assign(line.text.size(), false);
  const auto last = line.text.find_last_not_of(' ');
  line.trimmed = last == std::string::npos ? 0 : last + 1;
  line.to_cursor = line.text.size();
  if (cursor_byte != std::string::npos && cursor_byte >= line.trimmed) line.to_cursor = cursor_byte;
  return line;
}

std::vector<Line> screen_lines(const terminal::Terminal& terminal) {
  std::vector<Line> lines;
  const std::uint64_t end = terminal.screen_top() + static_cast<std::uint64_t>(terminal.size().rows);
  std::uint64_t given = 0;
  for (std::uint64_t row = terminal.screen_top(); row < end; row = given) {
    lines.push_back(line_at(terminal, row, given));
    given = std::max(lines.back().last_row, row) + 1;
  }
  return lines;
}

std::vector<Line> LineFeed::changed(const terminal::Terminal& terminal) {
  const std::uint64_t top = terminal.screen_top();
  const bool renumbered = terminal.layout_epoch() != epoch_;
  std::vector<Line> lines;
  // A switch of screens renumbers nothing in history: what left the screen meanwhile is looked at in any
  // case.
  std::uint64_t row = std::max(std::min(seen_top_, top), terminal.first_row());
  const std::uint64_t end = top + static_cast<std::uint64_t>(terminal.size().rows);
  const Position cursor = cursor_position(terminal);
  std::uint64_t given = 0;
  while (row < end) {
    // Rows that left for history since the last look were on the screen then, or came and went within the
    // slice. The cursor says how many blanks at a line's end count.
    const bool touched = renumbered || row < top || (row == cursor.row && cursor != seen_cursor_) ||
                         terminal.row_changed(static_cast<int>(row - top)) > seen_offset_;
    if (!touched) {
      ++row;
      continue;
    }
    lines.push_back(line_at(terminal, row, given));
    row = given = lines.back().last_row + 1;
  }
  skip(terminal);
  return lines;
}

void LineFeed::skip(const terminal::Terminal& terminal) {
  seen_offset_ = terminal.offset();
  seen_top_ = terminal.screen_top();
  seen_cursor_ = cursor_position(terminal);
  epoch_ = terminal.layout_epoch();
}

}  // namespace smartcli::session
