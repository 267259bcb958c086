#include "terminal/redraw.hpp"

#include <algorithm>

#include "terminal/sgr.hpp"
#include "terminal/utf8.hpp"
#include "terminal/width.hpp"

namespace smartcli::terminal {

namespace {

bool is_same(const ShownCell& a, const ShownCell& b) {
  return a.text == b.text && a.style == b.style && a.link == b.link && a.is_wide == b.is_wide &&
         a.is_second_half == b.is_second_half;
}

bool is_blank(const ShownCell& cell) {
  return cell.text.empty() && !cell.is_second_half;
}

char32_t first_character(std::string_view text) {
  Utf8Decoder decoder;
  for (const char c : text) {
    if (decoder.push(static_cast<unsigned char>(c)) == Utf8Decoder::Step::done) return decoder.value();
  }
  return U' ';
}

/// Its first character may join what was written before it: an emoji after a joiner, a regional indicator.
bool may_join(const ShownCell& cell) {
  return cell.text.size() > 1 && char_properties(first_character(cell.text)) > kWidthMask;
}

/// Writes to a terminal whose pen and cursor it knows.
class Brush {
 public:
  explicit Brush(std::string& out) : out_(out) {}

  void move(int row, int col) {
    if (row == row_ && col == col_) return;
    const std::string r = std::to_string(row + 1), c = std::to_string(col + 1);
    std::string best = row == 0 && col == 0 ? "\033[H"
                       : col == 0           ? "\033[" + r + "H"
                                            : "\033[" + r + ";" + c + "H";
    if (row == row_ && col > col_) {
      const int n = col - col_;
      take_shorter(best, n == 1 ? "\033[C" : "\033[" + std::to_string(n) + "C");
    }
    if (row_ >= 0 && row == row_ + 1 && col == 0) take_shorter(best, "\r\n");
    if (row == row_ && col == 0) take_shorter(best, "\r");
    out_ += best;
    row_ = row;
    col_ = col;
  }
  /// The next move says where to, whatever was known.
  void lose_place() { row_ = col_ = -1; }

  void set_style(const Style& style, const std::string& link) {
    if (link != link_) {
      out_ += "\033]8;;" + link + "\033\\";
      link_ = link;
    }
    if (style == style_) return;
    const std::string whole = style == Style{} ? "" : sgr_parameters(style).substr(2);
    std::string best = whole.empty() ? "\033[m" : "\033[0;" + whole + "m";
    Style with_colours = style_;
    with_colours.fg = style.fg;
    with_colours.bg = style.bg;
    if (with_colours == style && (style.fg == style_.fg || style.fg.bits != 0) &&
        (style.bg == style_.bg || style.bg.bits != 0)) {
      Style colours;
      if (!(style.fg == style_.fg)) colours.fg = style.fg;
      if (!(style.bg == style_.bg)) colours.bg = style.bg;
      take_shorter(best, "\033[" + sgr_parameters(colours).substr(2) + "m");
    } else if (style_ == Style{}) {
      take_shorter(best, "\033[" + whole + "m");
    }
    out_ += best;
    style_ = style;
  }

  void write(const ShownCell& cell, int cols) {
    set_style(cell.style, cell.link);
    out_ += cell.text.empty() ? " " : cell.text;
    col_ += cell.is_wide ? 2 : 1;
    if (col_ >= cols) lose_place();  // a wrap is pending there
  }
  /// Blanks from the cursor to the row's end, or n of them; the cursor stays.
  void erase_to_end(const Style& style, const std::string& link) {
    set_style(style, link);
    out_ += "\033[K";
  }
  void erase(int n, const Style& style, const std::string& link) {
    set_style(style, link);
    out_ += n == 1 ? "\033[X" : "\033[" + std::to_string(n) + "X";
  }

 private:
  static void take_shorter(std::string& best, std::string other) {
    if (other.size() < best.size()) best = std::move(other);
  }

