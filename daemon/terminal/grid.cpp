#include "terminal/grid.hpp"

#include <algorithm>
#include <cstring>

namespace smartcli::terminal {

namespace {

// Only cells that show something are erased in the default style; a fresh grid and an erased row are the
// same.
void fill(Row& row, int from, int to, StyleId style) {
  if (style == 0) {
    const int stop = std::min<int>(to, row.used);
    if (stop > from) {
      std::fill(row.content + from, row.content + stop, kBlank);
      std::fill(row.style + from, row.style + stop, 0);
    }
    if (to >= row.used && from < row.used) row.used = static_cast<std::uint16_t>(from);
    return;
  }
  std::fill(row.content + from, row.content + to, kBlank);
  std::fill(row.style + from, row.style + to, style);
  Grid::extend(row, to);
}

}  // namespace

Grid::Grid(int cols, int rows) : cols_(cols), rows_(rows) {
  const std::size_t n = static_cast<std::size_t>(cols);
  cells_ = std::make_unique<std::uint32_t[]>(n * 3 * rows);
  std::uint32_t* at = cells_.get();
  for (Row& row : rows_) {
    row.content = at;
    row.style = at + n;
    row.stamp = at + 2 * n;
    at += 3 * n;
  }
}

void Grid::erase(Row& row, int from, int to, StyleId style) const {
  if (from >= to) return;
  cut(row, from);
  cut(row, to);
  fill(row, from, to, style);
}

void Grid::copy_cells(const Row& from, int from_col, Row& to, int to_col, int n) const {
  std::memmove(to.content + to_col, from.content + from_col, n * sizeof(Content));
  std::memmove(to.style + to_col, from.style + from_col, n * sizeof(StyleId));
  std::memmove(to.stamp + to_col, from.stamp + from_col, n * sizeof(std::uint32_t));
  extend(to, std::min(to_col + n, std::max<int>(0, from.used - from_col) + to_col));
}

void Grid::shift_right(Row& row, int from, int to, int n, StyleId style) const {
  n = std::min(n, to - from);
  cut(row, from);
  cut(row, to);
  cut(row, to - n);
  const int moved = to - from - n;
  if (moved > 0) copy_cells(row, from, row, from + n, moved);
  fill(row, from, from + n, style);
}

void Grid::shift_left(Row& row, int from, int to, int n, StyleId style) const {
  n = std::min(n, to - from);
  cut(row, from);
  cut(row, from + n);
  cut(row, to);
  const int moved = to - from - n;
  if (moved > 0) copy_cells(row, from + n, row, from, moved);
  fill(row, to - n, to, style);
}

void Grid::clear_row(Row& row, StyleId style) const {
  fill(row, 0, cols_, style);
  row.wraps = false;
}

void Grid::rotate_up(int top, int bottom, int n, StyleId style) {
  n = std::min(n, bottom - top);
  if (n == 1) {
    const Row first = rows_[top];
    std::memmove(static_cast<void*>(&rows_[top]), &rows_[top + 1], (bottom - top - 1) * sizeof(Row));
    rows_[bottom - 1] = first;
  } else {
    std::rotate(rows_.begin() + top, rows_.begin() + top + n, rows_.begin() + bottom);
  }
  for (int r = bottom - n; r < bottom; ++r) clear_row(rows_[r], style);
}

void Grid::rotate_down(int top, int bottom, int n, StyleId style) {
  n = std::min(n, bottom - top);
  std::rotate(rows_.begin() + top, rows_.begin() + bottom - n, rows_.begin() + bottom);
  for (int r = top; r < top + n; ++r) clear_row(rows_[r], style);
}

}  // namespace smartcli::terminal
