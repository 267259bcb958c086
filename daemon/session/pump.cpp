#include "session/pump.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

namespace smartcli::session {

void Pump::wake(std::shared_ptr<Pumped> session) {
  if (std::find(line_.begin(), line_.end(), session) != line_.end()) return;
  line_.push_back(std::move(session));
  if (!turning_) {
    turning_ = true;
    boost::asio::post(executor_, [this] { turn(); });
  }
}

void Pump::turn() {
  turning_ = false;
  if (line_.empty()) return;
  const auto session = std::move(line_.front());
  line_.pop_front();
  turned_ = session.get();
  const bool has_more = session->slice();
  const bool forgotten = std::exchange(turned_, nullptr) == nullptr;
  if (has_more && !forgotten) {
    if (std::find(line_.begin(), line_.end(), session) == line_.end()) line_.push_back(session);
  }
  if (!line_.empty() && !turning_) {
    turning_ = true;
    boost::asio::post(executor_, [this] { turn(); });
  }
}

void Pump::want_slot(const std::shared_ptr<Pumped>& session) {
  const auto holds = [&](const Slot& slot) { return slot.holder == session; };
  if (std::any_of(slots_.begin(), slots_.end(), holds)) return;
  if (std::find(slot_line_.begin(), slot_line_.end(), session) != slot_line_.end()) return;
  slot_line_.push_back(session);
  give_slots();
  watch_line();
}

void Pump::give_slots() {
  while (slots_.size() < kFloodSlots && !slot_line_.empty()) {
    auto session = std::move(slot_line_.front());
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
  if (slot->used < kTurnBytes || slot_line_.empty()) return true;
  slots_.erase(slot);
  give_slots();
  return false;
}

void Pump::release_slot(const Pumped* session) {
  const auto before = slots_.size();
  std::erase_if(slots_, [&](const Slot& slot) { return slot.holder.get() == session; });
  if (slots_.size() != before) give_slots();
}

void Pump::forget(const Pumped* session) {
  if (turned_ == session) turned_ = nullptr;
  std::erase_if(line_, [&](const auto& other) { return other.get() == session; });
  std::erase_if(slot_line_, [&](const auto& other) { return other.get() == session; });
  release_slot(session);
}

void Pump::watch_line() {
  if (watching_ || slot_line_.empty()) return;
  watching_ = true;
  alive_timer_.expires_after(std::chrono::milliseconds(500));  // well under the shim's 2 s
  alive_timer_.async_wait([this](boost::system::error_code error) {
    watching_ = false;
    if (error) return;
    for (const auto& session : slot_line_) session->keep_alive();
    watch_line();
  });
}

}  // namespace smartcli::session
