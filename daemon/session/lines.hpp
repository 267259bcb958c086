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
  std::vector<bool> echo;             ///< one per byte: shown because it was typed, not written by the program
  std::size_t trimmed = 0;            ///< bytes without trailing blanks
  std::size_t to_cursor = 0;          ///< bytes up to the cursor if it stands at or after `trimmed` on this line, else all
  std::uint64_t first_row = 0, last_row = 0;
  std::uint64_t now = 0;  ///< the terminal's offset, to compare stamps with

  /// True if byte i's character was written after output offset `fence`.
  bool is_after(std::size_t i, std::uint64_t fence) const { return terminal::is_written_after(stamps[i], fence, now); }
};

/// The logical line that row `ordinal` belongs to; empty (no rows) if that row is not kept.
Line line_at(const terminal::Terminal& terminal, std::uint64_t ordinal);

/// Remembers what was looked at, so that each change is rendered once.
class LineFeed {
 public:
  /// Logical lines with a change since the last call, top to bottom, those that scrolled away meanwhile included.
  void each_changed(const terminal::Terminal& terminal, const std::function<void(Line&&)>& use);
  /// As if all that is there had been looked at.
  void skip(const terminal::Terminal& terminal);

 private:
  std::uint64_t seen_offset_ = 0;
  std::uint64_t seen_top_ = 0;
  std::uint64_t epoch_ = ~0ull;
};

}  // namespace smartcli::session
