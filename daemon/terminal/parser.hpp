#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "terminal/sequence.hpp"
#include "terminal/utf8.hpp"

namespace smartcli::terminal {

/// Bytes to actions: the DEC state machine (vt100.net, "A parser for DEC's ANSI-compatible video terminals")
/// in UTF-8, so without C1 bytes. It knows no meaning; every parameter and string is bounded; any split of
/// the stream gives the same calls, but for the pieces in which `print_ascii` comes.
///
/// A Handler has, each with the offset just past what it is told:
///   print_ascii(const char* text, std::size_t n, offset)   n bytes 0x20..0x7e; offset past the LAST of them
///   print(char32_t, offset)      anything else that is shown; U+FFFD for broken bytes
///   execute(unsigned char, offset)                 a C0 control, not ESC, CAN or SUB
///   esc(const Sequence&, offset), csi(const Sequence&, offset)
///   osc(std::string_view, offset, ended_by_bel), dcs(const Sequence&, std::string_view, offset)
///   std::size_t osc_limit(std::string_view start)  bytes to keep of a long OSC that starts so
///   bool is_spent()                                true: enough for now, `feed` returns after this sequence
/// APC, PM and SOS are swallowed, and so is a string longer than its limit.
class Parser {
 public:
  static constexpr std::size_t kStringLimit = 8 << 10;

  /// Returns how many bytes it took: all, unless the handler is spent.
  template <class Handler>
  std::size_t feed(std::string_view bytes, Handler& handler);

  bool is_at_ground() const { return state_ == State::ground && !utf8_.is_inside(); }
  std::uint64_t offset() const { return offset_; }
  void set_offset(std::uint64_t offset) { offset_ = offset; }
  /// Sequences that were malformed, aborted or too long.
  std::uint64_t errors() const { return errors_; }
  /// Forgets a sequence begun; the offset and the count stay.
  void reset() {
    state_ = State::ground;
    utf8_.reset();
    release_string();
  }

 private:
  friend struct KeyframeFields;

  enum class State : std::uint8_t {
    ground,
    utf8,
    escape,
    escape_intermediate,
    csi_param,
    csi_intermediate,
    csi_ignore,
    dcs_param,
    dcs_intermediate,
    dcs_ignore,
    string,
    string_escape,
  };
  enum class StringKind : std::uint8_t { osc, dcs, swallowed };

  // One step takes bytes from p on and returns where the next one starts.
  template <class Handler>
  const char* ground(const char* p, const char* end, std::uint64_t base, Handler& handler);
  template <class Handler>
  const char* utf8(const char* p, const char* end, std::uint64_t base, Handler& handler);
  template <class Handler>
  const char* control(const char* p, const char* end, std::uint64_t base, Handler& handler);
  template <class Handler>
  const char* string(const char* p, const char* end, std::uint64_t base, Handler& handler);
  template <class Handler>
  const char* string_escape(const char* p, std::uint64_t base, Handler& handler);

  template <class Handler>
  void end_string(std::uint64_t offset, bool by_bel, Handler& handler);
  void begin_string(StringKind kind) {
    string_kind_ = kind;
    limit_ = kind == StringKind::swallowed ? 0 : kStringLimit;
    is_overlong_ = false;
    state_ = State::string;
  }
  void release_string() {
    // A clipboard's megabyte is not kept for the next title.
    if (text_.capacity() > 2 * kStringLimit) std::string().swap(text_);
    text_.clear();
  }
  void fail() {
    ++errors_;
    state_ = State::ground;
  }
  /// Takes digits and separators; returns the first byte that is neither.
  const char* take_params(const char* p, const char* end) {
    for (; p < end; ++p) {
      const unsigned d = static_cast<unsigned char>(*p) - unsigned{'0'};
      if (d < 10)
        sequence_.params.digit(static_cast<int>(d));
      else if (d < 12)
        sequence_.params.separator(*p == ':');
      else
        break;
    }
    return p;
  }

