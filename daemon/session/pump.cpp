#include "session/pump.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace smartcli::session {

void Pump::come_soon() {
  if (line_.empty() || turning_) return;
  turning_ = true;
  boost::asio::post(executor_, [this] { turn(); });
}

void Pump::wake(std::shared_ptr<Pumped> session) {
  if (std::find(line_.begin(), line_.end(), session) != line_.end()) return;
  line_.push_back(std::move(session));
  come_soon();
}

void Pump::wake_first(std::shared_ptr<Pumped> session) {
  std::erase(line_, session);
  line_.push_front(std::move(session));
  come_soon();
}

void Pump::serve_others() {
  constexpr int kMost = 256;  // handlers that make each other ready do not keep the slice away
  auto& loop = static_cast<boost::asio::io_context&>(executor_.context());
  for (int served = 0; served < kMost && loop.poll_one() > 0; ++served) {
  }
}

void Pump::turn() {
  serve_others();
  turning_ = false;
  for (auto* timer : resting_) timer->cancel();  // they come after this turn
  if (line_.empty()) return;
  const auto session = std::move(line_.front());
  line_.pop_front();
  turned_ = session.get();
  const bool has_more = session->slice();
  const bool forgotten = std::exchange(turned_, nullptr) == nullptr;
  if (has_more && !forgotten) {
    if (std::find(line_.begin(), line_.end(), session) == line_.end()) line_.push_back(session);
  }
  come_soon();
}

boost::asio::awaitable<void> Pump::let_others() {
  if (line_.empty()) {
    co_await boost::asio::post(executor_, boost::asio::use_awaitable);
    co_return;
  }
  boost::asio::steady_timer timer(executor_, boost::asio::steady_timer::time_point::max());
  const auto place = resting_.insert(resting_.end(), &timer);
  boost::system::error_code ignored;
  co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  resting_.erase(place);
}

void Pump::want_slot(const std::shared_ptr<Pumped>& session) {
  const auto holds = [&](const Slot& slot) { return slot.holder == session; };
  if (std::any_of(slots_.begin(), slots_.end(), holds)) return;
  const auto waits = [&](const Waiting& waiting) { return waiting.session == session; };
  if (std::any_of(slot_line_.begin(), slot_line_.end(), waits)) return;
  slot_line_.push_back({session, ++moves_});
  give_slots();
  watch_line();
}

void Pump::give_slots() {
  while (slots_.size() < flood_slots_ && !slot_line_.empty()) {
    auto session = std::move(slot_line_.front().session);
    slot_line_.pop_front();
    slots_.push_back({session, 0});
    session->slot_given();
  }
}

bool Pump::use_slot(const Pumped* session, std::uint64_t bytes) {
  const auto slot =
      std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.holder.get() == session; });
  if (slot == slots_.end()) return false;
  slot->used += bytes;
  return slot->used < kTurnBytes || slot_line_.empty();
}

void Pump::release_slot(const Pumped* session) {
  std::erase_if(slot_line_, [&](const Waiting& waiting) { return waiting.session.get() == session; });
  const auto before = slots_.size();
  std::erase_if(slots_, [&](const Slot& slot) { return slot.holder.get() == session; });
  if (slots_.size() != before) give_slots();
}

void Pump::forget(const Pumped* session) {
  if (turned_ == session) turned_ = nullptr;
  std::erase_if(line_, [&](const auto& other) { return other.get() == session; });
  release_slot(session);
}

void Pump::watch_line() {
  if (watching_ || slot_line_.empty()) return;
  watching_ = true;
  // One after the other: moved all at once, every program behind them would run at the same moment.
  alive_timer_.expires_after(kAlive / static_cast<int>(slot_line_.size() + 1));
  alive_timer_.async_wait([this](boost::system::error_code error) {
    watching_ = false;
    if (error || slot_line_.empty()) return;
    const auto longest = std::min_element(slot_line_.begin(), slot_line_.end(),
                                          [](const auto& a, const auto& b) { return a.moved < b.moved; });
    longest->moved = ++moves_;
    longest->session->keep_alive();
    watch_line();
  });
}

}  // namespace smartcli::session
