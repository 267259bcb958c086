#pragma once

#include <termios.h>

#include <cstddef>
#include <cstdint>

namespace smartcli::shim {

/// Counts what the kernel keeps of the line being typed in canonical mode, over all that was sent since the
/// last line end: past 4095 bytes it drops the rest without a word. Pure.
///
/// Where it cannot know, it counts too much rather than too little: an erased character counts as one byte
/// even if it was several, an erased word does not count back at all, and what a program flushed or read in
/// another mode meanwhile is forgotten only at the next line end, kill or interrupt character, or at a write
/// in raw mode.
class LineLimit {
 public:
  static constexpr std::uint32_t kMost = 4095;

  /// @return whether all of `data` would be kept; only then does the count move on
  bool accept(const termios& settings, const char* data, std::size_t bytes);
  /// Before a write that was accepted but got no further than a part of it nothing is undone: the rest
  /// follows, or the count is too high.
  void reset() {
    count_ = 0;
    literal_next_ = false;
  }
  std::uint32_t count() const { return count_; }

 private:
  std::uint32_t count_ = 0;
  bool literal_next_ = false;
};

}  // namespace smartcli::shim
