#pragma once

#include <cstddef>
#include <cstdint>

#include "common/fd.hpp"
#include "shim_abi/events.hpp"
#include "shim_abi/header.hpp"
#include "shim_abi/messages.hpp"

namespace smartcli::shim {

/// How much of the event spool a record may use up while the disk fails: what a replay needs most has room
/// longest.
enum class Weight { time, minor, important, vital };

/// Writes output and events to the segment files, or to the spool while the disk fails. Nothing here fails:
/// the program's output always has a place to go. Readers see what was appended once `publish` says so.
class JournalWriter {
 public:
  /// Opens the folder and begins segment 0. @return 0 or errno
  int open(const char* folder, int spool, shim_abi::Header* header, std::uint64_t cap);
  /// Takes the files away again (of a program that could not be started).
  void remove();

  void output(const char* data, std::size_t bytes);
  /// Completes the head (all but `type`, `bytes`) and appends. @return false if the spool has no room for
  /// such a record
  bool event(shim_abi::EventHead* record, Weight weight);
  /// Writes the file `exit`; again later if the disk fails now.
  void exit_file(const shim_abi::ExitEvent& record);
  void remove_exit_file();
  void set_cap(std::uint64_t bytes);
  /// Stores event_bytes, then write_offset.
  void publish();
  /// Waits for the disk: exit file, last segment and events, folder. Slow; called in a process of its own.
  void sync();

  std::uint64_t offset() const { return offset_; }
  bool is_degraded() const { return degraded_; }
  int error() const { return error_; }
  /// When `retry` wants to be called (monotonic ms), kNever while all is well.
  std::int64_t retry_at() const { return retry_at_; }
  void retry(std::int64_t now_ms);

 private:
  void ensure_segment();
  void begin_segment(std::uint64_t number);
  void first_event();
  int open_segment(std::uint64_t number);
  void finish(shim_abi::EventHead* record);
  void time_event();
  void degrade(int error);
  bool spool_event(const shim_abi::EventHead* record, Weight weight);
  void spool_output(const char* data, std::size_t bytes);
  bool drop_spooled_segment();
  void lose_all_spooled();
  void count_loss(std::uint64_t to);
  int recover();
  int write_exit_file();
  void enforce_cap();
  int ring_write(std::uint64_t base, std::uint64_t size, std::uint64_t at, const void* data,
                 std::size_t bytes);
  int copy_from_ring(std::uint64_t base, std::uint64_t size, std::uint64_t from, std::uint64_t to, int file,
                     std::uint64_t file_offset);

  shim_abi::Header* header_ = nullptr;
  Fd folder_, segment_, events_;
  int spool_ = -1;
  std::uint64_t offset_ = 0, position_ = 0;  // ends of output and events, published or not
  std::uint64_t number_ = ~std::uint64_t{0};
  std::uint64_t events_start_ = 0;  // position of the current file's FirstEvent
  std::uint32_t data_crc_ = 0;      // of the segment's bytes since the last record
  std::int64_t last_time_ns_ = 0;
  std::int64_t last_time_event_ms_ = 0;
  std::uint64_t oldest_ = 0, kept_bytes_ = 0, cap_ = 0;

  // While degraded.
  struct SpooledFile {
    std::uint64_t number, position;  // of its FirstEvent
  };
  bool degraded_ = false, lost_ = false;
  int error_ = 0;
  std::uint64_t failed_number_ = 0, failed_events_start_ = 0, failed_offset_ = 0, failed_position_ = 0;
  std::uint64_t spool_from_ = 0, spool_events_from_ = 0;
  SpooledFile files_[4] = {};  // that begin in the spool; the data ring holds no more than three starts
  int file_count_ = 0;
  // The records at the point of failure (a FirstEvent if a segment was to begin there, and the gap): kept
  // apart, since their place in the ring is given up when segments are dropped.
  alignas(8) char held_[sizeof(shim_abi::FirstEvent) + sizeof(shim_abi::GapEvent)] = {};
  std::size_t held_bytes_ = 0;
  std::int64_t retry_at_ = INT64_MAX, retry_delay_ms_ = 0;
  bool exit_pending_ = false;
  shim_abi::ExitEvent exit_{};
};

}  // namespace smartcli::shim
