#include "terminal/key_tables.hpp"

namespace smartcli::terminal::key_tables {
namespace {

// The same places of a US keyboard, without and with Shift.
constexpr std::string_view kUnshifted = "`1234567890-=[]\\;',./", kShifted = "~!@#$%^&*()_+{}|:\"<>?";

/// Upper and lower case where they stand at a fixed distance: the letters that keyboards have keys for.
struct CaseRange {
  char32_t first, last;  ///< lower case
  char32_t distance;     ///< to upper case, downwards
};
constexpr CaseRange kCases[] = {{'a', 'z', 32},     {0xE0, 0xF6, 32},   {0xF8, 0xFE, 32},  {0x3B1, 0x3C1, 32},
                                {0x3C3, 0x3C9, 32}, {0x430, 0x44F, 32}, {0x450, 0x45F, 80}};

/// What the key of `c` gives under Shift; nothing where that depends on the keyboard.
std::optional<char32_t> shifted(char32_t c) {
  if (c == ' ') return c;
  if (c < 0x80) {
    if (const auto at = kUnshifted.find(static_cast<char>(c)); at != std::string_view::npos)
      return kShifted[at];
  }
  for (const CaseRange& range : kCases) {
    if (c >= range.first && c <= range.last) return c - range.distance;
  }
  return std::nullopt;
}

/// The unshifted character of the key that gives `c` under Shift; nothing if `c` needs no Shift.
std::optional<char32_t> unshifted(char32_t c) {
  if (c < 0x80) {
    if (const auto at = kShifted.find(static_cast<char>(c)); at != std::string_view::npos)
      return kUnshifted[at];
  }
  for (const CaseRange& range : kCases) {
    if (c + range.distance >= range.first && c + range.distance <= range.last) return c + range.distance;
  }
  return std::nullopt;
}

}  // namespace

std::optional<TextKey> text_key(const Key& key) {
  const char32_t c = key.named == space ? U' ' : key.character;
  TextKey out{c, c, key.modifiers, (key.modifiers & kShift) != 0};
  if (const auto base = unshifted(c)) {
    out.base = *base;
    out.modifiers |= kShift;
  } else if (out.shift_was_asked) {
    const auto upper = shifted(c);
    if (!upper) return std::nullopt;
    out.character = *upper;
  }
  return out;
}

}  // namespace smartcli::terminal::key_tables
