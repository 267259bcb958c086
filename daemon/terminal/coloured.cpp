#include "terminal/coloured.hpp"

#include <cstdio>
#include <utility>

#include "common/text.hpp"

namespace smartcli::terminal {
namespace {

/// `base` 30 or 40 for the text's and the background's colour; 58 for the underline's, which has no short
/// form.
void add_colour(std::string& out, Colour colour, int base) {
  const auto value = colour.value();
  const auto add = [&out](std::uint32_t number) { out += ';' + std::to_string(number); };
  if (colour.kind() == Colour::kDefault) return;
  const int extended = base == 58 ? 58 : base + 8;
  if (colour.kind() == Colour::kRgb) {
    out += ';' + std::to_string(extended) + ";2";
    for (const int shift : {16, 8, 0}) add(value >> shift & 0xff);
  } else if (base != 58 && value < 16) {
    add(value < 8 ? static_cast<std::uint32_t>(base) + value
                  : static_cast<std::uint32_t>(base) + 60 + value - 8);
  } else {
    out += ';' + std::to_string(extended) + ";5";
    add(value);
  }
}

constexpr std::pair<StyleFlag, int> kFlagNumbers[] = {
    {kBold, 1},    {kDim, 2},    {kItalic, 3}, {kBlink, 5},
    {kInverse, 7}, {kHidden, 8}, {kStrike, 9}, {kOverline, 53},
};

std::string sgr(const Style& style) {
  std::string out = "\x1b[0";
  for (const auto& [flag, number] : kFlagNumbers) {
    if (style.flags & flag) out += ';' + std::to_string(number);
  }
  if (style.underline == Underline::single) out += ";4";
  if (style.underline > Underline::single)
    out += ";4:" + std::to_string(static_cast<unsigned>(style.underline));
  add_colour(out, style.fg, 30);
  add_colour(out, style.bg, 40);
  add_colour(out, style.underline_colour, 58);
  return out + 'm';
}

/// What SGR can say of it.
Style appearance(Style style) {
  style.link = 0;
  style.flags &= static_cast<std::uint16_t>(~kProtected);
  return style;
}

bool is_blank(const ShownCell& cell) {
  return cell.text.empty() || cell.text == " ";
}

bool shows_nothing(const ShownCell& cell) {
  constexpr std::uint16_t kSeen = kInverse | kStrike | kOverline;
  return is_blank(cell) && !cell.is_second_half && cell.style.bg == Colour{} &&
         (cell.style.flags & kSeen) == 0 && cell.style.underline == Underline::none;
}

}  // namespace

std::optional<std::string> colour_name(Colour colour) {
  if (colour.kind() == Colour::kDefault) return std::nullopt;
  if (colour.kind() == Colour::kIndex) return std::to_string(colour.value());
  char hex[8];
  std::snprintf(hex, sizeof hex, "#%06x", static_cast<unsigned>(colour.value()));
  return hex;
}

std::vector<ShownCell> cut_columns(std::span<const ShownCell> row, std::size_t from, std::size_t to) {
  std::vector<ShownCell> out(to > from ? to - from : 0);
  for (std::size_t col = from; col < to && col < row.size(); ++col) out[col - from] = row[col];
  const auto blank = [](ShownCell& cell) {
    cell.text.clear();
    cell.is_wide = cell.is_second_half = false;
  };
  if (!out.empty() && out.front().is_second_half) blank(out.front());
  if (!out.empty() && out.back().is_wide) blank(out.back());
  return out;
}

std::string plain_text(std::span<const ShownCell> row) {
  std::string out;
  for (const auto& cell : row) {
    if (!cell.is_second_half) out += cell.text.empty() ? " " : cell.text;
  }
  out.resize(text::trim_right(out).size());
  return out;
}

std::string coloured_text(std::span<const ShownCell> row) {
  while (!row.empty() && shows_nothing(row.back())) row = row.first(row.size() - 1);
  std::string out;
  Style style;
  for (const auto& cell : row) {
    if (cell.is_second_half) continue;
    if (const Style wanted = appearance(cell.style); !(wanted == style)) {
      style = wanted;
      out += sgr(style);
    }
    const bool is_ascii = cell.text.size() == 1 && cell.text[0] >= 0x20 && cell.text[0] < 0x7f;
    if (is_blank(cell)) {
      out += ' ';
    } else {
      out += is_ascii ? cell.text : text::inert_line(cell.text);
    }
  }
  if (!(style == Style{})) out += "\x1b[0m";
  return out;
}

}  // namespace smartcli::terminal
