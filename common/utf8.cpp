#include "common/utf8.hpp"

namespace smartcli::utf8 {

Decoded decode(std::string_view text) {
  if (text.empty()) return {0xFFFD, 0, false};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  int need = 0;
  unsigned low = 0x80, high = 0xBF;  // bounds of the second byte: no overlong forms, surrogates, > U+10FFFF
  char32_t value = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    need = 1;
    value = lead & 0x1F;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    need = 2;
    value = lead & 0x0F;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    need = 3;
    value = lead & 0x07;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {0xFFFD, 1, false};
  }
  std::size_t used = 1;
  for (int i = 0; i < need; ++i, ++used) {
    if (used >= text.size()) return {0xFFFD, used, false};
    const auto byte = static_cast<unsigned char>(text[used]);
    if (byte < low || byte > high) return {0xFFFD, used, false};
    low = 0x80;
    high = 0xBF;
    value = (value << 6) | (byte & 0x3F);
  }
  return {value, used, true};
}

void append(std::string& out, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = 0xFFFD;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

bool is_valid(std::string_view text) {
  while (!text.empty()) {
    const auto one = decode(text);
    if (!one.valid) return false;
    text.remove_prefix(one.bytes);
  }
  return true;
}

std::string to_valid(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto one = decode(text);
    if (one.valid) {
      out.append(text.substr(0, one.bytes));
    } else {
      append(out, 0xFFFD);
    }
    text.remove_prefix(one.bytes);
  }
  return out;
}

std::size_t length(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(decode(text).bytes);
    ++count;
  }
  return count;
}

}  // namespace smartcli::utf8
