#include "session/sieve.hpp"

#include <algorithm>

namespace smartcli::session {

void Sieve::add(const Condition& condition) {
  const auto patterns = condition.patterns();
  if (patterns.empty()) return;
  ++conditions_;
  for (const auto* pattern : patterns) {
    if (PatternSet::takes(*pattern)) {
      young_.entries.push_back({&condition, pattern});
    } else {
      ++not_taken_;
    }
  }
  young_.set.reset();
  if (young_.entries.size() <= kYoung) return;
  old_.entries.insert(old_.entries.end(), young_.entries.begin(), young_.entries.end());
  old_.set.reset();
  young_ = {};
}

void Sieve::remove(const Condition& condition) {
  const auto patterns = condition.patterns();
  if (patterns.empty()) return;
  --conditions_;
  for (const auto* pattern : patterns) {
    if (!PatternSet::takes(*pattern)) --not_taken_;
  }
  for (auto* tier : {&young_, &old_}) {
    for (auto& entry : tier->entries) {
      if (entry.condition != &condition) continue;
      entry = {nullptr, nullptr};
      ++tier->removed;
    }
    // The set still holds them; it is made anew when that is worth it.
    if (tier->removed * 2 > tier->entries.size()) tier->drop_removed();
  }
}

void Sieve::Tier::drop_removed() {
  std::erase_if(entries, [](const Entry& entry) { return entry.condition == nullptr; });
  removed = 0;
  set.reset();
}

void Sieve::Tier::make() {
  if (set) return;
  drop_removed();
  std::vector<const Pattern*> patterns;
  for (const auto& entry : entries) patterns.push_back(entry.pattern);
  set.emplace(patterns);
}

std::optional<std::vector<const Condition*>> Sieve::candidates(std::string_view lines) {
  if (not_taken_ > 0) return std::nullopt;
  std::vector<const Condition*> found;
  for (auto* tier : {&young_, &old_}) {
    if (tier->entries.empty()) continue;
    tier->make();
    const auto indices = tier->set->which(lines);
    if (!indices) return std::nullopt;
    for (const int index : *indices) {
      const auto& entry = tier->entries[static_cast<std::size_t>(index)];
      if (entry.condition != nullptr) found.push_back(entry.condition);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool Sieve::may_match(std::string_view lines) {
  if (not_taken_ > 0) return true;
  for (auto* tier : {&young_, &old_}) {
    if (tier->entries.empty()) continue;
    tier->make();
    if (tier->set->may_match(lines)) return true;
  }
  return false;
}

}  // namespace smartcli::session
