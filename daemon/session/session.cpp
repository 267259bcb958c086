#include "session/session.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
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
#include "proto/limits.hpp"

namespace smartcli::session {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kBurstBytes =
    4096;  ///< a slice with so much is a burst: look again instead of waiting for a wake-up
constexpr std::uint64_t kFloodCredit = 1 << 20;  ///< of a session that holds a flood slot
constexpr auto kFrameWait = 150ms;  ///< readers wait so long for the end of a synchronized update
constexpr auto kSilentRead = 10ms;  ///< an input buffer empty for so long was read
constexpr std::uint32_t kEnterStep = 0xFFFFFFFF;
constexpr auto kEnterDelay = 50ms;               ///< Enter follows text at the latest after this
constexpr std::size_t kCheckBytes = 1 << 20;     ///< of a journal without a shim, checked in one turn
constexpr std::uint64_t kSliceWork = 1'000'000;  ///< cells that a few bytes may cost: about a millisecond
constexpr auto kFactsWait = 500ms;
constexpr auto kStuckReplay = 5s;          ///< no byte parsed for so long: what is there is shown
constexpr std::uint64_t kScanRows = 2000;  ///< looked at before others get a turn
constexpr std::string_view kFrameEnd = "\x1b[?2026l";
constexpr std::size_t kEchoKeys = 64;

std::string key_of(const shim_abi::RequestId& id, std::uint32_t step) {
  std::string key(reinterpret_cast<const char*>(id.bytes), sizeof id.bytes);
  key.append(reinterpret_cast<const char*>(&step), sizeof step);
  return key;
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? name : std::to_string(number);
}

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

std::string describe(const Ending& ending) {
  if (!ending.exit) return "status unknown: " + ending.reason;
  if (ending.exit->code) return std::to_string(*ending.exit->code);
  return "killed by signal " + std::to_string(*ending.exit->signal) + " (" + ending.exit->name.value_or("?") +
         ")";
}

/// A line of more than this and its end would be cut by the kernel's line discipline (N_TTY_BUF_SIZE).
constexpr std::size_t kCanonicalLine = 4095;

std::size_t longest_line(std::string_view bytes) {
  std::size_t longest = 0;
  while (!bytes.empty()) {
    const auto end = bytes.find_first_of("\r\n\x04");
    longest = std::max(longest, std::min(end, bytes.size()));
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  return longest;
}

Error too_long(std::size_t bytes) {
  return Error{ErrorCode::line_too_long,
               "the program reads whole lines, and the kernel keeps " + std::to_string(kCanonicalLine) +
                   " bytes of one: a line of " + std::to_string(bytes) +
                   " bytes would be cut; nothing was sent; send shorter lines, or write the text to a file",
               std::to_string(bytes)};
}

}  // namespace

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
      close_lock_(executor) {}

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
    // Known at once, however much there is to replay.
    if (header.phase.load(std::memory_order_acquire) == static_cast<std::uint32_t>(shim_abi::Phase::ended)) {
      ending_ = ending_from(static_cast<shim_abi::ExitKind>(header.exit_kind.load(std::memory_order_acquire)),
                            header.exit_value);
    }
    // Its program goes on at once, also while what it wrote before is replayed.
    granted_ = reader_.end() + shim_abi::kQuietCredit;
    holder_->grant(granted_);
    holder_->listen(this);
  }
  pump_.wake(shared_from_this());
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
  terminal_.reset();
  terminal_.set_offset(start->offset);
  terminal_.resize(Size{start->cols, start->rows});
  layout_epoch_ = terminal_.layout_epoch();
  parsed_ = start->offset;
  steps_ = start->revision_steps;
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
                 event.type != EventType::write_done) {
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
      terminal_.clear();
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
      const std::string key = key_of(event.id, event.step);
      bool known = false;
      for (const auto& [name, number] : echo_keys_) {
        if (name != key) continue;
        known = true;
        echo_.reached(number, at, canonical);
      }
      if (!known && canonical && (event.line_flags & shim_abi::kLineEcho) != 0) {
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
    look_again_soon();
  } else {
    arm();
  }
}

