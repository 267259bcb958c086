// Who waits for a session: conditions, whole frames, output that is still to be parsed.

#include "session/session.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>

namespace smartcli::session {
namespace {

using namespace std::chrono_literals;

constexpr auto kFrameWait = 150ms;         ///< readers wait so long for the end of a synchronized update
constexpr auto kStuckReplay = 5s;          ///< no byte parsed for so long: what is there is shown
constexpr std::uint64_t kScanRows = 2000;  ///< looked at before others get a turn

}  // namespace

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
    pump_.wake_first(self);
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

void Session::finish(Waiter& waiter, Reason reason) {
  if (waiter.reason) return;
  waiter.reason = reason;
  waiter.timer.cancel();
}

ScreenSight Session::sight() const {
  return {terminal_, setup_.clock->now(), std::max(last_parsed_, last_typed_), alive()};
}

/// What it waits for can still come, or not: the program is gone and all that it wrote was looked at.
bool Session::is_over_for(const Waiter& waiter) const {
  if (!ending_ || closing_ || (!reading_directly_ && parsed_ < reader_.end())) return false;
  const bool waits_for_end = !waiter.condition->reads_lines() && !waiter.condition->reads_screen();
  return waiter.scanned && (waits_for_end || is_lost() || setup_.index.detect_child_exit);
}

void Session::notify() {
  if (waiters_.empty() || (frame_open_ && !frame_late_)) return;
  const auto reads = [](const Waiter* waiter) { return !waiter->reason && waiter->condition->reads_lines(); };
  std::vector<Line> lines;
  if (std::any_of(waiters_.begin(), waiters_.end(), reads)) {
    lines = feed_.changed(terminal_);
    for (auto& line : lines) echo_.mark(line);
  } else {
    feed_.skip(terminal_);
  }
  const bool alternate = terminal_.alt_screen();
  ScreenSight screen = sight();
  for (auto* waiter : waiters_) {
    if (waiter->reason) continue;
    auto& condition = *waiter->condition;
    const auto due_before = condition.due();
    if (condition.reads_lines()) condition.look(lines, alternate);
    if (condition.reads_screen()) condition.look(screen);
    if (condition.holds() && waiter->scanned) {
      finish(*waiter, condition.reason());
    } else if (condition.due() && !due_before) {
      waiter->timer.cancel();  // so that it sleeps no longer than that
    }
    if (is_over_for(*waiter)) finish(*waiter, is_lost() ? Reason::lost : Reason::exited);
  }
}

Awaitable<void> Session::scan(Waiter& waiter, std::uint64_t from_offset, int rows_above) {
  if (waiter.condition->reads_screen()) {
    ScreenSight screen = sight();
    waiter.condition->look(screen);
  }
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
      waiter.condition->look(std::span(&line, 1), terminal_.alt_screen());
      if (waiter.condition->is_decided()) finish(waiter, waiter.condition->reason());
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
  if (condition->holds()) finish(waiter, condition->reason());
  for (;;) {
    if (!waiter.reason && is_over_for(waiter)) finish(waiter, is_lost() ? Reason::lost : Reason::exited);
    if (!waiter.reason) {
      const auto due = condition->due();
      const bool is_look = due && *due < deadline;
      waiter.timer.expires_at(is_look ? *due : deadline);
      boost::system::error_code error;
      co_await waiter.timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
      if (!error && !waiter.reason) {
        if (!is_look) break;  // the time is over
        co_await settle_frame();
        ScreenSight screen = sight();
        condition->look(screen);
        if (condition->holds()) finish(waiter, condition->reason());
      }
      if (!waiter.reason) continue;
    }
    // Between the moment that ended the wait and this one the screen may have gone back.
    if (*waiter.reason != condition->reason() || !condition->reads_screen()) break;
    ScreenSight screen = sight();
    condition->look(screen);
    if (condition->holds()) break;
    waiter.reason.reset();
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

}  // namespace smartcli::session
