#include "session/session.hpp"

#include <sys/ioctl.h>
#include <termios.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <cstring>

#include "common/log.hpp"
#include "proto/limits.hpp"

namespace smartcli::session {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kBurstBytes = 4096;        ///< a slice with so much is a burst: look again instead of waiting for a wake-up
constexpr std::uint64_t kFloodCredit = 1 << 20;  ///< of a session that holds a flood slot
constexpr auto kFrameWait = 150ms;               ///< readers wait so long for the end of a synchronized update
constexpr auto kEnterDelay = 50ms;               ///< Enter follows text at the latest after this
constexpr std::uint64_t kScanRows = 2000;        ///< looked at before others get a turn
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
  return "killed by signal " + std::to_string(*ending.exit->signal) + " (" + ending.exit->name.value_or("?") + ")";
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
      terminal_(Size{setup_.index.cols, setup_.index.rows},
                terminal::HistoryLimits{static_cast<std::size_t>(setup_.index.scrollback), setup_.history_bytes}),
      look_timer_(executor),
      frame_timer_(executor),
      answer_timer_(executor),
      input_lock_(executor) {
  buffer_.resize(kReadBytes);
}

Session::~Session() {
  if (holder_) holder_->listen(nullptr);
}

void Session::begin(Origin origin) {
  begun_ = true;
  replay_to_ = origin == Origin::adopted ? reader_.end() : 0;
  lost_ = holder_ == nullptr;
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
    granted_ = parsed_;
    holder_->listen(this);
  } else if (const auto record = reader_.exit()) {
    ending_ = ending_from(record->kind, record->value);
  }
  pump_.wake(shared_from_this());
}

void Session::restart_reading() {
  auto start = reader_.start();
  if (!start) {
    log::error(sid() + ": " + start.error().message);
    return;
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
}

// --- parsing

void Session::read_events() {
  constexpr std::size_t kAtOnce = 1024;
  while (event_position_ < reader_.events_end() && events_.size() < kAtOnce) {
    const auto before = event_position_;
    auto read = reader_.read_events(event_position_, kAtOnce);
    if (!read) {
      if (errors_logged_++ == 0) log::error(sid() + ": " + read.error().message);
      return;
    }
    for (auto& event : *read) events_.push_back(event);
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
      if (event.reason != shim_abi::GapReason::none && event.reason != shim_abi::GapReason::cap) terminal_.clear();
      break;
    case EventType::input: {
      fence_ = {event.offset, event.offset + steps_};
      const Position at = cursor_position(terminal_);
      const std::string key = key_of(event.id, event.step);
      for (const auto& [name, number] : echo_keys_) {
        if (name == key) echo_.reached(number, at, (event.line_flags & shim_abi::kLineCanonical) != 0);
      }
      break;
    }
    case EventType::exit: ending_ = ending_from(event.exit_kind, event.exit_value); break;
    case EventType::time:
    case EventType::first:
    case EventType::reply:
    case EventType::write_done: break;
  }
  if (event.type == EventType::time) last_output_ms_ = event.time_ns / 1'000'000;
}

void Session::apply_events_at(std::uint64_t offset) {
  while (!events_.empty() && events_.front().offset <= offset) {
    apply(events_.front());
    events_.pop_front();
  }
}

bool Session::slice() {
  if (!begun_) return false;
  const auto started = std::chrono::steady_clock::now();
  std::uint64_t done = 0;
  // In this order: every event that belongs before one of these bytes is then there.
  const std::uint64_t end = reader_.end();
  read_events();
  apply_events_at(parsed_);
  while (parsed_ < end && done < Pump::kSliceBytes) {
    std::uint64_t stop = std::min<std::uint64_t>(end, parsed_ + kReadBytes);
    if (!events_.empty()) stop = std::min(stop, events_.front().offset);
    auto read = reader_.read(parsed_, std::span(buffer_.data(), static_cast<std::size_t>(stop - parsed_)));
    if (!read) {
      if (read.error().code == ErrorCode::session_gone) {  // the cap dropped it while nobody read
        restart_reading();
        read_events();
        apply_events_at(parsed_);
        continue;
      }
      if (errors_logged_++ == 0) log::error(sid() + ": " + read.error().message);
      break;
    }
    if (*read == 0) break;
    std::string_view bytes(buffer_.data(), *read);
    // A frame that ends is shown before the next one begins.
    const auto frame_end = frame_open_ || !frame_waiters_.empty() || !waiters_.empty() ? bytes.find(kFrameEnd)
                                                                                       : std::string_view::npos;
    if (frame_end != std::string_view::npos) bytes = bytes.substr(0, frame_end + kFrameEnd.size());
    terminal_.feed(bytes);
    const std::uint64_t from = parsed_;
    parsed_ += bytes.size();
    done += bytes.size();
    auto replies = terminal_.take_replies();
    if (parsed_ > replay_to_ && holder_ && !replies.empty()) {
      std::erase_if(replies, [this](const auto& reply) { return reply.offset <= replay_to_; });
      replies_.add(std::move(replies), foreground(), setup_.clock->now());
    }
    if (!replies_.empty()) {
      if (const auto sign = prompt_signs_.find(bytes, from); sign != 0) replies_.prompt_seen(sign);
    }
    (void)terminal_.take_events();
    follow_frame();
    if (events_.empty()) read_events();
    apply_events_at(parsed_);
    if (std::chrono::steady_clock::now() - started > std::chrono::microseconds(Pump::kSliceMicroseconds)) break;
  }
  after_slice(done);
  return parsed_ < reader_.end();
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
  terminal_.trim_history();
  wake_synced();
  if (!drained || holder_ == nullptr) return;
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
    if (self->reader_.end() > self->parsed_) {
      self->pump_.wake(self);
    } else {
      self->arm();
    }
  });
}

