#pragma once

// The terminal as the session sees it: bytes and sizes in; screen, events and replies out. Pure: no
// descriptor, no clock. Same bytes split anywhere, same resizes at the same offsets: the identical state
// (DESIGN section 4).

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "proto/types.hpp"
#include "terminal/style.hpp"

namespace smartcli::terminal {

inline constexpr int kMaxCols = 1000, kMaxRows = 500;

struct HistoryLimits {
  std::size_t lines = 10'000;
  std::size_t bytes = 64 << 20;
};

/// A terminal's own answer to a query of the program. Literals, bounded decimals and hex colours only.
struct Reply {
  std::uint64_t offset;  ///< just past the query
  std::uint32_t index;   ///< among the replies to that offset, from 0
  std::string bytes;
};

enum class EventKind { title, icon_title, cwd, bell, mark, clipboard, modes, alt_screen };

/// Something the program did beside drawing. `offset` is just past the sequence. Between two takes only the
/// newest of each kind but `mark` is kept, and the newest 1000 marks.
struct Event {
  EventKind kind;
  std::uint64_t offset;
  std::string text;  ///< title, cwd (as sent), clipboard (decoded), mark: the OSC 133 payload
                     ///< ("D;0;aid=..."); one of OSC 633 (VS Code) begins with "633;"
};

/// True if a character with that stamp was written after `fence`; `now` is the terminal's offset. A stamp is
/// compared by its age, so the wrap of 32 bits does not matter; what is older than 2 GiB of output counts as
/// old.
inline bool is_written_after(std::uint32_t stamp, std::uint64_t fence, std::uint64_t now) {
  const std::uint32_t age = static_cast<std::uint32_t>(now) - stamp;
  return fence < now && age < (1u << 31) && age < now - fence;
}

/// One column of a row as shown.
struct ShownCell {
  std::string text;      ///< the character with its marks; empty: never written or erased, or a second half
  Style style;           ///< `style.link` is of no use outside; see `link`
  std::string link;      ///< OSC 8 address
  bool is_wide = false;  ///< takes the next column too
  bool is_second_half = false;
};

/// One row as text. Bytes of `text` map to columns by `columns`: text[i] belongs to the cell at columns[i].
struct RowText {
  std::string text;                    ///< UTF-8; never-written cells before written ones are spaces
  std::vector<std::uint16_t> columns;  ///< one per byte of `text`, from 0
  /// One per byte: low 32 bits of the offset just past the character's bytes, for `is_written_after`; a
  /// history row gives its newest for all. Cells that were never written have the oldest there is.
  std::vector<std::uint32_t> stamps;
  bool wraps = false;       ///< soft-wrapped: goes on in the next row
  std::size_t trimmed = 0;  ///< length of `text` without trailing blanks
};

struct CursorState {
  int row = 0, col = 0;  ///< from 0; with a pending wrap `col` is the last column
  bool pending_wrap = false;
  bool visible = true;
  CursorShape shape = CursorShape::block;
  bool blink = false;
};

class Terminal {
 public:
  Terminal(Size size, HistoryLimits limits);
  ~Terminal();
  Terminal(Terminal&&) noexcept;
  Terminal& operator=(Terminal&&) noexcept;

  /// Takes the next bytes of output. Lines that leave the screen are kept, whatever the limits, until
  /// `trim_history`.
  void feed(std::string_view bytes);
  /// The same, but returns when the bytes taken have cost about `max_work` cells beyond their own text (a few
  /// bytes may fill or scroll a whole screen; 1 000 000 cells are about a millisecond). Returns how many were
  /// taken, at least one.
  std::size_t feed_some(std::string_view bytes, std::uint64_t max_work);
  /// Bytes taken so far. `set_offset` is for a stream whose beginning is gone.
  std::uint64_t offset() const;
  void set_offset(std::uint64_t offset);

