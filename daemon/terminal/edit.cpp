#include <algorithm>

#include "terminal/screen.hpp"

namespace smartcli::terminal {

void Screen::touch_rows(int top, int bottom) {
  for (int r = top; r < bottom; ++r) touch(grid_->row(r));
}

// A row that was wrapped into `row` is not any more: what stands there now is something else.
void Screen::cut_above(int row) {
  if (row > 0)
    grid_->row(row - 1).wraps = false;
  else if (!is_alternate())
    history_.cut_last();
}

std::uint64_t Screen::newest_of(const Row& row) const {
  const int last = row.used - 1;
  if (last >= 0 && row.content[last] != kBlank && row.stamp[last] == static_cast<std::uint32_t>(row.touched))
    return row.touched;
  const auto now = static_cast<std::uint32_t>(now_);
  std::uint32_t age = kOldAge;
  for (int col = 0; col <= last; ++col)
    if (row.content[col] != kBlank) age = std::min(age, now - row.stamp[col]);
  return now_ > age ? now_ - age : 0;
}

void Screen::push_to_history(const Row& row) {
  history_.push(row, row.wraps, newest_of(row));
}

void Screen::roll_up(int top, int bottom, int n, Cause cause) {
  n = std::min(n, bottom - top);
  if (n <= 0) return;
  work_ += static_cast<std::uint64_t>(n * cols_);
  if (has_side_margins()) {
    move_block(top, bottom, n);
    return;
  }
  const bool feeds_history = cause != Cause::edit && top == 0 && !is_alternate();
  if (cause != Cause::wrap) grid_->row(bottom - 1).wraps = false;
  if (feeds_history)
    for (int r = 0; r < n; ++r) push_to_history(grid_->row(r));
  else
    cut_above(top);
  grid_->rotate_up(top, bottom, n, erase_id());
  if (feeds_history) {
    // Rows above `bottom` moved with their ordinals; the new ones and those below have another one now.
    scrolled_at_ = now_;
    touch_rows(bottom - n, rows_);
  } else if (top == 0 && bottom == rows_) {
    all_touched_ = now_;
  } else {
    touch_rows(top, bottom);
  }
}

void Screen::roll_down(int top, int bottom, int n) {
  n = std::min(n, bottom - top);
  if (n <= 0) return;
  work_ += static_cast<std::uint64_t>(n * cols_);
  if (has_side_margins()) {
    move_block(top, bottom, -n);
    return;
  }
  cut_above(top);
  grid_->rotate_down(top, bottom, n, erase_id());
  grid_->row(bottom - 1).wraps = false;
  touch_rows(top, bottom);
}

// Scrolls the cells between the side margins, up for n > 0.
void Screen::move_block(int top, int bottom, int n) {
  const int width = right_ - left_;
  const StyleId blank = erase_id();
  work_ += static_cast<std::uint64_t>((bottom - top) * width);
  for (int r = top; r < bottom; ++r) {
    Row& row = grid_->row(r);
    Grid::cut(row, left_);
    Grid::cut(row, right_);
    row.wraps = false;
    touch(row);
  }
  const int moved = bottom - top - std::abs(n);
  for (int i = 0; i < moved; ++i) {
    const int to = n > 0 ? top + i : bottom - 1 - i;
    Row& target = grid_->row(to);
    grid_->erase(target, left_, right_, 0);
    grid_->copy_cells(grid_->row(to + n), left_, target, left_, width);
  }
  for (int r = n > 0 ? top + moved : top; r < (n > 0 ? bottom : bottom - moved); ++r)
    grid_->erase(grid_->row(r), left_, right_, blank);
}

void Screen::scroll_up(int n) {
  roll_up(top_, bottom_, n, Cause::feed);
}
void Screen::scroll_down(int n) {
  roll_down(top_, bottom_, n);
}

void Screen::insert_lines(int n) {
  if (!is_in_margins()) return;
  roll_down(place_.row, bottom_, n);
  place_.col = left_;
  place_.pending_wrap = false;
}

void Screen::delete_lines(int n) {
  if (!is_in_margins()) return;
  roll_up(place_.row, bottom_, n, Cause::edit);
  place_.col = left_;
  place_.pending_wrap = false;
}

void Screen::erase_cells(int row, int from, int to, Erase what) {
  Row& r = grid_->row(row);
  touch(r);
  work_ += static_cast<std::uint64_t>(std::max(0, to - from));
  if (to == cols_) {
    r.wraps = false;
    if (from == 0) cut_above(row);
  }
  const StyleId blank = erase_id();
  const bool spares = what == Erase::unprotected ? protection != Protection::off
                      : what == Erase::rectangle ? protection == Protection::dec
                                                 : what == Erase::all && protection == Protection::iso;
  if (!spares) {
    grid_->erase(r, from, to, blank);
    return;
  }
  for (int col = from; col < to; ++col) {
    const bool is_protected = col < r.used && tables_.styles.get(r.style[col]).flags & kProtected;
    if (!is_protected) grid_->erase(r, col, col + 1, blank);
  }
}

void Screen::erase_line(int part, Erase what) {
  if (part < 0 || part > 2) return;
  const int row = place_.row;
  place_.pending_wrap = false;
  if (part == 0) erase_cells(row, place_.col, cols_, what);
  if (part == 1) erase_cells(row, 0, place_.col + 1, what);
  if (part == 2) erase_cells(row, 0, cols_, what);
}

void Screen::erase_display(int part, Erase what) {
  if (part < 0 || part > 2) return;
  place_.pending_wrap = false;
  if (part == 0) {
    erase_line(0, what);
    for (int r = place_.row + 1; r < rows_; ++r) erase_cells(r, 0, cols_, what);
  } else if (part == 1) {
    for (int r = 0; r < place_.row; ++r) erase_cells(r, 0, cols_, what);
    erase_line(1, what);
  } else if (part == 2) {
    for (int r = 0; r < rows_; ++r) erase_cells(r, 0, cols_, what);
  }
}

void Screen::clear_history() {
  history_.clear(history_.end(), history_.next_line());
}

void Screen::erase_chars(int n) {
  erase_cells(place_.row, place_.col, std::min(cols_, place_.col + n), Erase::all);
  place_.pending_wrap = false;
}

void Screen::insert_chars(int n) {
  place_.pending_wrap = false;
  if (!is_in_side_margins()) return;
  grid_->shift_right(here(), place_.col, right_, n, erase_id());
  here().wraps = false;
  touch(here());
}

void Screen::delete_chars(int n) {
  place_.pending_wrap = false;
  if (!is_in_side_margins()) return;
  grid_->shift_left(here(), place_.col, right_, n, erase_id());
  here().wraps = false;
  touch(here());
}

// In all rows between the margins, from that column to the right one.
void Screen::shift_cols(int from, int n, void (Grid::*shift)(Row&, int, int, int, StyleId) const) {
  if (!is_in_margins()) return;
  const StyleId blank = erase_id();
  work_ += static_cast<std::uint64_t>((bottom_ - top_) * (right_ - from));
  for (int r = top_; r < bottom_; ++r) {
    Row& row = grid_->row(r);
    (grid_->*shift)(row, from, right_, n, blank);
    row.wraps = false;
    touch(row);
  }
}

void Screen::scroll_left(int n) {
  shift_cols(left_, n, &Grid::shift_left);
}
void Screen::scroll_right(int n) {
  shift_cols(left_, n, &Grid::shift_right);
}
void Screen::insert_cols(int n) {
  shift_cols(place_.col, n, &Grid::shift_right);
}
void Screen::delete_cols(int n) {
  shift_cols(place_.col, n, &Grid::shift_left);
}

void Screen::alignment_test() {
  top_ = left_ = 0;
  bottom_ = rows_;
  right_ = cols_;
  flags.origin = false;
  history_.cut_last();
  fill_rect({0, 0, rows_, cols_}, U'E');
  for (int r = 0; r < rows_; ++r) {
    std::fill(grid_->row(r).style, grid_->row(r).style + cols_, 0);
    grid_->row(r).wraps = false;
  }
  home();
}

}  // namespace smartcli::terminal
