#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "proto/types.hpp"
#include "terminal/charset.hpp"
#include "terminal/grid.hpp"
#include "terminal/history.hpp"
#include "terminal/intern.hpp"

namespace smartcli::terminal {

/// Where the next character goes; with a pending wrap it starts a row. `col` is the last column then, but
/// after CBT.
struct Place {
  int row = 0, col = 0;
  bool pending_wrap = false;

  friend bool operator==(const Place&, const Place&) = default;
};

/// A part of the screen; `bottom` and `right` not included.
struct Rect {
  int top = 0, left = 0, bottom = 0, right = 0;
};

/// Both screens, the cursor, margins and history: what actions do to cells. It knows no bytes and no
/// sequences, only offsets. Rows and columns count from 0. Split by subject: screen.cpp (state), print.cpp,
/// move.cpp, edit.cpp, rect.cpp, reflow.cpp.
class Screen {
 public:
  Screen(int cols, int rows);
  Screen(const Screen&) = delete;  // it points into itself
  Screen& operator=(const Screen&) = delete;

  int cols() const { return cols_; }
  int rows() const { return rows_; }

  // -- State that sequences set directly.
  struct Flags {
    bool origin = false;         ///< DECOM
    bool insert = false;         ///< IRM
    bool autowrap = true;        ///< DECAWM
    bool reverse_wrap = false;   ///< mode 45
    bool side_margins = false;   ///< DECLRMM
    bool newline = false;        ///< LNM
    bool reverse_video = false;  ///< DECSCNM
  };
  /// Who protected cells last (after DECSTR nobody did: then nothing is spared).
  enum class Protection { off, iso, dec };
  Flags flags;
  Charsets charsets;
  Protection protection = Protection::off;

  const Style& pen() const { return pen_; }
  void set_pen(const Style& pen);
  /// The pen's link; an empty address ends it.
  void set_link(std::string_view uri);

  /// Offset of the action that follows: stamps and `touched` take it.
  void at(std::uint64_t offset) { now_ = offset; }
  std::uint64_t now() const { return now_; }
  /// Cells that actions went through beyond those of the text itself: a few bytes may cost a screenful.
  std::uint64_t work() const { return work_; }

  // -- print.cpp
  /// `offset` is just past the last of the n characters.
  void print_ascii(const char* text, std::size_t n, std::uint64_t offset);
  void print(char32_t c, std::uint64_t offset);
  /// REP: the last character n times, at most a screenful. Only right after it: as in xterm, any control
  /// forgets it.
  void repeat(int n);
  void forget_last_char() { last_char_ = 0; }

  // -- move.cpp
  const Place& place() const { return place_; }
  void up(int n);
  void down(int n);
  void right(int n);
  void left(int n);  ///< CUB and BS: reverse wrap applies
  void carriage_return();
  void index();  ///< IND, LF: down, scrolling at the bottom margin
  void reverse_index();
  void back_index();               ///< DECBI
  void forward_index();            ///< DECFI
  void line_feed();                ///< LF, VT, FF: with LNM a carriage return too
  void move_to(int row, int col);  ///< CUP: counts from the margins in origin mode
  void move_to_col(int col);
  void move_to_row(int row);
  void move_by_row(int n);                     ///< VPR
  void move_by_col(int n);                     ///< HPR
  void set_margins(int top, int bottom);       ///< DECSTBM, `bottom` not included
  void set_side_margins(int left, int right);  ///< DECSLRM
  void reset_side_margins();
  Rect margins() const { return {top_, left_, bottom_, right_}; }
  void home() { move_to(0, 0); }
  /// Cursor for CPR: from 0, from the margins in origin mode.
  Place reported_place() const;
  void tab(int n);
  void back_tab(int n);
  void set_tab() { tabs_[place_.col] = true; }
  void clear_tab() { tabs_[place_.col] = false; }
  void clear_tabs() { tabs_.assign(tabs_.size(), false); }
  void default_tabs();

  // -- edit.cpp
  enum class Erase {
    all,          ///< ED, EL, ECH: spares what SPA protects
    unprotected,  ///< DECSED, DECSEL: spares what SPA or DECSCA protects
    rectangle,    ///< DECSERA: spares what DECSCA protects
    regardless,   ///< DECERA
  };
  void erase_display(int part, Erase what);
  void erase_line(int part, Erase what);
  void erase_chars(int n);
  void insert_chars(int n);
  void delete_chars(int n);
  void insert_lines(int n);
  void delete_lines(int n);
  void scroll_up(int n);     ///< SU
  void scroll_down(int n);   ///< SD
  void scroll_left(int n);   ///< SL
  void scroll_right(int n);  ///< SR
  void insert_cols(int n);   ///< DECIC
  void delete_cols(int n);   ///< DECDC
  void clear_history();      ///< ED 3
  void alignment_test();     ///< DECALN

  // -- rect.cpp (the rectangle is inside the screen)
  void copy_rect(const Rect& from, int row, int col);
  void fill_rect(const Rect& rect, char32_t c);
  void erase_rect(const Rect& rect, Erase what);
  /// Gives each cell a new style; `is_stream`: from the first cell to the last one as text flows (DECSACE 1).
  void restyle_rect(const Rect& rect, bool is_stream, const std::function<void(Style&)>& change);

