#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <vector>

namespace smartcli::session {

/// What the pump turns: one session's output.
class Pumped {
 public:
  virtual ~Pumped() = default;
  /// Parses one slice: at most kSliceBytes or kSliceTime. True if more is there already.
  virtual bool slice() = 0;
  /// A flood slot was given: grant more credit now.
  virtual void slot_given() = 0;
  /// Still waiting for a slot: move the credit a little, so that the shim sees a live daemon.
  virtual void keep_alive() = 0;
};

/// One slice of one session at a time; sessions never post slices themselves (DESIGN section 3). Before each
/// slice all else that is ready on the loop runs: a request takes several handlers, and none of them waits
/// for a slice of its own. Also hands out the flood slots: only so many sessions that produce faster than
/// they are parsed hold more than the quiet credit at once, in turn.
class Pump {
 public:
  static constexpr std::size_t kSliceBytes = 256 << 10;
  static constexpr int kSliceMicroseconds = 2000;
  static constexpr std::size_t kFloodSlots = 4;  ///< at most
  static constexpr std::uint64_t kTurnBytes =
      1 << 20;  ///< parsed by a slot's holder before it goes to the next in line
  /// Ahead of the parser: of a flood that is alone, and of one among others, whose programs together must not
  /// produce more than the readers of their screens want to wait for.
  static constexpr std::uint64_t kLoneCredit = 1 << 20, kSharedCredit = 128 << 10;

  /// @param executor    of an io_context
  /// @param processors  there are so many flood slots, at least one and at most kFloodSlots: programs that
  /// compete for the processors with each other do with this daemon too
  explicit Pump(boost::asio::any_io_executor executor, std::size_t processors = kFloodSlots)
      : executor_(executor),
        flood_slots_(std::clamp(processors, std::size_t{1}, kFloodSlots)),
        alive_timer_(executor) {}

  /// The session has output to parse. Harmless if it is in line already.
  void wake(std::shared_ptr<Pumped> session);
  /// The same, and somebody waits for it: it comes next.
  void wake_first(std::shared_ptr<Pumped> session);
  /// The session used up its credit: it gets a slot now or in its turn.
  void want_slot(const std::shared_ptr<Pumped>& session);
  /// The holder parsed so many bytes; true if it may have more credit, false if its turn is over: it then
  /// uses up what it was granted and releases the slot, so that never more floods than slots are under way.
  bool use_slot(const Pumped* session, std::uint64_t bytes);
  /// Its slot, or its place in the line for one.
  void release_slot(const Pumped* session);
  /// For the holder of a slot, in bytes after what is parsed.
  std::uint64_t slot_credit() const {
    return slots_.size() > 1 || !slot_line_.empty() ? kSharedCredit : kLoneCredit;
  }
  void forget(const Pumped* session);
  /// Between two steps of long work on the loop: what is ready runs first, and where output waits to be
  /// parsed a slice of it.
  boost::asio::awaitable<void> let_others();

 private:
  /// Who waits for a slot has its credit moved so often, well under the shim's 2 s.
  static constexpr std::chrono::microseconds kAlive{800'000};

  struct Slot {
    std::shared_ptr<Pumped> holder;
    std::uint64_t used = 0;
  };
  struct Waiting {
    std::shared_ptr<Pumped> session;
    std::uint64_t moved = 0;  // its credit, for the last time: a count of all moves
  };
  void come_soon();
  void serve_others();
  void turn();
  void give_slots();
  void watch_line();

  boost::asio::any_io_executor executor_;
  std::size_t flood_slots_;
  boost::asio::steady_timer alive_timer_;
  std::deque<std::shared_ptr<Pumped>> line_;  // to be parsed
  std::deque<Waiting> slot_line_;
  std::vector<Slot> slots_;
  std::list<boost::asio::steady_timer*> resting_;  // long work, until the next slice is done
  const Pumped* turned_ = nullptr;                 // whose slice it is now; null once it was forgotten in it
  bool turning_ = false;
  bool watching_ = false;
  std::uint64_t moves_ = 0;
};

}  // namespace smartcli::session
