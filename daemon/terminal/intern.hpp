#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "terminal/cell.hpp"
#include "terminal/style.hpp"

namespace smartcli::terminal {

// Interned values behind small ids. Hostile output makes new ones without end, so each table says when it has
// grown past what was alive at the last sweep; its owner then marks what is in use and the rest is reused.

/// Styles by id; id 0 is the default style and stays.
class StyleTable {
 public:
  StyleTable();
  StyleId intern(const Style& style);
  const Style& get(StyleId id) const { return styles_[id]; }

  bool wants_sweep() const { return live_ >= sweep_at_; }
  /// Frees every id whose mark is not set. `marks` has `capacity()` entries.
  void sweep(const std::vector<bool>& marks);
  std::size_t capacity() const { return styles_.size(); }

 private:
  static constexpr std::uint32_t kNone = 0;
  std::size_t slot_of(const Style& style) const;
  void rehash(std::size_t slots);

  std::vector<Style> styles_;
  std::vector<StyleId> free_;
  std::vector<StyleId> slots_;  ///< open addressing; 0 is empty, since the default style is never looked up
  std::size_t live_ = 1;
  std::size_t sweep_at_;
};

/// Cells of more than one code point.
class GraphemeTable {
 public:
  /// `text` holds 2 to kMaxCluster code points.
  std::uint32_t intern(std::u32string_view text);
  const std::u32string& get(std::uint32_t id) const { return texts_[id]; }

  bool wants_sweep() const { return ids_.size() >= sweep_at_; }
  void sweep(const std::vector<bool>& marks);
  std::size_t capacity() const { return texts_.size(); }

 private:
  static constexpr std::size_t kFirstSweep = 1024;
  std::vector<std::u32string> texts_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::u32string, std::uint32_t> ids_;
  std::size_t sweep_at_ = kFirstSweep;
};

/// OSC 8 addresses. Alive while a style or a line of history names them.
class LinkTable {
 public:
  /// Bytes of all addresses. Past it, text is shown without its link.
  static constexpr std::size_t kMaxBytes = 4 << 20;

  /// The id, or 0 when the table is full; then a sweep may help.
  std::uint32_t intern(std::string_view uri);
  const std::string& get(std::uint32_t id) const { return uris_[id - 1].uri; }

  void add_history_use(std::uint32_t id) { ++uris_[id - 1].history_uses; }
  void drop_history_use(std::uint32_t id) { --uris_[id - 1].history_uses; }

  bool wants_sweep() const { return bytes_ >= sweep_at_; }
  void sweep(const std::vector<bool>& marks);
  std::size_t capacity() const { return uris_.size() + 1; }

 private:
  static constexpr std::size_t kFirstSweep = 64 << 10;
  struct Entry {
    std::string uri;
    std::uint32_t history_uses = 0;
    bool used = false;
  };
  std::vector<Entry> uris_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::size_t bytes_ = 0;
  std::size_t sweep_at_ = kFirstSweep;
};

/// What rows refer to by id.
struct Tables {
  StyleTable styles;
  GraphemeTable graphemes;
  LinkTable links;
};

}  // namespace smartcli::terminal