  /// Both screens; reflow of the primary one. Clamped to 1x1 .. kMaxCols x kMaxRows.
  void resize(Size size);
  /// The `clear` verb: wipes screen and history; modes stay. The cursor is home afterwards; with `line` the
  /// logical line that it is in stays, at the top, as far as it was on the screen, and the cursor in it.
  enum class Keep { nothing, line };
  void clear(Keep keep = Keep::nothing);
  /// Back to power-on, history wiped: the program was started again, or what came before is gone.
  void reset();
  /// True between two characters and sequences: no part of one waits for the rest.
  bool is_at_ground() const;
  /// All of its state but replies and events that were not taken, in a form of its own version (see
  /// keyframe.cpp), with the newest `history_lines` rows of history. Empty unless `is_at_ground`.
  std::string keyframe(std::size_t history_lines) const;
  /// The terminal that the keyframe was made of: dump, load, go on is as if it had never stopped, but for
  /// what a resize would have taken back from history that was left out. Stamps and ordinals stay. Errors:
  /// version_mismatch (of another version), internal (damaged).
  static Result<Terminal> from_keyframe(std::string_view bytes, HistoryLimits limits);

  /// Applies the history limits; called once a slice, after waiters have looked.
  void trim_history();

  /// In order. Past 64 KiB they are dropped and counted.
  std::vector<Reply> take_replies();
  std::vector<Event> take_events();

  Size size() const;
  CursorState cursor() const;
  Modes modes() const;
  bool alt_screen() const;
  const std::string& title() const;
  const std::string& cwd() const;         ///< as the program reported it (OSC 7, 9;9, 1337), not checked
  std::uint64_t parser_errors() const;    ///< sequences that were malformed or too long
  std::uint64_t replies_dropped() const;  ///< the queue was full
  std::uint64_t marks_dropped() const;
  bool reverse_video() const;  ///< DECSCNM: the whole screen is shown inverse

  // Rows have ordinals that grow: row r of the primary screen is `screen_top() + r`, and keeps its ordinal
  // when it leaves for history by scrolling. A reflow renumbers. On the alternate screen rows are
  // screen_top() + r too, and history is what the primary screen has.
  std::uint64_t first_row() const;  ///< oldest kept in history
  std::uint64_t screen_top() const;
  /// Any row kept; empty for an ordinal that is not. Cost: one row.
  RowText row_text(std::uint64_t ordinal) const;
  /// Appends that row's text alone, far cheaper. Returns whether it goes on in the next row.
  bool append_row_text(std::uint64_t ordinal, std::string& out) const;
  /// The first of RowText's stamps; nothing for a row without text.
  std::optional<std::uint32_t> row_stamp(std::uint64_t ordinal) const;
  /// Whether that row goes on in the next one.
  bool row_wraps(std::uint64_t ordinal) const;
  // Lines as people count them: soft wraps joined, numbered from 1 since the session's start. A number stays
  // with its line while output grows and whatever a reflow does.
  /// The line of a row that is kept.
  std::uint64_t line_of_row(std::uint64_t ordinal) const;
  /// The first row kept of that line, or of the next one that is kept; screen_top() + rows past the last.
  std::uint64_t row_of_line(std::uint64_t line) const;
  /// Offset of the last change (write, erase, shift, scroll) of screen row r, from 0; a history row never
  /// changes.
  std::uint64_t row_touched(int row) const;
  /// The same, but rows that only moved up with their ordinals did not change: for a reader that caches by
  /// ordinal.
  std::uint64_t row_changed(int row) const;
  /// Any row kept, a cell for each column up to its last one that shows something, the background counting.
  std::vector<ShownCell> row_cells(std::uint64_t ordinal) const;
  std::size_t history_bytes() const;
  /// Number that changes with every renumbering of rows (reflow, clear, reset, switch of screens).
  std::uint64_t layout_epoch() const;

  /// The screen as text: `rows` lines, trailing blanks trimmed.
  std::vector<std::string> screen_text() const;
  std::vector<HighlightedSpan> highlighted() const;
  /// XXH3-64 of the screen's text; and of text, style, cursor and selection, as far as they can be seen.
  /// Equal screens give equal hashes in any run.
  std::uint64_t text_hash() const;
  std::uint64_t visual_hash() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace smartcli::terminal