void Session::arm() {
  if (holder_) holder_->arm_output(parsed_, event_position_);
}

void Session::look_again_soon() {
  look_timer_.expires_after(1ms);
  look_timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    if (self->reader_.end() <= self->parsed_) self->give_credit(0);
    if (self->reader_.end() > self->parsed_) {
      self->pump_.wake(self);
    } else {
      self->arm();
    }
  });
}

void Session::give_credit(std::uint64_t parsed_now) {
  if (!holder_ || lost_) {
    if (has_slot_) pump_.release_slot(this);
    has_slot_ = false;
    return;
  }
  const auto grant = [this](std::uint64_t ahead) {
    if (parsed_ + ahead <= granted_) return;
    granted_ = parsed_ + ahead;
    holder_->grant(granted_);
  };
  const std::uint64_t end = reader_.end();
  if (has_slot_) {
    if (!pump_.use_slot(this, parsed_now)) {
      has_slot_ = false;
    } else if (parsed_ >= end && parsed_now < kBurstBytes) {
      has_slot_ = false;
      pump_.release_slot(this);
    } else {
      grant(kFloodCredit);
      return;
    }
  }
  if (end < granted_ || granted_ == 0) {
    grant(shim_abi::kQuietCredit);
  } else if (parsed_ >= end && parsed_now < kBurstBytes) {
    grant(shim_abi::kQuietCredit);  // it stopped right at its credit
  } else {
    pump_.want_slot(shared_from_this());
  }
}

void Session::slot_given() {
  has_slot_ = true;
  if (holder_ && parsed_ + kFloodCredit > granted_) {
    granted_ = parsed_ + kFloodCredit;
    holder_->grant(granted_);
  }
  pump_.wake(shared_from_this());
}

void Session::keep_alive() {
  if (!holder_) return;
  granted_ += 4096;
  holder_->grant(granted_);
  pump_.wake(shared_from_this());
}

void Session::on_output() {
  pump_.wake(shared_from_this());
}

void Session::on_lost() {
  if (closing_) return;
  log::warning(sid() + ": its shim is gone");
  lost_ = true;
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

// --- synchronized updates

void Session::follow_frame() {
  const bool open = terminal_.modes().synchronized;
  if (open && !frame_open_) {
    frame_open_ = true;
    frame_late_ = false;
    frame_timer_.expires_after(kFrameWait);
    frame_timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
      const auto self = weak.lock();
      if (error || !self) return;
      self->frame_late_ = true;
      self->end_frame();
    });
  } else if (!open && frame_open_) {
    frame_open_ = false;
    frame_timer_.cancel();
    end_frame();
  }
}

void Session::end_frame() {
  notify();
  for (auto* timer : frame_waiters_) timer->cancel();
}

Awaitable<void> Session::settle_frame() {
  const auto self = shared_from_this();
  touch();
  boost::system::error_code ignored;
  // As long as it takes, if it goes on at all: half a replay is no screen.
  const auto is_behind = [this](std::uint64_t target) {
    return checking_ || (!reading_directly_ && parsed_ < target);
  };
  const std::uint64_t target = checking_ ? UINT64_MAX : reader_.end();
  auto last = parsed_;
  while (is_behind(std::min(target, checking_ ? UINT64_MAX : reader_.end()))) {
    pump_.wake(self);
    boost::asio::steady_timer timer(executor_, setup_.clock->now() + kStuckReplay);
    const auto place = synced_.insert(synced_.end(), {target, &timer});
    boost::system::error_code fired;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, fired));
    synced_.erase(place);
    if (!fired && !checking_ && parsed_ == last) break;
    last = parsed_;
  }
  while (frame_open_ && !frame_late_) {
    boost::asio::steady_timer timer(executor_, boost::asio::steady_timer::time_point::max());
    const auto place = frame_waiters_.insert(frame_waiters_.end(), &timer);
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    frame_waiters_.erase(place);
  }
}

