#include <algorithm>

#include "terminal/screen.hpp"
#include "terminal/width.hpp"

namespace smartcli::terminal {

namespace {

constexpr std::uint64_t kRestyleWork = 16;  // interning a style, in cells

}  // namespace

void Screen::copy_rect(const Rect& from, int row, int col) {
  const int height = std::min(from.bottom - from.top, rows_ - row);
  const int width = std::min(from.right - from.left, cols_ - col);
  if (height <= 0 || width <= 0) return;
  work_ += static_cast<std::uint64_t>(height * width);
  for (int i = 0; i < height; ++i) {
    // Backwards where the target lies below, so that no row is read after it was written.
    const int k = row > from.top ? height - 1 - i : i;
    Row& source = grid_->row(from.top + k);
    Row& target = grid_->row(row + k);
    CellLine line;
    for (int c = from.left; c < from.left + width; ++c) {
      const bool is_half = (c == from.left && source.content[c] == kTail) ||
                           (c == from.left + width - 1 && source.content[c] & kWide);
      line.content.push_back(c < source.used && !is_half ? source.content[c] : kBlank);
      line.style.push_back(source.style[c]);
      line.stamp.push_back(static_cast<std::uint32_t>(now_));
    }
    Grid::cut(target, col);
    Grid::cut(target, col + width);
    std::copy(line.content.begin(), line.content.end(), target.content + col);
    std::copy(line.style.begin(), line.style.end(), target.style + col);
    std::copy(line.stamp.begin(), line.stamp.end(), target.stamp + col);
    Grid::extend(target, col + width);
    touch(target);
  }
}

void Screen::fill_rect(const Rect& rect, char32_t c) {
  const StyleId style = pen_id();
  work_ += static_cast<std::uint64_t>((rect.bottom - rect.top) * (rect.right - rect.left));
  for (int r = rect.top; r < rect.bottom; ++r) {
    Row& row = grid_->row(r);
    Grid::cut(row, rect.left);
    Grid::cut(row, rect.right);
    std::fill(row.content + rect.left, row.content + rect.right, c);
    std::fill(row.style + rect.left, row.style + rect.right, style);
    std::fill(row.stamp + rect.left, row.stamp + rect.right, static_cast<std::uint32_t>(now_));
    Grid::extend(row, rect.right);
    touch(row);
  }
}

void Screen::erase_rect(const Rect& rect, Erase what) {
  for (int r = rect.top; r < rect.bottom; ++r) erase_cells(r, rect.left, rect.right, what);
}

void Screen::restyle_rect(const Rect& rect, bool is_stream, const std::function<void(Style&)>& change) {
  // Neighbours mostly look alike: each look is changed once, not each cell.
  StyleId last = 0, changed = 0;
  bool is_known = false;
  for (int r = rect.top; r < rect.bottom; ++r) {
    Row& row = grid_->row(r);
    const int from = is_stream && r > rect.top ? 0 : rect.left;
    const int to = is_stream && r < rect.bottom - 1 ? cols_ : rect.right;
    work_ += static_cast<std::uint64_t>(to - from);
    for (int col = from; col < to; ++col) {
      // Written cells only, as in xterm: a blank one shows no rendition.
      if (col >= row.used || row.content[col] == kBlank || row.content[col] == kTail) continue;
      if (!is_known || row.style[col] != last) {
        Style style = tables_.styles.get(row.style[col]);
        change(style);
        last = row.style[col];
        row.style[col] = changed = intern(style);
        work_ += kRestyleWork;
        is_known = true;
      }
      row.style[col] = changed;
      // A wide character has one style, its first half's.
      if (row.content[col] & kWide) row.style[col + 1] = changed;
    }
    touch(row);
  }
}

}  // namespace smartcli::terminal
