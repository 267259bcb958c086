#include "terminal/charset.hpp"

#include <iterator>
#include <string_view>

namespace smartcli::terminal {

namespace {

using Set = Charsets::Set;

struct Name {
  char intermediate, final;
  Set set;
  Set without_national;  ///< what the name means while DECNRCM is off
};

constexpr Name kNames[] = {
    {0, '0', Set::dec_graphics, Set::dec_graphics},
    {0, '<', Set::dec_supplemental, Set::dec_supplemental},
    {'%', '5', Set::dec_supplemental, Set::dec_supplemental},
    {0, '>', Set::dec_technical, Set::dec_technical},
    {0, 'A', Set::british, Set::latin_1},
    {0, '4', Set::dutch, Set::ascii},
    {0, '5', Set::finnish, Set::ascii},
    {0, 'C', Set::finnish, Set::ascii},
    {0, 'R', Set::french, Set::ascii},
    {0, 'f', Set::french, Set::ascii},
    {0, '9', Set::french_canadian, Set::ascii},
    {0, 'Q', Set::french_canadian, Set::ascii},
    {0, 'K', Set::german, Set::ascii},
    {0, 'Y', Set::italian, Set::ascii},
    {0, '6', Set::norwegian, Set::ascii},
    {0, 'E', Set::norwegian, Set::ascii},
    {0, '`', Set::norwegian, Set::ascii},
    {'%', '6', Set::portuguese, Set::ascii},
    {0, 'Z', Set::spanish, Set::ascii},
    {0, '7', Set::swedish, Set::ascii},
    {0, 'H', Set::swedish, Set::ascii},
    {0, '=', Set::swiss, Set::ascii},
    // ASCII itself; the ROM's alternates; Turkish, SCS NRCS and Hebrew, which xterm shows as ASCII.
    {0, 'B', Set::ascii, Set::ascii},
    {0, '1', Set::ascii, Set::ascii},
    {0, '2', Set::ascii, Set::ascii},
    {'%', '0', Set::ascii, Set::ascii},
    {'%', '2', Set::ascii, Set::ascii},
    {'%', '3', Set::ascii, Set::ascii},
    {'%', '=', Set::ascii, Set::ascii},
};

/// 0x5f..0x7e.
constexpr char32_t kGraphics[] =
    U"\u00a0\u25c6\u2592\u2409\u240c\u240d\u240a\u00b0\u00b1\u2424\u240b\u2518\u2510\u250c\u2514\u253c"
    U"\u23ba\u23bb\u2500\u23bc\u23bd\u251c\u2524\u2534\u252c\u2502\u2264\u2265\u03c0\u2260\u00a3\u00b7";

// 0x21..0x7e.
constexpr char32_t kSupplemental[] =
    U"¡¢£⸮¥⸮§¤©ª«⸮⸮⸮⸮°±²³⸮µ¶·⸮¹º»¼½⸮¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ⸮ÑÒÓÔÕÖŒØÙÚÛÜŸ⸮ßàáâãäåæçèéêëìíîï⸮ñòóôõöœøùúûüÿ⸮";
constexpr char32_t kTechnical[] =
    U"⎷┌─⌠⌡│⎡⎣⎤⎦⎧⎩⎫⎭⎨⎬⸮⸮⸮⸮⸮⸮⸮⸮⸮⸮⸮≤≠≥∫∴∝∞÷Δ∇ΦΓ∼≃Θ×Λ⇔⇒≡ΠΨ⸮Σ⸮⸮√ΩΞΥ⊂⊃∩∪∧∨¬αβχδεφγηιθκλ⸮ν∂πψρστ⸮ƒωξυζ←↑→↓";
static_assert(std::size(kSupplemental) == 95 && std::size(kTechnical) == 95);

/// The places where national sets differ from ASCII, and what each has there.
constexpr std::string_view kNationalPlaces = "#@[\\]^_`{|}~";
constexpr std::u32string_view national(Set set) {
  switch (set) {
    case Set::british: return U"£@[\\]^_`{|}~";
    case Set::dutch: return U"£¾ĳ½|^_`¨ƒ¼´";
    case Set::finnish: return U"#@ÄÖÅÜ_éäöåü";
    case Set::french: return U"£à°ç§^_`éùè¨";
    case Set::french_canadian: return U"#àâçêî_ôéùèû";
    case Set::german: return U"#§ÄÖÜ^_`äöüß";
    case Set::italian: return U"£§°çé^_ùàòèì";
    case Set::norwegian: return U"#ÄÆØÅÜ_äæøåü";
    case Set::portuguese: return U"#@ÃÇÕ^_`ãçõ~";
    case Set::spanish: return U"£§¡Ñ¿^_`°ñç~";
    case Set::swedish: return U"#ÉÄÖÅÜ_éäöåü";
    case Set::swiss: return U"ùàéçêîèôäöüû";
    default: return {};
  }
}

}  // namespace

void Charsets::designate(int which, char intermediate, char final, bool is_national) {
  for (const Name& name : kNames)
    if (name.intermediate == intermediate && name.final == final)
      g[which] = is_national ? name.set : name.without_national;
}

char32_t translate(char32_t c, Charsets::Set set) {
  if (c < 0x20 || c > 0x7e) return c;
  if (c == 0x20) return set == Set::latin_1 ? U'\u00a0' : c;
  switch (set) {
    case Set::ascii: return c;
    case Set::dec_graphics: return c >= 0x5f ? kGraphics[c - 0x5f] : c;
    case Set::latin_1: return c + 0x80;
    case Set::dec_supplemental: return kSupplemental[c - 0x21];
    case Set::dec_technical: return kTechnical[c - 0x21];
    default: break;
  }
  const std::size_t place = kNationalPlaces.find(static_cast<char>(c));
  return place == kNationalPlaces.npos ? c : national(set)[place];
}

}  // namespace smartcli::terminal
