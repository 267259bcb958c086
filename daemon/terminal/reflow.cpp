#include <algorithm>
#include <deque>

#include "terminal/screen.hpp"
#include "terminal/width.hpp"

// Resizing. The primary screen keeps its text: another height takes blank rows below the cursor first, then
// lines go to history at the top, and come back when there is room again (as xterm.js, tmux and VTE do; xterm
// has them stay); another width wraps anew what had wrapped. The alternate screen is cut or padded: its
// program redraws.

namespace smartcli::terminal {

namespace {

// Cells of a line without end that are taken back from history to be wrapped anew; the rest stays as it was
// wrapped.
constexpr std::size_t kMaxPulledCells = 200'000;

bool shows_nothing(const Row& row) {
  return std::all_of(row.content, row.content + row.used, [](Content c) { return c == kBlank || c == U' '; });
}

void append(CellLine& line, const CellLine& more) {
  line.content.insert(line.content.end(), more.content.begin(), more.content.end());
  line.style.insert(line.style.end(), more.style.begin(), more.style.end());
  line.stamp.insert(line.stamp.end(), more.stamp.begin(), more.stamp.end());
}

// A wide character in one cell, as a screen one column wide holds it.
bool is_wide_alone(const Tables& tables, Content c) {
  if (c == kBlank || c & (kWide | kTail)) return false;
  if ((c & kGrapheme) == 0) return char_width(c & kValue) == 2;
  const std::u32string& text = tables.graphemes.get(c & kValue);
  const bool is_flag = char_properties(text[0]) & kRegional && char_properties(text[1]) & kRegional;
  return is_flag || char_width(text.front()) == 2;
}

// Makes wide characters take one cell for a screen one column wide, else two. `spot`, a place in the line,
// moves along.
void fit(const Tables& tables, int cols, CellLine& line, std::size_t* spot = nullptr) {
  const bool is_narrow = cols == 1;
  const auto is_wrong = [&](Content c) { return is_narrow ? c == kTail : is_wide_alone(tables, c); };
  if (std::none_of(line.content.begin(), line.content.end(), is_wrong)) return;
  CellLine out;
  out.wraps = line.wraps;
  std::size_t new_spot = spot ? *spot : 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Content c = line.content[i];
    if (c == kTail && is_narrow) {
      if (spot && i < *spot) --new_spot;
      continue;
    }
    const bool widens = !is_narrow && is_wide_alone(tables, c);
    for (int half = 0; half <= widens; ++half) {
      out.content.push_back(half ? kTail : is_narrow ? c & ~kWide : widens ? c | kWide : c);
      out.style.push_back(line.style[i]);
      out.stamp.push_back(line.stamp[i]);
    }
    if (widens && spot && i < *spot) ++new_spot;
  }
  if (spot) *spot = new_spot;
  line = std::move(out);
}

// A cell that was filled in front of a wide character, or erased, is no text of a line that goes on.
CellLine line_of(const Row& row) {
  int n = row.used;
  while (n > 0 && row.content[n - 1] == kBlank && (row.wraps || row.style[n - 1] == 0)) --n;
  CellLine line;
  line.content.assign(row.content, row.content + n);
  line.style.assign(row.style, row.style + n);
  line.stamp.assign(row.stamp, row.stamp + n);
  line.wraps = row.wraps;
  return line;
}

void put_line(const CellLine& line, std::size_t from, std::size_t to, Row& row) {
  std::copy(line.content.begin() + from, line.content.begin() + to, row.content);
  std::copy(line.style.begin() + from, line.style.begin() + to, row.style);
  std::copy(line.stamp.begin() + from, line.stamp.begin() + to, row.stamp);
  row.used = static_cast<std::uint16_t>(to - from);
}

void copy_row(const Row& from, Row& to, int cols) {
  to.used = static_cast<std::uint16_t>(std::min<int>(from.used, cols));
  std::copy(from.content, from.content + to.used, to.content);
  std::copy(from.style, from.style + to.used, to.style);
  std::copy(from.stamp, from.stamp + to.used, to.stamp);
  to.wraps = from.wraps;
  to.touched = from.touched;
}

}  // namespace

int Screen::last_row_in_use() const {
  int last = rows_ - 1;
  const int cursor = (is_alternate() ? saved_[0].place : place_).row;
  while (last > cursor && shows_nothing(primary_.row(last))) --last;
  return last;
}

