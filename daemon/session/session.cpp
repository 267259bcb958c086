#include "session/session.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <cstring>

#include "common/log.hpp"
#include "common/signals.hpp"
#include "proto/limits.hpp"

namespace smartcli::session {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kBurstBytes =
    4096;  ///< a slice with so much is a burst: look again instead of waiting for a wake-up
/// A flood is over when nothing came for so long: its program may just be waiting for a processor.
constexpr auto kSlotIdle = 50ms;
constexpr std::uint64_t kAliveCredit = 64;       ///< a sign of life, too little to set a program going
constexpr std::size_t kCheckBytes = 1 << 20;     ///< of a journal without a shim, checked in one turn
constexpr std::uint64_t kSliceWork = 1'000'000;  ///< cells that a few bytes may cost: about a millisecond
constexpr auto kFactsWait = 500ms;
constexpr std::string_view kFrameEnd = "\x1b[?2026l";

Ending ending_from(shim_abi::ExitKind kind, int value) {
  Ending ending;
  if (kind == shim_abi::ExitKind::code) {
    ending.exit = ExitState{value, std::nullopt, std::nullopt};
  } else if (kind == shim_abi::ExitKind::signal) {
    ending.exit = ExitState{std::nullopt, value, signal_name(value)};
  } else {
    ending.reason = "nobody could collect its status";
  }
  return ending;
}

}  // namespace

std::string describe(const Ending& ending) {
  if (!ending.exit) return "status unknown: " + ending.reason;
  if (ending.exit->code) return std::to_string(*ending.exit->code);
  return "killed by signal " + std::to_string(*ending.exit->signal) + " (" + ending.exit->name.value_or("?") +
         ")";
}

std::string echo_key(const shim_abi::RequestId& id, std::uint32_t step) {
  std::string key(reinterpret_cast<const char*>(id.bytes), sizeof id.bytes);
  key.append(reinterpret_cast<const char*>(&step), sizeof step);
  return key;
}

Session::Session(boost::asio::any_io_executor executor, Pump& pump, Setup setup,
                 std::unique_ptr<holder::Holder> holder)
    : executor_(executor),
      pump_(pump),
      setup_(std::move(setup)),
      holder_(std::move(holder)),
      reader_(setup_.folder, holder_ ? &holder_->header() : nullptr, holder_ ? holder_->spool() : -1),
      terminal_(
          Size{setup_.index.cols, setup_.index.rows},
          terminal::HistoryLimits{static_cast<std::size_t>(setup_.index.scrollback), setup_.history_bytes}),
      look_timer_(executor),
      frame_timer_(executor),
      answer_timer_(executor),
      input_lock_(executor),
      close_lock_(executor) {
  last_used_ = setup_.clock->now();
  nothing_seen_ = {terminal_.text_hash(), terminal_.visual_hash()};
}

Result<void> Session::mark_grave(EndReason reason) {
  if (!setup_.index.grave) {
    setup_.index.grave.emplace();
    setup_.index.grave->ended_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(setup_.clock->wall().time_since_epoch())
            .count();
  }
  setup_.index.grave->reason = reason;
  if (ending_) setup_.index.grave->exit = ending_->exit;
  return journal::save(setup_.folder, setup_.index);
}

Session::~Session() {
  if (holder_) holder_->listen(nullptr);
}

void Session::begin(Origin origin) {
  unreachable_ = origin == Origin::unreachable;
  if (!holder_) {
    // Read when somebody looks: a journal is checked whole before it is believed.
    lost_ = !unreachable_;
    replay_to_ = UINT64_MAX;
    if (const auto record = reader_.exit()) ending_ = ending_from(record->kind, record->value);
    return;
  }
  begun_ = true;
  replay_to_ = origin == Origin::adopted ? reader_.end() : 0;
  restart_reading();
  if (holder_) {
    const auto& header = holder_->header();
    if (const auto count = header.marks_written.load(std::memory_order_acquire); count > 0) {
      const auto& mark = header.marks[(count - 1) % shim_abi::kMarks];
      fence_ = {mark.offset, mark.revision};
    }
    take_ending_from_header();  // known at once, however much there is to replay
    // Its program goes on at once, also while what it wrote before is replayed.
    grant_up_to(reader_.end() + shim_abi::kQuietCredit);
    holder_->listen(this);
  }
  pump_.wake(shared_from_this());
}

