#include "shim/line_limit.hpp"

#include <unistd.h>

namespace smartcli::shim {

bool LineLimit::accept(const termios& settings, const char* data, std::size_t bytes) {
  if (!(settings.c_lflag & ICANON) || (settings.c_lflag & EXTPROC)) {
    reset();
    return true;
  }
  const bool extended = settings.c_lflag & IEXTEN, signals = settings.c_lflag & ISIG;
  const auto is = [&](unsigned char c, int which, bool active = true) {
    return active && settings.c_cc[which] != _POSIX_VDISABLE && settings.c_cc[which] == c;
  };
  std::uint32_t count = count_;
  bool literal = literal_next_;
  for (std::size_t i = 0; i < bytes; ++i) {
    auto c = static_cast<unsigned char>(data[i]);
    if (settings.c_iflag & ISTRIP) c &= 0x7f;
    if (literal) {
      literal = false;
      ++count;
    } else if (c == '\r' && (settings.c_iflag & IGNCR)) {
      continue;
    } else {
      if (c == '\r' && (settings.c_iflag & ICRNL))
        c = '\n';
      else if (c == '\n' && (settings.c_iflag & INLCR))
        c = '\r';
      if (is(c, VSTART, settings.c_iflag & IXON) || is(c, VSTOP, settings.c_iflag & IXON)) continue;
      if (is(c, VINTR, signals) || is(c, VQUIT, signals) || is(c, VSUSP, signals)) {
        if (!(settings.c_lflag & NOFLSH)) count = 0;
      } else if (is(c, VERASE)) {
        if (count > 0) --count;
      } else if (is(c, VKILL)) {
        count = 0;
      } else if (is(c, VWERASE, extended) || is(c, VREPRINT, extended)) {
        continue;
      } else if (is(c, VLNEXT, extended)) {
        literal = true;
      } else if (c == '\n' || is(c, VEOF) || is(c, VEOL) || is(c, VEOL2, extended)) {
        count = 0;
      } else {
        count += c == 0xff && (settings.c_iflag & PARMRK) ? 2 : 1;
      }
    }
    if (count > kMost) return false;
  }
  count_ = count;
  literal_next_ = literal;
  return true;
}

}  // namespace smartcli::shim