std::uint64_t Screen::newest_of(const CellLine& line) const {
  const auto now = static_cast<std::uint32_t>(now_);
  std::uint32_t age = kOldAge;
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line.content[i] != kBlank) age = std::min(age, now - line.stamp[i]);
  return now_ > age ? now_ - age : 0;
}

std::vector<Place*> Screen::primary_places() {
  if (is_alternate()) return {&saved_[0].place};
  return {&saved_[0].place, &place_};
}

CellLine Screen::pull_history(int cols) {
  const std::uint64_t last = history_.end() - 1;
  CellLine line = history_.cells(last, stamp_of(history_.text(last).newest));
  history_.pop_back();
  fit(tables_, cols, line);
  return line;
}

void Screen::resize(int cols, int rows) {
  if (cols == cols_ && rows == rows_) return;
  const int old_cols = cols_;
  if (alternate_.is_made()) resize_alternate(cols, rows);
  if (cols == cols_)
    resize_height(rows);
  else
    reflow(cols, rows);
  cols_ = cols;
  rows_ = rows;
  top_ = left_ = 0;
  bottom_ = rows;
  right_ = cols;
  tabs_.resize(static_cast<std::size_t>(cols), false);
  for (int col = (old_cols + 7) / 8 * 8; col < cols; col += 8) tabs_[col] = col > 0;
  all_touched_ = now_;
}

void Screen::resize_alternate(int cols, int rows) {
  const bool is_shown = is_alternate();
  const int dropped = is_shown ? std::max(0, place_.row + 1 - rows) : 0;
  Grid grid(cols, rows);
  for (int r = 0; r < std::min(rows, alternate_.rows() - dropped); ++r) {
    Row& from = alternate_.row(r + dropped);
    Grid::cut(from, cols);
    copy_row(from, grid.row(r), cols);
    grid.row(r).wraps = false;
  }
  alternate_ = std::move(grid);
  if (!is_shown) return;
  place_.row -= dropped;
  place_.col = std::min(place_.col, cols - 1);
  place_.pending_wrap = false;
}

void Screen::resize_height(int rows) {
  const int in_use = last_row_in_use() + 1;
  const int pushed = std::max(0, in_use - rows);
  for (int r = 0; r < pushed; ++r) push_to_history(primary_.row(r));
  std::deque<CellLine> pulled;
  // Only where no blank rows below can be given instead: then the height was short before.
  if (in_use == rows_)
    while (static_cast<int>(pulled.size()) < rows - rows_ && history_.size() > 0) {
      CellLine line = pull_history(cols_);
      if (line.size() > static_cast<std::size_t>(cols_)) {
        history_.push(line, newest_of(line));
        break;
      }
      pulled.push_front(std::move(line));
    }

  Grid grid(cols_, rows);
  const int added = static_cast<int>(pulled.size());
  for (int r = 0; r < added; ++r) {
    put_line(pulled[r], 0, pulled[r].size(), grid.row(r));
    grid.row(r).wraps = pulled[r].wraps;
  }
  for (int r = pushed; r < std::min(rows_, rows - added + pushed); ++r)
    copy_row(primary_.row(r), grid.row(r - pushed + added), cols_);
  primary_ = std::move(grid);
  for (Place* place : primary_places()) place->row = std::clamp(place->row - pushed + added, 0, rows - 1);
}

/// One reflow: lines before they wrap, rows after.
struct Screen::Reflow {
  struct Spot {
    std::size_t line, cell;  ///< line counts from the first one of the old screen
    bool is_past_end;
  };
  struct Piece {
    std::size_t line, from, to;
  };

  int cols;
  std::deque<CellLine> lines;
  std::size_t before = 0;  ///< lines put before those of the screen

  std::vector<Piece> wrap(std::size_t index) const {
    const CellLine& line = lines[index];
    std::vector<Piece> pieces;
    std::size_t from = 0;
    do {
      std::size_t to = std::min(line.size(), from + static_cast<std::size_t>(cols));
      if (to < line.size() && line.content[to] == kTail) --to;
      pieces.push_back({index, from, to});
      from = to;
    } while (from < line.size());
    return pieces;
  }
};

