#include "session/lines.hpp"

#include <algorithm>

namespace smartcli::session {
namespace {

/// A longer line is cut where ordinals divide by this, so that its pieces never overlap; a pattern does not see across.
constexpr std::uint64_t kRowsInLine = 1024;

}  // namespace

Line line_at(const terminal::Terminal& terminal, std::uint64_t ordinal) {
  const std::uint64_t oldest = terminal.first_row();
  const std::uint64_t end = terminal.screen_top() + static_cast<std::uint64_t>(terminal.size().rows);
  Line line;
  if (ordinal < oldest || ordinal >= end) return line;
  std::uint64_t first = ordinal;
  while (first > oldest && first % kRowsInLine != 0 && terminal.row_text(first - 1).wraps) --first;
  line.first_row = line.last_row = first;
  line.now = terminal.offset();

  const auto cursor = terminal.cursor();
  const Position cursor_at{terminal.screen_top() + static_cast<std::uint64_t>(cursor.row),
                           static_cast<std::uint32_t>(cursor.col + (cursor.pending_wrap ? 1 : 0))};
  std::size_t cursor_byte = std::string::npos;
  for (std::uint64_t row = first; row < end; ++row) {
    const auto part = terminal.row_text(row);
    line.last_row = row;
    if (row == cursor_at.row) {
      const auto at = std::lower_bound(part.columns.begin(), part.columns.end(), cursor_at.col);
      cursor_byte = line.text.size() + static_cast<std::size_t>(at - part.columns.begin());
    }
    line.text += part.text;
    for (const auto col : part.columns) line.positions.push_back({row, col});
    line.stamps.insert(line.stamps.end(), part.stamps.begin(), part.stamps.end());
    if (!part.wraps || (row + 1) % kRowsInLine == 0) break;
  }
  line.echo.assign(line.text.size(), false);
  const auto last = line.text.find_last_not_of(' ');
  line.trimmed = last == std::string::npos ? 0 : last + 1;
  line.to_cursor = line.text.size();
  if (cursor_byte != std::string::npos && cursor_byte >= line.trimmed) line.to_cursor = cursor_byte;
  return line;
}

void LineFeed::each_changed(const terminal::Terminal& terminal, const std::function<void(Line&&)>& use) {
  const std::uint64_t top = terminal.screen_top();
  const bool renumbered = terminal.layout_epoch() != epoch_;
  // A switch of screens renumbers nothing in history: what left the screen meanwhile is looked at in any case.
  std::uint64_t row = std::max(std::min(seen_top_, top), terminal.first_row());
  const std::uint64_t end = top + static_cast<std::uint64_t>(terminal.size().rows);
  while (row < end) {
    const bool touched =
        renumbered || row < top || terminal.row_changed(static_cast<int>(row - top)) > seen_offset_;
    if (!touched) {
      ++row;
      continue;
    }
    Line line = line_at(terminal, row);
    row = std::max(line.last_row, row) + 1;
    use(std::move(line));
  }
  skip(terminal);
}

void LineFeed::skip(const terminal::Terminal& terminal) {
  seen_offset_ = terminal.offset();
  seen_top_ = terminal.screen_top();
  epoch_ = terminal.layout_epoch();
}

}  // namespace smartcli::session
