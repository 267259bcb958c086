#include "terminal/sgr.hpp"

namespace smartcli::terminal {

namespace {

int count_subs(const Params& p, int i) {
  if (!p.has_sub()) return 0;
  int n = 0;
  while (i + 1 + n < p.size() && p.is_sub(i + 1 + n)) ++n;
  return n;
}

// 38, 48, 58 at `i`. Takes their arguments, whole or not, and returns the last one taken. Both ways to write
// them: 38;2;r;g;b and 38:2:[space]:r:g:b, where the colour space may be left out altogether.
int extended_colour(const Params& p, int i, Colour& colour) {
  const int subs = count_subs(p, i);
  if (subs > 0) {
    const int last = i + subs;
    const int kind = p.get(i + 1, 0);
    if (kind == 5 && subs >= 2 && p.get(i + 2, 0) <= 255)
      colour = Colour::index(static_cast<unsigned>(p.get(i + 2, 0)));
    if (kind == 2 && subs >= 4) {
      const int at = subs >= 5 ? i + 3 : i + 2;
      const int r = p.get(at, 0), g = p.get(at + 1, 0), b = p.get(at + 2, 0);
      if (r <= 255 && g <= 255 && b <= 255)
        colour = Colour::rgb(static_cast<unsigned>(r), static_cast<unsigned>(g), static_cast<unsigned>(b));
    }
    return last;
  }
  const int kind = p.get(i + 1, 0);
  if (kind == 5) {
    if (i + 2 < p.size() && p.get(i + 2, 0) <= 255)
      colour = Colour::index(static_cast<unsigned>(p.get(i + 2, 0)));
    return i + 2;
  }
  if (kind == 2) {
    const int r = p.get(i + 2, 0), g = p.get(i + 3, 0), b = p.get(i + 4, 0);
    if (i + 4 < p.size() && r <= 255 && g <= 255 && b <= 255)
      colour = Colour::rgb(static_cast<unsigned>(r), static_cast<unsigned>(g), static_cast<unsigned>(b));
    return i + 4;
  }
  return i + 1;
}

void reset(Style& style) {
  Style fresh;
  fresh.link = style.link;
  fresh.flags = style.flags & kProtected;
  style = fresh;
}

void add_colour(std::string& out, Colour colour, int base, int extended) {
  const unsigned v = colour.value();
  switch (colour.kind()) {
    case Colour::kDefault: return;
    case Colour::kIndex:
      if (base > 0 && v < 8)
        out += ';' + std::to_string(base + static_cast<int>(v));
      else if (base > 0 && v < 16)
        out += ';' + std::to_string(base + 60 + static_cast<int>(v) - 8);
      else
        out += ';' + std::to_string(extended) + ":5:" + std::to_string(v);
      return;
    case Colour::kRgb:
      out += ';' + std::to_string(extended) + ":2::" + std::to_string(v >> 16) + ':' +
             std::to_string(v >> 8 & 0xff) + ':' + std::to_string(v & 0xff);
  }
}

}  // namespace

void apply_sgr(const Params& p, int first, Style& s) {
  if (p.size() <= first) reset(s);
  auto set = [&](int flag) { s.flags = static_cast<std::uint16_t>(s.flags | flag); };
  auto clear = [&](int flag) { s.flags = static_cast<std::uint16_t>(s.flags & ~flag); };
  for (int i = first; i < p.size(); ++i) {
    const int code = p.get(i, 0);
    if (code == 38 || code == 48 || code == 58) {
      i = extended_colour(p, i, code == 38 ? s.fg : code == 48 ? s.bg : s.underline_colour);
      continue;
    }
    const int subs = count_subs(p, i);
    if (subs > 0) {
      if (code == 4 && p.get(i + 1, 0) <= 5) s.underline = static_cast<Underline>(p.get(i + 1, 0));
      i += subs;
      continue;
    }
    if (code >= 30 && code <= 37) s.fg = Colour::index(static_cast<unsigned>(code - 30));
    if (code >= 40 && code <= 47) s.bg = Colour::index(static_cast<unsigned>(code - 40));
    if (code >= 90 && code <= 97) s.fg = Colour::index(static_cast<unsigned>(code - 90 + 8));
    if (code >= 100 && code <= 107) s.bg = Colour::index(static_cast<unsigned>(code - 100 + 8));
    switch (code) {
      case 0: reset(s); break;
      case 1: set(kBold); break;
      case 2: set(kDim); break;
      case 3: set(kItalic); break;
      case 4: s.underline = Underline::single; break;
      case 5:
      case 6: set(kBlink); break;
      case 7: set(kInverse); break;
      case 8: set(kHidden); break;
      case 9: set(kStrike); break;
      case 21: s.underline = Underline::twofold; break;
      case 22: clear(kBold | kDim); break;
      case 23: clear(kItalic); break;
      case 24: s.underline = Underline::none; break;
      case 25: clear(kBlink); break;
      case 27: clear(kInverse); break;
      case 28: clear(kHidden); break;
      case 29: clear(kStrike); break;
      case 39: s.fg = {}; break;
      case 49: s.bg = {}; break;
      case 53: set(kOverline); break;
      case 55: clear(kOverline); break;
      case 59: s.underline_colour = {}; break;
      default: break;
    }
  }
}

std::string sgr_parameters(const Style& s) {
  static constexpr struct {
    StyleFlag flag;
    const char* code;
  } kCodes[] = {{kBold, ";1"},    {kDim, ";2"},    {kItalic, ";3"}, {kBlink, ";5"},
                {kInverse, ";7"}, {kHidden, ";8"}, {kStrike, ";9"}, {kOverline, ";53"}};
  std::string out = "0";
  for (const auto& [flag, code] : kCodes)
    if (s.flags & flag) out += code;
  if (s.underline == Underline::single) out += ";4";
  if (s.underline > Underline::single) out += ";4:" + std::to_string(static_cast<int>(s.underline));
  add_colour(out, s.fg, 30, 38);
  add_colour(out, s.bg, 40, 48);
  add_colour(out, s.underline_colour, 0, 58);
  return out;
}

}  // namespace smartcli::terminal
