#include <fcntl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

#include "journal/files.hpp"
#include "journal/journal.hpp"
#include "journal/prefix.hpp"
#include "journal/record.hpp"
#include "shim_abi/messages.hpp"

namespace smartcli::journal {
namespace {

using shim_abi::kSegmentBytes;
using shim_abi::kSpoolBytes;
using shim_abi::kSpoolEventBytes;

/// The shim may move the spool, or the cap delete a file, between two looks; each turn of a retry needs a
/// whole move.
constexpr int kTurns = 64;

Error before_the_kept() {
  return Error{ErrorCode::session_gone, "that part of the journal was deleted to keep within its cap", "cap"};
}

Error unreadable(const std::string& path, int errno_value) {
  return errno_error(ErrorCode::internal, "cannot read the journal `" + path + "`", errno_value);
}

}  // namespace

Reader::Reader(std::string folder, const shim_abi::Header* header, int spool)
    : folder_(std::move(folder)), header_(header), spool_(spool) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

const Prefix& Reader::prefix() const {
  if (!prefix_) prefix_ = std::make_unique<Prefix>(folder_);
  prefix_->advance(~std::size_t{0});
  return *prefix_;
}

bool Reader::check(std::size_t budget_bytes) {
  if (header_ != nullptr) return true;
  if (!prefix_) prefix_ = std::make_unique<Prefix>(folder_);
  return prefix_->advance(budget_bytes);
}

void Reader::forget_header() {
  header_ = nullptr;
  spool_ = -1;
  index_.clear();
}

std::uint64_t Reader::end() const {
  return header_ != nullptr ? header_->write_offset.load(std::memory_order_acquire) : prefix().end();
}

std::uint64_t Reader::events_end() const {
  if (header_ != nullptr) return header_->event_bytes.load(std::memory_order_acquire);
  const auto& files = prefix().files();
  return files.empty() ? 0 : files.back().before + files.back().bytes;
}

std::uint64_t Reader::dropped_bytes() const {
  return header_ != nullptr ? 0 : prefix().dropped_bytes();
}

std::uint64_t Reader::spool_from() const {
  return header_ != nullptr && spool_ >= 0 ? header_->spool_from.load(std::memory_order_acquire) : ~0ull;
}

std::uint64_t Reader::spool_events_from() const {
  return header_ != nullptr && spool_ >= 0 ? header_->spool_events_from.load(std::memory_order_acquire)
                                           : ~0ull;
}

bool Reader::open_segment(std::uint64_t number) {
  if (segment_number_ == number && segment_) return true;
  segment_ = open_file(path_of(folder_, Kind::segment, number));
  segment_number_ = number;
  return static_cast<bool>(segment_);
}

bool Reader::open_events(std::uint64_t number) {
  if (events_number_ == number && events_) return true;
  events_ = open_file(path_of(folder_, Kind::events, number));
  events_number_ = number;
  return static_cast<bool>(events_);
}

Result<void> Reader::refresh_index() {
  if (header_ == nullptr) {
    index_.clear();
    for (const EventsFile& file : prefix().files()) index_.push_back({file.number, file.before, file.first});
    return {};
  }
  const auto numbers = numbers_in(folder_, Kind::events);
  if (!numbers) return unreadable(folder_, errno);
  std::vector<EventsEntry> fresh;
  for (const std::uint64_t number : *numbers) {
    const auto known = std::lower_bound(index_.begin(), index_.end(), number,
                                        [](const EventsEntry& e, std::uint64_t n) { return e.number < n; });
    if (known != index_.end() && known->number == number) {
      fresh.push_back(*known);
      continue;
    }
    const Fd file = open_file(path_of(folder_, Kind::events, number));
    if (!file) {
      if (errno == ENOENT) continue;  // the cap was faster
      return unreadable(path_of(folder_, Kind::events, number), errno);
    }
    std::array<char, 256> bytes;
    const auto got = read_at(file.get(), bytes, 0);
    if (got <= 0) continue;  // just made, nothing in it yet
    const std::span<const char> record(bytes.data(), static_cast<std::size_t>(got));
    const Checked checked = check_record(record);
    if (checked.verdict != Verdict::valid || checked.head.type != shim_abi::EventType::first) {
      return Error{ErrorCode::internal, "the journal file `" + path_of(folder_, Kind::events, number) +
                                            "` begins with an invalid record"};
    }
    const auto first = first_of(record);
    fresh.push_back({number, first.events_before, first});
  }
  index_ = std::move(fresh);
  return {};
}

const Reader::EventsEntry* Reader::entry_of(std::uint64_t position) const {
  const auto after = std::upper_bound(index_.begin(), index_.end(), position,
                                      [](std::uint64_t p, const EventsEntry& e) { return p < e.before; });
  return after == index_.begin() ? nullptr : &*std::prev(after);
}

Result<Start> Reader::start_from(const EventsEntry* entry) const {
  Start start;
  if (entry == nullptr) {  // nothing is kept yet
    if (header_ != nullptr) {
      start.offset = header_->kept_offset.load(std::memory_order_acquire);
      start.event_position = header_->kept_events.load(std::memory_order_acquire);
      start.cols = header_->cols;
      start.rows = header_->rows;
    }
    return start;
  }
  start.offset = entry->first.head.offset;
  start.event_position = entry->before;
  start.cols = entry->first.cols;
  start.rows = entry->first.rows;
  start.revision_steps = entry->first.revision_steps;
  start.gaps = entry->first.gaps;
  start.restarts = entry->first.restarts;
  return start;
}

Result<Start> Reader::start() {
  return start_at(0);
}

Result<Start> Reader::start_at(std::uint64_t offset) {
  if (const auto done = refresh_index(); !done) return done.error();
  if (index_.empty()) return start_from(nullptr);
  // What the cap is about to delete is not kept any more, though its files may still be there.
  const std::uint64_t kept = header_ != nullptr ? header_->kept_events.load(std::memory_order_acquire) : 0;
  const EventsEntry* best = nullptr;
  for (const EventsEntry& entry : index_) {
    if (entry.before < kept) continue;
    if (best != nullptr && entry.first.head.offset > offset) break;
    best = &entry;
  }
  return start_from(best != nullptr ? best : &index_.back());
}

bool Reader::read_spool(std::uint64_t ring_begin, std::uint64_t ring_bytes, std::uint64_t at,
                        std::span<char> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const std::uint64_t place = (at + done) % ring_bytes;
    const std::size_t part = std::min<std::uint64_t>(into.size() - done, ring_bytes - place);
    if (read_at(spool_, into.subspan(done, part), ring_begin + place) != static_cast<std::int64_t>(part))
      return false;
    done += part;
  }
  return true;
}

