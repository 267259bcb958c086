#pragma once

// One session: its shim (holder), its journal, its terminal, and who waits for it.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.hpp"
#include "common/error.hpp"
#include "common/worker.hpp"
#include "holder/holder.hpp"
#include "journal/index.hpp"
#include "journal/journal.hpp"
#include "proto/types.hpp"
#include "session/condition.hpp"
#include "session/echo.hpp"
#include "session/lines.hpp"
#include "session/meeting.hpp"
#include "session/pump.hpp"
#include "session/reply_queue.hpp"
#include "session/sieve.hpp"
#include "session/state.hpp"
#include "terminal/terminal.hpp"

namespace smartcli::session {

template <class T>
using Awaitable = boost::asio::awaitable<T>;

/// How a program ended; `unknown` with a reason, never invented.
struct Ending {
  std::optional<ExitState> exit;
  std::string reason;  ///< where `exit` is empty
};

/// In words, for a message.
std::string describe(const Ending& ending);
/// What an input is found by again when the parser comes to its fence.
std::string echo_key(const shim_abi::RequestId& id, std::uint32_t step);

/// A fence: what came before an input, exactly.
struct Fence {
  std::uint64_t offset = 0, revision = 0;
};

/// A screen that a client has seen.
struct Seen {
  std::uint64_t text_hash = 0, visual_hash = 0;
};

/// What an input verb wants typed.
struct Typing {
  std::string text;              ///< bytes for the program, CR for Enter
  bool ends_with_enter = false;  ///< Enter follows `text`: in raw mode a write of its own
  shim_abi::RequestId id{};
  std::chrono::milliseconds stall{5000};
};

struct Typed {
  Fence fence;
  std::uint64_t bytes = 0;
  bool repeated = false;
};

/// How a wait came back.
struct Outcome {
  Reason reason = Reason::timeout;
  std::chrono::milliseconds elapsed{0};
};

class Session final : public Pumped, public holder::Listener, public std::enable_shared_from_this<Session> {
 public:
  struct Setup {
    journal::Index index;
    std::string folder;  ///< of the journal
    std::size_t history_bytes = 64 << 20;
    const Clock* clock = nullptr;
    Worker* files = nullptr;  ///< for what need not be written at once; null: nothing is kept
  };

  /// @param holder  null for a session whose shim is gone: the journal alone is read
  Session(boost::asio::any_io_executor executor, Pump& pump, Setup setup,
          std::unique_ptr<holder::Holder> holder);
  ~Session() override;
  /// Starts reading. Of an adopted session, output that was there before is replayed: nothing in it is
  /// answered.
  enum class Origin { spawned, adopted, unreachable };
  void begin(Origin origin);

  const std::string& sid() const { return setup_.index.sid.text; }
  const journal::Index& index() const { return setup_.index; }
  const std::string& folder() const { return setup_.folder; }
  /// Somebody asked for it by name.
  void note_use() { last_used_ = setup_.clock->now(); }
  /// The last request or output.
  Clock::Steady last_active() const { return std::max(last_used_, last_parsed_); }
  /// That the system ends it outlives this daemon; called again, how its program ended is added. Errors:
  /// resource_exhausted.
  Result<void> mark_grave(EndReason reason);

  // --- what is known now
  bool alive() const { return !ending_ && !lost_; }
  /// Its shim died before its program ended: readable, and nothing else.
  bool is_lost() const { return lost_ && !(ending_ && ending_->exit); }
  /// Its shim may live but could not be taken over: nothing is known to be lost, and nothing can be done yet.
  bool is_unreachable() const { return unreachable_; }
  const std::optional<Ending>& ending() const { return ending_; }
  const terminal::Terminal& terminal() const { return terminal_; }
  /// The size in force; of a journal that nobody looked at yet the one it was started with.
  Size size() const { return begun_ ? terminal_.size() : Size{setup_.index.cols, setup_.index.rows}; }
  std::uint64_t offset() const { return parsed_; }
  std::uint64_t revision() const { return parsed_ + steps_; }
  Fence last_fence(const std::string& client) const;
  std::int32_t child_pid() const;
  std::int64_t last_output_ms() const { return last_output_ms_; }  ///< Unix time; 0: none yet
  Counters counters() const;
  /// The screen as that client has seen it last: before its last input, or when `saw` was called, whichever
  /// is later. A client that saw nothing yet knows the blank screen of the start.
  Seen last_seen(const std::string& client) const;
  /// The screen as it is now goes to that client.
  void saw(const std::string& client);
  /// Output offset that a revision stands for.
  std::uint64_t offset_of(std::uint64_t revision) const;
  /// A resize, clear or restart came after that revision, or its screen was lost: no row is the same.
  bool is_redrawn_since(std::uint64_t revision) const {
    return step_marks_.empty() || revision < step_marks_.back().revision;
  }

