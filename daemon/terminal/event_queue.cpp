#include "terminal/event_queue.hpp"

#include <algorithm>

namespace smartcli::terminal {

void EventQueue::push(EventKind kind, std::uint64_t offset, std::string text) {
  Numbered numbered{pushed_++, {kind, offset, std::move(text)}};
  if (kind != EventKind::mark) {
    newest_[static_cast<std::size_t>(kind)] = std::move(numbered);
    return;
  }
  if (marks_.size() == kMaxMarks) {
    marks_.pop_front();
    ++dropped_;
  }
  marks_.push_back(std::move(numbered));
}

std::vector<Event> EventQueue::take() {
  for (auto& slot : newest_)
    if (slot) marks_.push_back(std::move(*slot));
  newest_ = {};
  std::sort(marks_.begin(), marks_.end(),
            [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
  std::vector<Event> events;
  events.reserve(marks_.size());
  for (Numbered& numbered : marks_) events.push_back(std::move(numbered.event));
  std::deque<Numbered>().swap(marks_);
  return events;
}

}  // namespace smartcli::terminal
