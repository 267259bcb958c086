#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/terminal.hpp"

// What the terminal's tests share.

namespace smartcli::terminal {

inline std::string decode_base64(std::string_view text) {
  static const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int have = 0;
  for (char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == alphabet.npos) break;
    bits = bits << 6 | static_cast<unsigned>(value);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    out += static_cast<char>(bits >> have);
  }
  return out;
}

inline std::string joined_replies(Terminal& terminal) {
  std::string out;
  for (const Reply& reply : terminal.take_replies()) out += reply.bytes;
  return out;
}

inline std::vector<std::string> history_lines(const Terminal& terminal) {
  std::vector<std::string> out;
  for (std::uint64_t n = terminal.first_row(); n < terminal.screen_top(); ++n) {
    const RowText row = terminal.row_text(n);
    out.push_back(row.text.substr(0, row.trimmed));
  }
  return out;
}

/// History and screen as logical lines: wraps joined, trailing blanks trimmed, blank lines at the end
/// dropped.
inline std::vector<std::string> logical_lines(const Terminal& terminal) {
  std::vector<std::string> out;
  bool goes_on = false;
  const auto end = terminal.screen_top() + static_cast<std::uint64_t>(terminal.size().rows);
  for (std::uint64_t n = terminal.first_row(); n < end; ++n) {
    const RowText row = terminal.row_text(n);
    if (!goes_on) out.emplace_back();
    out.back() += row.text;
    goes_on = row.wraps;
  }
  for (std::string& line : out) line.resize(line.find_last_not_of(' ') + 1);
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

/// All that a reader can see, as text: two terminals in the same state give the same.
inline std::string dump(const Terminal& terminal) {
  std::string out;
  auto add = [&](std::string_view name, auto value) {
    out += name;
    out += '=';
    out += std::to_string(value);
    out += '\n';
  };
  const auto end = terminal.screen_top() + static_cast<std::uint64_t>(terminal.size().rows);
  for (std::uint64_t n = terminal.first_row(); n < end; ++n) {
    const RowText row = terminal.row_text(n);
    out += row.text + '|' + std::to_string(row.trimmed) + (row.wraps ? "+" : "") + '|';
    for (std::uint32_t stamp : row.stamps) out += std::to_string(stamp) + ' ';
    for (std::uint16_t column : row.columns) out += std::to_string(column) + ' ';
    for (const ShownCell& cell : terminal.row_cells(n)) {
      out += cell.text + '/' + std::to_string(cell.style.fg.bits) + '/' + std::to_string(cell.style.bg.bits) +
             '/' + std::to_string(cell.style.flags) + '/' + cell.link + (cell.is_wide ? "W" : "") +
             (cell.is_second_half ? "S" : "");
    }
    out += '\n';
  }
  for (int r = 0; r < terminal.size().rows; ++r) {
    add("touched", terminal.row_touched(r));
    add("changed", terminal.row_changed(r));
  }
  const CursorState cursor = terminal.cursor();
  add("row", cursor.row);
  add("col", cursor.col);
  add("pending", cursor.pending_wrap);
  add("visible", cursor.visible);
  add("shape", static_cast<int>(cursor.shape));
  const Modes modes = terminal.modes();
  add("application_cursor", modes.application_cursor);
  add("application_keypad", modes.application_keypad);
  add("bracketed_paste", modes.bracketed_paste);
  add("mouse", static_cast<int>(modes.mouse));
  add("mouse_encoding", static_cast<int>(modes.mouse_encoding));
  add("focus", modes.focus);
  add("kitty", modes.kitty_flags);
  add("other_keys", modes.modify_other_keys);
  add("synchronized", modes.synchronized);
  add("newline", modes.newline);
  add("alt", terminal.alt_screen());
  add("reverse", terminal.reverse_video());
  add("first", terminal.first_row());
  add("top", terminal.screen_top());
  add("epoch", terminal.layout_epoch());
  add("errors", terminal.parser_errors());
  add("dropped", terminal.replies_dropped());
  add("text_hash", terminal.text_hash());
  add("visual_hash", terminal.visual_hash());
  out += terminal.title() + '\n' + terminal.cwd() + '\n';
  return out;
}

}  // namespace smartcli::terminal