void Session::take_ending_from_header() {
  const auto& header = holder_->header();
  const auto phase = static_cast<shim_abi::Phase>(header.phase.load(std::memory_order_acquire));
  const auto kind = static_cast<shim_abi::ExitKind>(header.exit_kind.load(std::memory_order_acquire));
  const bool has_ended = phase == shim_abi::Phase::ended || phase == shim_abi::Phase::closed;
  if (has_ended && kind != shim_abi::ExitKind::none) ending_ = ending_from(kind, header.exit_value);
}

void Session::touch() {
  if (begun_ || holder_) return;
  begun_ = true;
  checking_ = true;
  pump_.wake(shared_from_this());
}

bool Session::restart_reading() {
  auto start = reader_.start();
  if (!start) {
    read_failed(start.error());
    return false;
  }
  skip_until_ = steps_to_skip_ = 0;
  if (const auto loaded = start->offset == 0 ? std::nullopt : load_keyframe(*start)) {
    *start = *loaded;
  } else {
    // A fresh one stays as it is: its first row is the first one ever.
    if (terminal_.offset() > 0 || steps_ > 0) terminal_.reset();
    terminal_.set_offset(start->offset);
    terminal_.resize(Size{start->cols, start->rows});
    parsed_ = start->offset;
    steps_ = start->revision_steps;
  }
  layout_epoch_ = terminal_.layout_epoch();
  step_marks_.clear();
  step_marks_.push_back({parsed_, parsed_ + steps_});
  event_position_ = start->event_position;
  events_.clear();
  events_read_to_ = parsed_;
  return true;
}

void Session::read_failed(const Error& error) {
  if (errors_logged_++ == 0) log::error(sid() + ": " + error.message);
  // Descriptors may be short, a disk slow: asked again, never in a tight loop.
  look_timer_.expires_after(200ms);
  look_timer_.async_wait([weak = weak_from_this()](boost::system::error_code cancelled) {
    const auto self = weak.lock();
    if (!cancelled && self) self->pump_.wake(self);
  });
}

// --- parsing

void Session::read_events() {
  constexpr std::size_t kAtOnce = 1024;
  // As far ahead as the next read of output may reach.
  while (event_position_ < reader_.events_end() && events_read_to_ <= parsed_ + kReadBytes) {
    const auto before = event_position_;
    auto read = reader_.read_events(event_position_, kAtOnce);
    if (!read) {
      read_failed(read.error());
      return;
    }
    for (const auto& event : *read) {
      events_read_to_ = std::max(events_read_to_, event.offset);
      using shim_abi::EventType;
      if (event.type == EventType::time) {
        last_output_ms_ = event.time_ns / 1'000'000;
      } else if (event.type != EventType::first && event.type != EventType::reply &&
                 event.type != EventType::write_done && !is_in_keyframe(event)) {
        events_.push_back(event);
      }
    }
    if (event_position_ == before) return;
  }
}

void Session::step_at(std::uint64_t offset) {
  ++steps_;
  step_marks_.push_back({offset, offset + steps_});
}

void Session::apply(const journal::Event& event) {
  using shim_abi::EventType;
  switch (event.type) {
    case EventType::resize:
      terminal_.resize(Size{event.cols, event.rows});
      step_at(event.offset);
      break;
    case EventType::clear:
      terminal_.clear((event.flags & shim_abi::kClearKeepLine) != 0 ? terminal::Terminal::Keep::line
                                                                    : terminal::Terminal::Keep::nothing);
      step_at(event.offset);
      break;
    case EventType::restart:
      terminal_.reset();
      terminal_.resize(Size{event.cols, event.rows});
      ending_.reset();
      step_at(event.offset);
      break;
    case EventType::gap:
      if (event.reason != shim_abi::GapReason::none && event.reason != shim_abi::GapReason::cap)
        terminal_.clear();
      break;
    case EventType::input: {
      const Fence fence{event.offset, event.offset + steps_};
      if (fence.revision > fence_.revision) fence_ = fence;
      const Position at = cursor_position(terminal_);
      const bool canonical = (event.line_flags & shim_abi::kLineCanonical) != 0;
      const bool echoes = (event.line_flags & shim_abi::kLineEcho) != 0;
      const auto mode = !canonical ? EchoTracker::LineMode::raw
                        : echoes   ? EchoTracker::LineMode::canonical
                                   : EchoTracker::LineMode::silent;
      const std::string key = echo_key(event.id, event.step);
      bool known = false;
      std::string client;
      for (const auto& sent : sent_) {
        if (sent.key != key) continue;
        known = true;
        client = sent.client;
        echo_.reached(sent.echo, at, mode);
      }
      saw(client);
      if (!known && mode == EchoTracker::LineMode::canonical) {
        const bool ends = (event.flags & shim_abi::kInputEndsLine) != 0;
        echo_.reached_unknown(at, event.bytes - (ends && event.bytes > 0 ? 1 : 0), ends);
      }
      break;
    }
    case EventType::exit: ending_ = ending_from(event.exit_kind, event.exit_value); break;
    case EventType::time:
    case EventType::first:
    case EventType::reply:
    case EventType::write_done: break;
  }
}

