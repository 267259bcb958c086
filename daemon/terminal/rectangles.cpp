#include <algorithm>

#include "terminal/interpreter.hpp"
#include "terminal/sgr.hpp"
#include "terminal/width.hpp"

// The parameters of the VT400's rectangle operations; rect.cpp does the work.

namespace smartcli::terminal {

namespace {

/// Top, left, bottom, right from parameter `first` on, in origin mode from the margins; false if it is upside
/// down.
bool take_rect(const Screen& screen, const Params& p, int first, Rect& rect) {
  const Rect area = screen.flags.origin ? screen.margins() : Rect{0, 0, screen.rows(), screen.cols()};
  auto end = [&](int i, int base, int stop) {
    const int n = p.get(i, 0);
    return n == 0 ? stop : std::min(base + n, stop);
  };
  rect.top = area.top + p.at_least_one(first) - 1;
  rect.left = area.left + p.at_least_one(first + 1) - 1;
  rect.bottom = end(first + 2, area.top, area.bottom);
  rect.right = end(first + 3, area.left, area.right);
  return rect.top < rect.bottom && rect.left < rect.right;
}

}  // namespace

void Interpreter::copy_rect(const Params& p) {
  Rect rect;
  if (!take_rect(screen, p, 0, rect)) return;
  // Parameters 4 and 7 are pages; there is one.
  const Rect area = screen.flags.origin ? screen.margins() : Rect{0, 0, screen.rows(), screen.cols()};
  const int row = area.top + p.at_least_one(5) - 1, col = area.left + p.at_least_one(6) - 1;
  rect.bottom = std::min(rect.bottom, rect.top + std::max(0, area.bottom - row));
  rect.right = std::min(rect.right, rect.left + std::max(0, area.right - col));
  if (rect.top < rect.bottom && rect.left < rect.right) screen.copy_rect(rect, row, col);
}

void Interpreter::fill_rect(const Params& p) {
  const int c = p.get(0, ' ');
  Rect rect;
  const bool is_shown =
      (c >= 0x20 && c < 0x7f) || (c >= 0xa0 && c <= 0xff && char_width(static_cast<char32_t>(c)) == 1);
  if (is_shown && take_rect(screen, p, 1, rect)) screen.fill_rect(rect, static_cast<char32_t>(c));
}

void Interpreter::erase_rect(const Params& p, Screen::Erase what) {
  Rect rect;
  if (take_rect(screen, p, 0, rect)) screen.erase_rect(rect, what);
}

void Interpreter::restyle_rect(const Params& p, bool toggles) {
  Rect rect;
  if (!take_rect(screen, p, 0, rect)) return;
  if (!toggles) {
    screen.restyle_rect(rect, restyles_stream_, [&](Style& style) { apply_sgr(p, 4, style); });
    return;
  }
  screen.restyle_rect(rect, restyles_stream_, [&](Style& style) {
    for (int i = 4; i < std::max(5, p.size()); ++i) {
      const int code = p.get(i, 0);
      if (code == 0 || code == 1) style.flags ^= kBold;
      if (code == 0 || code == 4)
        style.underline = style.underline == Underline::none ? Underline::single : Underline::none;
      if (code == 0 || code == 5) style.flags ^= kBlink;
      if (code == 0 || code == 7) style.flags ^= kInverse;
    }
  });
}

}  // namespace smartcli::terminal