void Session::wake_synced() {
  for (const auto& [target, timer] : synced_) {
    if (parsed_ >= std::min(target, reader_.end())) timer->cancel();
  }
}

// --- the terminal's own answers

bool Session::is_canonical() const {
  struct termios settings {};
  return holder_ && holder_->master() >= 0 && ::tcgetattr(holder_->master(), &settings) == 0 &&
         (settings.c_lflag & ICANON) != 0;
}

std::int32_t Session::foreground() const {
  pid_t group = -1;
  if (holder_ && holder_->master() >= 0) (void)::ioctl(holder_->master(), TIOCGPGRP, &group);
  return group;
}

void Session::answer_queries() {
  if (replies_.empty() || !holder_ || lost_) return;
  const auto now = setup_.clock->now();
  auto decision =
      replies_.decide({parsed_ >= reader_.end(), is_canonical(), foreground(), foreground_is_shell()}, now);
  for (auto& reply : decision.drop)
    holder_->terminal_reply(reply.offset, reply.index, std::move(reply.bytes), true);
  for (auto& reply : decision.send) {
    boost::asio::co_spawn(executor_, send_answer(std::move(reply)), boost::asio::detached);
  }
  answer_later();
}

void Session::answer_later() {
  if (replies_.empty()) return;
  answer_timer_.expires_at(replies_.next_look());
  answer_timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!error && self) self->answer_queries();
  });
}

bool Session::foreground_is_shell() const {
  const auto group = foreground();
  if (group <= 0) return false;
  char name[32] = {};
  const Fd comm(::open(("/proc/" + std::to_string(group) + "/comm").c_str(), O_RDONLY | O_CLOEXEC));
  const auto n = comm ? ::read(comm.get(), name, sizeof name - 1) : 0;
  return n > 1 && is_shell(std::string_view(name, static_cast<std::size_t>(n - 1)));
}

Awaitable<void> Session::send_answer(terminal::Reply reply) {
  const auto self = shared_from_this();
  auto sent = co_await holder_->terminal_reply_if_raw(reply.offset, reply.index, reply.bytes);
  // Canonical again between the look and the write, or behind input that is not taken yet: held like any
  // other.
  const bool again =
      sent ? *sent == shim_abi::Status::condition || *sent == shim_abi::Status::busy
           : sent.error().code != ErrorCode::session_gone && sent.error().code != ErrorCode::session_exited;
  if (!again || lost_ || !begun_) co_return;
  std::vector<terminal::Reply> held;
  held.push_back(std::move(reply));
  replies_.add(std::move(held), foreground(), setup_.clock->now());
  answer_later();  // not at once: it would be asked in a tight loop
}

// --- waits

void Session::finish(Waiter& waiter, Reason reason) {
  if (waiter.reason) return;
  waiter.reason = reason;
  waiter.timer.cancel();
}

void Session::notify() {
  if (waiters_.empty() || (frame_open_ && !frame_late_)) return;
  const auto reads = [](const Waiter* waiter) { return !waiter->reason && waiter->condition->reads_lines(); };
  if (std::any_of(waiters_.begin(), waiters_.end(), reads)) {
    const bool alternate = terminal_.alt_screen();
    auto lines = feed_.changed(terminal_);
    for (auto& line : lines) echo_.mark(line);
    for (auto* waiter : waiters_) {
      if (reads(waiter) && waiter->condition->look(lines, alternate)) finish(*waiter, Reason::marker);
    }
  } else {
    feed_.skip(terminal_);
  }
  if (!ending_ || closing_ || (!reading_directly_ && parsed_ < reader_.end())) return;
  for (auto* waiter : waiters_) {
    if (waiter->scanned) finish(*waiter, is_lost() ? Reason::lost : Reason::exited);
  }
}

