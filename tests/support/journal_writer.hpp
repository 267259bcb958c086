#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/fd.hpp"
#include "shim_abi/events.hpp"
#include "shim_abi/header.hpp"
#include "shim_abi/messages.hpp"

namespace smartcli::test {

/// A header in memory, as a shim that has just begun has it.
class MemoryHeader {
 public:
  MemoryHeader() : header_(new (bytes_) shim_abi::Header{}) {
    header_->magic = shim_abi::kHeaderMagic;
    header_->abi_major = shim_abi::kAbiMajor;
    header_->abi_minor = shim_abi::kAbiMinor;
    header_->bytes = sizeof(shim_abi::Header);
    header_->cols = 80;
    header_->rows = 24;
    header_->spool_from = shim_abi::kNoSpool;
    header_->spool_events_from = shim_abi::kNoSpool;
  }
  MemoryHeader(const MemoryHeader&) = delete;
  shim_abi::Header& get() { return *header_; }

 private:
  alignas(64) char bytes_[shim_abi::kHeaderBytes] = {};
  shim_abi::Header* header_;
};

/// Writes a journal as the shim does: files, spool and header. Its clock stands still but for `advance`.
class JournalWriter {
 public:
  JournalWriter(std::string folder, shim_abi::Header& header)
      : folder_(std::move(folder)), header_(header), spool_(::memfd_create("spool", MFD_CLOEXEC)) {
    if (::ftruncate(spool_.get(), shim_abi::kSpoolBytes + shim_abi::kSpoolEventBytes) != 0) fail("ftruncate");
    begin_file();
    publish();
  }

  int spool() const { return spool_.get(); }
  std::uint64_t offset() const { return offset_; }
  std::uint64_t position() const { return position_; }
  void advance(std::int64_t ns) { now_ns_ += ns; }
  std::int64_t now_ns() const { return now_ns_; }

  void output(std::string_view data) {
    while (!data.empty()) {
      if (offset_ / kSegment != number_) begin_file();
      if (now_ns_ >= last_time_ns_ + 1'000'000) {
        last_time_ns_ = now_ns_;
        shim_abi::EventHead time{};
        append(shim_abi::EventType::time, time);
      }
      const auto part = data.substr(0, static_cast<std::size_t>(kSegment - offset_ % kSegment));
      store_output(part);
      data_crc_ = shim_abi::crc32c(data_crc_, part.data(), part.size());
      offset_ += part.size();
      data.remove_prefix(part.size());
    }
    publish();
  }

  void resize(int cols, int rows) {
    shim_abi::ResizeEvent event{};
    event.cols = static_cast<std::uint16_t>(cols);
    event.rows = static_cast<std::uint16_t>(rows);
    record(shim_abi::EventType::resize, event);
    header_.cols = event.cols;
    header_.rows = event.rows;
    step();
  }
  void clear(std::uint64_t flags = 0) {
    shim_abi::ClearEvent event{};
    event.flags = flags;
    record(shim_abi::EventType::clear, event);
    step();
  }
  void restart(std::int32_t pid, int cols, int rows) {
    ::unlink((folder_ + "/" + shim_abi::kExitFile).c_str());
    shim_abi::RestartEvent event{};
    event.pid = pid;
    event.cols = static_cast<std::uint16_t>(cols);
    event.rows = static_cast<std::uint16_t>(rows);
    record(shim_abi::EventType::restart, event);
    header_.cols = event.cols;
    header_.rows = event.rows;
    header_.restarts.fetch_add(1);
    step();
  }
  void input(const shim_abi::RequestId& id, std::uint32_t step, std::uint32_t bytes,
             std::uint32_t line_flags = 0, std::uint32_t flags = 0) {
    shim_abi::InputEvent event{};
    event.id = id;
    event.step = step;
    event.bytes = (flags & shim_abi::kInputSecret) != 0 ? 0 : bytes;
    event.line_flags = line_flags;
    event.flags = flags;
    record(shim_abi::EventType::input, event);
  }
  void write_done(const shim_abi::RequestId& id, std::uint32_t step, std::uint32_t accepted) {
    shim_abi::WriteDoneEvent event{};
    event.id = id;
    event.step = step;
    event.accepted = accepted;
    record(shim_abi::EventType::write_done, event);
  }
  void reply(std::uint64_t key_offset, std::uint32_t key_index, bool dropped) {
    shim_abi::ReplyEvent event{};
    event.key_offset = key_offset;
    event.key_index = key_index;
    event.dropped = dropped ? 1 : 0;
    record(shim_abi::EventType::reply, event);
  }
  void exit(shim_abi::ExitKind kind, std::int32_t value) {
    shim_abi::ExitEvent event{};
    event.kind = kind;
    event.value = value;
    event.time_ns = now_ns_;
    record(shim_abi::EventType::exit, event);
    event.head.type = shim_abi::EventType::exit;
    event.head.bytes = sizeof event;
    event.head.offset = offset_;
    event.head.time_ns = now_ns_;
    seal(event);
    const std::string path = folder_ + "/" + shim_abi::kExitFile;
    store(path + ".new", 0, {reinterpret_cast<const char*>(&event), sizeof event});
    if (::rename((path + ".new").c_str(), path.c_str()) != 0) fail("rename");
  }
  /// A record of a type that this version does not know, `bytes` long.
  void unknown(std::uint16_t type, std::size_t bytes) {
    std::string event(bytes, 'u');
    shim_abi::EventHead head{};
    std::memcpy(event.data(), &head, sizeof head);
    append_bytes(static_cast<shim_abi::EventType>(type), event);
    publish();
  }

