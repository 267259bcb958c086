#pragma once

// What a pattern sees: logical lines (soft wraps joined) with the age of every character. Pure.

#include <cstdint>
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

/// Remembers what was looked at, so that each change is rendered once.
class LineFeed {
 public:
  /// Logical lines with a change since the last call, top to bottom; those that scrolled away meanwhile,
  /// changed or not; and the cursor's if it moved.
  std::vector<Line> changed(const terminal::Terminal& terminal);
  /// As if all that is there had been looked at.
  void skip(const terminal::Terminal& terminal);

 private:
  std::uint64_t seen_offset_ = 0;
  std::uint64_t seen_top_ = 0;
  std::uint64_t epoch_ = ~0ull;
  Position seen_cursor_;
};

}  // namespace smartcli::session
