#include <algorithm>

#include "terminal/screen.hpp"
#include "terminal/width.hpp"

namespace smartcli::terminal {

void Screen::print_ascii(const char* text, std::size_t n, std::uint64_t offset) {
  std::uint64_t before = offset - n;
  if (flags.insert || !flags.autowrap || !charsets.is_plain()) {
    for (std::size_t i = 0; i < n; ++i) print(static_cast<unsigned char>(text[i]), before + i + 1);
    return;
  }
  last_char_ = static_cast<unsigned char>(text[n - 1]);
  const StyleId style = pen_id();
  while (n > 0) {
    now_ = before + 1;
    if (place_.pending_wrap) wrap();
    const int limit = line_limit();
    const int col = place_.col;
    const int k = static_cast<int>(std::min<std::size_t>(n, static_cast<std::size_t>(limit - col)));
    Row& row = here();
    Grid::cut(row, col);
    Grid::cut(row, col + k);
    Content* content = row.content + col;
    StyleId* styles = row.style + col;
    std::uint32_t* stamps = row.stamp + col;
    const auto first = static_cast<std::uint32_t>(before + 1);
    for (int i = 0; i < k; ++i) content[i] = static_cast<unsigned char>(text[i]);
    for (int i = 0; i < k; ++i) styles[i] = style;
    for (int i = 0; i < k; ++i) stamps[i] = first + static_cast<std::uint32_t>(i);
    Grid::extend(row, col + k);
    before += static_cast<std::size_t>(k);
    now_ = before;
    touch(row);
    advance(k, limit);
    text += k;
    n -= static_cast<std::size_t>(k);
  }
}

void Screen::advance(int width, int limit) {
  last_col_ = place_.col + width - 1;
  place_.col += width;
  if (place_.col >= limit) {
    place_.col = limit - 1;
    place_.pending_wrap = true;  // also with DECAWM off: it counts once that is on again (xterm)
    // Whatever it went on in before, it does so again only when the wrap comes.
    if (limit == cols_) here().wraps = false;
  }
  after_last_ = place_;
}

void Screen::wrap() {
  const bool will_move = place_.row == bottom_ - 1 || place_.row < rows_ - 1;
  if (will_move && !has_side_margins()) {
    here().wraps = true;
    touch(here());
  }
  place_.pending_wrap = false;
  if (place_.row == bottom_ - 1) {
    if (is_in_side_margins()) roll_up(top_, bottom_, 1, Cause::wrap);
  } else if (place_.row < rows_ - 1) {
    ++place_.row;
  }
  place_.col = left_;
}

void Screen::print(char32_t c, std::uint64_t offset) {
  now_ = offset;
  if (c < 0x80) {
    last_char_ = c;
    c = charsets.is_plain() ? c : translate(c, charsets.take());
    put(c, 1);
    return;
  }
  if (c < 0xa0) return;  // C1 as characters: xterm in UTF-8 mode takes them for nothing
  charsets.single = -1;
  const std::uint8_t properties = char_properties(c);
  const int width = properties & kWidthMask;
  if (properties & kDropped) return;
  if (width == 0 || properties > kWidthMask) {
    if (join(c, properties) || width == 0) return;
  }
  if (c == U'\ufffe' || c == U'\uffff') c = U'\ufffd';
  last_char_ = c;
  put(c, width);
}

void Screen::put(char32_t c, int width) {
  if (cols_ == 1) width = 1;
  if (place_.pending_wrap && flags.autowrap) wrap();
  int limit = line_limit();
  if (width == 2 && place_.col + 2 > limit) {
    if (!flags.autowrap) return;
    wrap();  // xterm leaves the last column as it was
    limit = line_limit();
  }
  const StyleId style = pen_id();
  Row& row = here();
  const int col = place_.col;
  // Outside the side margins it overwrites (xterm).
  if (flags.insert && is_in_side_margins()) grid_->shift_right(row, col, limit, width, erase_id());
  Grid::cut(row, col);
  Grid::cut(row, col + width);
  row.content[col] = c;
  row.style[col] = style;
  row.stamp[col] = static_cast<std::uint32_t>(now_);
  if (width == 2) {
    row.content[col] = c | kWide;
    row.content[col + 1] = kTail;
    row.style[col + 1] = style;
    row.stamp[col + 1] = static_cast<std::uint32_t>(now_);
  }
  Grid::extend(row, col + width);
  touch(row);
  advance(width, limit);
}

// Clusters as far as the columns stay those of xterm's widths: what takes no column joins the cell before it.
// Beyond that only emoji, where programs and people expect one sign: after ZWJ, skin tones, pairs of regional
// indicators. A variation selector joins and leaves the width alone, as in xterm.
bool Screen::join(char32_t c, std::uint8_t properties) {
  Row& row = here();
  // The character written last, or where the cursor went elsewhere, the one under it (xterm).
  int col = place_ == after_last_ ? last_col_ : place_.col;
  if (col < 0 || col >= row.used) return false;
  if (row.content[col] == kTail) --col;
  const Content base = row.content[col];
  if (base == kBlank) return false;

  std::u32string text;
  if (base & kGrapheme)
    text = tables_.graphemes.get(base & kValue);
  else
    text.assign(1, base & kValue);
  bool becomes_wide = false;
  if ((properties & kWidthMask) != 0) {
    const bool after_pictograph = char_properties(text.front()) & kPictograph;
    const bool is_joined =
        after_pictograph && (properties & kSkinTone ? text.back() != U'\u200d'
                                                    : properties & kPictograph && text.back() == U'\u200d');
    const bool is_flag = properties & kRegional && text.size() == 1 && char_properties(text[0]) & kRegional;
    becomes_wide = is_flag && !place_.pending_wrap && place_.col == col + 1 && place_.col < line_limit();
    // Where every sign takes one column, so does a flag.
    const bool is_narrow_flag = is_flag && cols_ == 1 && place_ == after_last_;
    if (!is_joined && !becomes_wide && !is_narrow_flag) return false;
  }
  if (text.size() == kMaxCluster) return true;
  text += c;
  const auto id = intern_grapheme(text);
  const bool is_wide = becomes_wide || base & kWide;
  row.content[col] = kGrapheme | id | (is_wide ? kWide : 0);
  row.stamp[col] = static_cast<std::uint32_t>(now_);
  if (becomes_wide) {
    const int limit = line_limit();
    if (flags.insert && is_in_side_margins()) grid_->shift_right(row, col + 1, limit, 1, erase_id());
    Grid::cut(row, col + 2);
    row.content[col + 1] = kTail;
    row.style[col + 1] = row.style[col];
    Grid::extend(row, col + 2);
    advance(1, limit);
  }
  if (is_wide) row.stamp[col + 1] = row.stamp[col];
  touch(row);
  return true;
}

void Screen::repeat(int n) {
  if (last_char_ == 0) return;
  const char32_t c = last_char_;
  n = std::min(n, cols_ * rows_);
  work_ += 8 * static_cast<std::uint64_t>(n);
  for (; n > 0; --n) print(c, now_);
}

}  // namespace smartcli::terminal
