#include <algorithm>

#include "terminal/screen.hpp"

namespace smartcli::terminal {

void Screen::up(int n) {
  const int stop = place_.row >= top_ ? top_ : 0;
  place_.row = std::max(stop, place_.row - n);
  place_.pending_wrap = false;
}

void Screen::down(int n) {
  const int stop = place_.row < bottom_ ? bottom_ - 1 : rows_ - 1;
  place_.row = std::min(stop, place_.row + n);
  place_.pending_wrap = false;
}

void Screen::right(int n) {
  const int stop = place_.col < right_ ? right_ - 1 : cols_ - 1;
  place_.col = std::min(stop, place_.col + n);
  place_.pending_wrap = false;
}

void Screen::left(int n) {
  const bool can_wrap = flags.reverse_wrap && flags.autowrap;
  // In xterm the pending wrap is a column of its own for reverse wraparound.
  if (can_wrap && place_.pending_wrap) --n;
  place_.pending_wrap = false;
  const int first = place_.col >= left_ ? left_ : 0;
  if (n <= place_.col - first || !can_wrap || place_.col >= right_) {
    place_.col = std::max(first, place_.col - n);
    return;
  }
  // From the region's first cell to its last one, however far; else from the first row on to the last one,
  // whatever the margins above and below (xterm).
  if (place_.row == top_ && place_.col == first) {
    place_.row = bottom_ - 1;
    place_.col = right_ - 1;
    return;
  }
  const int width = right_ - first;
  const int cells = width * rows_;
  const int cell = place_.row * width + place_.col - first - n % cells;
  place_.row = (cell + cells) % cells / width;
  place_.col = first + (cell + cells) % cells % width;
}

void Screen::carriage_return() {
  place_.col = place_.col >= left_ || flags.origin ? left_ : 0;
  place_.pending_wrap = false;
}

void Screen::index() {
  place_.pending_wrap = false;
  if (place_.row == bottom_ - 1) {
    if (is_in_side_margins()) roll_up(top_, bottom_, 1, Cause::feed);
  } else if (place_.row < rows_ - 1) {
    ++place_.row;
  }
}

void Screen::reverse_index() {
  place_.pending_wrap = false;
  if (place_.row == top_) {
    if (is_in_side_margins()) roll_down(top_, bottom_, 1);
  } else if (place_.row > 0) {
    --place_.row;
  }
}

void Screen::back_index() {
  if (place_.col == left_ && is_in_margins())
    scroll_right(1);
  else if (place_.col > 0 && place_.col != left_)
    --place_.col;
  place_.pending_wrap = false;
}

void Screen::forward_index() {
  if (place_.col == right_ - 1) {
    if (is_in_margins()) scroll_left(1);  // keeps a pending wrap, as in xterm
    return;
  }
  if (place_.col < cols_ - 1) ++place_.col;
  place_.pending_wrap = false;
}

void Screen::line_feed() {
  index();
  if (flags.newline) carriage_return();
}

void Screen::move_to(int row, int col) {
  if (flags.origin) {
    place_.row = std::min(top_ + row, bottom_ - 1);
    place_.col = std::min(left_ + col, right_ - 1);
  } else {
    place_.row = std::min(row, rows_ - 1);
    place_.col = std::min(col, cols_ - 1);
  }
  place_.pending_wrap = false;
}

void Screen::move_to_col(int col) {
  place_.col = flags.origin ? std::min(left_ + col, right_ - 1) : std::min(col, cols_ - 1);
  place_.pending_wrap = false;
}

void Screen::move_to_row(int row) {
  place_.row = flags.origin ? std::min(top_ + row, bottom_ - 1) : std::min(row, rows_ - 1);
  place_.pending_wrap = false;
}

void Screen::move_by_row(int n) {
  place_.row = std::min(place_.row + n, flags.origin ? bottom_ - 1 : rows_ - 1);
  place_.pending_wrap = false;
}

void Screen::move_by_col(int n) {
  place_.col = std::min(place_.col + n, flags.origin ? right_ - 1 : cols_ - 1);
  place_.pending_wrap = false;
}

void Screen::set_margins(int top, int bottom) {
  bottom = std::min(bottom, rows_);
  if (bottom - top < 2) return;  // xterm: ignored, margins and cursor stay
  top_ = top;
  bottom_ = bottom;
  home();
}

void Screen::set_side_margins(int left, int right) {
  right = std::min(right, cols_);
  if (right - left < 2) return;
  left_ = left;
  right_ = right;
  home();
}

void Screen::reset_side_margins() {
  left_ = 0;
  right_ = cols_;
}

Place Screen::reported_place() const {
  Place p = place_;
  if (flags.origin) {
    p.row = std::max(0, p.row - top_);
    p.col = std::max(0, p.col - left_);
  }
  return p;
}

// HT keeps a pending wrap (xterm): the cursor is on the last column and does not move.
void Screen::tab(int n) {
  const int stop = place_.col < right_ ? right_ - 1 : cols_ - 1;
  while (n-- > 0 && place_.col < stop) {
    ++place_.col;
    while (place_.col < stop && !tabs_[place_.col]) ++place_.col;
  }
}

void Screen::back_tab(int n) {
  const int stop = flags.origin ? left_ : 0;
  while (n-- > 0 && place_.col > stop) {
    --place_.col;
    while (place_.col > stop && !tabs_[place_.col]) --place_.col;
  }
  // A pending wrap stays, as in xterm: the next character starts a row, wherever the cursor is by then.
}

}  // namespace smartcli::terminal
