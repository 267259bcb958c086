#pragma once

#include <cstddef>
#include <cstdint>

namespace smartcli::terminal {

/// A colour as the program named it: default, index of the 256-colour palette, or 24-bit RGB.
struct Colour {
  enum Kind : std::uint32_t { kDefault = 0, kIndex = 1, kRgb = 2 };
  std::uint32_t bits = 0;  ///< kind in the top byte, value below

  static constexpr Colour index(unsigned i) { return {kIndex << 24 | (i & 0xff)}; }
  static constexpr Colour rgb(unsigned r, unsigned g, unsigned b) {
    return {kRgb << 24 | (r & 0xff) << 16 | (g & 0xff) << 8 | (b & 0xff)};
  }
  constexpr Kind kind() const { return static_cast<Kind>(bits >> 24); }
  constexpr std::uint32_t value() const { return bits & 0xffffff; }
  friend constexpr bool operator==(Colour, Colour) = default;
};

enum StyleFlag : std::uint16_t {
  kBold = 1 << 0,
  kDim = 1 << 1,
  kItalic = 1 << 2,
  kBlink = 1 << 3,
  kInverse = 1 << 4,
  kHidden = 1 << 5,
  kStrike = 1 << 6,
  kOverline = 1 << 7,
  kProtected = 1 << 8,  ///< DECSCA or SPA; not an appearance
};

enum class Underline : std::uint16_t { none, single, twofold, curly, dotted, dashed };

struct Style {
  Colour fg, bg, underline_colour;
  std::uint16_t flags = 0;
  Underline underline = Underline::none;
  std::uint32_t link = 0;  ///< id of the LinkTable, 0 is none

  friend constexpr bool operator==(const Style&, const Style&) = default;
};

/// What of a style can be seen, on a blank or on a character: two that a person cannot tell apart are equal.
constexpr Style seen_style(Style style, bool is_blank) {
  constexpr std::uint16_t kLines = kStrike | kOverline;
  style.flags = static_cast<std::uint16_t>(style.flags & ~kProtected);
  if (style.underline == Underline::none) style.underline_colour = {};
  if (!is_blank || style.flags & (kLines | kInverse) || style.underline != Underline::none) return style;
  style.fg = {};
  style.flags = 0;
  return style;
}

}  // namespace smartcli::terminal
