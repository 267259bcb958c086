#pragma once

#include <cstdint>

namespace smartcli::terminal {

/// Columns of a code point (low two bits: 0, 1, 2) and what decides whether it joins the cell before it. The
/// table is made at build time by gen_width.cpp.
enum CharProperty : std::uint8_t {
  kWidthMask = 3,
  kPictograph = 1 << 2,  ///< joins after a ZWJ that follows one
  kRegional = 1 << 3,    ///< two make a flag
  kSkinTone = 1 << 4,    ///< joins a pictograph
  kDropped = 1 << 5,     ///< shows nothing and joins nothing: zero width space, BOM, direction marks
};

namespace tables {
extern const std::uint8_t stage1[];
extern const std::uint8_t stage2[];
}  // namespace tables

/// `c` is at most U+10FFFF.
inline std::uint8_t char_properties(char32_t c) {
  return tables::stage2[tables::stage1[c >> 8] << 8 | (c & 0xff)];
}
inline int char_width(char32_t c) {
  return char_properties(c) & kWidthMask;
}

}  // namespace smartcli::terminal
