#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/event_queue.hpp"
#include "terminal/modes.hpp"
#include "terminal/palette.hpp"
#include "terminal/replies.hpp"
#include "terminal/screen.hpp"
#include "terminal/sequence.hpp"

namespace smartcli::terminal {

/// Gives sequences their meaning: the parser's handler. Which sequence does what stands in one table in
/// dispatch.cpp; the rest is by subject: mode_actions.cpp, queries.cpp, strings.cpp (OSC), colours.cpp,
/// marks.cpp.
class Interpreter {
 public:
  Interpreter(int cols, int rows) : screen(cols, rows) {}

  Screen screen;
  ModeState modes;
  Palette palette;
  ReplyQueue replies;
  EventQueue events;
  std::string title, icon_title, cwd;

  // -- The parser's handler.
  void print_ascii(const char* text, std::size_t n, std::uint64_t offset) {
    screen.print_ascii(text, n, offset);
  }
  void print(char32_t c, std::uint64_t offset) { screen.print(c, offset); }
  void execute(unsigned char control, std::uint64_t offset);
  void esc(const Sequence& sequence, std::uint64_t offset);
  void csi(const Sequence& sequence, std::uint64_t offset);
  void osc(std::string_view text, std::uint64_t offset, bool ended_by_bel);
  void dcs(const Sequence& sequence, std::string_view text, std::uint64_t offset);
  std::size_t osc_limit(std::string_view start) const;
  bool is_spent() const { return screen.work() >= work_limit; }

  std::uint64_t work_limit = ~std::uint64_t{0};  ///< see Terminal::feed_some

  /// RIS, and `reset` of the terminal.
  void full_reset();
  /// As before the program ever set one.
  void forget_titles();
  /// After the screen has its new size, for mode 2048.
  void report_resize();
  /// Modes as the world sees them.
  Modes shared_modes() const;

  // -- What the rows of the dispatch table call.

  // dispatch.cpp
  void set_rendition(const Params& params);
  void erase_display(int part, Screen::Erase what);
  void scroll_down(const Params& params);
  void clear_tabs(int which);
  void set_margins(const Params& params);
  void save_or_set_side_margins(const Params& params);

  // mode_actions.cpp
  void set_keypad(bool is_application);
  void set_modes(const Params& params, bool is_private, bool is_on);
  void report_mode(const Params& params, bool is_private);
  void save_modes(const Params& params);
  void restore_modes(const Params& params);
  void soft_reset();
  void set_cursor_style(int style);
  void set_other_keys(int value);
  void protect_cells(Screen::Protection protection, bool is_on);
  void kitty_push(int flags);
  void kitty_pop(int n);
  void kitty_set(int flags, int how);

  // rectangles.cpp
  void copy_rect(const Params& params);
  void fill_rect(const Params& params);
  void erase_rect(const Params& params, Screen::Erase what);
  /// DECCARA, or with `toggles` DECRARA.
  void restyle_rect(const Params& params, bool toggles);
  void set_restyle_extent(int extent) { restyles_stream_ = extent != 2; }

  // strings.cpp
  void push_titles(int which);
  void pop_titles(int which);
  void push_pen();
  void pop_pen();

  // queries.cpp
  void answer(Answer what, std::initializer_list<unsigned> numbers = {}, std::string_view sgr = {}) {
    replies.send(screen.now(), what, numbers, sgr);
  }
  void device_status(const Params& params);
  void private_device_status(const Params& params);
  void window_operation(const Params& params);
  void keyboard_query(const Params& params);

  // colours.cpp
  void index_colours(std::string_view text);
  void reset_index_colours(std::string_view text);
  void screen_colours(Palette::Screen first, std::string_view text);
  void reset_screen_colour(Palette::Screen which, std::string_view text);

  // strings.cpp
  void set_title(std::string_view text);
  void set_icon_title(std::string_view text);
  void set_cwd(std::string_view text);
  void set_link(std::string_view text);
  void set_clipboard(std::string_view text);

  // marks.cpp
  void shell_mark(std::string_view text);
  void vscode_mark(std::string_view text);
  void iterm_mark(std::string_view text);
  void conemu_mark(std::string_view text);

 private:
  friend struct KeyframeFields;

  // mode_actions.cpp
  void set_mode(const ModeInfo& info, bool is_on);
  bool is_set(const ModeInfo& info) const;
  void set_mouse(MouseMode mode, bool is_on);
  void set_mouse_encoding(MouseEncoding encoding, bool is_on);
  void show_alternate(bool is_on);
  void note_modes(const Modes& before);

  // queries.cpp
  void request_setting(std::string_view name);
  void request_capability(std::string_view names);

  bool restyles_stream_ = true;  ///< DECSACE
  std::vector<Style> pens_;      ///< XTPUSHSGR
  struct Titles {
    std::string title, icon_title;
  };
  std::vector<Titles> titles_;  ///< CSI 22 t
};

}  // namespace smartcli::terminal
