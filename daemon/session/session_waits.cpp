// Who waits for a session: conditions, whole frames, output that is still to be parsed.

#include "session/session.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace smartcli::session {
namespace {

using namespace std::chrono_literals;

constexpr auto kFrameWait = 150ms;         ///< readers wait so long for the end of a synchronized update
constexpr auto kStuckReplay = 5s;          ///< no byte parsed for so long: what is there is shown
constexpr std::uint64_t kScanRows = 2000;  ///< looked at before others get a turn
constexpr std::uint64_t kShortScan = 256;  ///< rows above the screen that are looked at without much ado

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
  const bool waits_for_end = !waiter.condition->reads_lines() && !waiter.condition->reads_screen();
  // Nobody can tell its status any more, though its program may go on.
  if (waits_for_end && is_lost() && waiter.scanned && !closing_ &&
      (reading_directly_ || parsed_ >= reader_.end()))
    return true;
  if (!ending_ || closing_ || (!reading_directly_ && parsed_ < reader_.end())) return false;
  return waiter.scanned && (waits_for_end || is_lost() || setup_.index.detect_child_exit);
}

/// Of these lines those in which something may be, and those with an echo; marked.
std::vector<Line> Session::pick_lines(const LineTexts& texts,
                                      const std::function<bool(std::string_view)>& may_match) {
  std::vector<std::size_t> wanted;
  texts.find(may_match, wanted);
  echo_.find_in(texts, wanted);
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<Line> lines;
  for (const auto n : wanted) {
    const auto& place = texts.places[n];
    lines.push_back(line_at(terminal_, place.first_row, place.not_before));
    echo_.mark(lines.back());
  }
  return lines;
}

/// Shows the lines with a change to the conditions that read lines. Few lines are all made and shown to all;
/// of very many only what somebody may be waiting for.
void Session::show_lines() {
  constexpr std::uint64_t kFew = 2000;  ///< lines times conditions
  const bool alternate = terminal_.alt_screen();
  if (feed_.rows_to_look(terminal_) * sieve_.size() > kFew) {
    const LineTexts texts = feed_.changed_texts(terminal_);
    if (const auto candidates = sieve_.candidates(texts.text)) {
      feed_.skip(terminal_);
      const bool is_any = !candidates->empty();
      const auto lines =
          pick_lines(texts, [&](std::string_view part) { return is_any && sieve_.may_match(part); });
      for (auto* waiter : waiters_) {
        if (!waiter->reason && std::binary_search(candidates->begin(), candidates->end(),
                                                  static_cast<const Condition*>(waiter->condition.get())))
          waiter->condition->look(lines, alternate);
      }
      return;
    }
  }
  auto lines = feed_.changed(terminal_);
  for (auto& line : lines) echo_.mark(line);
  for (auto* waiter : waiters_) {
    if (!waiter->reason && waiter->condition->reads_lines()) waiter->condition->look(lines, alternate);
  }
}

void Session::notify() {
  if (waiters_.empty() || (frame_open_ && !frame_late_)) return;
  if (sieve_.size() > 0) {
    show_lines();
  } else {
    feed_.skip(terminal_);
  }
  ScreenSight screen = sight();
  for (auto* waiter : waiters_) {
    if (waiter->reason) continue;
    auto& condition = *waiter->condition;
    const auto due_before = condition.due();
    if (condition.reads_screen()) condition.look(screen);
    if (condition.holds() && waiter->scanned) {
      finish(*waiter, condition.reason());
    } else if (condition.due() && !due_before) {
      waiter->timer.cancel();  // so that it sleeps no longer than that
    }
    if (is_over_for(*waiter)) finish(*waiter, is_lost() ? Reason::lost : Reason::exited);
  }
}

/// Where a wait begins to look: above the screen as far as what counts may reach.
Awaitable<std::uint64_t> Session::first_row_for(std::uint64_t from_offset, int rows_above) {
  std::uint64_t row = terminal_.screen_top();
  if (rows_above > 0) {
    const std::uint64_t above = std::min(row - terminal_.first_row(), static_cast<std::uint64_t>(rows_above));
    co_return row - above;
  }
  if (terminal_.alt_screen()) co_return row;
  // Up to the newest line that was complete before the fence.
  std::uint64_t looked = 0;
  while (row > terminal_.first_row()) {
    const auto above = terminal_.row_stamp(row - 1);
    if (above && !terminal::is_written_after(*above, from_offset, terminal_.offset())) break;
    --row;
    if (++looked % kScanRows == 0) co_await boost::asio::post(executor_, boost::asio::use_awaitable);
  }
  co_return row;
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
  waiter.from_row = co_await first_row_for(from_offset, rows_above);
  to_scan_.push_back(&waiter);
  const bool is_short =
      terminal_.screen_top() - std::min(waiter.from_row, terminal_.screen_top()) < kShortScan;
  if (!is_scanning_ && is_short) {
    is_scanning_ = true;
    co_await scan_together();
    is_scanning_ = false;
  }
  if (!is_scanning_ && !to_scan_.empty()) boost::asio::co_spawn(executor_, scan_all(), boost::asio::detached);
  boost::system::error_code ignored;
  while (!waiter.scanned && !waiter.reason) {
    waiter.timer.expires_at(boost::asio::steady_timer::time_point::max());
    co_await waiter.timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }
  std::erase(to_scan_, &waiter);
  std::erase(scanned_now_, &waiter);
}