Awaitable<void> Session::scan(Waiter& waiter, std::uint64_t from_offset, int rows_above) {
  if (!waiter.condition->reads_lines()) {
    waiter.scanned = true;
    co_return;
  }
  const std::uint64_t oldest = terminal_.first_row();
  std::uint64_t row = terminal_.screen_top();
  if (rows_above > 0) {
    row = row - oldest > static_cast<std::uint64_t>(rows_above) ? row - static_cast<std::uint64_t>(rows_above)
                                                                : oldest;
  } else if (!terminal_.alt_screen()) {
    // Up to the newest line that was complete before the fence.
    std::uint64_t looked = 0;
    while (row > terminal_.first_row()) {
      const auto above = terminal_.row_text(row - 1);
      if (!above.stamps.empty() &&
          !terminal::is_written_after(above.stamps.front(), from_offset, terminal_.offset())) {
        break;
      }
      --row;
      if (++looked % kScanRows == 0) co_await boost::asio::post(executor_, boost::asio::use_awaitable);
    }
  }
  const std::uint64_t epoch = terminal_.layout_epoch();
  std::uint64_t given = 0;
  while (!waiter.reason) {
    if (terminal_.layout_epoch() != epoch) {
      row = terminal_.screen_top();
      given = 0;
    }
    const std::uint64_t end = terminal_.screen_top() + static_cast<std::uint64_t>(terminal_.size().rows);
    const std::uint64_t stop = std::min(end, row + kScanRows);
    while (row < stop && !waiter.reason) {
      Line line = line_at(terminal_, row, given);
      row = given = std::max(line.last_row, row) + 1;  // the row may have left the history meanwhile
      echo_.mark(line);
      if (waiter.condition->look(std::span(&line, 1), terminal_.alt_screen())) finish(waiter, Reason::marker);
    }
    if (row >= end) break;
    co_await boost::asio::post(executor_, boost::asio::use_awaitable);
  }
  waiter.scanned = true;
}

Awaitable<Outcome> Session::wait(std::shared_ptr<Condition> condition, std::uint64_t from_offset,
                                 int rows_above, std::optional<std::chrono::milliseconds> timeout,
                                 std::shared_ptr<Cancellation> cancel) {
  const auto self = shared_from_this();
  const auto started = setup_.clock->now();
  const auto deadline = timeout ? started + *timeout : boost::asio::steady_timer::time_point::max();
  co_await settle_frame();
  Waiter waiter{condition.get(), boost::asio::steady_timer(executor_, deadline), std::nullopt, false};
  if (waiters_.empty()) feed_.skip(terminal_);
  const auto place = waiters_.insert(waiters_.end(), &waiter);
  const auto token = cancel->subscribe([this, &waiter] { finish(waiter, Reason::cancelled); });
  co_await scan(waiter, from_offset, rows_above);
  if (!waiter.reason && !closing_ && ending_ && (reading_directly_ || parsed_ >= reader_.end()))
    waiter.reason = is_lost() ? Reason::lost : Reason::exited;
  if (!waiter.reason) {
    boost::system::error_code error;
    co_await waiter.timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
  }
  cancel->unsubscribe(token);
  waiters_.erase(place);
  Outcome outcome;
  outcome.reason = waiter.reason.value_or(Reason::timeout);
  outcome.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(setup_.clock->now() - started);
  co_return outcome;
}

void Session::end_waits(Reason reason) {
  for (auto* waiter : waiters_) finish(*waiter, reason);
}

// --- input

Fence Session::last_fence(const std::string& client) const {
  if (const auto own = fences_.find(client); own != fences_.end()) return own->second;
  return fence_;
}

