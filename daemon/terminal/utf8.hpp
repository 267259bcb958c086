#pragma once

#include <string>

namespace smartcli::terminal {

/// Writes a scalar value as UTF-8, 1 to 4 bytes; returns the end.
inline char* put_utf8(char* out, char32_t c) {
  if (c < 0x80) {
    *out++ = static_cast<char>(c);
    return out;
  }
  if (c < 0x800) {
    *out++ = static_cast<char>(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      *out++ = static_cast<char>(0xe0 | c >> 12);
    } else {
      *out++ = static_cast<char>(0xf0 | c >> 18);
      *out++ = static_cast<char>(0x80 | (c >> 12 & 0x3f));
    }
    *out++ = static_cast<char>(0x80 | (c >> 6 & 0x3f));
  }
  *out++ = static_cast<char>(0x80 | (c & 0x3f));
  return out;
}

inline void append_utf8(std::string& out, char32_t c) {
  char bytes[4];
  out.append(bytes, put_utf8(bytes, c));
}

/// UTF-8 one byte at a time, with the replacement count of the WHATWG decoder: one U+FFFD for each maximal
/// part of a broken character.
class Utf8Decoder {
 public:
  enum class Step {
    more,           ///< the byte is taken, the character goes on
    done,           ///< the byte is taken, `value()` is the character
    broken,         ///< the byte is taken and is U+FFFD by itself
    broken_before,  ///< what came before is U+FFFD; the byte is not taken
  };

  bool is_inside() const { return needed_ > 0; }
  char32_t value() const { return value_; }
  void reset() { needed_ = 0; }

  Step push(unsigned char b) {
    if (needed_ == 0) return start(b);
    if (b < lower_ || b > upper_) {
      needed_ = 0;
      return Step::broken_before;
    }
    lower_ = 0x80;
    upper_ = 0xbf;
    value_ = value_ << 6 | (b & 0x3f);
    return --needed_ == 0 ? Step::done : Step::more;
  }

 private:
  Step start(unsigned char b) {
    lower_ = 0x80;
    upper_ = 0xbf;
    if (b < 0x80) {
      value_ = b;
      return Step::done;
    }
    if (b >= 0xc2 && b <= 0xdf) {
      needed_ = 1;
      value_ = b & 0x1f;
    } else if (b >= 0xe0 && b <= 0xef) {
      if (b == 0xe0) lower_ = 0xa0;  // overlong
      if (b == 0xed) upper_ = 0x9f;  // surrogates
      needed_ = 2;
      value_ = b & 0x0f;
    } else if (b >= 0xf0 && b <= 0xf4) {
      if (b == 0xf0) lower_ = 0x90;  // overlong
      if (b == 0xf4) upper_ = 0x8f;  // above U+10FFFF
      needed_ = 3;
      value_ = b & 0x07;
    } else {
      return Step::broken;
    }
    return Step::more;
  }

  char32_t value_ = 0;
  unsigned char needed_ = 0, lower_ = 0x80, upper_ = 0xbf;
};

}  // namespace smartcli::terminal
