#include "terminal/interpreter.hpp"

namespace smartcli::terminal {

namespace {

bool is_same(const Modes& a, const Modes& b) {
  return a.application_cursor == b.application_cursor && a.application_keypad == b.application_keypad &&
         a.bracketed_paste == b.bracketed_paste && a.mouse == b.mouse &&
         a.mouse_encoding == b.mouse_encoding && a.focus == b.focus && a.kitty_flags == b.kitty_flags &&
         a.modify_other_keys == b.modify_other_keys && a.synchronized == b.synchronized &&
         a.newline == b.newline && a.backarrow_sends_bs == b.backarrow_sends_bs;
}

}  // namespace

Modes Interpreter::shared_modes() const {
  Modes m = modes.shared;
  m.newline = screen.flags.newline;
  m.kitty_flags = modes.kitty_now(screen.is_alternate());
  return m;
}

void Interpreter::note_modes(const Modes& before) {
  if (!is_same(before, shared_modes())) events.push(EventKind::modes, screen.now());
}

void Interpreter::set_modes(const Params& params, bool is_private, bool is_on) {
  const Modes before = shared_modes();
  for (int i = 0; i < params.size(); ++i)
    if (const ModeInfo* info = find_mode(params.get(i, 0), is_private)) set_mode(*info, is_on);
  note_modes(before);
}

void Interpreter::set_mouse(MouseMode mode, bool is_on) {
  modes.shared.mouse = is_on ? mode : MouseMode::off;
}

void Interpreter::set_mouse_encoding(MouseEncoding encoding, bool is_on) {
  if (is_on)
    modes.shared.mouse_encoding = encoding;
  else if (modes.shared.mouse_encoding == encoding)
    modes.shared.mouse_encoding = MouseEncoding::plain;
}

void Interpreter::show_alternate(bool is_on) {
  if (is_on == screen.is_alternate()) return;
  screen.show_alternate(is_on);
  events.push(EventKind::alt_screen, screen.now());
}

void Interpreter::set_mode(const ModeInfo& info, bool is_on) {
  Modes& shared = modes.shared;
  switch (info.mode) {
    case Mode::insert: screen.flags.insert = is_on; break;
    case Mode::newline: screen.flags.newline = is_on; break;
    case Mode::application_cursor: shared.application_cursor = is_on; break;
    case Mode::reverse_video: screen.flags.reverse_video = is_on; break;
    case Mode::origin:
      screen.flags.origin = is_on;
      screen.home();
      break;
    case Mode::autowrap: screen.flags.autowrap = is_on; break;
    case Mode::mouse_x10: set_mouse(MouseMode::x10, is_on); break;
    case Mode::cursor_blink: modes.cursor_blink = is_on; break;
    case Mode::cursor_visible: modes.cursor_visible = is_on; break;
    case Mode::reverse_wrap: screen.flags.reverse_wrap = is_on; break;
    case Mode::alternate_47: show_alternate(is_on); break;
    case Mode::application_keypad: shared.application_keypad = is_on; break;
    case Mode::backarrow_sends_bs: shared.backarrow_sends_bs = is_on; break;
    case Mode::side_margins:
      screen.flags.side_margins = is_on;
      screen.reset_side_margins();
      break;
    case Mode::mouse_click: set_mouse(MouseMode::click, is_on); break;
    case Mode::mouse_drag: set_mouse(MouseMode::drag, is_on); break;
    case Mode::mouse_any: set_mouse(MouseMode::any, is_on); break;
    case Mode::focus: shared.focus = is_on; break;
    case Mode::mouse_utf8: set_mouse_encoding(MouseEncoding::utf8, is_on); break;
    case Mode::mouse_sgr: set_mouse_encoding(MouseEncoding::sgr, is_on); break;
    case Mode::mouse_urxvt: set_mouse_encoding(MouseEncoding::urxvt, is_on); break;
    case Mode::mouse_sgr_pixels: set_mouse_encoding(MouseEncoding::sgr_pixels, is_on); break;
    case Mode::alternate_1047:
      if (!is_on && screen.is_alternate()) screen.clear_active();
      show_alternate(is_on);
      break;
    case Mode::save_cursor:
      if (is_on)
        screen.save_cursor();
      else
        screen.restore_cursor();
      break;
    case Mode::alternate_1049:
      if (is_on) {
        screen.save_cursor();
        show_alternate(true);
        screen.clear_active();
      } else {
        show_alternate(false);
        screen.restore_cursor();
      }
      break;
    case Mode::bracketed_paste: shared.bracketed_paste = is_on; break;
    case Mode::synchronized: shared.synchronized = is_on; break;
    case Mode::graphemes: break;
    case Mode::resize_reports:
      modes.resize_reports = is_on;
      if (is_on) report_resize();
      break;
    case Mode::kept: modes.keep(info.number, is_on); break;
  }
}

bool Interpreter::is_set(const ModeInfo& info) const {
  const Modes& shared = modes.shared;
  switch (info.mode) {
    case Mode::insert: return screen.flags.insert;
    case Mode::newline: return screen.flags.newline;
    case Mode::application_cursor: return shared.application_cursor;
    case Mode::reverse_video: return screen.flags.reverse_video;
    case Mode::origin: return screen.flags.origin;
    case Mode::autowrap: return screen.flags.autowrap;
    case Mode::mouse_x10: return shared.mouse == MouseMode::x10;
    case Mode::cursor_blink: return modes.cursor_blink;
    case Mode::cursor_visible: return modes.cursor_visible;
    case Mode::reverse_wrap: return screen.flags.reverse_wrap;
    case Mode::application_keypad: return shared.application_keypad;
    case Mode::backarrow_sends_bs: return shared.backarrow_sends_bs;
    case Mode::side_margins: return screen.flags.side_margins;
    case Mode::mouse_click: return shared.mouse == MouseMode::click;
    case Mode::mouse_drag: return shared.mouse == MouseMode::drag;
    case Mode::mouse_any: return shared.mouse == MouseMode::any;
    case Mode::focus: return shared.focus;
    case Mode::mouse_utf8: return shared.mouse_encoding == MouseEncoding::utf8;
    case Mode::mouse_sgr: return shared.mouse_encoding == MouseEncoding::sgr;
    case Mode::mouse_urxvt: return shared.mouse_encoding == MouseEncoding::urxvt;
    case Mode::mouse_sgr_pixels: return shared.mouse_encoding == MouseEncoding::sgr_pixels;
    case Mode::alternate_47:
    case Mode::alternate_1047:
    case Mode::alternate_1049: return screen.is_alternate();
    case Mode::save_cursor: return screen.has_saved_cursor();
    case Mode::bracketed_paste: return shared.bracketed_paste;
    case Mode::synchronized: return shared.synchronized;
    case Mode::graphemes: return true;
    case Mode::resize_reports: return modes.resize_reports;
    case Mode::kept: return modes.kept(info.number);
  }
  return false;
}

void Interpreter::report_mode(const Params& params, bool is_private) {
  const int number = params.get(0, 0);
  const ModeInfo* info = find_mode(number, is_private);
  // DECRPM: 0 not known, 1 set, 2 reset, 3 always set.
  unsigned value = 0;
  if (info != nullptr) value = info->mode == Mode::graphemes ? 3 : is_set(*info) ? 1 : 2;
  answer(is_private ? Answer::private_mode : Answer::ansi_mode, {static_cast<unsigned>(number), value});
}

void Interpreter::save_modes(const Params& params) {
  for (int i = 0; i < params.size(); ++i)
    if (const ModeInfo* info = find_mode(params.get(i, 0), true)) modes.save(*info, is_set(*info));
}

void Interpreter::restore_modes(const Params& params) {
  const Modes before = shared_modes();
  for (int i = 0; i < params.size(); ++i) {
    const ModeInfo* info = find_mode(params.get(i, 0), true);
    if (info == nullptr) continue;
    if (const bool* is_on = modes.saved(*info)) set_mode(*info, *is_on);
  }
  note_modes(before);
}

void Interpreter::set_keypad(bool is_application) {
  const Modes before = shared_modes();
  modes.shared.application_keypad = is_application;
  note_modes(before);
}

void Interpreter::set_other_keys(int value) {
  const Modes before = shared_modes();
  modes.shared.modify_other_keys = value <= 2 ? value : 0;
  note_modes(before);
}

void Interpreter::kitty_push(int flags) {
  const Modes before = shared_modes();
  modes.kitty_push(screen.is_alternate(), static_cast<unsigned>(flags));
  note_modes(before);
}

void Interpreter::kitty_pop(int n) {
  const Modes before = shared_modes();
  modes.kitty_pop(screen.is_alternate(), n);
  note_modes(before);
}

void Interpreter::kitty_set(int flags, int how) {
  const Modes before = shared_modes();
  modes.kitty_set(screen.is_alternate(), static_cast<unsigned>(flags), how);
  note_modes(before);
}

void Interpreter::set_cursor_style(int style) {
  if (style > 6) return;
  modes.cursor_shape = style <= 2   ? CursorShape::block
                       : style <= 4 ? CursorShape::underline
                                    : CursorShape::bar;
  modes.cursor_blink = style == 0 ? false : style % 2 == 1;
}

void Interpreter::protect_cells(Screen::Protection protection, bool is_on) {
  Style pen = screen.pen();
  pen.flags = static_cast<std::uint16_t>(is_on ? pen.flags | kProtected : pen.flags & ~kProtected);
  screen.set_pen(pen);
  screen.protection = protection;
}

void Interpreter::soft_reset() {
  const Modes before = shared_modes();
  screen.soft_reset();
  modes.shared.application_cursor = false;
  modes.shared.application_keypad = false;
  modes.shared.backarrow_sends_bs = false;
  modes.cursor_visible = true;
  note_modes(before);
}

void Interpreter::full_reset() {
  const Modes before = shared_modes();
  const bool was_alternate = screen.is_alternate();
  screen.full_reset();
  modes = ModeState();
  palette.reset_indices();
  restyles_stream_ = true;
  pens_.clear();
  if (was_alternate) events.push(EventKind::alt_screen, screen.now());
  note_modes(before);
}

void Interpreter::report_resize() {
  if (!modes.resize_reports) return;
  const auto rows = static_cast<unsigned>(screen.rows()), cols = static_cast<unsigned>(screen.cols());
  answer(Answer::resized, {rows, cols, rows * kCellHeight, cols * kCellWidth});
}

}  // namespace smartcli::terminal
