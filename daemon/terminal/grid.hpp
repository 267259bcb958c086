#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "terminal/cell.hpp"

namespace smartcli::terminal {

/// One row of cells, as three arrays so that runs are filled and scanned wide. From `used` on all cells are
/// kBlank in style 0. The stamp of a kBlank cell means nothing.
struct Row {
  Content* content = nullptr;
  StyleId* style = nullptr;
  std::uint32_t* stamp = nullptr;
  std::uint16_t used = 0;
  bool wraps = false;         ///< goes on in the next row
  std::uint64_t touched = 0;  ///< offset of its last change
};

/// The cells of one screen. It keeps one rule for its callers: a wide character is whole or gone. Columns
/// `from` are included, `to` not.
class Grid {
 public:
  Grid() = default;
  Grid(int cols, int rows);

  int cols() const { return cols_; }
  int rows() const { return static_cast<int>(rows_.size()); }
  bool is_made() const { return cols_ > 0; }
  Row& row(int r) { return rows_[r]; }
  const Row& row(int r) const { return rows_[r]; }

  /// Blanks both halves of a wide character that stands across the edge before `col`.
  static void cut(Row& row, int col) {
    if (col <= 0 || col >= row.used || row.content[col] != kTail) return;
    row.content[col - 1] = kBlank;
    row.content[col] = kBlank;
  }
  /// Makes cells kBlank in that style.
  void erase(Row& row, int from, int to, StyleId style) const;
  /// Moves cells right (left) by n inside the range; the gap is blank in that style.
  void shift_right(Row& row, int from, int to, int n, StyleId style) const;
  void shift_left(Row& row, int from, int to, int n, StyleId style) const;

  /// Moves rows up (down) by n inside the range of rows by their pointers, the gap is blank in that style.
  void rotate_up(int top, int bottom, int n, StyleId style);
  void rotate_down(int top, int bottom, int n, StyleId style);

  /// Copies cells as they are; the caller has cut the edges.
  void copy_cells(const Row& from, int from_col, Row& to, int to_col, int n) const;
  /// Sets `used` again after cells were written.
  static void extend(Row& row, int to) {
    if (row.used < to) row.used = static_cast<std::uint16_t>(to);
  }

 private:
  void clear_row(Row& row, StyleId style) const;

  int cols_ = 0;
  std::vector<Row> rows_;
  std::unique_ptr<std::uint32_t[]> cells_;
};

}  // namespace smartcli::terminal
