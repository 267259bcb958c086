#pragma once

// Shapes that several methods share. Rows, columns and lines count from 1 here; `terminal/` counts from 0
// inside. A struct with `fields` is an object on the wire. A `required` field is always there (nothing:
// null), an `optional` one that holds nothing is left out.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/field.hpp"

namespace smartcli {

/// A sid: `[A-Za-z0-9][A-Za-z0-9_.-]*`, at most 64 characters; checked by the decoder.
struct SessionName {
  std::string text;
  friend bool operator==(const SessionName&, const SessionName&) = default;
};

/// Bytes that need not be UTF-8 (argv, environment, paths, text): a string on the wire where they are UTF-8,
/// else {b64}.
struct Bytes {
  std::string data;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

/// A span of time in whole milliseconds: wire `x_ms`, option `--x D` (`500ms`, `30s`, `5m`, bare seconds) and
/// `--x-ms N`.
struct Millis {
  std::int64_t count = 0;
  friend auto operator<=>(const Millis&, const Millis&) = default;
};

/// A reply that is passed on as JSON without being looked into.
struct RawJson {
  std::string text = "null";
};

/// Names of an enum's values on the wire, in the enumerators' order. Specialised beside each enum.
template <class E>
struct EnumNames;

struct Size {
  std::int64_t cols = 80;
  std::int64_t rows = 24;
  friend bool operator==(const Size&, const Size&) = default;
};

enum class CursorShape { block, underline, bar };
template <>
struct EnumNames<CursorShape> {
  static constexpr std::string_view kNames[] = {"block", "underline", "bar"};
};

enum class MouseMode { off, x10, click, drag, any };  ///< 9, 1000, 1002, 1003
template <>
struct EnumNames<MouseMode> {
  static constexpr std::string_view kNames[] = {"off", "x10", "click", "drag", "any"};
};

enum class MouseEncoding { plain, utf8, sgr, urxvt, sgr_pixels };
template <>
struct EnumNames<MouseEncoding> {
  static constexpr std::string_view kNames[] = {"plain", "utf8", "sgr", "urxvt", "sgr_pixels"};
};

/// `full`: the structured screen beside the text.
enum class Detail { text, full };
template <>
struct EnumNames<Detail> {
  static constexpr std::string_view kNames[] = {"text", "full"};
};

/// what goes on, in one word.
enum class State { prompt, running, input, password, app, stopped, exited, lost };
template <>
struct EnumNames<State> {
  static constexpr std::string_view kNames[] = {"prompt", "running", "input",  "password",
                                                "app",    "stopped", "exited", "lost"};
};

/// Why the system ended a session, or dropped one whose program had ended.
enum class EndReason { idle, evicted, dropped, owner_gone };
template <>
struct EnumNames<EndReason> {
  static constexpr std::string_view kNames[] = {"idle", "evicted", "dropped", "owner_gone"};
};

/// Why a wait came back. SPEC section 4.
enum class Reason {
  marker,
  gone,
  changed,
  stable,
  state,
  finished,
  exited,
  timeout,
  cancelled,
  closed,
  evicted,
  lost
};
template <>
struct EnumNames<Reason> {
  static constexpr std::string_view kNames[] = {"MARKER",    "GONE",     "CHANGED", "STABLE",
                                                "STATE",     "FINISHED", "EXITED",  "TIMEOUT",
                                                "CANCELLED", "CLOSED",   "EVICTED", "LOST"};
};

enum class JournalState { ok, degraded };
template <>
struct EnumNames<JournalState> {
  static constexpr std::string_view kNames[] = {"ok", "degraded"};
};

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
  bool newline = false;
  bool backarrow_sends_bs = false;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"application_cursor", "DECCKM: arrows, Home and End are SS3"}, application_cursor);
    v.required({"application_keypad", "DECKPAM"}, application_keypad);
    v.required({"bracketed_paste", "mode 2004"}, bracketed_paste);
    v.required({"mouse", "what the program tracks"}, mouse);
    v.required({"mouse_encoding", "modes 1005, 1006, 1015, 1016"}, mouse_encoding);
    v.required({"focus", "mode 1004"}, focus);
    v.required({"kitty_flags", "flags of the kitty keyboard protocol in force"}, kitty_flags);
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

enum class UnderlineStyle { none, single, twofold, curly, dotted, dashed };
template <>
struct EnumNames<UnderlineStyle> {
  static constexpr std::string_view kNames[] = {"none", "single", "double", "curly", "dotted", "dashed"};
};

/// A part of the screen. On the command line one word: R,C,ROWS,COLS.
struct Region {
  std::int64_t row = 1, col = 1, rows = 1, cols = 1;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"row", "first row, from 1"}, row);
    v.required({"col", "first column, from 1"}, col);
    v.required({"rows", "rows it has"}, rows);
    v.required({"cols", "columns it has"}, cols);
  }
};