  State state_ = State::ground;
  StringKind string_kind_ = StringKind::osc;
  bool is_overlong_ = false;
  Utf8Decoder utf8_;
  Sequence sequence_;
  std::string text_;
  std::size_t limit_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t errors_ = 0;
};

/// First byte at or after p that is not printable ASCII.
inline const char* skip_printable(const char* p, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u, kHighs = kOnes * 0x80;
  while (end - p >= 8) {
    std::uint64_t v;
    std::memcpy(&v, p, 8);
    // High bit of a byte: it is >= 0x80, below 0x20, or 0x7f. Borrows go upwards only, so the lowest hit is
    // exact.
    const std::uint64_t hits = (v | (v - kOnes * 0x20) | (v + kOnes)) & kHighs;
    if (hits != 0) return p + (__builtin_ctzll(hits) >> 3);
    p += 8;
  }
  while (p < end && static_cast<unsigned char>(*p) >= 0x20 && static_cast<unsigned char>(*p) < 0x7f) ++p;
  return p;
}

template <class Handler>
std::size_t Parser::feed(std::string_view bytes, Handler& handler) {
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  // Offset of a place in this piece: its address less the start's, plus what came before.
  const std::uint64_t base = offset_ - reinterpret_cast<std::uintptr_t>(p);
  while (p < end && !handler.is_spent()) {
    switch (state_) {
      case State::ground: p = ground(p, end, base, handler); break;
      case State::utf8: p = utf8(p, end, base, handler); break;
      case State::string: p = string(p, end, base, handler); break;
      case State::string_escape: p = string_escape(p, base, handler); break;
      default: p = control(p, end, base, handler); break;
    }
  }
  const auto taken = static_cast<std::size_t>(p - bytes.data());
  offset_ += taken;
  return taken;
}

#define SMARTCLI_OFFSET(p) (base + reinterpret_cast<std::uintptr_t>(p))

template <class Handler>
const char* Parser::ground(const char* p, const char* end, std::uint64_t base, Handler& handler) {
  while (p < end) {
    const auto c = static_cast<unsigned char>(*p);
    if (c >= 0x20 && c < 0x7f) {
      const char* stop = skip_printable(p + 1, end);
      handler.print_ascii(p, static_cast<std::size_t>(stop - p), SMARTCLI_OFFSET(stop));
      p = stop;
    } else if (c == 0x1b) {
      sequence_.clear();
      state_ = State::escape;
      return p + 1;
    } else if (c < 0x20) {
      ++p;
      handler.execute(c, SMARTCLI_OFFSET(p));
      if (handler.is_spent()) return p;
    } else if (c == 0x7f) {
      ++p;
    } else {
      // Whole three-byte characters, the bulk of CJK text, without the state machine; it takes all else.
      if (c >= 0xe1 && c <= 0xef && c != 0xed && end - p >= 3) {
        const auto b1 = static_cast<unsigned char>(p[1]), b2 = static_cast<unsigned char>(p[2]);
        if ((b1 & 0xc0) == 0x80 && (b2 & 0xc0) == 0x80) {
          p += 3;
          handler.print(static_cast<char32_t>((c & 0x0f) << 12 | (b1 & 0x3f) << 6 | (b2 & 0x3f)),
                        SMARTCLI_OFFSET(p));
          continue;
        }
      }
      state_ = State::utf8;
      return p;
    }
  }
  return p;
}

template <class Handler>
const char* Parser::utf8(const char* p, const char* end, std::uint64_t base, Handler& handler) {
  while (p < end) {
    const auto step = utf8_.push(static_cast<unsigned char>(*p));
    if (step == Utf8Decoder::Step::broken_before) {
      state_ = State::ground;
      handler.print(U'\ufffd', SMARTCLI_OFFSET(p));
      return p;
    }
    ++p;
    if (step == Utf8Decoder::Step::more) continue;
    state_ = State::ground;
    handler.print(step == Utf8Decoder::Step::done ? utf8_.value() : U'\ufffd', SMARTCLI_OFFSET(p));
    return p;
  }
  return p;
}

template <class Handler>
const char* Parser::control(const char* p, const char* end, std::uint64_t base, Handler& handler) {
  while (true) {
    if (state_ == State::csi_param || state_ == State::dcs_param) p = take_params(p, end);
    if (p == end) return p;
    const auto c = static_cast<unsigned char>(*p);
    if (c >= 0x80) {  // text again; the sequence is lost
      fail();
      return p;
    }
    ++p;
    if (c < 0x20) {
      if (c == 0x1b) {
        if (state_ != State::escape) ++errors_;
        sequence_.clear();
        state_ = State::escape;
      } else if (c == 0x18 || c == 0x1a) {
        fail();
        return p;
      } else if (state_ < State::dcs_param) {
        handler.execute(c, SMARTCLI_OFFSET(p));
      }
      continue;
    }
    if (c == 0x7f) continue;
    switch (state_) {
      case State::escape:
        if (c == '[') {
          state_ = State::csi_param;
          continue;
        }
        if (c == ']') {
          begin_string(StringKind::osc);
          return p;
        }
        if (c == 'P') {
          state_ = State::dcs_param;
          continue;
        }
        if (c == 'X' || c == '^' || c == '_') {
          begin_string(StringKind::swallowed);
          return p;
        }
        [[fallthrough]];
      case State::escape_intermediate:
        if (c < 0x30) {
          sequence_.collect(static_cast<char>(c));
          state_ = State::escape_intermediate;
          continue;
        }
        state_ = State::ground;
        sequence_.final = static_cast<char>(c);
        handler.esc(sequence_, SMARTCLI_OFFSET(p));
        return p;

      case State::csi_param:
        if (c < 0x30) {
          sequence_.collect(static_cast<char>(c));
          state_ = State::csi_intermediate;
        } else if (c < 0x40) {
          if (sequence_.prefix != 0 || sequence_.params.size() > 0)
            state_ = State::csi_ignore;
          else
            sequence_.prefix = static_cast<char>(c);
        } else {
          state_ = State::ground;
          sequence_.final = static_cast<char>(c);
          if (sequence_.params.was_cut()) ++errors_;
          handler.csi(sequence_, SMARTCLI_OFFSET(p));
          return p;
        }
        continue;
      case State::csi_intermediate:
        if (c < 0x30) {
          sequence_.collect(static_cast<char>(c));
        } else if (c < 0x40) {
          state_ = State::csi_ignore;
        } else {
          state_ = State::ground;
          sequence_.final = static_cast<char>(c);
          handler.csi(sequence_, SMARTCLI_OFFSET(p));
          return p;
        }
        continue;
      case State::csi_ignore:
        if (c < 0x40) continue;
        fail();
        return p;

      case State::dcs_param:
        if (c < 0x30) {
          sequence_.collect(static_cast<char>(c));
          state_ = State::dcs_intermediate;
          continue;
        }
        if (c < 0x40) {
          if (sequence_.prefix != 0 || sequence_.params.size() > 0)
            state_ = State::dcs_ignore;
          else
            sequence_.prefix = static_cast<char>(c);
          continue;
        }
        sequence_.final = static_cast<char>(c);
        begin_string(StringKind::dcs);
        return p;
      case State::dcs_intermediate:
        if (c < 0x30) {
          sequence_.collect(static_cast<char>(c));
        } else if (c < 0x40) {
          state_ = State::dcs_ignore;
        } else {
          sequence_.final = static_cast<char>(c);
          begin_string(StringKind::dcs);
          return p;
        }
        continue;
      case State::dcs_ignore:
        if (c < 0x40) continue;
        ++errors_;
        begin_string(StringKind::swallowed);
        return p;
      default: return p - 1;
    }
  }
}

template <class Handler>
const char* Parser::string(const char* p, const char* end, std::uint64_t base, Handler& handler) {
  while (p < end) {
    const char* stop = p;
    while (stop < end && static_cast<unsigned char>(*stop) >= 0x20) ++stop;
    if (stop > p && string_kind_ != StringKind::swallowed && !is_overlong_) {
      const auto n = static_cast<std::size_t>(stop - p);
      std::size_t room = limit_ - text_.size();
      if (n > room && limit_ == kStringLimit) {
        // Exactly the first kStringLimit bytes are judged, so that the answer does not depend on the split.
        text_.append(p, room);
        p += room;
        if (string_kind_ == StringKind::osc) limit_ = std::max(limit_, handler.osc_limit(text_));
        if (limit_ == kStringLimit) is_overlong_ = true;
        continue;
      }
      text_.append(p, std::min(n, room));
      if (n > room) is_overlong_ = true;
    }
    p = stop;
    if (p == end) break;
    const auto c = static_cast<unsigned char>(*p++);
    if (c == 0x1b) {
      state_ = State::string_escape;
      return p;
    }
    if (c == 0x07 && string_kind_ == StringKind::osc) {
      end_string(SMARTCLI_OFFSET(p), true, handler);
      return p;
    }
    if (c == 0x18 || c == 0x1a) {
      release_string();
      fail();
      return p;
    }
  }
  return p;
}

template <class Handler>
const char* Parser::string_escape(const char* p, std::uint64_t base, Handler& handler) {
  if (*p == '\\') {
    end_string(SMARTCLI_OFFSET(p + 1), false, handler);
    return p + 1;
  }
  if (*p == 0x1b && string_kind_ == StringKind::dcs) {
    // tmux doubles each ESC in its passthrough: still the string, so that what it wraps is not taken for our
    // own.
    state_ = State::string;
    return p + 1;
  }
  release_string();
  ++errors_;
  sequence_.clear();
  state_ = State::escape;
  return p;
}

template <class Handler>
void Parser::end_string(std::uint64_t offset, bool by_bel, Handler& handler) {
  state_ = State::ground;
  if (is_overlong_)
    ++errors_;
  else if (string_kind_ == StringKind::osc)
    handler.osc(text_, offset, by_bel);
  else if (string_kind_ == StringKind::dcs)
    handler.dcs(sequence_, text_, offset);
  release_string();
}

#undef SMARTCLI_OFFSET

}  // namespace smartcli::terminal
