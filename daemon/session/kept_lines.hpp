#pragma once

// All that is kept of a session's output, history and screen, as lines of text: what `read` and `search` go
// through. Pure; each step does a bounded amount of work, and output may come between two steps.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/pattern.hpp"
#include "terminal/terminal.hpp"

namespace smartcli::session {

enum class Wraps { joined, as_shown };

/// One line. Rows are ordinals, its number is a line number, as in terminal.hpp.
struct KeptLine {
  std::uint64_t number = 0;
  std::uint64_t row = 0;   ///< its first row
  std::uint64_t rows = 0;  ///< that it takes; 0: there is no such row
  std::string text;        ///< without trailing blanks
  bool is_clipped = false;
};

/// Past the last row that shows text; `first_row()` if none does. Blank rows at the end are not looked
/// through without end: after 20 000 the rest counts as text.
std::uint64_t end_of_text(const terminal::Terminal& terminal);

/// First row of the line that `row` belongs to. A line of more cells than 64 Ki comes in pieces, cut at the
/// same rows wherever one begins to read.
std::uint64_t line_begin(const terminal::Terminal& terminal, std::uint64_t row);

/// Puts the line that begins at `row` behind what `out` holds, and returns the rows that it takes; 0 if that
/// row is not kept.
std::uint64_t append_line(const terminal::Terminal& terminal, std::uint64_t row, Wraps wraps,
                          std::string& out);

/// Cuts at a character; true if something went.
bool clip(std::string& text, std::size_t most);

using Deadline = std::chrono::steady_clock::time_point;

/// A part of what is kept, line by line from its first to its last.
class Reading {
 public:
  struct Page {
    std::uint64_t number = 0;  ///< from the newest, 0
    std::uint64_t rows = 24;
  };
  struct Range {
    std::uint64_t first = 1, last = UINT64_MAX;  ///< numbers of lines
  };
  /// Past the top: the oldest page. A line is on the page that it ends on.
  Reading(const terminal::Terminal& terminal, Page page, Wraps wraps);
  /// Lines that are not kept are left out.
  Reading(const terminal::Terminal& terminal, Range range, Wraps wraps);

  std::uint64_t oldest() const { return oldest_; }  ///< number of the oldest line kept when it began
  std::uint64_t total() const { return total_; }    ///< lines kept, blank ones at the end not counted
  std::uint64_t page() const { return page_; }
  std::uint64_t pages() const { return pages_; }
  std::uint64_t last_line() const { return last_line_; }  ///< number of the last one it will come to; 0: none
  std::uint64_t next() const { return next_; }            ///< row of the line that comes next
  bool is_done() const { return next_ >= end_; }

  /// The next line, if there is one. `text` is clipped to `most` bytes.
  std::optional<KeptLine> take(std::size_t most);

 private:
  void begin_at(std::uint64_t row, std::uint64_t end);

  const terminal::Terminal& terminal_;
  Wraps wraps_;
  std::uint64_t oldest_, total_, page_ = 0, pages_ = 1;
  std::uint64_t next_ = 0, end_ = 0;
  std::uint64_t line_ = 1, last_line_ = 0;  // numbers of what comes next, and last
  std::uint64_t epoch_ = 0;    // rows were renumbered since: the numbers of lines tell where to go on
  bool is_cut_below_ = false;  // a line that goes on past the end belongs to the page below
};

/// Lines that match.
class LineSearch {
 public:
  struct Options {
    std::uint64_t limit = 100, skip = 0, context = 0;
    std::size_t text_bytes = 4096;  ///< of a line in a hit; longer ones are clipped around the match
  };
  struct Hit {
    KeptLine line;
    std::string match;
    std::vector<KeptLine> before, after;
  };
  /// Errors: invalid_pattern.
  static Result<LineSearch> make(const terminal::Terminal& terminal, std::string_view pattern,
                                 Pattern::Options how, Options options);

  /// Looks on until the deadline, and not much longer: at some 16 KiB at once. `on_hit` is given each hit
  /// that is wanted; if it returns false, hits are only counted from then on.
  void step(Deadline deadline, const std::function<bool(Hit)>& on_hit);
  bool is_done() const;
  std::uint64_t next() const { return next_; }  ///< row that comes next
  std::uint64_t total() const { return total_; }
  std::uint64_t oldest() const { return oldest_; }
  std::uint64_t rows() const { return rows_; }  ///< looked at

 private:
  LineSearch(const terminal::Terminal& terminal, Pattern pattern, std::optional<Pattern> filter,
             Options options);
  void follow_rows();
  void fill();
  struct Piece {
    std::size_t begin, end;  // bytes of block_
    std::uint64_t row, rows, number;
  };
  void look(const Piece& piece, std::string_view text, const std::function<bool(Hit)>& on_hit);
  std::vector<KeptLine> above(const Piece& piece) const;
  std::vector<KeptLine> below(const Piece& piece) const;

  const terminal::Terminal* terminal_;
  Pattern pattern_;
  std::optional<Pattern> filter_;  // finds where in many lines at once a match may begin
  Options options_;
  std::uint64_t oldest_, next_, end_;
  std::uint64_t line_, epoch_;  // number of what comes next; as in Reading
  std::uint64_t total_ = 0, rows_ = 0;
  bool takes_hits_ = true;
  std::string block_;          // lines that are looked at now, each with a newline behind it
  std::vector<Piece> pieces_;  // the lines of the block
  std::size_t at_ = 0;         // the piece that comes next
};

}  // namespace smartcli::session
