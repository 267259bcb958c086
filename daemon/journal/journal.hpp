#pragma once

// Reads what a shim wrote: output bytes by offset, events in order. Also of a session whose shim is gone.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/fd.hpp"
#include "shim_abi/events.hpp"
#include "shim_abi/header.hpp"

namespace smartcli::journal {

/// One record, whatever its type; only the fields of its type count.
struct Event {
  shim_abi::EventType type{};
  std::uint64_t offset = 0;
  std::int64_t time_ns = 0;
  int cols = 0, rows = 0;             // resize, restart
  std::int32_t pid = 0;               // restart
  shim_abi::RequestId id{};           // input, write_done
  std::uint32_t step = 0, bytes = 0;  // input; write_done: bytes accepted
  std::uint32_t line_flags = 0;       // input
  std::uint32_t flags = 0;            // input, clear
  std::uint64_t key_offset = 0;       // reply
  std::uint32_t key_index = 0, dropped = 0;
  std::uint64_t from = 0, to = 0;  // gap
  shim_abi::GapReason reason{};
  shim_abi::ExitKind exit_kind{};  // exit
  std::int32_t exit_value = 0;
};

/// What is in force where the kept journal begins.
struct Start {
  std::uint64_t offset = 0;
  std::uint64_t event_position = 0;  ///< of the first record to read with `read_events`
  int cols = 80, rows = 24;
  std::uint32_t revision_steps = 0, gaps = 0, restarts = 0;
};

struct ExitRecord {
  shim_abi::ExitKind kind{};
  std::int32_t value = 0;
  std::uint64_t offset = 0;
  std::int64_t time_ns = 0;
};

class Prefix;

class Reader {
 public:
  /// @param folder  journal folder of the session
  /// @param header  the shim's, mapped; null once the shim is gone: then the files alone decide (valid
  /// prefix)
  /// @param spool   memfd, or -1
  Reader(std::string folder, const shim_abi::Header* header, int spool);
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// First kept offset and what was in force there. Errors: internal (unreadable folder), with the path.
  Result<Start> start();
  /// The same for the newest segment that begins at or before `offset`: where to begin when only what follows
  /// `offset` is of interest. Before the first kept segment that is `start()`. Errors: as there.
  Result<Start> start_at(std::uint64_t offset);
  /// End of the output, to be read up to.
  std::uint64_t end() const;
  /// End of the events, as a position.
  std::uint64_t events_end() const;
  /// Bytes at `offset`, as many as are there and fit, at most to the end of a segment; 0 at the end. Bytes
  /// lost in a gap read as NUL (the gap event says so). Errors: session_gone with detail "cap" for an offset
  /// before the kept ones, internal (a file that cannot be read), with the path.
  Result<std::size_t> read(std::uint64_t offset, std::span<char> into);
  /// Records from `position` on, at most `most`; moves `position` past them and past those that say nothing
  /// to a reader (the first of each file, types of a newer shim): `position >= events_end()` means that all
  /// were read. An invalid record ends the valid prefix: with a live header that is an error (internal), else
  /// the end, counted in `dropped_bytes`. Errors: also session_gone with detail "cap" for a position before
  /// the kept ones.
  Result<std::vector<Event>> read_events(std::uint64_t& position, std::size_t most);
  /// From the file `exit`, if it is there and whole.
  std::optional<ExitRecord> exit() const;
  /// The shim is gone: from now on the files decide.
  void forget_header();
  /// Without a header: bytes of output and events after the valid prefix (and of half-deleted files before
  /// it).
  std::uint64_t dropped_bytes() const;
  /// Without a header the valid prefix must be found first, which reads the whole journal once. A caller that
  /// must not wait so long calls this until it returns true: each call checks about `budget_bytes`. All other
  /// calls finish the check by themselves.
  bool check(std::size_t budget_bytes);

 private:
  struct EventsEntry {
    std::uint64_t number = 0;
    std::uint64_t before = 0;  ///< position of its first byte
    shim_abi::FirstEvent first{};
  };

  const Prefix& prefix() const;
  Result<void> refresh_index();
  const EventsEntry* entry_of(std::uint64_t position) const;
  Result<Start> start_from(const EventsEntry* entry) const;
  bool open_segment(std::uint64_t number);
  bool open_events(std::uint64_t number);
  Result<std::size_t> read_segment(std::uint64_t offset, std::span<char> into);
  bool read_spool(std::uint64_t ring_begin, std::uint64_t ring_bytes, std::uint64_t at,
                  std::span<char> into) const;
  Result<std::size_t> event_bytes(std::uint64_t& position, std::uint64_t end, std::span<char> into,
                                  bool* lost);
  Result<std::uint64_t> position_behind(const Event& gap, std::uint64_t position, std::uint64_t stop);
  Event gap_until(std::uint64_t to, std::int64_t time_ns);
  std::uint64_t spool_from() const;
  std::uint64_t spool_events_from() const;

  std::string folder_;
  const shim_abi::Header* header_;
  int spool_;
  mutable std::unique_ptr<Prefix> prefix_;  ///< without a header
  std::vector<EventsEntry> index_;          ///< of the kept events files, ascending; grows as it is needed
  Fd segment_, events_;                     ///< open files, by number
  std::uint64_t segment_number_ = ~0ull, events_number_ = ~0ull;
};

/// Deletes a session's journal folder (only names that a shim or this daemon makes; anything else is left).
void remove(const std::string& folder);
/// Deletes all of it but the index, a tombstone from now on.
void bury(const std::string& folder);

}  // namespace smartcli::journal
