#include "terminal/snapshot.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "terminal/utf8.hpp"

namespace smartcli::terminal {

namespace {

/// The cell's characters; a blank for one that shows none.
void append_cell(std::string& out, const Tables& tables, Content c) {
  if (c == kBlank)
    out += ' ';
  else if (c & kGrapheme)
    for (char32_t p : tables.graphemes.get(c & kValue)) append_utf8(out, p);
  else
    append_utf8(out, c & kValue);
}

int written_end(const Row& row) {
  int n = row.used;
  while (n > 0 && row.content[n - 1] == kBlank) --n;
  return n;
}

std::size_t trimmed_length(std::string_view text) {
  const std::size_t last = text.find_last_not_of(' ');
  return last == text.npos ? 0 : last + 1;
}

ShownCell shown(const Tables& tables, Content c, const Style& style) {
  ShownCell cell;
  cell.style = style;
  if (style.link != 0) cell.link = tables.links.get(style.link);
  cell.is_wide = c & kWide;
  cell.is_second_half = c == kTail;
  if (c != kBlank && c != kTail) append_cell(cell.text, tables, c);
  return cell;
}

template <class Value>
void append_value(std::string& out, Value value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_style(std::string& out, const Tables& tables, const Style& s) {
  out += '\xff';  // no byte of UTF-8
  append_value(out, s.fg.bits);
  append_value(out, s.bg.bits);
  append_value(out, s.underline_colour.bits);
  append_value(out, s.flags);
  append_value(out, s.underline);
  if (s.link != 0) out += tables.links.get(s.link);
  out += '\xff';
}

}  // namespace

RowText screen_row_text(const Screen& screen, int r) {
  const Row& row = screen.grid().row(r);
  const int n = written_end(row);
  const std::uint32_t oldest = screen.stamp_of(0);
  RowText out;
  out.wraps = row.wraps;
  out.text.reserve(static_cast<std::size_t>(n));
  for (int col = 0; col < n; ++col) {
    const Content c = row.content[col];
    if (c == kTail) continue;
    append_cell(out.text, screen.tables(), c);
    out.columns.resize(out.text.size(), static_cast<std::uint16_t>(col));
    out.stamps.resize(out.text.size(), c == kBlank ? oldest : row.stamp[col]);
  }
  out.trimmed = trimmed_length(out.text);
  return out;
}

RowText history_row_text(const Screen& screen, std::uint64_t ordinal) {
  const History::Text line = screen.history().text(ordinal);
  RowText out;
  out.wraps = line.wraps;
  out.text = line.bytes;
  out.text.resize(out.text.find_last_not_of('\0') + 1);
  std::string_view cells = line.cells;
  History::CellRun run{out.text.size(), 1, false};
  const bool is_plain = cells.empty();
  std::uint16_t col = 0;
  out.columns.reserve(out.text.size());
  while (out.columns.size() < out.text.size() && (is_plain || History::next_run(cells, run))) {
    for (; run.count > 0 && out.columns.size() < out.text.size(); --run.count) {
      out.columns.resize(out.columns.size() + run.bytes, col);
      col = static_cast<std::uint16_t>(col + (run.is_wide ? 2 : 1));
    }
    if (is_plain) break;
  }
  for (char& c : out.text)
    if (c == '\0') c = ' ';
  out.stamps.assign(out.text.size(), screen.stamp_of(line.newest));
  out.trimmed = trimmed_length(out.text);
  return out;
}

bool append_screen_row(const Screen& screen, int r, std::string& out) {
  const Row& row = screen.grid().row(r);
  const int n = written_end(row);
  for (int col = 0; col < n; ++col)
    if (row.content[col] != kTail) append_cell(out, screen.tables(), row.content[col]);
  return row.wraps;
}

bool append_history_row(const Screen& screen, std::uint64_t ordinal, std::string& out) {
  const History::Text line = screen.history().text(ordinal);
  std::string_view bytes = line.bytes;
  while (!bytes.empty() && bytes.back() == '\0') bytes.remove_suffix(1);
  const std::size_t start = out.size();
  out += bytes;
  if (std::memchr(bytes.data(), '\0', bytes.size()) != nullptr)
    std::replace(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(), '\0', ' ');
  return line.wraps;
}

std::vector<ShownCell> screen_row_cells(const Screen& screen, int r) {
  const Row& row = screen.grid().row(r);
  std::vector<ShownCell> out;
  for (int col = 0; col < row.used; ++col)
    out.push_back(shown(screen.tables(), row.content[col], screen.tables().styles.get(row.style[col])));
  return out;
}

std::vector<ShownCell> history_row_cells(const Screen& screen, std::uint64_t ordinal) {
  std::vector<ShownCell> out;
  History::Reader reader(screen.history().text(ordinal));
  while (reader.next()) {
    ShownCell cell = shown(screen.tables(), kBlank, reader.style);
    if (reader.text != std::string_view("\0", 1)) cell.text = reader.text;
    cell.is_wide = reader.is_wide;
    out.push_back(cell);
    if (!reader.is_wide) continue;
    cell.text.clear();
    cell.is_wide = false;
    cell.is_second_half = true;
    out.push_back(std::move(cell));
  }
  return out;
}

std::vector<std::string> screen_lines(const Screen& screen) {
  std::vector<std::string> out(static_cast<std::size_t>(screen.rows()));
  for (int r = 0; r < screen.rows(); ++r) {
    const Row& row = screen.grid().row(r);
    int n = written_end(row);
    while (n > 0 && (row.content[n - 1] == kBlank || row.content[n - 1] == U' ')) --n;
    std::string& line = out[static_cast<std::size_t>(r)];
    line.reserve(static_cast<std::size_t>(n));
    for (int col = 0; col < n; ++col)
      if (row.content[col] != kTail) append_cell(line, screen.tables(), row.content[col]);
  }
  return out;
}

std::vector<HighlightedSpan> highlighted_spans(const Screen& screen) {
  std::vector<HighlightedSpan> out;
  for (int r = 0; r < screen.rows(); ++r) {
    const Row& row = screen.grid().row(r);
    bool is_inside = false;
    for (int col = 0; col < row.used; ++col) {
      const bool is_inverse = screen.tables().styles.get(row.style[col]).flags & kInverse;
      if (is_inverse && !is_inside) out.push_back({r + 1, col + 1, 0, {}});
      is_inside = is_inverse;
      if (!is_inside) continue;
      ++out.back().cols;
      if (row.content[col] != kTail) append_cell(out.back().text, screen.tables(), row.content[col]);
    }
  }
  return out;
}

std::uint64_t text_hash(const Screen& screen) {
  std::string text;
  for (const std::string& line : screen_lines(screen)) {
    text += line;
    text += '\n';
  }
  return XXH3_64bits(text.data(), text.size());
}

std::uint64_t visual_hash(const Screen& screen, const CursorState& cursor) {
  std::string out;
  const Tables& tables = screen.tables();
  for (int r = 0; r < screen.rows(); ++r) {
    const Row& row = screen.grid().row(r);
    const auto seen = [&](int col) {
      const Content c = row.content[col];
      return seen_style(tables.styles.get(row.style[col]), c == kBlank || c == U' ');
    };
    int n = row.used;
    while (n > 0 && (row.content[n - 1] == kBlank || row.content[n - 1] == U' ') && seen(n - 1) == Style{})
      --n;
    Style style;
    for (int col = 0; col < n; ++col) {
      if (const Style now = seen(col); !(now == style)) {
        style = now;
        append_style(out, tables, style);
      }
      if (row.content[col] != kTail) append_cell(out, tables, row.content[col]);
    }
    out += '\n';
  }
  append_value(out, cursor.row);
  append_value(out, cursor.col);
  append_value(out, cursor.visible);
  append_value(out, cursor.shape);
  append_value(out, cursor.blink);
  append_value(out, screen.flags.reverse_video);
  return XXH3_64bits(out.data(), out.size());
}

}  // namespace smartcli::terminal