  /// Deletes the oldest segments but the last `keep`.
  void cap(std::uint64_t keep) {
    while (number_ - oldest_ >= keep && !degraded_) {
      const std::uint64_t next = oldest_ + 1;
      const auto first = read_first(next);
      header_.kept_events.store(first.events_before);
      header_.kept_offset.store(next * kSegment);
      ::unlink(path(oldest_, ".seg").c_str());
      ::unlink(path(oldest_, ".events").c_str());
      shim_abi::GapEvent gap{};
      gap.from = oldest_ * kSegment;
      gap.to = next * kSegment;
      gap.reason = shim_abi::GapReason::cap;
      oldest_ = next;
      record(shim_abi::EventType::gap, gap);
    }
  }

  /// From now on nothing reaches a file.
  void fail_disk(int reason) {
    degraded_ = true;
    lost_to_ = 0;
    failed_offset_ = offset_;
    header_.journal_errno.store(reason);
    spool_events_from_ = position_;
    spool_from_ = offset_;
    header_.spool_events_from.store(position_);
    header_.spool_from.store(offset_);
    header_.journal_health.store(static_cast<std::uint32_t>(shim_abi::JournalHealth::degraded));
    spooled_.clear();
    if (offset_ / kSegment != number_) {
      begin_file();
    } else {
      spooled_.push_back({number_, position_, offset_, position_ - events_start_, {}, {}});
    }
    held_events_ = spooled_.front().events;
    held_position_ = spooled_.front().in_file;
    shim_abi::GapEvent gap{};
    gap.from = gap.to = offset_;
    gap.reason = shim_abi::GapReason::none;
    gap.errno_value = static_cast<std::uint32_t>(reason);
    append(shim_abi::EventType::gap, gap);
    held_gap_ = gap;
    publish();
  }

  /// The disk is well again: what the spool has goes to the files, or a gap.
  void recover() {
    if (lost_to_ != 0) {
      held_gap_.to = lost_to_;
      const int reason = header_.journal_errno.load();
      held_gap_.reason = reason == ENOSPC ? shim_abi::GapReason::disk_full : shim_abi::GapReason::io_error;
      seal(held_gap_);
      const std::uint64_t failed = failed_offset_ / kSegment;
      store(path(failed, ".events"), held_position_,
            held_events_ + std::string(reinterpret_cast<const char*>(&held_gap_), sizeof held_gap_));
      if (::access(path(failed, ".seg").c_str(), F_OK) != 0) store(path(failed, ".seg"), 0, {});
    }
    for (const Spooled& file : spooled_) {
      store(path(file.number, ".events"), file.in_file, file.events);
      store(path(file.number, ".seg"), file.offset % kSegment, file.data);
    }
    degraded_ = false;
    header_.journal_health.store(static_cast<std::uint32_t>(shim_abi::JournalHealth::ok));
    header_.spool_from.store(shim_abi::kNoSpool);
    header_.spool_events_from.store(shim_abi::kNoSpool);
  }

 private:
  static constexpr std::uint64_t kSegment = shim_abi::kSegmentBytes;

  /// What one file is to get while the disk fails.
  struct Spooled {
    std::uint64_t number, position, offset;
    std::uint64_t in_file;  ///< where its events go
    std::string events, data;
  };

  [[noreturn]] static void fail(const char* what) { throw std::runtime_error(what); }

  std::string path(std::uint64_t number, const char* suffix) const {
    char name[32];
    std::snprintf(name, sizeof name, "/%08llu", static_cast<unsigned long long>(number));
    return folder_ + name + suffix;
  }