std::uint64_t Session::offset_of(std::uint64_t revision) const {
  // Between two steps revision and offset grow together.
  for (auto step = step_marks_.rbegin(); step != step_marks_.rend(); ++step) {
    if (revision >= step->revision) return step->offset + (revision - step->revision);
  }
  return 0;
}

Awaitable<void> Session::until_input_is_read(std::uint64_t written_at) {
  // The kernel hands input over a moment after the write, so an empty buffer alone says little: output after
  // it says that the program has read; without output a buffer that stays empty has to do.
  const auto began = setup_.clock->now();
  auto step = std::chrono::microseconds(100);
  for (;;) {
    int pending = 0;
    const Fd slave(::ioctl(holder_->master(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    if (!slave || ::ioctl(slave.get(), FIONREAD, &pending) != 0) co_return;
    const auto waited = setup_.clock->now() - began;
    const bool reacted = holder_->header().write_offset.load(std::memory_order_acquire) > written_at;
    if (waited >= kEnterDelay || (pending == 0 && (reacted || waited >= kSilentRead))) co_return;
    boost::asio::steady_timer timer(executor_, setup_.clock->now() + step);
    boost::system::error_code ignored;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    step = std::min(step * 2, std::chrono::microseconds(2000));
  }
}

Error Session::takes_no_input() const {
  if (unreachable_) {
    return Error{ErrorCode::resource_exhausted,
                 "the shim of session '" + sid() + "' does not answer; try again"};
  }
  if (is_lost()) {
    return Error{ErrorCode::session_gone,
                 "session '" + sid() + "' lost its shim: it takes no input; close it"};
  }
  return Error{ErrorCode::session_exited, "session '" + sid() + "' has exited (" +
                                              (ending_ ? describe(*ending_) : std::string("unknown")) + ")"};
}

Awaitable<Result<holder::InputResult>> Session::send_piece(const Typing& typing, std::uint32_t step,
                                                           std::string data, Clock::Steady deadline) {
  const std::uint64_t key = next_echo_key_++;
  echo_.typed(key, data);
  echo_keys_.emplace_back(key_of(typing.id, step), key);
  if (echo_keys_.size() > kEchoKeys) echo_keys_.pop_front();
  for (;;) {
    holder::InputRequest request;
    request.id = typing.id;
    request.step = step;
    request.data = data;
    const auto left =
        std::max(1ms, std::chrono::duration_cast<std::chrono::milliseconds>(deadline - setup_.clock->now()));
    auto sent = co_await holder_->input(std::move(request), left);
    // An input of an earlier daemon's may still stand in the shim.
    if (sent && sent->status == shim_abi::Status::busy && setup_.clock->now() < deadline) {
      boost::asio::steady_timer timer(executor_, setup_.clock->now() + 10ms);
      boost::system::error_code ignored;
      co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
      if (holder_ && !lost_) continue;
    }
    if (!sent || sent->status != shim_abi::Status::ok) echo_.untyped(key);
    co_return sent;
  }
}

Awaitable<Result<Typed>> Session::type(Typing typing, std::string client,
                                       std::shared_ptr<Cancellation> cancel) {
  const auto self = shared_from_this();
  const auto deadline = setup_.clock->now() + typing.stall;
  const auto stalled = [&typing](std::uint64_t taken, std::size_t whole) {
    return Error{ErrorCode::input_stalled,
                 "the program does not read its input: " + std::to_string(taken) + " of " +
                     std::to_string(whole) + " bytes were taken within " +
                     std::to_string(typing.stall.count()) + " ms, the rest was not typed",
                 std::to_string(taken)};
  };
  const std::size_t whole = typing.text.size() + (typing.ends_with_enter ? 1 : 0);
  const auto hold = co_await input_lock_.take(deadline, cancel);
  if (!hold) co_return stalled(0, whole);
  if (unreachable_ || is_lost() || ending_ || !holder_) co_return takes_no_input();

  const bool canonical = is_canonical();
  if (canonical) {
    if (const auto longest = longest_line(typing.text); longest > kCanonicalLine) co_return too_long(longest);
  }
  Typed typed;
  typed.repeated = true;
  /// Nothing: go on.
  const auto take = [&](const Result<holder::InputResult>& sent, std::size_t size) -> std::optional<Error> {
    if (!sent) return sent.error();
    switch (sent->status) {
      case shim_abi::Status::ok: typed.repeated = false; break;
      case shim_abi::Status::repeated: break;
      case shim_abi::Status::line_too_long: return too_long(size);
      case shim_abi::Status::busy: return stalled(typed.bytes, whole);
      case shim_abi::Status::ended:
        return Error{ErrorCode::session_exited, "session '" + sid() + "' has exited; " +
                                                    std::to_string(typed.bytes) + " bytes were typed before"};
      default:
        return Error{ErrorCode::internal, "the shim of '" + sid() + "' refused the input with status " +
                                              std::to_string(static_cast<unsigned>(sent->status))};
    }
    typed.bytes += sent->accepted;
    typed.fence = {sent->offset, sent->revision};
    if (typed.fence.revision > fence_.revision) fence_ = typed.fence;
    if (!client.empty()) {
      if (fences_.size() >= kClients && !fences_.contains(client)) fences_.erase(fences_.begin());
      if (typed.fence.revision > fences_[client].revision) fences_[client] = typed.fence;
    }
    // What an earlier try was given and what it left are known from its mark.
    if (sent->accepted < size) return stalled(typed.bytes, whole);
    return std::nullopt;
  };

  // Enter goes with the text's last piece into a canonical terminal, else apart, under a step of its own; a
  // repeat finds either, whatever the terminal's mode is by then.
  std::string text = std::move(typing.text);
  const std::size_t text_bytes = text.size();
  if (typing.ends_with_enter && canonical) text += '\r';
  std::uint32_t step = 0;
  for (std::size_t at = 0; at < text.size(); at += shim_abi::kInputBytes, ++step) {
    std::string piece = text.substr(at, shim_abi::kInputBytes);
    const bool has_enter = at + piece.size() > text_bytes;
    const std::size_t size = piece.size();
    auto sent = co_await send_piece(typing, step, std::move(piece), deadline);
    // Typed before, without its Enter: that follows below.
    const bool only_text =
        sent && sent->status == shim_abi::Status::repeated && has_enter && sent->accepted == size - 1;
    if (auto error = take(sent, only_text ? size - 1 : size)) co_return *error;
    if (!holder_ || lost_) co_return takes_no_input();
  }
  if (typing.ends_with_enter && typed.bytes < whole) {
    if (!canonical && text_bytes > 0 && !typed.repeated) co_await until_input_is_read(typed.fence.offset);
    if (!holder_ || lost_) co_return takes_no_input();
    const auto sent = co_await send_piece(typing, kEnterStep, "\r", deadline);
    if (auto error = take(sent, 1)) co_return *error;
  }
  co_return typed;
}

Awaitable<Result<std::uint64_t>> Session::resize(std::optional<int> cols, std::optional<int> rows) {
  const auto self = shared_from_this();
  if (unreachable_ || !alive() || !holder_) co_return takes_no_input();
  co_await settle_frame();
  if (!alive() || !holder_) co_return takes_no_input();
  auto revision = co_await holder_->resize(cols.value_or(static_cast<int>(terminal_.size().cols)),
                                           rows.value_or(static_cast<int>(terminal_.size().rows)));
  if (revision) {
    pump_.wake(self);
    // The record is in the journal: one turn of the pump and the screen has the size too.
    const auto until = setup_.clock->now() + 1s;
    while (begun_ && revision_before(*revision) && setup_.clock->now() < until) {
      pump_.wake(self);
      co_await boost::asio::post(executor_, boost::asio::use_awaitable);
    }
  }
  co_return revision;
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
