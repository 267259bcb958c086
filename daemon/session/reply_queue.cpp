#include "session/reply_queue.hpp"

#include <algorithm>

namespace smartcli::session {

void ReplyQueue::add(std::vector<terminal::Reply> replies, std::int32_t foreground, Time now) {
  for (auto& reply : replies) held_.push_back({std::move(reply), foreground, now, false});
  step_ = std::chrono::milliseconds(1);
  next_look_ = now + step_;
}

void ReplyQueue::prompt_seen(std::uint64_t offset) {
  for (auto& held : held_) {
    if (held.reply.offset < offset) held.prompt_followed = true;
  }
}

ReplyQueue::Decision ReplyQueue::decide(const Facts& facts, Time now) {
  Decision decision;
  while (!held_.empty()) {
    auto& held = held_.front();
    if (held.prompt_followed || held.foreground != facts.foreground || now - held.since >= kLatest) {
      ++dropped_;
      decision.drop.push_back(std::move(held.reply));
    } else if (facts.drained && !facts.canonical) {
      decision.send.push_back(std::move(held.reply));
    } else {
      break;  // answers keep their order
    }
    held_.pop_front();
  }
  if (!held_.empty()) {
    step_ = std::min(step_ * 2, std::chrono::milliseconds(50));
    next_look_ = std::min(now + step_, held_.front().since + kLatest);
  }
  return decision;
}

std::uint64_t find_prompt_sign(std::string_view bytes, std::uint64_t start, std::uint64_t after) {
  std::uint64_t found = 0;
  for (const std::string_view sign : {"\x1b[?2004h", "\x1b]133;A", "\x1b]133;D"}) {
    const auto at = bytes.rfind(sign);
    if (at == std::string_view::npos) continue;
    const std::uint64_t offset = start + at + sign.size();
    if (offset > after) found = std::max(found, offset);
  }
  return found;
}

}  // namespace smartcli::session