  // --- verbs. Each may be called any number of times at once.

  /// Inputs, resizes and such that came after all output so far count from now on, without waiting for the
  /// next output.
  void catch_up();
  /// Returns when all output that is in the journal now has been parsed, and no half-drawn frame is shown (a
  /// synchronized update is waited for, at most 150 ms).
  Awaitable<void> settle_frame();
  /// Between two steps of a verb that takes long: others first.
  Awaitable<void> let_others() { return pump_.let_others(); }
  /// It prints faster than its output is parsed: it runs, nobody need be asked.
  bool is_flooding() const { return alive() && (wants_slot_ || (has_slot_ && parsed_ < reader_.end())); }
  /// The state word, from facts gathered now.
  Awaitable<StateFacts> facts();
  /// Types, whole, in order of arrival. Errors: session_exited, session_gone, line_too_long, input_stalled.
  Awaitable<Result<Typed>> type(Typing typing, std::string client, std::shared_ptr<Cancellation> cancel);
  /// What is not given stays as it is.
  Awaitable<Result<std::uint64_t>> resize(std::optional<int> cols, std::optional<int> rows);
  /// Wipes screen and history; at a shell's prompt that line stays.
  Awaitable<Result<std::uint64_t>> clear();
  /// Ends the program and starts it again, or what `spec` says, with an empty screen and history. Errors:
  /// session_gone, and those of `spawn`: the session then stays as after its program's end.
  Awaitable<Result<std::uint64_t>> restart(std::chrono::milliseconds grace,
                                           std::optional<holder::StartSpec> spec);
  /// Sends a signal. Errors: session_exited, session_gone, and the holder's.
  Awaitable<Result<void>> signal(int number, shim_abi::SignalTarget target);
  /// Waits until the condition holds, the program ends, the deadline passes or `cancel` fires.
  Awaitable<Outcome> wait(std::shared_ptr<Condition> condition, std::uint64_t from_offset, int rows_above,
                          std::optional<std::chrono::milliseconds> timeout,
                          std::shared_ptr<Cancellation> cancel);
  /// Ends the program; the caller then forgets the session. A second call waits for the first and finds it
  /// done. Errors: resource_exhausted (its shim lives and does not answer: nothing was done).
  Awaitable<Result<holder::CloseResult>> close(std::chrono::milliseconds grace, bool tree);
  /// All waits end with this reason.
  void end_waits(Reason reason);
  std::size_t waits() const { return waiters_.size(); }
  /// The daemon goes: stop listening, leave the shim alone.
  void detach();

  // --- Pumped
  bool slice() override;
  void slot_given() override;
  void keep_alive() override;
  // --- holder::Listener
  void on_output() override;
  void on_exited() override { on_output(); }
  void on_hung_up() override { on_output(); }
  void on_journal_health() override {}
  void on_lost() override;

 private:
  struct Waiter {
    std::shared_ptr<Condition> condition;
    boost::asio::steady_timer timer;
    std::optional<Reason> reason = {};
    bool scanned = false;        ///< what was there when it began was looked at
    std::uint64_t from_row = 0;  ///< what is above does not count
  };

