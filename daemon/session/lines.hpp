#pragma once

// What a pattern sees: logical lines (soft wraps joined) with the age of every character. Pure.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "terminal/terminal.hpp"

namespace smartcli::session {

/// Where a character stands: a row's ordinal (terminal.hpp) and a column from 0.
struct Position {
  std::uint64_t row = 0;
  std::uint32_t col = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Line {
  std::string text;                   ///< trailing blanks only where the program wrote them
  std::vector<Position> positions;    ///< one per byte
  std::vector<std::uint32_t> stamps;  ///< one per byte, as in RowText
  std::vector<bool> echo;   ///< one per byte: shown because it was typed, not written by the program
  std::size_t trimmed = 0;  ///< bytes without trailing blanks
  std::size_t to_cursor =
      0;  ///< bytes up to the cursor if it stands at or after `trimmed` on this line, else all
  std::uint64_t first_row = 0, last_row = 0;
  std::uint64_t now = 0;  ///< the terminal's offset when the line was looked at: stamps are compared by age

  /// The byte was written after output offset `fence`.
  bool is_new(std::size_t byte, std::uint64_t fence) const {
    return terminal::is_written_after(stamps[byte], fence, now);
  }
};

/// Where the next character goes; past the last column with a pending wrap.
Position cursor_position(const terminal::Terminal& terminal);

/// The logical line that row `ordinal` belongs to; empty (no rows) if that row is not kept. Of a very long
/// one a piece.
/// @param not_before  the piece begins at this row at the earliest: who walks down gets each row once
Line line_at(const terminal::Terminal& terminal, std::uint64_t ordinal, std::uint64_t not_before = 0);

/// All logical lines of the screen, top to bottom; the first may begin in history.
std::vector<Line> screen_lines(const terminal::Terminal& terminal);

/// Logical lines as text alone, joined by newlines: a line twice where it counts with and without blanks at
/// its end. For looking over very many of them at once.
struct LineTexts {
  std::string text;
  struct Place {
    std::size_t begin;        ///< in `text`
    std::uint64_t first_row;  ///< where `line_at` finds it again
    std::uint64_t not_before;
  };
  std::vector<Place> places;  ///< one a line, in order
  std::uint64_t next = 0;     ///< of `texts_between`: the row after the last line

  /// These lines, from one to before another.
  std::string_view lines(std::size_t from, std::size_t to) const {
    const std::size_t end = to < places.size() ? places[to].begin : text.size();
    return std::string_view(text).substr(places[from].begin, end - places[from].begin);
  }
  /// Appends the lines in which `may_match` says that something may be, in order, now and then one too many:
  /// it is asked of ever smaller parts.
  void find(const std::function<bool(std::string_view)>& may_match, std::vector<std::size_t>& found) const;
  /// The line that holds this byte of `text`.
  std::size_t line_of(std::size_t byte) const;
};

/// The lines of these rows; `not_before` as in `line_at`.
LineTexts texts_between(const terminal::Terminal& terminal, std::uint64_t row, std::uint64_t end,
                        std::uint64_t not_before);

/// Remembers what was looked at, so that each change is rendered once.
class LineFeed {
 public:
  /// Logical lines with a change since the last call, top to bottom; those that scrolled away meanwhile,
  /// changed or not; and the cursor's if it moved.
  std::vector<Line> changed(const terminal::Terminal& terminal);
  /// The same lines, at most, as text. What was looked at is remembered by `changed` or `skip` only.
  LineTexts changed_texts(const terminal::Terminal& terminal) const;
  /// Rows that `changed` would look through.
  std::uint64_t rows_to_look(const terminal::Terminal& terminal) const;
  /// As if all that is there had been looked at.
  void skip(const terminal::Terminal& terminal);

 private:
  template <class Take>
  void each_changed(const terminal::Terminal& terminal, Take&& take) const;

  std::uint64_t seen_offset_ = 0;
  std::uint64_t seen_top_ = 0;
  std::uint64_t epoch_ = ~0ull;
  Position seen_cursor_;
};

}  // namespace smartcli::session