Awaitable<void> Session::scan_all() {
  const auto self = shared_from_this();
  if (is_scanning_) co_return;
  is_scanning_ = true;
  while (!to_scan_.empty()) co_await scan_together();
  is_scanning_ = false;
}

/// Looks at what is there for all who have begun to wait since the last time: together, however many they
/// are.
Awaitable<void> Session::scan_together() {
  scanned_now_ = std::exchange(to_scan_, {});
  std::vector<std::shared_ptr<Condition>> owners;  // of each pattern; they may end meanwhile
  std::vector<const Pattern*> patterns;
  bool all_taken = true;
  std::uint64_t row = terminal_.screen_top();
  for (const auto* waiter : scanned_now_) {
    row = std::min(row, waiter->from_row);
    for (const auto* pattern : waiter->condition->patterns()) {
      owners.push_back(waiter->condition);
      patterns.push_back(pattern);
      all_taken = all_taken && PatternSet::takes(*pattern);
    }
  }
  std::optional<PatternSet> set;
  if (all_taken) set.emplace(patterns);
  std::uint64_t epoch = terminal_.layout_epoch();
  std::uint64_t given = 0;
  while (!scanned_now_.empty()) {
    if (terminal_.layout_epoch() != epoch) {
      epoch = terminal_.layout_epoch();
      row = terminal_.screen_top();
      given = 0;
      for (auto* waiter : scanned_now_) waiter->from_row = row;
    }
    const std::uint64_t end = terminal_.screen_top() + static_cast<std::uint64_t>(terminal_.size().rows);
    row = std::max(row, terminal_.first_row());  // it may have left the history meanwhile
    const LineTexts texts = texts_between(terminal_, row, std::min(end, row + kScanRows), given);
    row = given = texts.next;
    std::optional<std::vector<const Condition*>> candidates;  // nothing: all
    if (const auto which = set ? set->which(texts.text) : std::nullopt) {
      candidates.emplace();
      for (const int index : *which) candidates->push_back(owners[static_cast<std::size_t>(index)].get());
      std::sort(candidates->begin(), candidates->end());
    }
    const bool is_any = !candidates || !candidates->empty();
    const auto lines = pick_lines(
        texts, [&](std::string_view part) { return is_any && (!candidates || set->may_match(part)); });
    for (auto* waiter : scanned_now_) {
      if (waiter->reason) continue;
      auto& condition = *waiter->condition;
      if (candidates && !std::binary_search(candidates->begin(), candidates->end(),
                                            static_cast<const Condition*>(&condition)))
        continue;
      for (const auto& line : lines) {
        if (line.last_row >= waiter->from_row) condition.look(std::span(&line, 1), terminal_.alt_screen());
      }
      if (condition.is_decided()) finish(*waiter, condition.reason());
    }
    if (row >= end) break;
    co_await boost::asio::post(executor_, boost::asio::use_awaitable);
  }
  for (auto* waiter : scanned_now_) {
    waiter->scanned = true;
    waiter->timer.cancel();
  }
  scanned_now_.clear();
}

Awaitable<Outcome> Session::wait(std::shared_ptr<Condition> condition, std::uint64_t from_offset,
                                 int rows_above, std::optional<std::chrono::milliseconds> timeout,
                                 std::shared_ptr<Cancellation> cancel) {
  const auto self = shared_from_this();
  const auto started = setup_.clock->now();
  const auto deadline = timeout ? started + *timeout : boost::asio::steady_timer::time_point::max();
  co_await settle_frame();
  Waiter waiter{condition, boost::asio::steady_timer(executor_, deadline)};
  if (waiters_.empty()) feed_.skip(terminal_);
  const auto place = waiters_.insert(waiters_.end(), &waiter);
  sieve_.add(*condition);
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
        if (is_look) co_await settle_frame();
        if (condition->reads_screen() && (!frame_open_ || frame_late_)) {
          // At the end of the time too: the reply shows the screen of now, and must not say that it did not
          // change.
          ScreenSight screen = sight();
          condition->look(screen);
          if (condition->holds()) finish(waiter, condition->reason());
        }
        if (!is_look && !waiter.reason) break;
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
  sieve_.remove(*condition);
  Outcome outcome;
  outcome.reason = waiter.reason.value_or(Reason::timeout);
  outcome.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(setup_.clock->now() - started);
  co_return outcome;
}

void Session::end_waits(Reason reason) {
  for (auto* waiter : waiters_) finish(*waiter, reason);
}

}  // namespace smartcli::session
