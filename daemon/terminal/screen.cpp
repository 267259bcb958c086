#include "terminal/screen.hpp"

#include <algorithm>

namespace smartcli::terminal {

Screen::Screen(int cols, int rows)
    : cols_(cols), rows_(rows), primary_(cols, rows), bottom_(rows), right_(cols) {
  default_tabs();
}

void Screen::default_tabs() {
  tabs_.assign(static_cast<std::size_t>(cols_), false);
  for (int col = 8; col < cols_; col += 8) tabs_[col] = true;
}

void Screen::set_pen(const Style& pen) {
  is_erase_new_ |= !(pen.bg == pen_.bg);
  pen_ = pen;
  is_pen_new_ = true;
}

void Screen::set_link(std::string_view uri) {
  Style pen = pen_;
  pen.link = 0;
  if (!uri.empty()) {
    if (tables_.links.wants_sweep()) collect_garbage();
    pen.link = tables_.links.intern(uri);
  }
  set_pen(pen);
}

void Screen::intern_pen() {
  pen_id_ = intern(pen_);
  is_pen_new_ = false;
}

void Screen::intern_erase() {
  Style blank;
  blank.bg = pen_.bg;
  erase_id_ = intern(blank);
  is_erase_new_ = false;
}

StyleId Screen::intern(const Style& style) {
  if (tables_.styles.wants_sweep()) collect_garbage();
  return tables_.styles.intern(style);
}

std::uint32_t Screen::intern_grapheme(std::u32string_view text) {
  if (tables_.graphemes.wants_sweep()) collect_garbage();
  return tables_.graphemes.intern(text);
}

template <class Visit>
void Screen::each_row(Visit visit) {
  for (Grid* grid : {&primary_, &alternate_})
    for (int r = 0; r < grid->rows(); ++r) visit(grid->row(r));
}

// The cost is that of the cells, paid once for at least as many new values as were alive before.
void Screen::collect_garbage() {
  work_ += static_cast<std::uint64_t>(cols_ * rows_);
  std::vector<bool> styles(tables_.styles.capacity());
  std::vector<bool> graphemes(tables_.graphemes.capacity());
  styles[pen_id_] = styles[erase_id_] = true;
  each_row([&](const Row& row) {
    for (int col = 0; col < row.used; ++col) {
      styles[row.style[col]] = true;
      if (row.content[col] & kGrapheme) graphemes[row.content[col] & kValue] = true;
    }
  });
  std::vector<bool> links(tables_.links.capacity());
  links[pen_.link] = true;
  for (StyleId id = 0; id < styles.size(); ++id)
    if (styles[id]) links[tables_.styles.get(id).link] = true;
  tables_.styles.sweep(styles);
  tables_.graphemes.sweep(graphemes);
  tables_.links.sweep(links);
}

void Screen::save_cursor() {
  Saved& to = saved();
  to.place = place_;
  to.pen = pen_;
  to.pen.link = 0;  // a link is no rendition: OSC 8 alone begins and ends it
  to.charsets = charsets;
  to.origin = flags.origin;
  to.protection = protection;
  to.is_saved = true;
}

void Screen::restore_cursor() {
  const Saved& from = saved();
  Style pen = from.pen;
  pen.link = pen_.link;
  set_pen(pen);
  charsets = from.charsets;
  flags.origin = from.origin;
  protection = from.protection;
  place_ = from.place;
  place_.row = std::min(place_.row, rows_ - 1);
  place_.col = std::min(place_.col, cols_ - 1);
}

void Screen::show_alternate(bool is_on) {
  if (is_on == is_alternate()) return;
  if (is_on && !alternate_.is_made()) alternate_ = Grid(cols_, rows_);
  grid_ = is_on ? &alternate_ : &primary_;
  all_touched_ = now_;
  ++epoch_;
}

void Screen::clear_active() {
  place_.pending_wrap = false;
  work_ += static_cast<std::uint64_t>(cols_ * rows_);
  for (int r = 0; r < rows_; ++r) {
    grid_->erase(grid_->row(r), 0, cols_, erase_id());
    grid_->row(r).wraps = false;
  }
  all_touched_ = now_;
}

void Screen::soft_reset() {
  const bool reverse_video = flags.reverse_video, newline = flags.newline;
  flags = {};
  flags.reverse_video = reverse_video;
  flags.newline = newline;
  charsets = {};
  protection = Protection::off;
  top_ = left_ = 0;
  bottom_ = rows_;
  right_ = cols_;
  Style pen;
  pen.link = pen_.link;
  set_pen(pen);
  saved() = {};
  saved().place.pending_wrap = place_.pending_wrap;  // so xterm
}

void Screen::full_reset() {
  soft_reset();
  flags = {};
  set_pen({});
  if (alternate_.is_made()) {
    show_alternate(true);
    clear_active();
    show_alternate(false);
  }
  clear_active();
  history_.cut_last();
  saved_[0] = saved_[1] = {};
  place_ = {};
  last_char_ = 0;
  default_tabs();
}

void Screen::wipe(bool keep_line) {
  // Lines that come after it get numbers of their own.
  std::uint64_t next_line = history_.next_line() + 1;
  for (int r = 0; r < last_row_in_use(); ++r) next_line += !primary_.row(r).wraps;
  const Style pen = pen_;
  set_pen({});
  const bool was_alternate = is_alternate();
  if (was_alternate || alternate_.is_made()) {
    show_alternate(!was_alternate);
    clear_active();
    show_alternate(was_alternate);
  }
  if (keep_line) {
    int first = place_.row, last = place_.row;
    while (first > 0 && grid_->row(first - 1).wraps) --first;
    while (last + 1 < rows_ && grid_->row(last).wraps) ++last;
    grid_->rotate_up(0, rows_, first, erase_id());
    for (int r = last - first + 1; r < rows_; ++r) {
      grid_->erase(grid_->row(r), 0, cols_, erase_id());
      grid_->row(r).wraps = false;
    }
    work_ += static_cast<std::uint64_t>(cols_ * rows_);
    all_touched_ = now_;
    place_.row -= first;
  } else {
    clear_active();
    place_ = {};
  }
  set_pen(pen);
  history_.clear(history_.end() + static_cast<std::uint64_t>(rows_), next_line);
  ++epoch_;
}

void Screen::clamp_stamps() {
  const auto now = static_cast<std::uint32_t>(now_);
  each_row([&](Row& row) {
    for (int col = 0; col < row.used; ++col)
      if (now - row.stamp[col] > kOldAge) row.stamp[col] = now - kOldAge;
  });
}

void Screen::age_all_stamps() {
  const auto old = static_cast<std::uint32_t>(now_) - kOldAge;
  each_row([&](Row& row) { std::fill(row.stamp, row.stamp + row.used, old); });
  all_touched_ = now_;
}

}  // namespace smartcli::terminal
