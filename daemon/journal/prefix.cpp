#include "journal/prefix.hpp"

#include <algorithm>
#include <array>

#include "journal/files.hpp"
#include "journal/record.hpp"

namespace smartcli::journal {
namespace {

using shim_abi::EventType;
using shim_abi::kSegmentBytes;

/// Reads the record at `position`; an empty span if there is no valid one.
std::span<const char> record_at(int fd, std::uint64_t position, std::vector<char>& buffer) {
  constexpr std::size_t kUsual = 128;  // all types of this version
  buffer.resize(kUsual);
  auto got = read_at(fd, buffer, position);
  if (got < 0) return {};
  Checked checked = check_record({buffer.data(), static_cast<std::size_t>(got)});
  if (checked.verdict == Verdict::partial && got == static_cast<std::int64_t>(kUsual)) {
    buffer.resize(checked.head.bytes);
    got = read_at(fd, buffer, position);
    if (got < 0) return {};
    checked = check_record({buffer.data(), static_cast<std::size_t>(got)});
  }
  if (checked.verdict != Verdict::valid) return {};
  return {buffer.data(), checked.head.bytes};
}

}  // namespace

std::uint64_t Prefix::stored_bytes(std::uint64_t number) const {
  const auto found = std::lower_bound(segments_.begin(), segments_.end(), number,
                                      [](const Segment& s, std::uint64_t n) { return s.number < n; });
  return found != segments_.end() && found->number == number ? std::min(found->bytes, kSegmentBytes) : 0;
}

/// Whether a file begins where the one before it ended, or behind what that one says was lost.
bool Prefix::follows(const EventsFile& file) const {
  if (files_.empty()) return true;
  const EventsFile& last = files_.back();
  if (last.lost_to != 0) {
    return file.first.head.offset == last.lost_to && file.before >= last.before + last.bytes;
  }
  return file.number == last.number + 1 && file.before == last.before + last.bytes;
}

bool Prefix::scan_events(EventsFile& file) {
  const Fd fd = open_file(path_of(folder_, Kind::events, file.number));
  if (!fd) return false;
  const std::uint64_t begin = file.number * kSegmentBytes;
  std::uint64_t last = begin;
  constexpr std::size_t kChunk = 64 << 10;
  std::vector<char> chunk(kChunk);
  for (;;) {
    const auto got = read_at(fd.get(), chunk, file.bytes);
    if (got <= 0) return got == 0;
    const std::span<const char> bytes(chunk.data(), static_cast<std::size_t>(got));
    std::size_t used = 0;
    while (used < bytes.size()) {
      const Checked checked = check_record(bytes.subspan(used));
      if (checked.verdict == Verdict::partial && used > 0) break;  // the next chunk begins with it
      if (checked.verdict != Verdict::valid) return false;
      const auto& head = checked.head;
      const bool opens = file.bytes + used == 0;
      if (opens != (head.type == EventType::first)) return false;
      if (head.offset < last || head.offset > begin + kSegmentBytes) return false;
      last = head.offset;
      const auto record = bytes.subspan(used, head.bytes);
      if (opens) {
        file.first = first_of(record);
        file.before = file.first.events_before;
        if (file.before > ~0ull / 2 || !follows(file)) return false;
      }
      used += head.bytes;
      if (head.type != EventType::gap) continue;
      const auto gap = decode_record(record);
      if (!gap || !ends_file(*gap)) continue;
      file.lost_to = gap->to;
      file.bytes += used;
      // What an attempt to write on left behind it is no part of the journal.
      all_events_ -= std::min(all_events_, size_of(fd.get()) - file.bytes);
      return true;
    }
    file.bytes += used;
    if (used < bytes.size() && bytes.size() < kChunk) return false;  // ends inside a record
  }
}

void Prefix::scan() {
  scanned_ = true;
  const auto numbers = numbers_in(folder_, Kind::events).value_or(std::vector<std::uint64_t>{});
  for (const std::uint64_t number :
       numbers_in(folder_, Kind::segment).value_or(std::vector<std::uint64_t>{})) {
    segments_.push_back({number, size_of(open_file(path_of(folder_, Kind::segment, number)).get())});
  }
  for (const std::uint64_t number : numbers) {
    all_events_ += size_of(open_file(path_of(folder_, Kind::events, number)).get());
  }
  for (const std::uint64_t number : numbers) {
    // The cap deletes a segment and its events one after the other: half a pair at the beginning is such a
    // rest.
    const bool has_segment = std::any_of(segments_.begin(), segments_.end(),
                                         [number](const Segment& s) { return s.number == number; });
    if (files_.empty() && !has_segment) continue;
    if (!files_.empty() && files_.back().lost_to > number * kSegmentBytes) {  // likewise
      all_events_ -= size_of(open_file(path_of(folder_, Kind::events, number)).get());
      continue;
    }
    EventsFile file;
    file.number = number;
    const bool valid = scan_events(file);
    whole_ = valid || file.bytes == 0;  // with nothing of it valid, the file before it is the last
    if (file.bytes > 0) files_.push_back(file);
    if (!valid) break;
  }
  if (!files_.empty()) {
    enter_file();
  }
}

void Prefix::enter_file() {
  events_ = open_file(path_of(folder_, Kind::events, files_[file_].number));
  record_ = 0;
  have_record_ = false;
  data_ = good_ = files_[file_].number * kSegmentBytes;
}

/// Ends before the record at hand.
void Prefix::end_at(std::uint64_t offset) {
  files_[file_].bytes = record_;
  files_.resize(record_ == 0 ? file_ : file_ + 1);
  end_ = offset;
  finish();
}

void Prefix::finish() {
  done_ = true;
  events_.reset();
  segment_.reset();
  std::uint64_t kept_events = 0;
  for (const EventsFile& file : files_) kept_events += file.bytes;
  dropped_ = all_events_ - std::min(all_events_, kept_events);
  const std::uint64_t begin = files_.empty() ? 0 : files_.front().number * kSegmentBytes;
  for (const Segment& segment : segments_) {
    const std::uint64_t from = segment.number * kSegmentBytes;
    const std::uint64_t to = std::min(from + std::min(segment.bytes, kSegmentBytes), end_);
    dropped_ += segment.bytes - (from >= begin && from < to ? to - from : 0);
  }
}

bool Prefix::next_record() {
  std::vector<char> buffer;
  const auto record = record_at(events_.get(), record_, buffer);
  if (record.empty()) return false;  // it was valid a moment ago: somebody changes the files
  head_ = check_record(record).head;
  have_record_ = true;
  data_bad_ = false;
  crc_ = 0;
  return true;
}

bool Prefix::check_data(std::uint64_t to, std::size_t& budget) {
  std::array<char, 64 << 10> block;
  while (data_ < to) {
    if (budget == 0) return false;
    const std::uint64_t number = data_ / kSegmentBytes;
    if (number != segment_number_) {
      segment_ = open_file(path_of(folder_, Kind::segment, number));
      segment_number_ = number;
    }
    const std::uint64_t stop = std::min(to, (number + 1) * kSegmentBytes);
    const std::size_t want = std::min<std::uint64_t>(block.size(), stop - data_);
    const auto got = read_at(segment_.get(), {block.data(), want}, data_ % kSegmentBytes);
    if (got < static_cast<std::int64_t>(want)) {
      data_bad_ = true;
      return true;
    }
    crc_ = shim_abi::crc32c(crc_, block.data(), want);
    data_ += want;
    budget -= std::min(budget, want);
  }
  return true;
}

bool Prefix::advance(std::size_t budget) {
  if (done_) return true;
  if (!scanned_) scan();
  while (file_ < files_.size()) {
    if (record_ >= files_[file_].bytes) {
      if (file_ + 1 == files_.size()) break;
      // What a full segment holds after its last record is in no checksum: the next one stands in the next
      // file.
      const EventsFile& last = files_[file_];
      const std::uint64_t stored = last.number * kSegmentBytes + stored_bytes(last.number);
      const bool whole = last.lost_to != 0 || stored >= files_[file_ + 1].number * kSegmentBytes;
      if (!whole) {
        end_at(std::max(stored, good_));
        return true;
      }
      ++file_;
      enter_file();
    }
    if (!have_record_ && !next_record()) {
      end_at(good_);
      return true;
    }
    if (!check_data(head_.offset, budget)) return false;
    if (data_bad_ || crc_ != head_.data_crc) {
      end_at(good_);
      return true;
    }
    good_ = data_ = head_.offset;
    record_ += head_.bytes;
    have_record_ = false;
  }
  end_ = good_;
  if (whole_ && !files_.empty()) {
    // Data is stored before its record: with the records whole, what follows the last one is the shim's last
    // read.
    const std::uint64_t number = good_ / kSegmentBytes;
    end_ = std::max(end_, number * kSegmentBytes + stored_bytes(number));
  }
  finish();
  return true;
}

}  // namespace smartcli::journal
