// Sessions that the system ends (idle, evicted, dropped), and what is left of them.

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <ctime>

#include "common/failpoint.hpp"
#include "common/log.hpp"
#include "session/session_table.hpp"

namespace smartcli::session {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kHurry = 1000;  ///< failpoint idle.hurry
constexpr auto kAgain = 1s;            ///< one that could not be ended is tried again

const char* words_of(EndReason reason) {
  switch (reason) {
    case EndReason::idle: return "it was idle";
    case EndReason::evicted: return "it made room for another (--evict)";
    case EndReason::dropped: return "it had ended, and newer ended ones took its place";
    case EndReason::owner_gone: return "its owner went (--ephemeral)";
  }
  return "";
}

}  // namespace

Awaitable<void> SessionTable::retire(std::shared_ptr<Session> session, EndReason reason) {
  if (!retiring_.insert(session.get()).second) co_return;
  struct Done {
    std::set<const Session*>& all;
    const Session* one;
    ~Done() { all.erase(one); }
  } done{retiring_, session.get()};
  if (session->alive()) session->end_waits(reason == EndReason::evicted ? Reason::evicted : Reason::closed);
  if (auto marked = session->mark_grave(reason); !marked) log::warning(marked.error().message);
  log::info("session '" + session->sid() + "' is ended: " + words_of(reason));
  const auto grace = std::chrono::milliseconds((*setup_.limits)[LimitId::grace_ms]);
  auto closed = co_await close(session, session->alive() ? grace : 0ms, false);
  if (!closed) log::warning("session '" + session->sid() + "': " + closed.error().message);
}

void SessionTable::retire_later(std::shared_ptr<Session> session, EndReason reason) {
  boost::asio::co_spawn(
      setup_.executor,
      [](SessionTable* table, std::shared_ptr<Session> its_session, EndReason its_reason) -> Awaitable<void> {
        co_await table->retire(its_session, its_reason);
      }(this, std::move(session), reason),
      boost::asio::detached);
}

void SessionTable::bury(const journal::Index& index, const std::string& folder) {
  if ((*setup_.limits)[LimitId::tombstones] == 0) return journal::remove(folder);
  journal::bury(folder);
  tombs_[index.sid.text] = {index, folder};
  clear_tombstones();
}

std::chrono::milliseconds SessionTable::tombstone_time() const {
  return std::chrono::hours(24) * (*setup_.limits)[LimitId::tombstone_days];
}

std::vector<journal::Index> SessionTable::tombstones() {
  clear_tombstones();
  std::vector<std::pair<std::int64_t, const journal::Index*>> order;
  for (const auto& [sid, tomb] : tombs_) order.emplace_back(tomb.index.grave->ended_ms, &tomb.index);
  std::sort(order.begin(), order.end());
  std::vector<journal::Index> all;
  for (const auto& [ended, index] : order) all.push_back(*index);
  return all;
}

bool SessionTable::forget_tombstone(const std::string& sid) {
  const auto found = tombs_.find(sid);
  if (found == tombs_.end()) return false;
  journal::remove(found->second.folder);
  tombs_.erase(found);
  return true;
}

void SessionTable::clear_tombstones() {
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::milliseconds>(setup_.clock->wall().time_since_epoch()).count();
  const std::int64_t time = tombstone_time().count();
  const auto most = static_cast<std::size_t>((*setup_.limits)[LimitId::tombstones]);
  std::vector<std::pair<std::int64_t, std::string>> kept;
  std::vector<std::string> past;
  for (const auto& [sid, tomb] : tombs_) {
    if (tomb.index.grave->ended_ms + time <= now)
      past.push_back(sid);
    else
      kept.emplace_back(tomb.index.grave->ended_ms, sid);
  }
  if (kept.size() > most) {
    std::sort(kept.begin(), kept.end());
    for (std::size_t i = 0; i + most < kept.size(); ++i) past.push_back(kept[i].second);
  }
  for (const auto& sid : past) forget_tombstone(sid);
}

Error SessionTable::gone(const journal::Index& index) const {
  const std::time_t ended = index.grave->ended_ms / 1000;
  struct tm utc {};
  ::gmtime_r(&ended, &utc);
  char when[32];
  std::strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return Error{ErrorCode::session_gone,
               "session '" + index.sid.text + "' was ended at " + when + ": " +
                   words_of(index.grave->reason) + "; `smartcli close -s " + index.sid.text +
                   "` frees its name",
               std::string(EnumNames<EndReason>::kNames[static_cast<std::size_t>(index.grave->reason)])};
}

void SessionTable::forget_oldest_ended() {
  const auto cap = static_cast<std::size_t>((*setup_.limits)[LimitId::ended]);
  auto sessions = all();
  std::erase_if(sessions, [](const auto& session) { return session->alive() || session->is_unreachable(); });
  for (std::size_t i = 0; i + cap < sessions.size(); ++i) retire_later(sessions[i], EndReason::dropped);
}

std::chrono::milliseconds SessionTable::idle_timeout(const Session& session) const {
  const auto timeout = session.index().idle_timeout_ms;
  return std::chrono::milliseconds(
      failpoints().is_hit(Failpoint::idle_hurry, session.sid()) ? timeout / kHurry : timeout);
}

void SessionTable::watch_idle() {
  const auto now = setup_.clock->now();
  auto next = Clock::Steady::max();
  for (const auto& [sid, session] : sessions_) {
    const auto timeout = idle_timeout(*session);
    if (timeout == 0ms || !session->alive()) continue;
    // Who waits for it uses it.
    const auto due = (session->waits() > 0 ? now : session->last_active()) + timeout;
    if (due > now) {
      next = std::min(next, due);
    } else {
      retire_later(session, EndReason::idle);
      next = std::min(next, now + kAgain);
    }
  }
  if (next == Clock::Steady::max()) return;
  idle_timer_.expires_at(next);
  idle_timer_.async_wait([this](boost::system::error_code cancelled) {
    if (!cancelled) watch_idle();
  });
}

}  // namespace smartcli::session