void Session::give_credit(std::uint64_t parsed_now) {
  if (!holder_ || lost_) return;
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

void Session::on_output() { pump_.wake(shared_from_this()); }

void Session::on_lost() {
  if (closing_) return;
  log::warning(sid() + ": its shim is gone");
  lost_ = true;
  pump_.wake(shared_from_this());
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
  const std::uint64_t target = reader_.end();
  boost::system::error_code ignored;
  const auto give_up = setup_.clock->now() + 5s;
  while (parsed_ < target && setup_.clock->now() < give_up) {
    pump_.wake(self);
    boost::asio::steady_timer timer(executor_, give_up);
    const auto place = synced_.insert(synced_.end(), {target, &timer});
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    synced_.erase(place);
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
    if (parsed_ >= target) timer->cancel();
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
  if (replies_.empty() || !holder_) return;
  const auto now = setup_.clock->now();
  auto decision = replies_.decide({parsed_ >= reader_.end(), is_canonical(), foreground()}, now);
  for (auto& reply : decision.drop) holder_->terminal_reply(reply.offset, reply.index, std::move(reply.bytes), true);
  for (auto& reply : decision.send) {
    boost::asio::co_spawn(executor_, send_answer(std::move(reply)), boost::asio::detached);
  }
  if (replies_.empty()) return;
  answer_timer_.expires_at(replies_.next_look());
  answer_timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!error && self) self->answer_queries();
  });
}

Awaitable<void> Session::send_answer(terminal::Reply reply) {
  const auto self = shared_from_this();
  auto sent = co_await holder_->terminal_reply_if_raw(reply.offset, reply.index, reply.bytes);
  if (sent && *sent == shim_abi::Status::condition) {
    // It became canonical between the look and the write: hold it like any other.
    std::vector<terminal::Reply> again;
    again.push_back(std::move(reply));
    replies_.add(std::move(again), foreground(), setup_.clock->now());
    answer_queries();
  }
}

// --- waits

void Session::finish(Waiter& waiter, Reason reason) {
  if (waiter.reason) return;
  waiter.reason = reason;
  waiter.timer.cancel();
}

void Session::notify() {
  if (waiters_.empty() || (frame_open_ && !frame_late_)) return;
  auto lines = feed_.changed(terminal_);
  for (auto& line : lines) echo_.mark(line);
  const bool over = ending_ && parsed_ >= reader_.end();
  for (auto* waiter : waiters_) {
    if (waiter->reason) continue;
    if (!lines.empty() && waiter->condition->look(lines, terminal_.alt_screen())) {
      finish(*waiter, Reason::marker);
    } else if (over && waiter->scanned) {
      finish(*waiter, is_lost() ? Reason::lost : Reason::exited);
    }
  }
}

Awaitable<void> Session::scan(Waiter& waiter, std::uint64_t from_offset, int rows_above) {
  const std::uint64_t oldest = terminal_.first_row();
  std::uint64_t row = terminal_.screen_top();
  if (rows_above > 0) {
    row = row - oldest > static_cast<std::uint64_t>(rows_above) ? row - static_cast<std::uint64_t>(rows_above) : oldest;
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
    std::vector<Line> lines;
    const std::uint64_t stop = std::min(end, row + kScanRows);
    while (row < stop) {
      Line line = line_at(terminal_, row, given);
      row = given = std::max(line.last_row, row) + 1;  // the row may have left the history meanwhile
      echo_.mark(line);
      lines.push_back(std::move(line));
    }
    if (waiter.condition->look(lines, terminal_.alt_screen())) finish(waiter, Reason::marker);
    if (row >= end) break;
    co_await boost::asio::post(executor_, boost::asio::use_awaitable);
  }
  waiter.scanned = true;
}

