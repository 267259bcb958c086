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

void LineTexts::find(const std::function<bool(std::string_view)>& may_match,
                     std::vector<std::size_t>& found) const {
  constexpr std::size_t kFew = 8;  // asking costs more than looking
  const std::function<void(std::size_t, std::size_t)> look = [&](std::size_t from, std::size_t to) {
    if (from >= to || !may_match(lines(from, to))) return;
    if (to - from <= kFew) {
      for (; from < to; ++from) found.push_back(from);
      return;
    }
    const std::size_t middle = from + (to - from) / 2;
    look(from, middle);
    look(middle, to);
  };
  look(0, places.size());
}

std::size_t LineTexts::line_of(std::size_t byte) const {
  const auto after = std::upper_bound(places.begin(), places.end(), byte,
                                      [](std::size_t at, const Place& place) { return at < place.begin; });
  return static_cast<std::size_t>(after - places.begin()) - 1;
}

/// Appends the line of that row, as `line_at` has it; returns its last row.
std::uint64_t append_line(const terminal::Terminal& terminal, std::uint64_t row, std::uint64_t not_before,
                          LineTexts& texts) {
  const std::uint64_t oldest = std::max(terminal.first_row(), not_before);
  const std::uint64_t end = terminal.screen_top() + static_cast<std::uint64_t>(terminal.size().rows);
  std::string& out = texts.text;
  std::uint64_t first = row;
  while (first > oldest && row - first + 1 < kRowsInLine && terminal.row_wraps(first - 1)) --first;
  const std::size_t begin = out.size();
  texts.places.push_back({begin, first, not_before});
  std::uint64_t last = first;
  while (terminal.append_row_text(last, out) && last + 1 < end && last + 1 - first < kRowsInLine) ++last;
  const std::size_t written = out.size();
  while (out.size() > begin && out.back() == ' ') out.pop_back();
  const std::size_t trimmed = out.size();
  out += '\n';
  if (trimmed == written) return last;
  const Position cursor = cursor_position(terminal);
  if (cursor.row >= first && cursor.row <= last) {
    const Line line = line_at(terminal, row, not_before);
    if (line.to_cursor > line.trimmed) out.append(line.text, 0, line.to_cursor);
  } else {
    out.append(out, begin, trimmed - begin);
    out.append(written - trimmed, ' ');
  }
  out += '\n';
  return last;
}

LineTexts texts_between(const terminal::Terminal& terminal, std::uint64_t row, std::uint64_t end,
                        std::uint64_t not_before) {
  LineTexts texts;
  while (row < end) row = not_before = append_line(terminal, row, not_before, texts) + 1;
  texts.next = row;
  return texts;
}

/// @param take  (row, not before): takes the line of that row and returns its last row
template <class Take>
void LineFeed::each_changed(const terminal::Terminal& terminal, Take&& take) const {
  const std::uint64_t top = terminal.screen_top();
  const bool renumbered = terminal.layout_epoch() != epoch_;
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
    row = given = take(row, given) + 1;
  }
}

std::vector<Line> LineFeed::changed(const terminal::Terminal& terminal) {
  std::vector<Line> lines;
  each_changed(terminal, [&](std::uint64_t row, std::uint64_t given) {
    lines.push_back(line_at(terminal, row, given));
    return lines.back().last_row;
  });
  skip(terminal);
  return lines;
}

LineTexts LineFeed::changed_texts(const terminal::Terminal& terminal) const {
  LineTexts texts;
  each_changed(terminal, [&](std::uint64_t row, std::uint64_t given) {
    return append_line(terminal, row, given, texts);
  });
  return texts;
}

std::uint64_t LineFeed::rows_to_look(const terminal::Terminal& terminal) const {
  const std::uint64_t top = terminal.screen_top();
  return top - std::min(std::max(seen_top_, terminal.first_row()), top) +
         static_cast<std::uint64_t>(terminal.size().rows);
}

void LineFeed::skip(const terminal::Terminal& terminal) {
  seen_offset_ = terminal.offset();
  seen_top_ = terminal.screen_top();
  seen_cursor_ = cursor_position(terminal);
  epoch_ = terminal.layout_epoch();
}

}  // namespace smartcli::session