  // -- screen.cpp
  void save_cursor();
  void restore_cursor();
  bool has_saved_cursor() const { return saved_[is_alternate()].is_saved; }
  bool is_alternate() const { return grid_ == &alternate_; }
  void show_alternate(bool is_on);
  void clear_active();
  /// DECSTR: margins, pen, saved cursor, flags; no cell.
  void soft_reset();
  /// RIS: everything but history.
  void full_reset();
  /// Cells and history gone, cursor home; state stays. `keep_line`: but for the logical line that the cursor
  /// is in, which moves to the top.
  void wipe(bool keep_line = false);

  // -- reflow.cpp
  void resize(int cols, int rows);

  // -- For readers.
  const Grid& grid() const { return *grid_; }
  const History& history() const { return history_; }
  const Tables& tables() const { return tables_; }
  std::uint64_t top_ordinal() const { return history_.end(); }
  std::uint64_t row_touched(int row) const {
    return std::max({grid_->row(row).touched, all_touched_, scrolled_at_});
  }
  /// As above, but a scroll that moves rows with their ordinals is no change.
  std::uint64_t row_changed(int row) const { return std::max(grid_->row(row).touched, all_touched_); }
  std::uint64_t epoch() const { return epoch_; }
  void trim_history(std::size_t lines, std::size_t bytes) { history_.trim(lines, bytes); }

  /// Low 32 bits of an offset, kept comparable.
  std::uint32_t stamp_of(std::uint64_t offset) const {
    return static_cast<std::uint32_t>(now_ - std::min<std::uint64_t>(now_ - offset, kOldAge));
  }
  /// Keeps stamps comparable: each older than kOldAge becomes that old. Once each 2^30 bytes.
  void clamp_stamps();
  /// All stamps old: the stream goes on at another offset.
  void age_all_stamps();

 private:
  friend struct KeyframeFields;

  struct Saved {
    Place place;
    Style pen;
    Charsets charsets;
    bool origin = false;
    Protection protection = Protection::off;
    bool is_saved = false;
  };

  // screen.cpp
  StyleId pen_id() {
    if (is_pen_new_) intern_pen();
    return pen_id_;
  }
  /// The style of erased cells: the pen's background alone.
  StyleId erase_id() {
    if (is_erase_new_) intern_erase();
    return erase_id_;
  }
  void intern_pen();
  void intern_erase();
  StyleId intern(const Style& style);
  std::uint32_t intern_grapheme(std::u32string_view text);
  void collect_garbage();
  template <class Visit>
  void each_row(Visit visit);
  Row& here() { return grid_->row(place_.row); }
  void touch(Row& row) { row.touched = now_; }
  Saved& saved() { return saved_[is_alternate()]; }

  // print.cpp
  int line_limit() const { return place_.col < right_ ? right_ : cols_; }
  void wrap();
  bool join(char32_t c, std::uint8_t properties);
  void put(char32_t c, int width);
  void advance(int width, int limit);

  // edit.cpp
  enum class Cause { wrap, feed, edit };  ///< of a scroll: the first two feed history
  bool is_in_side_margins() const { return left_ <= place_.col && place_.col < right_; }
  bool is_in_margins() const { return top_ <= place_.row && place_.row < bottom_ && is_in_side_margins(); }
  bool has_side_margins() const { return left_ > 0 || right_ < cols_; }
  void roll_up(int top, int bottom, int n, Cause cause);
  void roll_down(int top, int bottom, int n);
  void move_block(int top, int bottom, int n);
  void shift_cols(int from, int n, void (Grid::*shift)(Row&, int, int, int, StyleId) const);
  void push_to_history(const Row& row);
  std::uint64_t newest_of(const Row& row) const;
  void erase_cells(int row, int from, int to, Erase what);
  void cut_above(int row);
  void touch_rows(int top, int bottom);

  // reflow.cpp
  struct Reflow;
  void resize_height(int rows);
  void reflow(int cols, int rows);
  void resize_alternate(int cols, int rows);
  int last_row_in_use() const;
  /// What must stay on its character of the primary screen: the saved cursor, and the live one if it is
  /// there.
  std::vector<Place*> primary_places();
  CellLine pull_history(int cols);
  std::uint64_t newest_of(const CellLine& line) const;

  int cols_, rows_;
  Tables tables_;
  History history_{tables_};
  Grid primary_, alternate_;
  Grid* grid_ = &primary_;
  Place place_;
  Saved saved_[2];
  int top_ = 0, bottom_, left_ = 0, right_;
  std::vector<bool> tabs_;
  Style pen_;
  StyleId pen_id_ = 0, erase_id_ = 0;
  bool is_pen_new_ = false, is_erase_new_ = false;
  char32_t last_char_ = 0;  ///< 0 after a control
  int last_col_ = -1;       ///< last column of the character written last
  Place after_last_;        ///< the cursor right after it
  std::uint64_t now_ = 0;
  std::uint64_t work_ = 0;
  std::uint64_t all_touched_ = 0, scrolled_at_ = 0;
  std::uint64_t epoch_ = 0;
};

}  // namespace smartcli::terminal