void Session::apply_events_at(std::uint64_t offset) {
  while (!events_.empty() && events_.front().offset <= offset) {
    apply(events_.front());
    events_.pop_front();
  }
}

void Session::catch_up() {
  if (!begun_ || checking_ || reading_directly_) return;
  read_events();
  apply_events_at(parsed_);
  pump_.wake(shared_from_this());
}

void Session::collect_replies() {
  auto replies = terminal_.take_replies();
  if (!holder_ || replies.empty()) return;
  std::erase_if(replies, [this](const auto& reply) { return reply.offset <= replay_to_; });
  if (!replies.empty()) replies_.add(std::move(replies), foreground(), setup_.clock->now());
}

bool Session::slice() {
  if (!begun_ || reading_directly_) return false;
  if (checking_) {
    if (!reader_.check(kCheckBytes)) return true;
    checking_ = false;
    if (!restart_reading()) return false;
  }
  static std::string buffer(kReadBytes, '\0');  // one slice at a time, on one thread
  const auto started = std::chrono::steady_clock::now();
  std::uint64_t done = 0;
  bool failed = false;
  // In this order: every event that belongs before one of these bytes is then there.
  const std::uint64_t end = reader_.end();
  read_events();
  apply_events_at(parsed_);
  while (parsed_ < end && done < Pump::kSliceBytes) {
    std::uint64_t stop = std::min<std::uint64_t>(end, parsed_ + kReadBytes);
    if (!events_.empty()) stop = std::min(stop, events_.front().offset);
    auto read = reader_.read(parsed_, std::span(buffer.data(), static_cast<std::size_t>(stop - parsed_)));
    if (!read && read.error().code == ErrorCode::session_gone && restart_reading()) {
      continue;  // the cap dropped it while nobody read
    }
    if (!read || *read == 0) {
      if (!read) read_failed(read.error());
      failed = !read;
      break;
    }
    std::string_view bytes(buffer.data(), *read);
    // A frame that ends is shown before the next one begins.
    const auto frame_end = frame_open_ || !frame_waiters_.empty() || !waiters_.empty()
                               ? bytes.find(kFrameEnd)
                               : std::string_view::npos;
    if (frame_end != std::string_view::npos) bytes = bytes.substr(0, frame_end + kFrameEnd.size());
    bytes = bytes.substr(0, terminal_.feed_some(bytes, kSliceWork));
    const std::uint64_t from = parsed_;
    parsed_ += bytes.size();
    done += bytes.size();
    collect_replies();
    if (!replies_.empty()) {
      // A line editor of the shell; other programs turn on bracketed paste right after their own queries.
      const auto sign = prompt_signs_.find(bytes, from);
      if (sign != 0 && foreground_is_shell()) replies_.prompt_seen(sign);
    }
    (void)terminal_.take_events();
    follow_frame();
    read_events();
    apply_events_at(parsed_);
    keep_keyframe();
    collect_replies();
    if (std::chrono::steady_clock::now() - started > std::chrono::microseconds(Pump::kSliceMicroseconds))
      break;
  }
  after_slice(done);
  return !failed && parsed_ < reader_.end();
}

void Session::after_slice(std::uint64_t done) {
  if (terminal_.layout_epoch() != layout_epoch_) {
    layout_epoch_ = terminal_.layout_epoch();
    echo_.forget_positions();
  }
  const bool drained = parsed_ >= reader_.end();
  if (drained && lost_ && !ending_) {
    if (const auto record = reader_.exit()) {
      ending_ = ending_from(record->kind, record->value);
    } else {
      ending_ = Ending{std::nullopt, "its shim died before the program's end"};
    }
  }
  answer_queries();
  give_credit(done);
  notify();
  // What scrolled away within a frame is still to be looked at when the frame ends.
  if (waiters_.empty() || !frame_open_ || frame_late_) terminal_.trim_history();
  wake_synced();
  if (!drained || holder_ == nullptr || lost_) return;
  if (done >= kBurstBytes) {
    look_again(1ms);
    return;
  }
  arm();
  if (has_slot_) look_again(kSlotIdle);
}

void Session::arm() {
  if (holder_) holder_->arm_output(parsed_, event_position_);
}

