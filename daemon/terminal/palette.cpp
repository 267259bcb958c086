#include "terminal/palette.hpp"

#include <algorithm>
#include <string>

namespace smartcli::terminal {

namespace {

/// xterm's own 256.
std::uint32_t default_colour(unsigned index) {
  static constexpr std::uint32_t kFirst[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
                                               0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
                                               0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
  if (index < 16) return kFirst[index];
  if (index < 232) {
    auto level = [](unsigned n) { return n == 0 ? 0 : 55 + 40 * n; };
    const unsigned n = index - 16;
    return level(n / 36) << 16 | level(n / 6 % 6) << 8 | level(n % 6);
  }
  const unsigned grey = 8 + 10 * (std::min(index, 255u) - 232);
  return grey << 16 | grey << 8 | grey;
}

/// 1 to 4 hex digits as a number; nothing for anything else.
std::optional<unsigned> hex(std::string_view digits) {
  if (digits.empty() || digits.size() > 4) return std::nullopt;
  unsigned n = 0;
  for (char c : digits) {
    if (c >= '0' && c <= '9')
      n = n << 4 | static_cast<unsigned>(c - '0');
    else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
      n = n << 4 | static_cast<unsigned>((c | 0x20) - 'a' + 10);
    else
      return std::nullopt;
  }
  return n;
}

/// `rgb:`: h of n digits is a fraction of the largest number of n digits.
std::optional<std::uint32_t> parse_fractions(std::string_view text) {
  std::uint32_t rgb = 0;
  for (int part = 0; part < 3; ++part) {
    const std::size_t end = part < 2 ? text.find('/') : text.size();
    if (end == text.npos) return std::nullopt;
    const auto n = hex(text.substr(0, end));
    if (!n) return std::nullopt;
    // 16 bits as X keeps them, then the upper 8.
    const std::uint32_t largest = (1u << (4 * end)) - 1;
    rgb = rgb << 8 | (*n * 0xffffu / largest) >> 8;
    text.remove_prefix(part < 2 ? end + 1 : end);
  }
  return rgb;
}

/// `#`: the digits are the most significant ones.
std::optional<std::uint32_t> parse_digits(std::string_view text) {
  if (text.empty() || text.size() > 12 || text.size() % 3 != 0) return std::nullopt;
  const std::size_t each = text.size() / 3;
  std::uint32_t rgb = 0;
  for (std::size_t part = 0; part < 3; ++part) {
    const auto n = hex(text.substr(part * each, each));
    if (!n) return std::nullopt;
    rgb = rgb << 8 | (*n << (16 - 4 * each)) >> 8;
  }
  return rgb;
}

}  // namespace

std::uint32_t Palette::get(unsigned index) const {
  const auto it = set_.find(index);
  return it == set_.end() ? default_colour(index) : it->second;
}

std::uint32_t Palette::get(Screen which) const {
  const auto& set = screen_[static_cast<unsigned>(which)];
  if (set) return *set;
  return which == Screen::background ? kBackground : kForeground;
}

std::optional<std::uint32_t> parse_colour(std::string_view text) {
  if (text.starts_with("rgb:")) return parse_fractions(text.substr(4));
  if (text.starts_with('#')) return parse_digits(text.substr(1));
  constexpr std::size_t kLongestName = 32;
  if (text.size() > kLongestName) return std::nullopt;
  std::string name(text);
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return named_colour(name);
}

}  // namespace smartcli::terminal
