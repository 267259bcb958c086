#pragma once

// The terminal's own answers on their way to the program: held while they could end up in the wrong hands.
// Pure.

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/terminal.hpp"

namespace smartcli::session {

/// Decides when an answer goes out. An answer that comes late becomes a command at a prompt, so: it is held
/// until all output is parsed, and while the terminal is canonical; it is dropped once a prompt followed its
/// query, the foreground group changed, or 500 ms passed (DESIGN section 2).
class ReplyQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kLatest{500};
  static constexpr std::chrono::milliseconds kPromptComes{
      20};  ///< a prompt follows the change to raw mode within this

  struct Facts {
    bool drained = false;         ///< all that the program wrote so far is parsed
    bool canonical = false;       ///< ICANON
    std::int32_t foreground = 0;  ///< process group
    bool shell = false;           ///< of a shell: its line editor goes raw just before it shows a prompt
  };
  struct Decision {
    std::vector<terminal::Reply> send;
    std::vector<terminal::Reply> drop;
  };

  void add(std::vector<terminal::Reply> replies, std::int32_t foreground, Time now);
  /// A sign of a prompt at this offset: an OSC 133 mark A or D, or a line editor's bracketed paste on.
  void prompt_seen(std::uint64_t offset);
  Decision decide(const Facts& facts, Time now);
  bool empty() const { return held_.empty(); }
  /// When to decide again although nothing was written: echo and canonical mode change without output.
  Time next_look() const { return next_look_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Held {
    terminal::Reply reply;
    std::int32_t foreground;
    Time since;
    bool prompt_followed = false;
    bool was_canonical = false;
    std::optional<Time> raw_since;
  };
  std::deque<Held> held_;
  std::uint64_t dropped_ = 0;
  Time next_look_{};
  std::chrono::milliseconds step_{1};
};

/// Finds the signs of a prompt in the output: OSC 133 marks A and D, bracketed paste on. Split anywhere, they
/// are found.
class PromptSigns {
 public:
  /// Offset just past the last sign that ends in `bytes`, or 0. `start`: offset of bytes[0]; bytes that do
  /// not follow those of the last call begin anew.
  std::uint64_t find(std::string_view bytes, std::uint64_t start);

 private:
  std::string tail_;  // the last bytes seen, too few for a whole sign
  std::uint64_t end_ = 0;
};

}  // namespace smartcli::session