/// One cell as shown. Everything but place and text is left out where it is the default.
struct Cell {
  std::int64_t row = 1, col = 1;
  std::string text;
  std::optional<std::string> fg, bg, underline_colour, link;
  std::optional<bool> bold, dim, italic, blink, inverse, hidden, strike, wide, continuation;
  std::optional<UnderlineStyle> underline;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"row", "on the screen, from 1"}, row);
    v.required({"col", "on the screen, from 1"}, col);
    v.required({"text", "the character with its marks; a blank where nothing is; empty in a continuation"},
               text);
    v.optional({"fg", "colour of the text: 0 to 255 of the palette, or #rrggbb; left out: default"}, fg);
    v.optional({"bg", "colour behind it, likewise"}, bg);
    v.optional({"bold", "left out: false, as all that follow"}, bold);
    v.optional({"dim", "SGR 2"}, dim);
    v.optional({"italic", "SGR 3"}, italic);
    v.optional({"underline", "its style; left out: none"}, underline);
    v.optional({"underline_colour", "as fg; left out: that of the text"}, underline_colour);
    v.optional({"blink", "SGR 5 or 6"}, blink);
    v.optional({"inverse", "SGR 7"}, inverse);
    v.optional({"hidden", "SGR 8: written, not seen by a person"}, hidden);
    v.optional({"strike", "SGR 9"}, strike);
    v.optional({"wide", "takes the next column too"}, wide);
    v.optional({"continuation", "second column of a wide character"}, continuation);
    v.optional({"link", "address of its hyperlink, OSC 8 (untrusted)"}, link);
  }
};

/// One line of what is kept. Lines are numbered from 1 since the session's start, wraps joined; a number
/// stays with its line while output grows and whatever a resize does.
struct TextLine {
  std::int64_t line = 1;
  std::string text;
  std::optional<std::int64_t> rows;
  std::optional<bool> clipped;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"line", "its number; the first line ever is 1"}, line);
    v.required({"text", "without trailing blanks (untrusted)"}, text);
    v.optional({"rows", "rows it takes on the screen; left out: 1"}, rows);
    v.optional({"clipped", "true: it is longer than shown"}, clipped);
  }
};

/// How a program ended: a code or a signal, never both; unknown is the absence of an ExitState, with a reason
/// beside it.
struct ExitState {
  std::optional<std::int64_t> code;
  std::optional<std::int64_t> signal;
  std::optional<std::string> name;

  template <class Visitor>
  void fields(Visitor& v) {
    v.optional({"code", "exit status, 0 to 255"}, code);
    v.optional({"signal", "number of the signal that killed it"}, signal);
    v.optional({"name", "the signal's name without SIG"}, name);
  }
};

struct Counters {
  std::int64_t unanswered_queries = 0;
  std::int64_t parser_errors = 0;
  JournalState journal = JournalState::ok;
  std::int64_t gaps = 0;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"unanswered_queries", "terminal queries whose answer came too late or did not fit"},
               unanswered_queries);
    v.required({"parser_errors", "malformed or oversized control sequences"}, parser_errors);
    v.required({"journal", "degraded while the disk takes no writes"}, journal);
    v.required({"gaps", "places where output is missing from the journal"}, gaps);
  }
};

// Fields that many requests have, declared once.
namespace field {
inline constexpr Field sid{"sid", "session", nullptr, "SID", "-s,--session"};
inline constexpr Field detail{"detail", "`full` adds the structured screen", nullptr, {}, {}, Place::wire};
inline constexpr Field request_id{"request_id", "a repeated id is typed once (1 to 64 characters)", nullptr,
                                  "ID"};
inline constexpr Field input_timeout{"timeout_ms", "for a program that does not read",
                                     &limits::input_timeout_ms, "D"};
inline constexpr Field wait_timeout{"timeout_ms", "then reply with reason TIMEOUT", &limits::wait_timeout_ms,
                                    "D"};
inline constexpr Field endless_timeout{
    "timeout_ms", "then reply with reason TIMEOUT", &limits::wait_exit_timeout_ms, "D", {}, Place::both,
    "none"};
}  // namespace field

/// The structured screen: `snapshot --json`, and `screen` in a wait's reply with `detail: full`.
struct Screen {
  std::int64_t schema_version = 1;
  std::int64_t cols = 0, rows = 0;
  std::vector<std::string> lines;
  std::string text;
  Cursor cursor;
  bool alt_screen = false;
  std::string title, cwd;
  State state = State::running;
  bool alive = false;
  std::optional<ExitState> exit;
  std::optional<std::string> exit_reason;
  Modes modes;
  std::vector<HighlightedSpan> highlighted;
  std::int64_t revision = 0, offset = 0;
  std::string hash, visual_hash;
  Counters counters;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"schema_version", "1"}, schema_version);
    v.required({"cols", "columns"}, cols);
    v.required({"rows", "rows"}, rows);
    v.required({"lines", "one string a row, trailing blanks trimmed"}, lines);
    v.required({"text", "the lines joined by newlines, trailing empty rows dropped"}, text);
    v.required({"cursor", "where the next character goes"}, cursor);
    v.required({"alt_screen", "the alternate screen is shown"}, alt_screen);
    v.required({"title", "as the program set it (untrusted)"}, title);
    v.required({"cwd", "working directory: the kernel's word for the program, else as reported"}, cwd);
    v.required({"state", "what goes on, in one word"}, state);
    v.required({"alive", "the program runs"}, alive);
    v.required({"exit", "how the program ended; null while it runs or if unknown"}, exit);
    v.optional({"exit_reason", "why the exit is unknown"}, exit_reason);
    v.required({"modes", "terminal modes in force"}, modes);
    v.required({"highlighted", "runs shown inverse"}, highlighted);
    v.required({"revision", "grows with every change"}, revision);
    v.required({"offset", "bytes of output so far"}, offset);
    v.required({"hash", "of the text, 16 hex digits"}, hash);
    v.required({"visual_hash", "of text, style, cursor and selection, 16 hex digits"}, visual_hash);
    v.required({"counters", "what went wrong quietly"}, counters);
  }
};

}  // namespace smartcli
