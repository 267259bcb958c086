#pragma once

namespace smartcli::terminal {

/// Sets designated to G0..G3 and which of them is in use. In UTF-8 only the 7-bit sets matter.
struct Charsets {
  enum class Set : char { ascii, dec_graphics, british };
  Set g[4] = {Set::ascii, Set::ascii, Set::ascii, Set::ascii};
  int gl = 0;
  int single = -1;  ///< SS2 or SS3 for the next character

  bool is_plain() const { return single < 0 && g[gl] == Set::ascii; }
  Set take() {
    const Set set = g[single < 0 ? gl : single];
    single = -1;
    return set;
  }
};

/// `c` (0x20..0x7e) in that set. Ref: DEC STD 070, "DEC Special Graphics".
inline char32_t translate(char32_t c, Charsets::Set set) {
  static constexpr char32_t kGraphics[] =
      U"\u00a0\u25c6\u2592\u2409\u240c\u240d\u240a\u00b0\u00b1\u2424\u240b\u2518\u2510\u250c\u2514\u253c"
      U"\u23ba\u23bb\u2500\u23bc\u23bd\u251c\u2524\u2534\u252c\u2502\u2264\u2265\u03c0\u2260\u00a3\u00b7";
  if (set == Charsets::Set::dec_graphics && c >= 0x5f && c <= 0x7e) return kGraphics[c - 0x5f];
  if (set == Charsets::Set::british && c == '#') return U'\u00a3';
  return c;
}

}  // namespace smartcli::terminal