Result<std::size_t> Reader::read_segment(std::uint64_t offset, std::span<char> into) {
  const std::uint64_t number = offset / kSegmentBytes;
  std::int64_t got = 0;
  if (open_segment(number)) {
    got = read_at(segment_.get(), into, offset % kSegmentBytes);
    if (got < 0) return unreadable(path_of(folder_, Kind::segment, number), errno);
  } else if (errno != ENOENT) {
    return unreadable(path_of(folder_, Kind::segment, number), errno);
  } else if (header_ != nullptr && header_->kept_offset.load(std::memory_order_acquire) > offset) {
    return before_the_kept();
  }
  // A full disk leaves a segment short, or away: what is not there was lost in a gap.
  std::fill(into.begin() + got, into.end(), '\0');
  return into.size();
}

Result<std::size_t> Reader::read(std::uint64_t offset, std::span<char> into) {
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::uint64_t stop = end();
    if (offset >= stop || into.empty()) return std::size_t{0};
    std::uint64_t many = std::min<std::uint64_t>(into.size(), stop - offset);
    many = std::min(many, kSegmentBytes - offset % kSegmentBytes);
    if (header_ == nullptr) {
      const auto& files = prefix().files();
      if (files.empty() || offset < files.front().first.head.offset) return before_the_kept();
      return read_segment(offset, into.first(many));
    }
    if (offset < header_->kept_offset.load(std::memory_order_acquire)) return before_the_kept();
    const std::uint64_t from = spool_from();
    if (offset < from) {
      many = std::min(many, from - offset);
      return read_segment(offset, into.first(many));
    }
    if (!read_spool(0, kSpoolBytes, offset, into.first(many))) return unreadable(folder_ + " (spool)", errno);
    // The shim moves `spool_from` before it uses the place of those bytes again.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (spool_from() <= offset) return static_cast<std::size_t>(many);
  }
  return Error{ErrorCode::internal, "the journal in `" + folder_ + "` changes faster than it can be read"};
}

/// Bytes of records at `position`, at most to the end of a file; moves `position` over records that were
/// lost, and says so where no file tells of it yet. 0: none there.
Result<std::size_t> Reader::event_bytes(std::uint64_t& position, std::uint64_t end, std::span<char> into,
                                        bool* lost) {
  for (int turn = 0; turn < kTurns && position < end; ++turn) {
    const std::uint64_t from = spool_events_from();
    if (position >= from) {
      const std::size_t many = std::min<std::uint64_t>(into.size(), end - position);
      if (!read_spool(kSpoolBytes, kSpoolEventBytes, position, into.first(many))) {
        return unreadable(folder_ + " (spool)", errno);
      }
      std::atomic_thread_fence(std::memory_order_acquire);
      if (spool_events_from() <= position) return many;
      continue;
    }
    const std::uint64_t kept = header_ != nullptr ? header_->kept_events.load(std::memory_order_acquire)
                                                  : prefix().files().front().before;
    if (position < kept) return before_the_kept();
    const std::uint64_t limit = std::min(end, from);
    if (const EventsEntry* entry = entry_of(position)) {
      const auto next = static_cast<std::size_t>(entry - index_.data()) + 1;
      const std::uint64_t stop = next < index_.size() ? std::min(limit, index_[next].before) : limit;
      if (!open_events(entry->number)) {
        if (errno != ENOENT) return unreadable(path_of(folder_, Kind::events, entry->number), errno);
      } else {
        const std::size_t many = std::min<std::uint64_t>(into.size(), stop - position);
        const auto got = read_at(events_.get(), into.first(many), position - entry->before);
        if (got < 0) return unreadable(path_of(folder_, Kind::events, entry->number), errno);
        if (got > 0) return static_cast<std::size_t>(got);
      }
    }
    // Not in a known file: in one made since, or lost with a full disk, and then a later file or the spool
    // goes on.
    if (const auto done = refresh_index(); !done) return done.error();
    const EventsEntry* entry = entry_of(position);
    if (entry != nullptr && open_events(entry->number) && position - entry->before < size_of(events_.get()))
      continue;
    const std::size_t next = entry == nullptr ? 0 : static_cast<std::size_t>(entry - index_.data()) + 1;
    if (next < index_.size()) {
      position = index_[next].before;  // the file before it ends in the record of that gap
    } else if (from < end) {
      position = from;
      *lost = true;
    } else {
      break;
    }
  }
  return std::size_t{0};
}

