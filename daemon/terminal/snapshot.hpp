#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "terminal/interpreter.hpp"
#include "terminal/terminal.hpp"

namespace smartcli::terminal {

// The screen and history as readers see them: from ids and flags to text, styles and hashes.

RowText screen_row_text(const Screen& screen, int row);
RowText history_row_text(const Screen& screen, std::uint64_t ordinal);
/// The text alone, appended; true if the row wraps.
bool append_screen_row(const Screen& screen, int row, std::string& out);
bool append_history_row(const Screen& screen, std::uint64_t ordinal, std::string& out);
std::vector<ShownCell> screen_row_cells(const Screen& screen, int row);
std::vector<ShownCell> history_row_cells(const Screen& screen, std::uint64_t ordinal);

/// A line for each row, trailing blanks trimmed.
std::vector<std::string> screen_lines(const Screen& screen);
std::vector<HighlightedSpan> highlighted_spans(const Screen& screen);

std::uint64_t text_hash(const Screen& screen);
/// Values only, no ids and no offsets: equal screens give equal hashes in any run.
std::uint64_t visual_hash(const Screen& screen, const CursorState& cursor);

}  // namespace smartcli::terminal