Awaitable<Outcome> Session::wait(std::shared_ptr<Condition> condition, std::uint64_t from_offset, int rows_above,
                                 std::optional<std::chrono::milliseconds> timeout,
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
  if (!waiter.reason && ending_ && parsed_ >= reader_.end()) waiter.reason = is_lost() ? Reason::lost : Reason::exited;
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

Awaitable<void> Session::until_input_is_read() {
  const auto give_up = setup_.clock->now() + kEnterDelay;
  auto step = std::chrono::microseconds(200);
  for (;;) {
    int pending = 0;
    const Fd slave(::ioctl(holder_->master(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    if (!slave || ::ioctl(slave.get(), FIONREAD, &pending) != 0 || pending == 0) co_return;
    const auto now = setup_.clock->now();
    if (now >= give_up) co_return;
    boost::asio::steady_timer timer(executor_, std::min(now + step, give_up));
    boost::system::error_code ignored;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    step *= 2;
  }
}

Awaitable<Result<Typed>> Session::type(Typing typing, std::string client) {
  const auto self = shared_from_this();
  const auto hold = co_await input_lock_.take();
  if (is_lost()) {
    co_return Error{ErrorCode::session_gone, "session '" + sid() + "' lost its shim: it takes no input; close it"};
  }
  if (ending_ || !holder_) {
    co_return Error{ErrorCode::session_exited, "session '" + sid() + "' has exited (" +
                                                   (ending_ ? describe(*ending_) : std::string("unknown")) + ")"};
  }
  const bool canonical = is_canonical();
  std::vector<std::string> pieces;
  std::string text = std::move(typing.text);
  if (typing.ends_with_enter && canonical) text += '\r';
  if (canonical) {
    if (const auto longest = longest_line(text); longest > kCanonicalLine) co_return too_long(longest);
  }
  for (std::size_t at = 0; at < text.size(); at += shim_abi::kInputBytes) {
    pieces.push_back(text.substr(at, shim_abi::kInputBytes));
  }
  const bool enter_apart = typing.ends_with_enter && !canonical;
  if (enter_apart) pieces.emplace_back("\r");

  Typed typed;
  typed.repeated = true;
  for (std::uint32_t step = 0; step < pieces.size(); ++step) {
    if (enter_apart && step + 1 == pieces.size() && step > 0) co_await until_input_is_read();
    if (!holder_) co_return Error{ErrorCode::session_gone, "session '" + sid() + "' was closed meanwhile"};
    const std::size_t size = pieces[step].size();
    const std::uint64_t key = next_echo_key_++;
    echo_.typed(key, pieces[step]);
    echo_keys_.emplace_back(key_of(typing.id, step), key);
    if (echo_keys_.size() > kEchoKeys) echo_keys_.pop_front();
    holder::InputRequest request;
    request.id = typing.id;
    request.step = step;
    request.data = std::move(pieces[step]);
    auto sent = co_await holder_->input(std::move(request), typing.stall);
    if (!sent) co_return sent.error();
    typed.bytes += sent->accepted;
    switch (sent->status) {
      case shim_abi::Status::ok: typed.repeated = false; break;
      case shim_abi::Status::repeated: break;
      case shim_abi::Status::line_too_long: co_return too_long(size);
      case shim_abi::Status::ended:
        co_return Error{ErrorCode::session_exited, "session '" + sid() + "' has exited; " +
                                                       std::to_string(typed.bytes) + " bytes were typed before"};
      default:
        co_return Error{ErrorCode::internal, "the shim of '" + sid() + "' refused the input with status " +
                                                 std::to_string(static_cast<unsigned>(sent->status))};
    }
    typed.fence = {sent->offset, sent->revision};
    fence_ = typed.fence;
    if (!client.empty()) fences_[client] = typed.fence;
    if (sent->status == shim_abi::Status::ok && sent->accepted < size) {
      co_return Error{ErrorCode::input_stalled,
                      "the program does not read its input: " + std::to_string(typed.bytes) + " of " +
                          std::to_string(text.size() + (enter_apart ? 1 : 0)) + " bytes were taken within " +
                          std::to_string(typing.stall.count()) + " ms, the rest was not typed",
                      std::to_string(typed.bytes)};
    }
  }
  co_return typed;
}

Awaitable<Result<std::uint64_t>> Session::resize(int cols, int rows) {
  const auto self = shared_from_this();
  if (!alive() || !holder_) {
    co_return Error{ErrorCode::session_exited, "session '" + sid() + "' has exited (" +
                                                   (ending_ ? describe(*ending_) : std::string("unknown")) + ")"};
  }
  auto revision = co_await holder_->resize(cols, rows);
  if (revision) {
    pump_.wake(self);
    co_await settle_frame();
  }
  co_return revision;
}

Awaitable<Result<holder::CloseResult>> Session::close(std::chrono::milliseconds grace, bool tree) {
  const auto self = shared_from_this();
  closing_ = true;
  holder::CloseResult closed;
  if (holder_ && !lost_) {
    auto result = co_await holder_->close(grace, tree);
    if (!result && result.error().code != ErrorCode::session_gone) {
      closing_ = false;
      co_return result.error();
    }
    if (result) closed = std::move(*result);
  }
  co_await settle_frame();
  pump_.wake(self);
  while (slice()) {
  }
  if (!ending_) ending_ = Ending{std::nullopt, "its shim did not say"};
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
  std::optional<holder::Facts> kernel;
  if (alive() && holder_) {
    auto asked = co_await holder_->facts();
    if (asked) kernel = std::move(*asked);
  }
  co_return judge_state(kernel, terminal_, child_pid(), ending_.has_value(), is_lost());
}

std::int32_t Session::child_pid() const { return holder_ ? holder_->header().child_pid : 0; }

Counters Session::counters() const {
  Counters counters;
  counters.unanswered_queries = static_cast<std::int64_t>(replies_.dropped());
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
