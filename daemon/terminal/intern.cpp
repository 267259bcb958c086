#include "terminal/intern.hpp"

#include <algorithm>

namespace smartcli::terminal {

namespace {

constexpr std::size_t kFirstStyleSweep = 1024;

std::size_t hash_of(const Style& s) {
  std::uint64_t h = (std::uint64_t{s.fg.bits} << 32 | s.bg.bits) * 0x9e3779b97f4a7c15u;
  h ^= (std::uint64_t{s.underline_colour.bits} << 32 | std::uint64_t{s.link} << 8) * 0xc2b2ae3d27d4eb4fu;
  h ^= (std::uint64_t{s.flags} << 8 | static_cast<unsigned>(s.underline)) * 0x165667b19e3779f9u;
  h ^= h >> 29;
  h *= 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

}  // namespace

StyleTable::StyleTable() : styles_(1), slots_(64), sweep_at_(kFirstStyleSweep) {}

std::size_t StyleTable::slot_of(const Style& style) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(style) & mask;
  while (slots_[slot] != kNone && !(styles_[slots_[slot]] == style)) slot = (slot + 1) & mask;
  return slot;
}

StyleId StyleTable::intern(const Style& style) {
  if (style == Style{}) return 0;
  std::size_t slot = slot_of(style);
  if (slots_[slot] != kNone) return slots_[slot];
  StyleId id;
  if (!free_.empty()) {
    id = free_.back();
    free_.pop_back();
    styles_[id] = style;
  } else {
    id = static_cast<StyleId>(styles_.size());
    styles_.push_back(style);
  }
  slots_[slot] = id;
  if (++live_ * 2 > slots_.size()) rehash(slots_.size() * 2);
  return id;
}

void StyleTable::rehash(std::size_t slots) {
  std::vector<StyleId> old(slots);
  old.swap(slots_);
  for (StyleId id : old)
    if (id != kNone) slots_[slot_of(styles_[id])] = id;
}

void StyleTable::sweep(const std::vector<bool>& marks) {
  std::vector<bool> was_free(styles_.size());
  for (StyleId id : free_) was_free[id] = true;
  std::fill(slots_.begin(), slots_.end(), kNone);
  live_ = 1;
  for (StyleId id = 1; id < styles_.size(); ++id) {
    if (was_free[id]) continue;
    if (marks[id]) {
      slots_[slot_of(styles_[id])] = id;
      ++live_;
    } else {
      free_.push_back(id);
    }
  }
  sweep_at_ = std::max(kFirstStyleSweep, live_ * 2);
}

std::uint32_t GraphemeTable::intern(std::u32string_view text) {
  std::u32string key(text);
  if (auto it = ids_.find(key); it != ids_.end()) return it->second;
  std::uint32_t id;
  if (!free_.empty()) {
    id = free_.back();
    free_.pop_back();
    texts_[id] = key;
  } else {
    id = static_cast<std::uint32_t>(texts_.size());
    texts_.push_back(key);
  }
  ids_.emplace(std::move(key), id);
  return id;
}

void GraphemeTable::sweep(const std::vector<bool>& marks) {
  for (std::uint32_t id = 0; id < texts_.size(); ++id) {
    if (marks[id] || texts_[id].empty()) continue;
    ids_.erase(texts_[id]);
    texts_[id] = {};
    free_.push_back(id);
  }
  sweep_at_ = std::max(kFirstSweep, ids_.size() * 2);
}

std::uint32_t LinkTable::intern(std::string_view uri) {
  std::string key(uri);
  if (auto it = ids_.find(key); it != ids_.end()) return it->second;
  if (bytes_ + uri.size() > kMaxBytes) return 0;
  std::uint32_t id;
  if (!free_.empty()) {
    id = free_.back();
    free_.pop_back();
  } else {
    uris_.emplace_back();
    id = static_cast<std::uint32_t>(uris_.size());
  }
  uris_[id - 1] = {key, 0, true};
  bytes_ += key.size() + sizeof(Entry);
  ids_.emplace(std::move(key), id);
  return id;
}

void LinkTable::sweep(const std::vector<bool>& marks) {
  for (std::uint32_t id = 1; id <= uris_.size(); ++id) {
    Entry& entry = uris_[id - 1];
    if (!entry.used || marks[id] || entry.history_uses > 0) continue;
    bytes_ -= entry.uri.size() + sizeof(Entry);
    ids_.erase(entry.uri);
    entry = {};
    free_.push_back(id);
  }
  sweep_at_ = std::max(kFirstSweep, bytes_ * 2);
}

}  // namespace smartcli::terminal