  void read_events();
  void apply_events_at(std::uint64_t offset);
  void apply(const journal::Event& event);
  void after_slice(std::uint64_t bytes);
  void notify();
  std::vector<Line> pick_lines(const LineTexts& texts,
                               const std::function<bool(std::string_view)>& may_match);
  void show_lines();
  ScreenSight sight() const;
  bool is_over_for(const Waiter& waiter) const;
  void finish(Waiter& waiter, Reason reason);
  void look_again(std::chrono::milliseconds later);
  void arm();
  void step_at(std::uint64_t offset);
  // session_keyframes.cpp
  void keep_keyframe();
  /// Goes on from the first keyframe that is kept, if there is one near the beginning; returns where.
  std::optional<journal::Start> load_keyframe(const journal::Start& first);
  bool load_keyframe(std::uint64_t segment, const journal::Start& start);
  bool is_in_keyframe(const journal::Event& event);
  bool restart_reading();
  void touch();
  void collect_replies();
  void read_failed(const Error& error);
  Awaitable<void> read_directly();
  void take_ending_from_header();
  Awaitable<void> until_applied(std::uint64_t revision);
  void follow_frame();
  void end_frame();
  void answer_queries();
  void answer_later();
  void grant_up_to(std::uint64_t offset);
  void give_credit(std::uint64_t parsed_now);
  void wake_synced();
  bool is_canonical() const;
  std::int32_t foreground() const;
  Awaitable<void> send_answer(terminal::Reply reply);
  bool foreground_is_shell() const;
  /// The steps of that revision are not all applied yet.
  bool revision_before(std::uint64_t revision) const { return this->revision() < revision && !lost_; }
  Error takes_no_input() const;
  Awaitable<Result<holder::InputResult>> send_piece(const Typing& typing, const std::string& client,
                                                    std::uint32_t step, std::string data,
                                                    Clock::Steady deadline);
  Awaitable<void> until_input_is_read(std::uint64_t written_at);
  Awaitable<std::uint64_t> first_row_for(std::uint64_t from_offset, int rows_above);
  Awaitable<void> scan(Waiter& waiter, std::uint64_t from_offset, int rows_above);
  Awaitable<void> scan_all();
  Awaitable<void> scan_together();

  boost::asio::any_io_executor executor_;
  Pump& pump_;
  Setup setup_;
  std::unique_ptr<holder::Holder> holder_;
  journal::Reader reader_;
  terminal::Terminal terminal_;
  ReplyQueue replies_;
  PromptSigns prompt_signs_;
  EchoTracker echo_;
  LineFeed feed_;
  Sieve sieve_;

  std::uint64_t parsed_ = 0;
  std::uint64_t steps_ = 0;        // resizes, clears and restarts applied
  std::vector<Fence> step_marks_;  // where each came, to turn revisions into offsets
  std::uint64_t event_position_ = 0;
  std::deque<journal::Event> events_;  // read, not yet reached; those that change what is parsed
  std::uint64_t events_read_to_ = 0;   // offset of the last one read
  std::uint64_t keyframed_ = 0;        // segment of the last keyframe
  std::uint64_t skip_until_ = 0, steps_to_skip_ = 0;  // events that the keyframe it began with has seen
  std::uint64_t granted_ = 0;
  Clock::Steady last_parsed_{}, last_used_{};
  std::uint64_t replay_to_ = 0;
  std::uint64_t layout_epoch_ = 0;
  std::uint64_t errors_logged_ = 0;

  std::optional<Ending> ending_;
  bool lost_ = false, unreachable_ = false, closing_ = false, closed_ = false, begun_ = false,
       has_slot_ = false, wants_slot_ = false;
  bool checking_ = false;  // the journal of a session without a shim is still being checked
  bool reading_directly_ = false;
  std::int64_t last_output_ms_ = 0;

  static constexpr std::size_t kClients = 1024;
  Fence fence_;                          // of the last input by anybody
  std::map<std::string, Fence> fences_;  // by client_id
  struct Sent {
    std::string key;     // request id and step as bytes
    std::uint64_t echo;  // key of EchoTracker
    std::string client;
  };
  std::deque<Sent> sent_;             // inputs whose fence the parser may still come to
  std::map<std::string, Seen> seen_;  // by client_id
  Seen nothing_seen_;
  Clock::Steady last_typed_{};
  std::uint64_t next_echo_key_ = 1;

  std::list<Waiter*> waiters_;
  std::vector<Waiter*> to_scan_, scanned_now_;  // have begun, and what was there is still to be looked at
  bool is_scanning_ = false;
  std::list<std::pair<std::uint64_t, boost::asio::steady_timer*>> synced_;  // waiting until so much is parsed
  std::list<boost::asio::steady_timer*> frame_waiters_;
  bool frame_open_ = false;  // a synchronized update is being drawn
  bool frame_late_ = false;  // for longer than readers wait
  boost::asio::steady_timer look_timer_, frame_timer_, answer_timer_;
  FifoLock input_lock_, close_lock_;
};

}  // namespace smartcli::session
