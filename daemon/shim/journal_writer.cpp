#include "shim/journal_writer.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "shim/sys.hpp"

namespace smartcli::shim {

using namespace shim_abi;

namespace {

constexpr std::size_t kReserve = 1024;  // of the event spool, for vital records
constexpr std::int64_t kFirstRetryMs = 100, kLastRetryMs = 5000;
constexpr char kExitTemporary[] = "exit.new";

using Name = Text<32>;

Name file_name(std::uint64_t number, const char* suffix) {
  Name name;
  name.add_number(number, 8).add(suffix);
  return name;
}

std::uint64_t file_bytes(int folder, const char* name) {
  struct stat status {};
  return ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
             ? static_cast<std::uint64_t>(status.st_size)
             : 0;
}

EventHead head_of(EventType type, std::size_t bytes) {
  EventHead head{};
  head.type = type;
  head.bytes = static_cast<std::uint16_t>(bytes);
  return head;
}

void seal(EventHead* record) {
  record->crc = crc32c(0, &record->type, record->bytes - offsetof(EventHead, type));
}

}  // namespace

int JournalWriter::open(const char* folder, int spool, Header* header, std::uint64_t cap) {
  header_ = header;
  spool_ = spool;
  cap_ = cap;
  header_->journal_cap = cap;
  folder_.reset(::open(folder, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC));
  if (!folder_) return errno;
  struct stat status {};
  if (::fstatat(folder_.get(), file_name(0, ".seg").get(), &status, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  if (int error = open_segment(0)) return error;
  number_ = 0;
  first_event();
  if (degraded_) return error_;
  publish();
  return 0;
}

void JournalWriter::remove() {
  for (const char* suffix : {".seg", ".events"}) ::unlinkat(folder_.get(), file_name(0, suffix).get(), 0);
}

int JournalWriter::open_segment(std::uint64_t number) {
  constexpr int kHow = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  Fd segment(::openat(folder_.get(), file_name(number, ".seg").get(), kHow, 0600));
  if (!segment) return errno;
  Fd events(::openat(folder_.get(), file_name(number, ".events").get(), kHow, 0600));
  if (!events) return errno;
  segment_ = static_cast<Fd&&>(segment);
  events_ = static_cast<Fd&&>(events);
  return 0;
}

void JournalWriter::ensure_segment() {
  const std::uint64_t number = offset_ / kSegmentBytes;
  if (number != number_) begin_segment(number);
}

void JournalWriter::begin_segment(std::uint64_t number) {
  if (!degraded_) {
    if (int error = open_segment(number)) {
      degrade(error);  // which begins the segment in the spool
      return;
    }
  }
  number_ = number;
  first_event();
  if (!degraded_) enforce_cap();
}

void JournalWriter::first_event() {
  events_start_ = position_;
  data_crc_ = 0;
  last_time_ns_ = 0;
  last_time_event_ms_ = 0;
  if (degraded_) {
    if (offset_ >= spool_from_ && file_count_ < 4) files_[file_count_++] = {number_, position_};
    if (offset_ == spool_from_) {
      spool_events_from_ = position_;
      header_->spool_events_from.store(position_, std::memory_order_release);
    }
  }
  FirstEvent record{};
  record.head = head_of(EventType::first, sizeof record);
  record.abi_major = kAbiMajor;
  record.abi_minor = kAbiMinor;
  record.cols = header_->cols;
  record.rows = header_->rows;
  record.events_before = position_;
  record.revision_steps = header_->revision_steps.load(std::memory_order_relaxed);
  record.gaps = header_->gaps.load(std::memory_order_relaxed);
  record.restarts = header_->restarts.load(std::memory_order_relaxed);
  record.marks_before = header_->marks_written.load(std::memory_order_relaxed);
  ::memcpy(record.session, header_->session, sizeof record.session);
  finish(&record.head);
  if (!degraded_) {
    const int error = write_at(events_.get(), &record, sizeof record, 0);
    if (!error) {
      position_ += sizeof record;
      kept_bytes_ += sizeof record;
      return;
    }
    number_ = ~std::uint64_t{0};  // it did not begin
    degrade(error);
    return;
  }
  if (spool_event(&record.head, Weight::vital)) {
    position_ += sizeof record;
    if (held_bytes_ == 0) {
      ::memcpy(held_, &record, sizeof record);
      held_bytes_ = sizeof record;
    }
  } else if (offset_ >= spool_from_) {
    lose_all_spooled();  // a segment without its FirstEvent could not be read
  }
}

void JournalWriter::finish(EventHead* record) {
  record->offset = offset_;
  const std::int64_t now = realtime_ns();
  record->time_ns = last_time_ns_ = now > last_time_ns_ ? now : last_time_ns_;
  record->data_crc = data_crc_;
  record->reserved = 0;
  seal(record);
}

bool JournalWriter::event(EventHead* record, Weight weight) {
  ensure_segment();
  if (!degraded_) {
    finish(record);
    const int error = write_at(events_.get(), record, record->bytes, position_ - events_start_);
    if (error) degrade(error);
  }
  if (degraded_) {
    finish(record);
    if (!spool_event(record, weight)) return false;
  } else {
    kept_bytes_ += record->bytes;
  }
  data_crc_ = 0;
  position_ += record->bytes;
  return true;
}

void JournalWriter::time_event() {
  // One a millisecond, which a program that trickles bytes would turn into many times its output: the fuller
  // the file, the rarer.
  const std::uint64_t in_file = position_ - events_start_;
  const std::int64_t interval = in_file < (256 << 10) ? 1 : in_file < (512 << 10) ? 16 : 250;
  const std::int64_t now = monotonic_ms();
  if (now - last_time_event_ms_ < interval) return;
  EventHead record = head_of(EventType::time, sizeof record);
  if (event(&record, Weight::time)) last_time_event_ms_ = now;
}

void JournalWriter::output(const char* data, std::size_t bytes) {
  while (bytes > 0) {
    ensure_segment();
    time_event();
    const std::uint64_t room = kSegmentBytes - offset_ % kSegmentBytes;
    const std::size_t part = bytes < room ? bytes : static_cast<std::size_t>(room);
    if (!degraded_) {
      const int error = write_at(segment_.get(), data, part, offset_ % kSegmentBytes);
      if (error) degrade(error);
    }
    if (degraded_)
      spool_output(data, part);
    else
      kept_bytes_ += part;
    data_crc_ = crc32c(data_crc_, data, part);
    offset_ += part;
    data += part;
    bytes -= part;
  }
}

void JournalWriter::publish() {
  header_->event_bytes.store(position_, std::memory_order_release);
  // Sequentially consistent for the sake of the wake-up that follows (header.hpp).
  header_->write_offset.store(offset_);
}

// --- the file `exit`

int JournalWriter::write_exit_file() {
  Fd file(
      ::openat(folder_.get(), kExitTemporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return errno;
  if (int error = write_at(file.get(), &exit_, sizeof exit_, 0)) return error;
  return ::renameat(folder_.get(), kExitTemporary, folder_.get(), kExitFile) == 0 ? 0 : errno;
}

void JournalWriter::exit_file(const ExitEvent& record) {
  exit_ = record;
  exit_.head.data_crc = 0;
  seal(&exit_.head);
  exit_pending_ = true;
  if (const int error = write_exit_file())
    degrade(error);
  else
    exit_pending_ = false;
}

void JournalWriter::remove_exit_file() {
  exit_pending_ = false;
  ::unlinkat(folder_.get(), kExitFile, 0);
}

void JournalWriter::sync() {
  Fd exit(::openat(folder_.get(), kExitFile, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  for (int fd : {exit.get(), segment_.get(), events_.get(), folder_.get()})
    if (fd >= 0) ::fsync(fd);
}

// --- the cap

void JournalWriter::set_cap(std::uint64_t bytes) {
  cap_ = bytes;
  header_->journal_cap.store(bytes, std::memory_order_relaxed);
  if (!degraded_) enforce_cap();
}

void JournalWriter::enforce_cap() {
  // Room for the segment that is being filled, and something for its events, counts as used.
  constexpr std::uint64_t kHeadroom = kSegmentBytes + (256 << 10);
  while (number_ != ~std::uint64_t{0} && number_ - oldest_ >= 2 && kept_bytes_ + kHeadroom > cap_) {
    FirstEvent first{};
    std::uint64_t next = oldest_ + 1;
    for (; next <= number_; ++next) {  // numbers are missing where a failing disk lost whole segments
      Fd events(::openat(folder_.get(), file_name(next, ".events").get(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
      if (events && read_at(events.get(), &first, sizeof first, 0) == 0) break;
    }
    if (next > number_) return;
    GapEvent gap{};
    gap.head = head_of(EventType::gap, sizeof gap);
    gap.from = oldest_ * kSegmentBytes;
    gap.to = next * kSegmentBytes;
    gap.reason = GapReason::cap;
    header_->kept_events.store(first.events_before, std::memory_order_release);
    header_->kept_offset.store(gap.to, std::memory_order_release);
    for (const char* suffix : {".seg", ".events"}) {
      const Name name = file_name(oldest_, suffix);
      const std::uint64_t bytes = file_bytes(folder_.get(), name.get());
      kept_bytes_ -= bytes < kept_bytes_ ? bytes : kept_bytes_;
      ::unlinkat(folder_.get(), name.get(), 0);
    }
    oldest_ = next;
    event(&gap.head, Weight::minor);
    if (degraded_) return;
  }
}

// --- a disk that fails

void JournalWriter::degrade(int error) {
  error_ = error;
  header_->journal_errno.store(error, std::memory_order_relaxed);
  if (degraded_) return;
  degraded_ = true;
  lost_ = false;
  failed_offset_ = spool_from_ = offset_;
  failed_position_ = spool_events_from_ = position_;
  failed_number_ = offset_ / kSegmentBytes;
  file_count_ = 0;
  held_bytes_ = 0;
  segment_.reset();
  events_.reset();
  header_->spool_events_from.store(spool_events_from_, std::memory_order_release);
  header_->spool_from.store(spool_from_, std::memory_order_release);
  header_->journal_health.store(static_cast<std::uint32_t>(JournalHealth::degraded),
                                std::memory_order_release);
  if (number_ != failed_number_) {
    number_ = failed_number_;
    first_event();
  }
  failed_events_start_ = events_start_;
  GapEvent gap{};
  gap.head = head_of(EventType::gap, sizeof gap);
  gap.from = gap.to = offset_;
  gap.reason = GapReason::none;
  gap.errno_value = static_cast<std::uint32_t>(error);
  finish(&gap.head);
  spool_event(&gap.head, Weight::vital);
  ::memcpy(held_ + held_bytes_, &gap, sizeof gap);
  held_bytes_ += sizeof gap;
  data_crc_ = 0;
  position_ += sizeof gap;
  retry_delay_ms_ = kFirstRetryMs;
  retry_at_ = monotonic_ms() + retry_delay_ms_;
}

int JournalWriter::ring_write(std::uint64_t base, std::uint64_t size, std::uint64_t at, const void* data,
                              std::size_t bytes) {
  const std::uint64_t place = at % size;
  const std::size_t before_wrap = bytes < size - place ? bytes : static_cast<std::size_t>(size - place);
  if (int error = write_at(spool_, data, before_wrap, base + place)) return error;
  return write_at(spool_, static_cast<const char*>(data) + before_wrap, bytes - before_wrap, base);
}

bool JournalWriter::spool_event(const EventHead* record, Weight weight) {
  if (offset_ < spool_from_) return false;  // belongs to what could not even be spooled
  std::uint64_t limit = kSpoolEventBytes;
  switch (weight) {
    case Weight::time: limit = kSpoolEventBytes / 2; break;
    case Weight::minor: limit = kSpoolEventBytes / 8 * 7; break;
    case Weight::important: limit = kSpoolEventBytes - kReserve; break;
    case Weight::vital: break;
  }
  if (position_ + record->bytes - spool_events_from_ > limit) return false;
  return ring_write(kSpoolBytes, kSpoolEventBytes, position_, record, record->bytes) == 0;
}

void JournalWriter::spool_output(const char* data, std::size_t bytes) {
  if (offset_ < spool_from_) return;
  while (offset_ + bytes - spool_from_ > kSpoolBytes)
    if (!drop_spooled_segment()) return lose_all_spooled();
  if (ring_write(0, kSpoolBytes, offset_, data, bytes) != 0) lose_all_spooled();
}

void JournalWriter::count_loss(std::uint64_t to) {
  if (!lost_) header_->gaps.fetch_add(1, std::memory_order_relaxed);
  lost_ = true;
  auto* gap = reinterpret_cast<GapEvent*>(held_ + held_bytes_ - sizeof(GapEvent));
  gap->to = to;
  gap->reason =
      error_ == ENOSPC || error_ == EDQUOT || error_ == EFBIG ? GapReason::disk_full : GapReason::io_error;
  gap->errno_value = static_cast<std::uint32_t>(error_);
  seal(&gap->head);
  spool_from_ = to;
}

bool JournalWriter::drop_spooled_segment() {
  const std::uint64_t next = spool_from_ / kSegmentBytes + 1;
  int kept = 0;
  while (kept < file_count_ && files_[kept].number < next) ++kept;
  if (kept == file_count_ || files_[kept].number != next) return false;
  file_count_ -= kept;
  ::memmove(files_, files_ + kept, sizeof files_[0] * static_cast<std::size_t>(file_count_));
  count_loss(next * kSegmentBytes);
  spool_events_from_ = files_[0].position;
  header_->spool_events_from.store(spool_events_from_, std::memory_order_release);
  header_->spool_from.store(spool_from_, std::memory_order_release);
  return true;
}

void JournalWriter::lose_all_spooled() {
  // No memory for the spool either: all up to the next segment is given up.
  file_count_ = 0;
  count_loss((offset_ / kSegmentBytes + 1) * kSegmentBytes);
  spool_events_from_ = position_;
  header_->spool_events_from.store(spool_events_from_, std::memory_order_release);
  header_->spool_from.store(spool_from_, std::memory_order_release);
}

void JournalWriter::retry(std::int64_t now_ms) {
  if (now_ms < retry_at_) return;
  if (const int error = recover()) {
    error_ = error;
    header_->journal_errno.store(error, std::memory_order_relaxed);
    segment_.reset();
    events_.reset();
    retry_delay_ms_ = retry_delay_ms_ * 2 < kLastRetryMs ? retry_delay_ms_ * 2 : kLastRetryMs;
    retry_at_ = now_ms + retry_delay_ms_;
    return;
  }
  degraded_ = false;
  retry_at_ = kNever;
  header_->journal_health.store(static_cast<std::uint32_t>(JournalHealth::ok), std::memory_order_release);
  header_->spool_from.store(kNoSpool, std::memory_order_release);
  header_->spool_events_from.store(kNoSpool, std::memory_order_release);
  enforce_cap();
}

int JournalWriter::copy_from_ring(std::uint64_t base, std::uint64_t size, std::uint64_t from,
                                  std::uint64_t to, int file, std::uint64_t file_offset) {
  static char buffer[4096];
  while (from < to) {
    const std::uint64_t place = from % size;
    std::uint64_t part = to - from;
    if (part > size - place) part = size - place;
    if (part > sizeof buffer) part = sizeof buffer;
    if (int error = read_at(spool_, buffer, static_cast<std::size_t>(part), base + place)) return error;
    if (int error = write_at(file, buffer, static_cast<std::size_t>(part), file_offset)) return error;
    from += part;
    file_offset += part;
    kept_bytes_ += part;
  }
  return 0;
}

int JournalWriter::recover() {
  if (offset_ < spool_from_) return error_;  // still within what is given up; its segment's start will do
  if (exit_pending_) {
    if (int error = write_exit_file()) return error;
    exit_pending_ = false;
  }
  const std::uint64_t counted = kept_bytes_;
  int error = open_segment(failed_number_);
  if (!error && lost_) {
    error = write_at(events_.get(), held_, held_bytes_, failed_position_ - failed_events_start_);
    kept_bytes_ += held_bytes_;
  } else if (!error) {
    const bool more =
        file_count_ > 0 && files_[0].number == failed_number_ ? file_count_ > 1 : file_count_ > 0;
    const int next = file_count_ > 0 && files_[0].number == failed_number_ ? 1 : 0;
    const std::uint64_t events_end = more ? files_[next].position : position_;
    const std::uint64_t boundary = (failed_number_ + 1) * kSegmentBytes;
    error = copy_from_ring(kSpoolBytes, kSpoolEventBytes, failed_position_, events_end, events_.get(),
                           failed_position_ - failed_events_start_);
    if (!error)
      error = copy_from_ring(0, kSpoolBytes, failed_offset_, offset_ < boundary ? offset_ : boundary,
                             segment_.get(), failed_offset_ % kSegmentBytes);
  }
  for (int i = 0; i < file_count_ && !error; ++i) {
    const SpooledFile& file = files_[i];
    if (file.number == failed_number_) continue;
    error = open_segment(file.number);
    if (error) break;
    const std::uint64_t start = file.number * kSegmentBytes, boundary = start + kSegmentBytes;
    error = copy_from_ring(kSpoolBytes, kSpoolEventBytes, file.position,
                           i + 1 < file_count_ ? files_[i + 1].position : position_, events_.get(), 0);
    if (!error)
      error =
          copy_from_ring(0, kSpoolBytes, start, offset_ < boundary ? offset_ : boundary, segment_.get(), 0);
  }
  if (error) {
    kept_bytes_ = counted;
    return error;
  }
  // A segment that was lost whole has begun in neither place: the next byte or record begins it anew.
  if (file_count_ > 0)
    number_ = files_[file_count_ - 1].number;
  else if (lost_)
    number_ = ~std::uint64_t{0};
  else
    number_ = failed_number_;
  return 0;
}

}  // namespace smartcli::shim
