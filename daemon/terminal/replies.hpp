#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "terminal/terminal.hpp"

namespace smartcli::terminal {

/// THE table of the terminal's own answers. In a form `#` stands for a decimal of at most 5 digits, `@` for a
/// colour as XParseColor spells it, `*` for SGR parameters as sgr_parameters() makes them, and all else for
/// itself. So no byte of the program's choosing is ever sent, whatever it asks (CVE-2003-0063, CVE-2008-2383
/// and their descendants). Strings end with ST also where the query ended with BEL: no answer holds a C0
/// control but ESC.
// clang-format off
#define SMARTCLI_ANSWERS(row) \
  row(da1, "\033[?62;6;22c")                                           /* VT220: selective erase, colour */ \
  row(da2, "\033[>1;10;0c")                                                                                \
  row(da3, "\033P!|00000000\033\\")                                                                        \
  row(xtversion, "\033P>|smartcli(0.1)\033\\")                                                             \
  row(status_ok, "\033[0n")                                            /* DSR 5 */                         \
  row(cursor, "\033[#;#R")                                             /* CPR */                           \
  row(extended_cursor, "\033[?#;#;1R")                                 /* DECXCPR */                       \
  row(no_printer, "\033[?13n")                                         /* DSR ?15 */                       \
  row(keys_locked, "\033[?21n")                                        /* DSR ?25 */                       \
  row(keyboard, "\033[?27;1;0;0n")                                     /* DSR ?26 */                       \
  row(no_locator, "\033[?50n")                                         /* DSR ?55 */                       \
  row(dark_scheme, "\033[?997;1n")                                     /* DSR ?996 */                      \
  row(ansi_mode, "\033[#;#$y")                                         /* DECRPM */                        \
  row(private_mode, "\033[?#;#$y")                                                                         \
  row(setting_sgr, "\033P1$r*m\033\\")                                 /* DECRQSS */                       \
  row(setting_margins, "\033P1$r#;#r\033\\")                                                               \
  row(setting_side_margins, "\033P1$r#;#s\033\\")                                                          \
  row(setting_cursor, "\033P1$r# q\033\\")                                                                 \
  row(setting_protection, "\033P1$r#\"q\033\\")                                                            \
  row(setting_level, "\033P1$r62;1\"p\033\\")                                                              \
  row(setting_unknown, "\033P0$r\033\\")                                                                   \
  row(cap_name, "\033P1+r544E=787465726D2D323536636F6C6F72\033\\")     /* XTGETTCAP: TN=xterm-256color */  \
  row(cap_name_long, "\033P1+r6E616D65=787465726D2D323536636F6C6F72\033\\") /* name=xterm-256color */      \
  row(cap_colours, "\033P1+r436F=323536\033\\")                        /* Co=256 */                        \
  row(cap_colours_long, "\033P1+r636F6C6F7273=323536\033\\")           /* colors=256 */                    \
  row(cap_rgb, "\033P1+r524742=382F382F38\033\\")                      /* RGB=8/8/8 */                     \
  row(cap_unknown, "\033P0+r\033\\")                                                                       \
  row(palette, "\033]4;#;@\001")                                                                         \
  row(foreground, "\033]10;@\001")                                                                       \
  row(background, "\033]11;@\001")                                                                       \
  row(cursor_colour, "\033]12;@\001")                                                                    \
  row(window_shown, "\033[1t")                                         /* CSI 11 t */                      \
  row(window_place, "\033[3;0;0t")                                     /* CSI 13 t */                      \
  row(window_pixels, "\033[4;#;#t")                                    /* CSI 14 t */                      \
  row(display_pixels, "\033[5;#;#t")                                   /* CSI 15 t */                      \
  row(cell_pixels, "\033[6;#;#t")                                      /* CSI 16 t */                      \
  row(window_cells, "\033[8;#;#t")                                     /* CSI 18 t */                      \
  row(display_cells, "\033[9;#;#t")                                    /* CSI 19 t */                      \
  row(resized, "\033[48;#;#;#;#t")                                     /* mode 2048 */                     \
  row(kitty_flags, "\033[?#u")                                                                             \
  row(modify_other_keys, "\033[>4;#m")                                 /* XTQMODKEYS */
// clang-format on

enum class Answer {
#define SMARTCLI_ROW(name, form) name,
  SMARTCLI_ANSWERS(SMARTCLI_ROW)
#undef SMARTCLI_ROW
};

/// The pixels of a cell that size reports claim.
inline constexpr unsigned kCellWidth = 8, kCellHeight = 16;

/// Answers until they are taken. Past kMaxBytes they are dropped and counted: a flood of queries costs its
/// sender its answers and nobody memory.
class ReplyQueue {
 public:
  static constexpr std::size_t kMaxBytes = 64 << 10;

  /// `numbers` fill `#` and `@` in order, `sgr` fills `*`, \001 is the terminator. `offset` is just past the
  /// query.
  void send(std::uint64_t offset, Answer answer, std::initializer_list<unsigned> numbers = {},
            std::string_view sgr = {});
  /// How answers to control strings end from now on: as xterm does, as their query did.
  void answer_with_bel(bool with_bel) { with_bel_ = with_bel; }
  std::vector<Reply> take();
  std::uint64_t dropped() const { return dropped_; }

 private:
  friend struct KeyframeFields;

  std::vector<Reply> replies_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t last_offset_ = 0;
  std::uint32_t next_index_ = 0;
  bool with_bel_ = false;
};

}  // namespace smartcli::terminal
