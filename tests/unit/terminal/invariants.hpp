#pragma once

#include <cstdlib>
#include <regex>
#include <string>

#include "terminal/terminal.hpp"

// What must hold after any output. Used by the unit tests and by the fuzzer, so it has no test framework.

namespace smartcli::terminal {

/// One sequence of the closed grammar of answers (replies.hpp) at `at`; its length, or 0.
inline std::size_t reply_length(std::string_view s) {
  auto digits = [&](std::size_t i, std::string_view also) {
    while (i < s.size() && ((s[i] >= '0' && s[i] <= '9') || also.find(s[i]) != also.npos)) ++i;
    return i;
  };
  auto is_at = [&](std::size_t i, std::string_view what) { return s.substr(i, what.size()) == what; };
  if (is_at(0, "\033[")) {
    std::size_t i = 2;
    if (i < s.size() && (s[i] == '?' || s[i] == '>')) ++i;
    i = digits(i, ";");
    for (std::string_view final : {"c", "n", "R", "t", "u", "m", "$y"})
      if (is_at(i, final)) return i + final.size();
    return 0;
  }
  for (std::string_view literal :
       {"\033P!|00000000\033\\", "\033P>|smartcli(0.1)\033\\", "\033P0$r\033\\", "\033P0+r\033\\"})
    if (is_at(0, literal)) return literal.size();
  if (is_at(0, "\033P1$r")) {
    const std::size_t i = digits(5, ";:");
    for (std::string_view end : {"m\033\\", "r\033\\", "s\033\\", " q\033\\", "\"q\033\\", "\"p\033\\"})
      if (is_at(i, end)) return i + end.size();
    return 0;
  }
  if (is_at(0, "\033P1+r")) {
    const std::size_t i = digits(5, "ABCDEF=");
    return is_at(i, "\033\\") ? i + 2 : 0;
  }
  if (is_at(0, "\033]")) {
    std::size_t i = digits(2, ";");
    if (!is_at(i, "rgb:")) return 0;
    i = digits(i + 4, "abcdef/");
    if (is_at(i, "\007")) return i + 1;
    return is_at(i, "\033\\") ? i + 2 : 0;
  }
  return 0;
}

/// What is wrong with the terminal, or nothing.
inline std::string broken_invariant(const Terminal& terminal) {
  const Size size = terminal.size();
  const CursorState cursor = terminal.cursor();
  if (cursor.row < 0 || cursor.row >= size.rows || cursor.col < 0 || cursor.col >= size.cols)
    return "the cursor is outside";
  const auto end = terminal.screen_top() + static_cast<std::uint64_t>(size.rows);
  for (std::uint64_t n = terminal.first_row(); n < end; ++n) {
    const RowText row = terminal.row_text(n);
    const auto cells = terminal.row_cells(n);
    const bool is_on_screen = n >= terminal.screen_top();
    if (is_on_screen && cells.size() > static_cast<std::size_t>(size.cols)) return "a row is too long";
    if (row.columns.size() != row.text.size() || row.stamps.size() != row.text.size())
      return "text, columns and stamps differ in length";
    if (row.trimmed > row.text.size()) return "trimmed is too long";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool after_wide = i > 0 && cells[i - 1].is_wide;
      if (cells[i].is_second_half != after_wide) return "half of a wide character";
      if (cells[i].is_wide && i + 1 == cells.size()) return "a wide character without its second half";
      if (cells[i].text.size() > 16 * 4) return "a cell holds too much";
    }
    std::string joined;
    for (const ShownCell& cell : cells)
      if (!cell.is_second_half) joined += cell.text.empty() ? " " : cell.text;
    joined.resize(std::max(row.text.size(), joined.size()), ' ');
    if (joined.substr(0, row.text.size()) != row.text) return "text and cells differ";
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      if (row.columns[i] >= cells.size()) return "a column outside the row";
      if (i > 0 && row.columns[i] < row.columns[i - 1]) return "columns go back";
      const std::uint32_t age = static_cast<std::uint32_t>(terminal.offset()) - row.stamps[i];
      if (age > terminal.offset() && age != 1u << 31) return "a stamp from the future";
    }
    for (unsigned char b : row.text)
      if (b < 0x20 || b == 0x7f) return "a control in the text";
  }
  return {};
}

}  // namespace smartcli::terminal
