#pragma once

// Tells what is on the screen because it was typed. DESIGN section 3, "Echo". Pure.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "session/lines.hpp"

namespace smartcli::session {

/// Recognises the echo of what was typed, without shell marks: once at its kernel rendering where the cursor
/// stood at the fence, and, where it was typed into a canonical terminal, once more if it reappears right
/// after a prompt (a line editor shows type-ahead again); never at column 1 (`cat`).
class EchoTracker {
 public:
  /// Text that is about to be typed, as sent to the program (CR for Enter). `key` is found again by
  /// `reached`.
  void typed(std::uint64_t key, std::string_view bytes);
  /// That input was refused or not taken whole: nothing of it is echo.
  void untyped(std::uint64_t key);
  /// The parser is at the fence of an input that an earlier daemon sent: only its length is known.
  void reached_unknown(Position cursor, std::size_t bytes, bool ends_line);
  /// The terminal's line settings at the write. `silent` is canonical without ECHO: the kernel shows nothing,
  /// a line editor that starts later may.
  enum class LineMode { canonical, silent, raw };
  /// The parser is at the fence of that input.
  void reached(std::uint64_t key, Position cursor, LineMode mode);
  /// Rows were renumbered: cursor positions mean nothing any more.
  void forget_positions();
  /// Lines of `texts` that `mark` has to see: where an echo may begin, and where it may be shown again.
  void find_in(const LineTexts& texts, std::vector<std::size_t>& lines) const;
  /// Sets `line.echo`. Lines come top to bottom.
  void mark(Line& line);

 private:
  struct Typed {
    std::uint64_t key = 0;
    std::string shown;  ///< kernel rendering of one line
    std::string whole;  ///< of the unsent line so far, this included: what a line editor would show again
    bool ends_line = false;
    bool was_reached = false;
    LineMode mode = LineMode::raw;
    bool first_of_key = false;
    std::size_t blind = 0;          ///< so many bytes are echo, whatever they are
    std::string line_before;        ///< the unsent line without this
    std::optional<Position> at;     ///< where its echo starts
    std::optional<Position> again;  ///< where it was shown again
    bool echoed = false;
  };
  static constexpr std::size_t kKept = 64;
  static constexpr std::size_t kLongest = 8192;  ///< a longer line is no echo that anybody waits for

  void add_to_line(std::string_view part);

  std::deque<Typed> typed_;
  std::string line_;  ///< typed and not yet ended by Enter
};

}  // namespace smartcli::session
