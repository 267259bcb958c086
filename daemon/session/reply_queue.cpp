#include "session/reply_queue.hpp"

#include <algorithm>

namespace smartcli::session {

void ReplyQueue::add(std::vector<terminal::Reply> replies, std::int32_t foreground, Time now) {
  for (auto& reply : replies)
    held_.push_back({std::move(reply), foreground, now, false, false, std::nullopt});
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
    } else {
      if (facts.canonical) {
        held.was_canonical = true;
        held.raw_since.reset();
      } else if (!held.raw_since) {
        held.raw_since = now;
      }
      const bool may_be_prompt = held.was_canonical || facts.shell;
      const bool settled = held.raw_since && (!may_be_prompt || now - *held.raw_since >= kPromptComes);
      if (!facts.drained || !settled) break;  // answers keep their order
      decision.send.push_back(std::move(held.reply));
    }
    held_.pop_front();
  }
  if (!held_.empty()) {
    step_ = std::min(step_ * 2, std::chrono::milliseconds(50));
    next_look_ = std::min(now + step_, held_.front().since + kLatest);
  }
  return decision;
}

std::uint64_t PromptSigns::find(std::string_view bytes, std::uint64_t start) {
  constexpr std::string_view kSigns[] = {"\x1b[?2004h", "\x1b]133;A", "\x1b]133;D"};
  constexpr std::size_t kLongest = kSigns[0].size();
  if (start != end_) tail_.clear();
  const auto last_in = [&](std::string_view text, std::uint64_t from) {
    std::uint64_t found = 0;
    for (const auto sign : kSigns) {
      const auto at = text.rfind(sign);
      if (at != std::string_view::npos) found = std::max(found, from + at + sign.size());
    }
    return found;
  };
  // A sign over the seam begins in the tail; one that ended there was found before.
  const std::size_t old = tail_.size();
  const std::string seam = tail_ + std::string(bytes.substr(0, kLongest - 1));
  std::uint64_t found = std::max(last_in(bytes, start), last_in(seam, start - old));
  if (found <= start) found = 0;
  end_ = start + bytes.size();
  tail_.append(bytes.substr(bytes.size() - std::min(bytes.size(), kLongest - 1)));
  if (tail_.size() > kLongest - 1) tail_.erase(0, tail_.size() - (kLongest - 1));
  return found;
}

}  // namespace smartcli::session
