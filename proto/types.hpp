#pragma once

// Shapes that several methods share. Rows, columns and lines count from 1 here; `terminal/` counts from 0 inside.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/field.hpp"

namespace smartcli {

/// A sid, as `[A-Za-z0-9][A-Za-z0-9_.-]*`, at most 64 characters; checked by the decoder.
struct SessionName {
  std::string text;
  friend bool operator==(const SessionName&, const SessionName&) = default;
};

/// Bytes that need not be UTF-8 (argv, environment, paths, text): a string on the wire where they are UTF-8, else {b64}.
struct Bytes {
  std::string data;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

/// A span of time in whole milliseconds: wire `x_ms`, option `--x D` (`500ms`, `30s`, `5m`, bare seconds) and `--x-ms N`.
struct Millis {
  std::int64_t count = 0;
  friend auto operator<=>(const Millis&, const Millis&) = default;
};

struct Size {
  std::int64_t cols = 80;
  std::int64_t rows = 24;
  friend bool operator==(const Size&, const Size&) = default;
};

enum class CursorShape { block, underline, bar };
enum class MouseMode { off, x10, click, drag, any };  ///< 9, 1000, 1002, 1003
enum class MouseEncoding { plain, utf8, sgr, urxvt, sgr_pixels };

struct Cursor {
  std::int64_t row = 1;
  std::int64_t col = 1;
  bool visible = true;
  CursorShape shape = CursorShape::block;
  bool blink = false;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"row", "from 1"}, row);
    v.required({"col", "from 1"}, col);
    v.required({"visible", "DECTCEM"}, visible);
    v.required({"shape", "DECSCUSR"}, shape);
    v.required({"blink", "DECSCUSR"}, blink);
  }
};

struct Modes {
  bool application_cursor = false;
  bool application_keypad = false;
  bool bracketed_paste = false;
  MouseMode mouse = MouseMode::off;
  MouseEncoding mouse_encoding = MouseEncoding::plain;
  bool focus = false;
  std::int64_t kitty_flags = 0;
  std::int64_t modify_other_keys = 0;
  bool synchronized = false;
  bool newline = false;          ///< LNM: Enter sends CR LF
  bool backarrow_sends_bs = false;  ///< DECBKM

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"application_cursor", "DECCKM: arrows, Home and End are SS3"}, application_cursor);
    v.required({"application_keypad", "DECKPAM"}, application_keypad);
    v.required({"bracketed_paste", "mode 2004"}, bracketed_paste);
    v.required({"mouse", "what the program tracks"}, mouse);
    v.required({"mouse_encoding", "modes 1005, 1006, 1015, 1016"}, mouse_encoding);
    v.required({"focus", "mode 1004"}, focus);
    v.required({"kitty_flags", "kitty keyboard protocol's flags in force"}, kitty_flags);
    v.required({"modify_other_keys", "xterm's modifyOtherKeys: 0, 1 or 2"}, modify_other_keys);
    v.required({"synchronized", "an update is being drawn (mode 2026)"}, synchronized);
    v.required({"newline", "LNM: Enter sends CR LF"}, newline);
    v.required({"backarrow_sends_bs", "DECBKM: Backspace sends BS, not DEL"}, backarrow_sends_bs);
  }
};

/// A run of cells shown inverse: what a person sees as selected.
struct HighlightedSpan {
  std::int64_t row = 1, col = 1, cols = 0;
  std::string text;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"row", "from 1"}, row);
    v.required({"col", "from 1"}, col);
    v.required({"cols", "columns it covers"}, cols);
    v.required({"text", "its text"}, text);
  }
};

}  // namespace smartcli