void Session::look_again(std::chrono::milliseconds later) {
  look_timer_.expires_after(later);
  look_timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    if (self->reader_.end() <= self->parsed_) self->give_credit(0);
    if (self->reader_.end() > self->parsed_) {
      self->pump_.wake(self);
      return;
    }
    self->arm();
    if (self->has_slot_) self->look_again(kSlotIdle);
  });
}

void Session::grant_up_to(std::uint64_t offset) {
  if (!holder_ || offset <= granted_) return;
  granted_ = offset;
  holder_->grant(granted_);
}

void Session::give_credit(std::uint64_t parsed_now) {
  if (!holder_ || lost_) {
    if (has_slot_ || wants_slot_) pump_.release_slot(this);
    has_slot_ = wants_slot_ = false;
    return;
  }
  const std::uint64_t end = reader_.end();
  const auto now = setup_.clock->now();
  if (parsed_now > 0) last_parsed_ = now;
  if (has_slot_) {
    const bool goes_on = pump_.use_slot(this, parsed_now);
    const bool calm = parsed_ >= end && end < granted_ && now - last_parsed_ >= kSlotIdle;
    if (!calm && (goes_on || parsed_ < granted_)) {
      if (goes_on) grant_up_to(parsed_ + pump_.slot_credit());
      return;
    }
    has_slot_ = false;
    pump_.release_slot(this);
  }
  if (wants_slot_) return;  // its turn comes, and tells whether there is still a flood
  if (end < granted_) {
    grant_up_to(parsed_ + shim_abi::kQuietCredit);
  } else {
    wants_slot_ = true;
    pump_.want_slot(shared_from_this());
  }
}

void Session::slot_given() {
  has_slot_ = true;
  wants_slot_ = false;
  last_parsed_ = setup_.clock->now();
  grant_up_to(parsed_ + pump_.slot_credit());
  pump_.wake(shared_from_this());
}

void Session::keep_alive() {
  grant_up_to(granted_ + kAliveCredit);
}

void Session::on_output() {
  pump_.wake(shared_from_this());
}

void Session::on_lost() {
  if (closing_) return;
  log::warning(sid() + ": its shim is gone");
  lost_ = true;
  // It may have written the exit down before.
  if (const auto record = ending_ ? std::nullopt : reader_.exit())
    ending_ = ending_from(record->kind, record->value);
  pump_.wake(shared_from_this());
  if (!ending_ && holder_ && holder_->master() >= 0) {
    boost::asio::co_spawn(executor_, read_directly(), boost::asio::detached);
  }
}

