#include "common/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "common/utf8.hpp"

namespace smartcli::text {
namespace {

enum class Keep { newline_and_tab, nothing };

/// Bidi controls, tags, line separators, and what has no width and no use on a screen. Joiners (U+200C,
/// U+200D) and variation selectors stay: scripts and emoji need them.
bool hides_or_turns(char32_t c) {
  return c == 0x061C || c == 0x200B || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
         (c >= 0xE0000 && c <= 0xE007F);
}

std::string make_inert(std::string_view text, Keep keep) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto one = utf8::decode(text);
    const char32_t c = one.code_point;
    const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F) || hides_or_turns(c);
    if (!one.valid) {
      utf8::append(out, 0xFFFD);
    } else if (control && !(keep == Keep::newline_and_tab && (c == '\n' || c == '\t'))) {
      std::array<char, 8> hex{};
      const auto end = std::to_chars(hex.begin(), hex.end(), static_cast<unsigned>(c), 16).ptr;
      out += "\\u{";
      out.append(hex.begin(), end);
      out += '}';
    } else {
      out.append(text.substr(0, one.bytes));
    }
    text.remove_prefix(one.bytes);
  }
  return out;
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string inert(std::string_view text) {
  return make_inert(text, Keep::newline_and_tab);
}
std::string inert_sgr(std::string_view text) {
  std::string out;
  std::size_t shown = 0;
  for (std::size_t at = text.find('\x1b'); at != std::string_view::npos; at = text.find('\x1b', at + 1)) {
    if (text.substr(at + 1, 1) != "[") continue;
    const auto end = text.find_first_not_of("0123456789;:", at + 2);
    if (end == std::string_view::npos || text[end] != 'm') continue;
    out += inert(text.substr(shown, at - shown));
    out += text.substr(at, end + 1 - at);
    shown = end + 1;
  }
  return out + inert(text.substr(shown));
}
std::string inert_line(std::string_view text) {
  return make_inert(text, Keep::nothing);
}

std::string quoted(std::string_view text, std::size_t most) {
  std::string cut;
  std::size_t count = 0;
  std::string_view rest = text;
  while (!rest.empty() && count < most) {
    const auto one = utf8::decode(rest);
    cut.append(rest.substr(0, one.bytes));
    rest.remove_prefix(one.bytes);
    ++count;
  }
  return "'" + inert_line(cut) + (rest.empty() ? "'" : "...'");
}

std::string_view trim_right(std::string_view text) {
  const auto end = text.find_last_not_of(' ');
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > 64) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : known) {
    // A word that was left unfinished is near, however much of it is missing.
    const std::size_t d = word.size() >= 3 && candidate.starts_with(word) ? 1 : distance(word, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto best = nearest(word, known);
  return best ? ": did you mean '" + *best + "'?" : "";
}

Result<std::int64_t> parse_millis(std::string_view text) {
  const Error wrong{
      ErrorCode::invalid_argument,
      "not a duration: " + quoted(text) + "; write 500ms, 30s, 5m, 1h, 2d, or a number of seconds"};
  double value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || !std::isfinite(value) || value < 0) return wrong;
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  double factor = 0;
  if (unit == "ms") factor = 1;
  if (unit.empty() || unit == "s") factor = 1e3;
  if (unit == "m") factor = 60e3;
  if (unit == "h") factor = 3600e3;
  if (unit == "d") factor = 86400e3;
  if (factor == 0 || value * factor > 1e15) return wrong;
  return static_cast<std::int64_t>(std::llround(value * factor));
}

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    unsigned value = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      value = (value << 8) | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= left ? kBase64[(value >> (18 - 6 * k)) & 63] : '=';
    }
  }
  return out;
}

Result<std::string> from_base64(std::string_view text) {
  const Error wrong{ErrorCode::invalid_argument, "not base64 (RFC 4648, with padding)"};
  if (text.size() % 4 != 0) return wrong;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    unsigned value = 0;
    std::size_t padding = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const char c = text[i + k];
      if (c == '=' && i + 4 == text.size() && k >= 2) {
        ++padding;
        value <<= 6;
        continue;
      }
      const auto at = kBase64.find(c);
      if (at == std::string_view::npos || padding > 0) return wrong;
      value = (value << 6) | static_cast<unsigned>(at);
    }
    for (std::size_t k = 0; k + padding < 3; ++k) out += static_cast<char>((value >> (16 - 8 * k)) & 0xFF);
  }
  return out;
}

std::string shell_words(std::span<const std::string> words) {
  std::string out;
  for (const auto& word : words) {
    if (!out.empty()) out += ' ';
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                            "_-./:=@%+,") == std::string::npos;
    if (plain) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) {
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    out += '\'';
  }
  return out;
}

}  // namespace smartcli::text