void Screen::reflow(int cols, int rows) {
  Reflow work;
  work.cols = cols;
  const int in_use = last_row_in_use() + 1;

  const std::vector<Place*> places = primary_places();
  std::vector<Reflow::Spot> spots(places.size(), {0, 0, true});
  for (int r = 0; r < in_use; ++r) {
    const Row& row = primary_.row(r);
    if (r == 0 || !primary_.row(r - 1).wraps) work.lines.emplace_back();
    CellLine& line = work.lines.back();
    const std::size_t start = line.size();
    append(line, line_of(row));
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i]->row != r) continue;
      std::size_t cell = start + static_cast<std::size_t>(places[i]->col + (places[i]->pending_wrap &&
                                                                            places[i]->col == cols_ - 1));
      if (row.wraps) cell = std::min(cell, line.size());
      spots[i] = {work.lines.size() - 1, cell, false};
    }
  }
  for (std::size_t n = 0; n < work.lines.size(); ++n) {
    // Both places may stand on one line; each is carried over by itself.
    for (Reflow::Spot& spot : spots) {
      if (spot.is_past_end || spot.line != n) continue;
      CellLine copy = work.lines[n];
      fit(tables_, cols, copy, &spot.cell);
    }
    fit(tables_, cols, work.lines[n]);
  }

  std::size_t pulled_cells = 0;
  auto pull_line = [&] {
    CellLine whole = pull_history(cols);
    std::deque<CellLine> parts;
    pulled_cells += whole.size();
    parts.push_front(std::move(whole));
    while (history_.last_wraps() && pulled_cells < kMaxPulledCells) {
      parts.push_front(pull_history(cols));
      pulled_cells += parts.front().size();
    }
    CellLine line;
    for (const CellLine& part : parts) append(line, part);
    return line;
  };
  if (history_.last_wraps()) {
    CellLine line = pull_line();
    const std::size_t start = line.size();
    append(line, work.lines.front());
    work.lines.front() = std::move(line);
    for (Reflow::Spot& spot : spots)
      if (!spot.is_past_end && spot.line == 0) spot.cell += start;
  }
  std::deque<Reflow::Piece> pieces;
  for (std::size_t n = 0; n < work.lines.size(); ++n)
    for (const Reflow::Piece& piece : work.wrap(n)) pieces.push_back(piece);
  while (in_use == rows_ && static_cast<int>(pieces.size()) < rows && history_.size() > 0 &&
         pulled_cells < kMaxPulledCells) {
    work.lines.push_front(pull_line());
    ++work.before;
    for (Reflow::Piece& piece : pieces) ++piece.line;
    const auto more = work.wrap(0);
    pieces.insert(pieces.begin(), more.begin(), more.end());
  }

  const int pushed = std::max(0, static_cast<int>(pieces.size()) - rows);
  Grid grid(cols, rows);
  for (int r = 0; r < static_cast<int>(pieces.size()); ++r) {
    const auto [n, from, to] = pieces[r];
    const CellLine& line = work.lines[n];
    const bool wraps = to < line.size();
    if (r < pushed) {
      CellLine part;
      part.content.assign(line.content.begin() + from, line.content.begin() + to);
      part.style.assign(line.style.begin() + from, line.style.begin() + to);
      part.stamp.assign(line.stamp.begin() + from, line.stamp.begin() + to);
      part.wraps = wraps;
      history_.push(part, newest_of(part));
    } else {
      put_line(line, from, to, grid.row(r - pushed));
      grid.row(r - pushed).wraps = wraps;
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    Place& place = *places[i];
    const Reflow::Spot& spot = spots[i];
    if (spot.is_past_end) {  // a saved cursor below all text
      place.row = std::min(place.row, rows - 1);
      place.col = std::min(place.col, cols - 1);
      place.pending_wrap = false;
      continue;
    }
    const std::size_t n = spot.line + work.before;
    for (int r = 0; r < static_cast<int>(pieces.size()); ++r) {
      const auto [line, from, to] = pieces[r];
      const bool is_last = to == work.lines[n].size();
      if (line != n || (spot.cell >= to && !is_last)) continue;
      const std::size_t col = spot.cell - from;
      place.pending_wrap = col == static_cast<std::size_t>(cols) && spot.cell == to;
      place.col = static_cast<int>(std::min(col, static_cast<std::size_t>(cols - 1)));
      place.row = std::max(0, r - pushed);
      break;
    }
  }
  primary_ = std::move(grid);
  ++epoch_;
}

}  // namespace smartcli::terminal