  static void store(const std::string& path, std::uint64_t at, std::string_view bytes) {
    const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!file || ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)) !=
                     static_cast<ssize_t>(bytes.size())) {
      fail("pwrite");
    }
  }

  void store_ring(std::uint64_t begin, std::uint64_t size, std::uint64_t at, std::string_view bytes) {
    while (!bytes.empty()) {
      const auto part = bytes.substr(0, static_cast<std::size_t>(size - at % size));
      if (::pwrite(spool_.get(), part.data(), part.size(), static_cast<off_t>(begin + at % size)) < 0)
        fail("spool");
      at += part.size();
      bytes.remove_prefix(part.size());
    }
  }

  void store_output(std::string_view part) {
    if (!degraded_) {
      store(path(number_, ".seg"), offset_ % kSegment, part);
      return;
    }
    while (offset_ + part.size() - spool_from_ > shim_abi::kSpoolBytes) {
      spooled_.pop_front();
      lost_to_ = spool_from_ = spooled_.front().number * kSegment;
      spool_events_from_ = spooled_.front().position;
      header_.spool_events_from.store(spool_events_from_);
      header_.spool_from.store(spool_from_);
    }
    store_ring(0, shim_abi::kSpoolBytes, offset_, part);
    spooled_.back().data += part;
  }

  template <class T>
  static shim_abi::EventHead& head_of(T& event) {
    if constexpr (std::is_same_v<T, shim_abi::EventHead>) {
      return event;
    } else {
      return event.head;
    }
  }
  template <class T>
  static void seal(T& event) {
    constexpr std::size_t kFrom = offsetof(shim_abi::EventHead, type);
    head_of(event).crc =
        shim_abi::crc32c(0, reinterpret_cast<const char*>(&event) + kFrom, sizeof event - kFrom);
  }

  template <class T>
  void append(shim_abi::EventType type, T& event) {
    std::string bytes(reinterpret_cast<const char*>(&event), sizeof event);
    append_bytes(type, bytes);
    std::memcpy(static_cast<void*>(&event), bytes.data(), sizeof event);
  }

  void append_bytes(shim_abi::EventType type, std::string& event) {
    if (type != shim_abi::EventType::first && offset_ / kSegment != number_) begin_file();
    shim_abi::EventHead head{};
    head.type = type;
    head.bytes = static_cast<std::uint16_t>(event.size());
    head.offset = offset_;
    head.time_ns = now_ns_;
    head.data_crc = data_crc_;
    std::memcpy(event.data(), &head, sizeof head);
    constexpr std::size_t kFrom = offsetof(shim_abi::EventHead, type);
    head.crc = shim_abi::crc32c(0, event.data() + kFrom, event.size() - kFrom);
    std::memcpy(event.data(), &head, sizeof head);
    if (degraded_) {
      store_ring(shim_abi::kSpoolBytes, shim_abi::kSpoolEventBytes, position_, event);
      spooled_.back().events += event;
    } else {
      store(path(number_, ".events"), position_ - events_start_, event);
    }
    data_crc_ = 0;
    position_ += event.size();
  }

  template <class T>
  void record(shim_abi::EventType type, T& event) {
    append(type, event);
    publish();
  }

  void begin_file() {
    number_ = offset_ / kSegment;
    events_start_ = position_;
    data_crc_ = 0;
    if (degraded_) {
      spooled_.push_back({number_, position_, offset_, 0, {}, {}});
    } else {
      store(path(number_, ".seg"), 0, {});
    }
    shim_abi::FirstEvent first{};
    first.abi_major = shim_abi::kAbiMajor;
    first.abi_minor = shim_abi::kAbiMinor;
    first.cols = header_.cols;
    first.rows = header_.rows;
    first.events_before = position_;
    first.revision_steps = header_.revision_steps.load();
    first.gaps = header_.gaps.load();
    first.restarts = header_.restarts.load();
    first.marks_before = header_.marks_written.load();
    std::memcpy(first.session, header_.session, sizeof first.session);
    append(shim_abi::EventType::first, first);
  }

  shim_abi::FirstEvent read_first(std::uint64_t number) const {
    shim_abi::FirstEvent first{};
    const Fd file(::open(path(number, ".events").c_str(), O_RDONLY | O_CLOEXEC));
    if (::pread(file.get(), &first, sizeof first, 0) != static_cast<ssize_t>(sizeof first)) fail("first");
    return first;
  }

  void step() {
    header_.revision_steps.fetch_add(1);
    publish();
  }
  void publish() {
    header_.event_bytes.store(position_);
    header_.write_offset.store(offset_);
  }

  std::string folder_;
  shim_abi::Header& header_;
  Fd spool_;
  std::uint64_t offset_ = 0, position_ = 0, number_ = 0, events_start_ = 0, oldest_ = 0;
  std::uint32_t data_crc_ = 0;
  std::int64_t now_ns_ = 1'700'000'000'000'000'000, last_time_ns_ = 0;

  bool degraded_ = false;
  std::uint64_t spool_from_ = 0, spool_events_from_ = 0, failed_offset_ = 0, lost_to_ = 0;
  std::deque<Spooled> spooled_;
  std::string held_events_;
  std::uint64_t held_position_ = 0;
  shim_abi::GapEvent held_gap_{};
};

}  // namespace smartcli::test
