#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "terminal/terminal.hpp"

namespace smartcli::terminal {

/// Events until they are taken. Of each kind but `mark` only the newest is kept, so a flood of titles or
/// bells is one; of marks the newest kMaxMarks.
class EventQueue {
 public:
  static constexpr std::size_t kMaxMarks = 1000;

  void push(EventKind kind, std::uint64_t offset, std::string text = {});
  /// In order.
  std::vector<Event> take();
  /// Marks that had to go for newer ones.
  std::uint64_t dropped() const { return dropped_; }

 private:
  friend struct KeyframeFields;

  struct Numbered {
    std::uint64_t number;
    Event event;
  };
  static constexpr std::size_t kKinds = static_cast<std::size_t>(EventKind::alt_screen) + 1;
  std::array<std::optional<Numbered>, kKinds> newest_;
  std::deque<Numbered> marks_;
  std::uint64_t pushed_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace smartcli::terminal