/// The gap that the shim will record once the disk is well: from what the files hold up to `to`, where the
/// spool goes on.
Event Reader::gap_until(std::uint64_t to, std::int64_t time_ns) {
  Event gap;
  gap.type = shim_abi::EventType::gap;
  gap.time_ns = time_ns;
  gap.from = gap.to = to;
  if (!index_.empty()) {
    const std::uint64_t number = index_.back().number;
    const std::uint64_t stored = open_segment(number) ? size_of(segment_.get()) : 0;
    gap.from = std::min(to, number * kSegmentBytes + stored);
  }
  gap.offset = gap.from;
  const std::int32_t reason = header_->journal_errno.load(std::memory_order_relaxed);
  gap.reason =
      reason == ENOSPC || reason == EDQUOT ? shim_abi::GapReason::disk_full : shim_abi::GapReason::io_error;
  return gap;
}

/// Where the records go on behind a gap: in the file of the segment at its end, in the spool, or, with all
/// that was lost and nothing new begun yet, at `stop`.
Result<std::uint64_t> Reader::position_behind(const Event& gap, std::uint64_t position, std::uint64_t stop) {
  if (const auto done = refresh_index(); !done) return done.error();
  for (const EventsEntry& entry : index_) {
    if (entry.before >= position && entry.first.head.offset >= gap.to) return entry.before;
  }
  const std::uint64_t from = spool_events_from();
  return std::max(position, std::min(from, stop));
}

Result<std::vector<Event>> Reader::read_events(std::uint64_t& position, std::size_t most) {
  std::vector<Event> events;
  std::array<char, 8192> usual;
  std::vector<char> large;  // for a record of a newer shim that is longer than `usual`
  std::span<char> buffer(usual);
  const std::uint64_t stop = events_end();
  bool lost = false, goes_on_elsewhere = false;
  while (position < stop && events.size() < most) {
    const auto got = event_bytes(position, stop, buffer, &lost);
    if (!got) return got.error();
    const auto bytes = std::span<const char>(buffer).first(*got);
    std::size_t used = 0;
    Checked checked;
    while (used < bytes.size() && events.size() < most) {
      checked = check_record(bytes.subspan(used));
      if (checked.verdict != Verdict::valid) break;
      if (lost) events.push_back(gap_until(checked.head.offset, checked.head.time_ns));
      lost = false;
      const auto event = decode_record(bytes.subspan(used, checked.head.bytes));
      used += checked.head.bytes;
      if (!event) continue;
      events.push_back(*event);
      if (!ends_file(*event)) continue;
      const auto next = position_behind(*event, position + used, stop);
      if (!next) return next.error();
      position = *next;
      used = 0;
      goes_on_elsewhere = true;
      break;
    }
    position += used;
    if (std::exchange(goes_on_elsewhere, false)) continue;
    if (used > 0) continue;
    if (checked.verdict == Verdict::partial && bytes.size() == buffer.size() && large.empty()) {
      large.resize(kRecordBytes);
      buffer = large;
      continue;
    }
    if (const std::uint64_t from = spool_events_from(); position < from && from < stop) {
      position = from;  // a failing disk may take half a record
      lost = true;
      continue;
    }
    if (!events.empty()) break;  // what is valid first, the error when asked again
    return Error{ErrorCode::internal, "the journal in `" + folder_ + "` has no valid record at " +
                                          std::to_string(position) + " of " + std::to_string(stop) +
                                          " event bytes"};
  }
  return events;
}

std::optional<ExitRecord> Reader::exit() const {
  const Fd file = open_file(folder_ + "/" + shim_abi::kExitFile);
  if (!file) return std::nullopt;
  std::array<char, 256> bytes;
  const auto got = read_at(file.get(), bytes, 0);
  if (got <= 0) return std::nullopt;
  const std::span<const char> record(bytes.data(), static_cast<std::size_t>(got));
  const Checked checked = check_record(record);
  if (checked.verdict != Verdict::valid || checked.head.type != shim_abi::EventType::exit)
    return std::nullopt;
  const auto body = exit_of(record);
  return ExitRecord{body.kind, body.value, body.head.offset, body.time_ns};
}

}  // namespace smartcli::journal
