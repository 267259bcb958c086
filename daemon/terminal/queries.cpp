#include <algorithm>

#include "terminal/interpreter.hpp"
#include "terminal/parts.hpp"
#include "terminal/sgr.hpp"

namespace smartcli::terminal {

namespace {

unsigned number(int n) {
  return static_cast<unsigned>(n);
}

}  // namespace

void Interpreter::device_status(const Params& p) {
  if (p.get(0, 0) == 5) answer(Answer::status_ok);
  if (p.get(0, 0) == 6) {
    const Place at = screen.reported_place();
    answer(Answer::cursor, {number(at.row + 1), number(at.col + 1)});
  }
}

void Interpreter::private_device_status(const Params& p) {
  const Place at = screen.reported_place();
  switch (p.get(0, 0)) {
    case 6: answer(Answer::extended_cursor, {number(at.row + 1), number(at.col + 1)}); break;
    case 15: answer(Answer::no_printer); break;
    case 25: answer(Answer::keys_locked); break;
    case 26: answer(Answer::keyboard); break;
    case 53:
    case 55: answer(Answer::no_locator); break;
    case 996: answer(Answer::dark_scheme); break;
    default: break;
  }
}

// Moving, resizing and raising the window are the user's alone, and titles are never reported
// (CVE-2003-0063).
void Interpreter::window_operation(const Params& p) {
  const unsigned rows = number(screen.rows()), cols = number(screen.cols());
  switch (p.get(0, 0)) {
    case 11: answer(Answer::window_shown); break;
    case 13: answer(Answer::window_place); break;
    case 14: answer(Answer::window_pixels, {rows * kCellHeight, cols * kCellWidth}); break;
    case 15: answer(Answer::display_pixels, {rows * kCellHeight, cols * kCellWidth}); break;
    case 16: answer(Answer::cell_pixels, {kCellHeight, kCellWidth}); break;
    case 18: answer(Answer::window_cells, {rows, cols}); break;
    case 19: answer(Answer::display_cells, {rows, cols}); break;
    case 22: push_titles(p.get(1, 0)); break;
    case 23: pop_titles(p.get(1, 0)); break;
    default: break;
  }
}

void Interpreter::keyboard_query(const Params& p) {
  if (p.get(0, 0) == 4)
    answer(Answer::modify_other_keys, {static_cast<unsigned>(modes.shared.modify_other_keys)});
}

void Interpreter::dcs(const Sequence& s, std::string_view text, std::uint64_t offset) {
  screen.at(offset);
  screen.forget_last_char();
  if (s.prefix != 0 || s.final != 'q' || s.second_intermediate != 0) return;
  if (s.intermediate == '$') request_setting(text);
  if (s.intermediate == '+') request_capability(text);
}

// DECRQSS
void Interpreter::request_setting(std::string_view name) {
  const Rect margins = screen.margins();
  if (name == "m") {
    answer(Answer::setting_sgr, {}, sgr_parameters(screen.pen()));
  } else if (name == "r") {
    answer(Answer::setting_margins, {number(margins.top + 1), number(margins.bottom)});
  } else if (name == "s") {
    answer(Answer::setting_side_margins, {number(margins.left + 1), number(margins.right)});
  } else if (name == " q") {
    const unsigned shape = number(static_cast<int>(modes.cursor_shape)) * 2;
    answer(Answer::setting_cursor, {shape + (modes.cursor_blink ? 1 : 2)});
  } else if (name == "\"q") {
    answer(Answer::setting_protection, {screen.pen().flags & kProtected ? 1u : 0u});
  } else if (name == "\"p") {
    answer(Answer::setting_level);
  } else {
    answer(Answer::setting_unknown);
  }
}

// XTGETTCAP: names in hex, several with `;`.
void Interpreter::request_capability(std::string_view names) {
  static constexpr struct {
    std::string_view hex;
    Answer answer;
  } kKnown[] = {{"544E", Answer::cap_name},
                {"6E616D65", Answer::cap_name_long},
                {"436F", Answer::cap_colours},
                {"636F6C6F7273", Answer::cap_colours_long},
                {"524742", Answer::cap_rgb}};
  do {
    std::string name(take_part(names));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c; });
    const auto* known =
        std::find_if(std::begin(kKnown), std::end(kKnown), [&](const auto& k) { return k.hex == name; });
    answer(known == std::end(kKnown) ? Answer::cap_unknown : known->answer);
  } while (!names.empty());
}

}  // namespace smartcli::terminal
