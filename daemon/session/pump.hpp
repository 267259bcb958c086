#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
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

/// One slice of one session at a time, then back to the loop, so that sockets are looked at between slices;
/// sessions never post slices themselves (DESIGN section 3). Also hands out the flood slots: at most
/// kFloodSlots sessions that produce faster than they are parsed hold more than the quiet credit at once, in
/// turn.
class Pump {
 public:
  static constexpr std::size_t kSliceBytes = 256 << 10;
  static constexpr int kSliceMicroseconds = 2000;
  static constexpr std::size_t kFloodSlots = 4;
  static constexpr std::uint64_t kTurnBytes =
      1 << 20;  ///< parsed by a slot's holder before it goes to the next in line

  explicit Pump(boost::asio::any_io_executor executor) : executor_(executor), alive_timer_(executor) {}

  /// The session has output to parse. Harmless if it is in line already.
  void wake(std::shared_ptr<Pumped> session);
  /// The session used up its credit: it gets a slot now or in its turn.
  void want_slot(const std::shared_ptr<Pumped>& session);
  /// The holder parsed so many bytes; true if the slot is its own for longer.
  bool use_slot(const Pumped* session, std::uint64_t bytes);
  void release_slot(const Pumped* session);
  void forget(const Pumped* session);

 private:
  struct Slot {
    std::shared_ptr<Pumped> holder;
    std::uint64_t used = 0;
  };
  void turn();
  void give_slots();
  void watch_line();

  boost::asio::any_io_executor executor_;
  boost::asio::steady_timer alive_timer_;
  std::deque<std::shared_ptr<Pumped>> line_;  // to be parsed
  std::deque<std::shared_ptr<Pumped>> slot_line_;
  std::vector<Slot> slots_;
  const Pumped* turned_ = nullptr;  // whose slice it is now; null once it was forgotten in it
  bool turning_ = false;
  bool watching_ = false;
};

}  // namespace smartcli::session