Awaitable<void> Session::read_directly() {
  const auto self = shared_from_this();
  while (parsed_ < reader_.end() && begun_) {
    co_await settle_frame();
  }
  // Nobody journals any more; what the program still writes is seen, and the program does not block on it.
  const int copy = ::fcntl(holder_->master(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0 || !begun_) {
    if (copy >= 0) ::close(copy);
    co_return;
  }
  boost::asio::posix::stream_descriptor master(executor_, copy);
  boost::system::error_code error;
  master.native_non_blocking(true, error);
  reading_directly_ = true;
  std::string block(16384, '\0');
  while (!error && begun_ && !closing_) {
    const std::size_t n = co_await master.async_read_some(
        boost::asio::buffer(block), boost::asio::redirect_error(boost::asio::use_awaitable, error));
    if (error || n == 0) break;
    terminal_.feed(std::string_view(block.data(), n));
    (void)terminal_.take_replies();
    (void)terminal_.take_events();
    parsed_ += n;
    follow_frame();
    notify();
    terminal_.trim_history();
  }
}

// --- verbs

Awaitable<Result<std::uint64_t>> Session::resize(std::optional<int> cols, std::optional<int> rows) {
  const auto self = shared_from_this();
  if (unreachable_ || !alive() || !holder_) co_return takes_no_input();
  co_await settle_frame();
  if (!alive() || !holder_) co_return takes_no_input();
  auto revision = co_await holder_->resize(cols.value_or(static_cast<int>(terminal_.size().cols)),
                                           rows.value_or(static_cast<int>(terminal_.size().rows)));
  if (revision) co_await until_applied(*revision);
  co_return revision;
}

Awaitable<void> Session::until_applied(std::uint64_t revision) {
  const auto self = shared_from_this();
  // The record is in the journal: one turn of the pump and the screen has it too.
  const auto until = setup_.clock->now() + 1s;
  while (begun_ && revision_before(revision) && setup_.clock->now() < until) {
    pump_.wake(self);
    co_await boost::asio::post(executor_, boost::asio::use_awaitable);
  }
}

Awaitable<Result<std::uint64_t>> Session::clear() {
  const auto self = shared_from_this();
  if (unreachable_ || !alive() || !holder_) co_return takes_no_input();
  co_await settle_frame();
  const auto now = co_await facts();
  if (!alive() || !holder_) co_return takes_no_input();
  auto revision = co_await holder_->clear(now.state == State::prompt);
  if (revision) co_await until_applied(*revision);
  co_return revision;
}

Awaitable<Result<std::uint64_t>> Session::restart(std::chrono::milliseconds grace,
                                                  std::optional<holder::StartSpec> spec) {
  const auto self = shared_from_this();
  if (unreachable_ || lost_ || closing_ || !holder_) co_return takes_no_input();
  auto index = setup_.index;
  if (spec) {
    index.argv.clear();
    for (const auto& argument : spec->argv) index.argv.push_back(Bytes{argument});
    index.cwd = Bytes{spec->cwd};
  }
  auto revision = co_await holder_->restart(grace, std::move(spec));
  if (!revision) co_return revision.error();
  index.started_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(setup_.clock->wall().time_since_epoch()).count();
  setup_.index = std::move(index);
  if (auto saved = journal::save(setup_.folder, setup_.index); !saved)
    log::warning(sid() + ": " + saved.error().message);
  co_await until_applied(*revision);
  co_return revision;
}

Awaitable<Result<void>> Session::signal(int number, shim_abi::SignalTarget target) {
  const auto self = shared_from_this();
  if (unreachable_ || !alive() || !holder_) co_return takes_no_input();
  auto sent = co_await holder_->signal(number, target);
  if (!sent && sent.error().code == ErrorCode::session_exited) co_return takes_no_input();
  co_return sent;
}

Awaitable<Result<holder::CloseResult>> Session::close(std::chrono::milliseconds grace, bool tree) {
  const auto self = shared_from_this();
  const auto hold = co_await close_lock_.take(boost::asio::steady_timer::time_point::max(), nullptr);
  holder::CloseResult closed;
  if (closed_) co_return closed;
  if (unreachable_) co_return takes_no_input();
  closing_ = true;
  end_waits(Reason::closed);
  if (holder_ && !lost_) {
    auto result = co_await holder_->close(grace, tree);
    if (!result && result.error().code != ErrorCode::session_gone) {
      closing_ = false;
      co_return result.error();
    }
    if (result) closed = std::move(*result);
  } else if (holder_) {
    holder_->drop_master();  // hangs its program up
  }
  co_await settle_frame();
  // Of a program without a last word the exit is no reason to read on.
  if (!ending_ && holder_) take_ending_from_header();
  if (!ending_) ending_ = Ending{std::nullopt, "its shim did not say"};
  closed_ = true;
  co_return closed;
}

void Session::detach() {
  if (holder_) holder_->listen(nullptr);
  begun_ = false;
  pump_.forget(this);
}

// --- looking

Awaitable<StateFacts> Session::facts() {
  const auto self = shared_from_this();
  struct Asked {
    explicit Asked(const boost::asio::any_io_executor& executor) : timer(executor) {}
    std::optional<holder::Facts> facts;
    bool done = false;
    boost::asio::steady_timer timer;
  };
  auto asked = std::make_shared<Asked>(executor_);
  if (alive() && holder_) {
    // A shim that does not answer costs its state word, not the reply.
    asked->timer.expires_after(kFactsWait);
    boost::asio::co_spawn(executor_, holder_->facts(),
                          [self, asked](std::exception_ptr failure, Result<holder::Facts> facts) {
                            if (!failure && facts) asked->facts = std::move(*facts);
                            asked->done = true;
                            asked->timer.cancel();
                          });
    boost::system::error_code ignored;
    if (!asked->done)
      co_await asked->timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }
  co_return judge_state(asked->facts, terminal_, child_pid(), ending_.has_value(), is_lost());
}

std::int32_t Session::child_pid() const {
  return holder_ ? holder_->header().child_pid : 0;
}

Counters Session::counters() const {
  Counters counters;
  counters.unanswered_queries = static_cast<std::int64_t>(replies_.dropped() + terminal_.replies_dropped());
  counters.parser_errors = static_cast<std::int64_t>(terminal_.parser_errors());
  if (holder_) {
    const auto& header = holder_->header();
    if (header.journal_health.load(std::memory_order_acquire) ==
        static_cast<std::uint32_t>(shim_abi::JournalHealth::degraded)) {
      counters.journal = JournalState::degraded;
    }
    counters.gaps = header.gaps.load(std::memory_order_acquire);
  }
  return counters;
}

}  // namespace smartcli::session
