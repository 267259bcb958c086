#include "terminal/interpreter.hpp"
#include "terminal/parts.hpp"

// OSC 4, 10 to 12 (set or ask), 104, 110 to 112 (take back). What is no colour or no index changes nothing.

namespace smartcli::terminal {

namespace {

/// An index of the palette, else -1.
int palette_index(std::string_view text) {
  if (text.empty() || text.size() > 3) return -1;
  int n = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return -1;
    n = n * 10 + (c - '0');
  }
  return n < static_cast<int>(Palette::kSize) ? n : -1;
}

}  // namespace

// OSC 4: pairs of index and colour, or `?`. As in xterm, a bad index ends it.
void Interpreter::index_colours(std::string_view text) {
  while (!text.empty()) {
    const int n = palette_index(take_part(text));
    if (n < 0) return;
    const auto index = static_cast<unsigned>(n);
    const std::string_view value = take_part(text);
    if (value == "?")
      answer(Answer::palette, {index, palette.get(index)});
    else if (const auto rgb = parse_colour(value))
      palette.set(index, *rgb);
  }
}

// OSC 104: those indices, or all.
void Interpreter::reset_index_colours(std::string_view text) {
  if (text.empty()) palette.reset_indices();
  while (!text.empty()) {
    const int n = palette_index(take_part(text));
    if (n < 0) return;
    palette.reset(static_cast<unsigned>(n));
  }
}

// OSC 10, 11, 12: each further part is for the next one.
void Interpreter::screen_colours(Palette::Screen first, std::string_view text) {
  static constexpr Answer kAnswers[] = {Answer::foreground, Answer::background, Answer::cursor_colour};
  for (auto n = static_cast<unsigned>(first); n < Palette::kScreenColours && !text.empty(); ++n) {
    const auto which = static_cast<Palette::Screen>(n);
    const std::string_view value = take_part(text);
    if (value == "?")
      answer(kAnswers[n], {palette.get(which)});
    else if (const auto rgb = parse_colour(value))
      palette.set(which, *rgb);
  }
}

// OSC 110, 111, 112; as in xterm, with a parameter they do nothing.
void Interpreter::reset_screen_colour(Palette::Screen which, std::string_view text) {
  if (text.empty()) palette.reset(which);
}

}  // namespace smartcli::terminal
