#pragma once

#include <cstdint>

namespace smartcli::terminal {

/// Sets designated to G0..G3 and which of them is in use. In UTF-8 only the 7-bit sets matter.
struct Charsets {
  enum class Set : std::uint8_t {
    ascii,
    dec_graphics,
    latin_1,
    dec_supplemental,
    dec_technical,
    british,
    dutch,
    finnish,
    french,
    french_canadian,
    german,
    italian,
    norwegian,
    portuguese,
    spanish,
    swedish,
    swiss,
  };
  static constexpr int kSets = static_cast<int>(Set::swiss) + 1;

  Set g[4] = {Set::ascii, Set::ascii, Set::ascii, Set::ascii};
  int gl = 0;
  int single = -1;  ///< SS2 or SS3 for the next character

  bool is_plain() const { return single < 0 && g[gl] == Set::ascii; }
  Set take() {
    const Set set = g[single < 0 ? gl : single];
    single = -1;
    return set;
  }
  /// SCS. National sets count only with `is_national` (DECNRCM); without it, and for the sets that show as
  /// ASCII under UTF-8, G`which` becomes ASCII. A name that xterm does not know changes nothing.
  void designate(int which, char intermediate, char final, bool is_national);
};

/// `c` (0x20..0x7e) in that set; U+2E2E where the set has nothing. Ref: what xterm 379 shows.
char32_t translate(char32_t c, Charsets::Set set);

}  // namespace smartcli::terminal