  std::string& out_;
  int row_ = -1, col_ = -1;
  Style style_;
  std::string link_;
};

/// True if erasing gives this blank: erased cells take the background only.
bool is_erasable(const ShownCell& cell) {
  Style background;
  background.bg = cell.style.bg;
  return is_blank(cell) && cell.style == background && cell.link.empty();
}

void draw_row(Brush& brush, const std::vector<ShownCell>& from, const std::vector<ShownCell>& to, int row) {
  const int cols = static_cast<int>(to.size());
  const auto differs = [&](int col) {
    return !is_same(from[static_cast<std::size_t>(col)], to[static_cast<std::size_t>(col)]);
  };
  const auto at = [&](int col) -> const ShownCell& { return to[static_cast<std::size_t>(col)]; };
  int end = cols;
  while (end > 0 && !differs(end - 1)) --end;
  int first = 0;
  while (first < end && !differs(first)) ++first;
  if (first == end) return;
  if (at(first).is_second_half) --first;

  // What may join its neighbour is written first, from right to left, so that nothing stands before it then.
  std::vector<bool> done(to.size());
  for (int col = end - 1; col >= first; --col) {
    if (!may_join(at(col))) continue;
    brush.lose_place();
    brush.move(row, col);
    brush.erase(at(col).is_wide ? 2 : 1, {}, {});
    brush.write(at(col), cols);
    brush.lose_place();
    done[static_cast<std::size_t>(col)] = true;
  }

  // The row's blank end is erased in one go, if it reaches what differs.
  int tail = cols;
  while (tail > first && is_erasable(at(tail - 1)) && at(tail - 1).style == at(cols - 1).style) --tail;
  const bool erases_tail = tail < end && cols - tail > 3;
  const int stop = erases_tail ? tail : end;

  for (int col = first; col < stop;) {
    const ShownCell& cell = at(col);
    const int width = cell.is_wide ? 2 : 1;
    if (done[static_cast<std::size_t>(col)] || cell.is_second_half ||
        (!differs(col) && !(width == 2 && differs(col + 1)))) {
      col += width;
      continue;
    }
    int blanks = 0;
    while (col + blanks < stop && is_erasable(at(col + blanks)) && at(col + blanks).style == cell.style)
      ++blanks;
    brush.move(row, col);
    if (blanks > 5) {
      brush.erase(blanks, cell.style, {});
      col += blanks;
      continue;
    }
    brush.write(cell, cols);
    col += width;
  }
  if (!erases_tail) return;
  brush.move(row, tail);
  brush.erase_to_end(at(cols - 1).style, {});
}

std::string cursor_style(const CursorState& cursor) {
  const int shape = static_cast<int>(cursor.shape) * 2;
  return "\033[" + std::to_string(shape + (cursor.blink ? 1 : 2)) + " q";
}

std::string draw(const Picture& from, const Picture& to) {
  std::string out;
  Brush brush(out);
  for (std::size_t row = 0; row < to.rows.size(); ++row)
    draw_row(brush, from.rows[row], to.rows[row], static_cast<int>(row));
  brush.set_style({}, {});
  if (from.reverse_video != to.reverse_video) out += to.reverse_video ? "\033[?5h" : "\033[?5l";
  if (from.cursor.shape != to.cursor.shape || from.cursor.blink != to.cursor.blink)
    out += cursor_style(to.cursor);
  const bool is_moved = !out.empty() || from.cursor.row != to.cursor.row || from.cursor.col != to.cursor.col;
  brush.lose_place();
  if (is_moved) brush.move(to.cursor.row, to.cursor.col);
  if (from.cursor.visible != to.cursor.visible) out += to.cursor.visible ? "\033[?25h" : "\033[?25l";
  return out;
}

}  // namespace

Picture picture_of(const Terminal& terminal) {
  Picture picture;
  picture.cursor = terminal.cursor();
  picture.reverse_video = terminal.reverse_video();
  const Size size = terminal.size();
  for (std::int64_t r = 0; r < size.rows; ++r) {
    auto cells = terminal.row_cells(terminal.screen_top() + static_cast<std::uint64_t>(r));
    cells.resize(static_cast<std::size_t>(size.cols));
    for (auto& cell : cells) {
      if (cell.text == " ") cell.text.clear();
      cell.style = seen_style(cell.style, is_blank(cell));
      cell.style.link = 0;
    }
    picture.rows.push_back(std::move(cells));
  }
  return picture;
}

std::string redraw(const Picture& to) {
  Picture blank;
  blank.rows.assign(to.rows.size(), std::vector<ShownCell>(to.rows.empty() ? 0 : to.rows.front().size()));
  blank.cursor.visible = !to.cursor.visible;  // said in any case, and the shape too
  blank.cursor.row = -1;
  blank.reverse_video = !to.reverse_video;
  blank.cursor.shape = to.cursor.shape;
  blank.cursor.blink = !to.cursor.blink;
  return "\033[!p\033]8;;\033\\\033[?7h\033[H\033[2J" + draw(blank, to);
}

std::string redraw(const Picture& from, const Picture& to) {
  return from.size() == to.size() ? draw(from, to) : redraw(to);
}

}  // namespace smartcli::terminal
