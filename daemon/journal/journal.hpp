#pragma once

// Reads what a shim wrote: output bytes by offset, events in order. Also of a session whose shim is gone.

#include <cstdint>
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
  int cols = 0, rows = 0;                 // resize, restart
  std::int32_t pid = 0;                   // restart
  shim_abi::RequestId id{};               // input, write_done
  std::uint32_t step = 0, bytes = 0;      // input; write_done: bytes accepted
  std::uint32_t line_flags = 0, flags = 0;  // input
  std::uint64_t key_offset = 0;           // reply
  std::uint32_t key_index = 0, dropped = 0;
  std::uint64_t from = 0, to = 0;         // gap
  shim_abi::GapReason reason{};
  shim_abi::ExitKind exit_kind{};         // exit
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

class Reader {
 public:
  /// @param folder  journal folder of the session
  /// @param header  the shim's, mapped; null once the shim is gone: then the files alone decide (valid prefix)
  /// @param spool   memfd, or -1
  Reader(std::string folder, const shim_abi::Header* header, int spool);

  /// First kept offset and what was in force there. Errors: internal (unreadable folder), with the path.
  Result<Start> start();
  /// End of the output, to be read up to.
  std::uint64_t end() const;
  /// End of the events, as a position.
  std::uint64_t events_end() const;
  /// Bytes at `offset`, as many as are there and fit, at most to the end of a segment; 0 at the end. Bytes lost in a gap
  /// read as NUL (the gap event says so). Errors: session_gone with detail "cap" for an offset before the kept ones.
  Result<std::size_t> read(std::uint64_t offset, std::span<char> into);
  /// Records from `position` on, at most `most`; moves `position` past them. An invalid record ends the valid prefix: with a live
  /// header that is an error (internal), else the end, counted in `dropped_bytes`.
  Result<std::vector<Event>> read_events(std::uint64_t& position, std::size_t most);
  /// From the file `exit`, if it is there and whole.
  std::optional<ExitRecord> exit() const;
  /// The shim is gone: from now on the files decide.
  void forget_header();
  std::uint64_t dropped_bytes() const { return dropped_bytes_; }

 private:
  std::string folder_;
  const shim_abi::Header* header_;
  int spool_;
  std::uint64_t dropped_bytes_ = 0;
  Fd segment_, events_;              // open files, by number
  std::uint64_t segment_number_ = ~0ull, events_number_ = ~0ull;
};

/// Deletes a session's journal folder (only names that a shim or this daemon makes; anything else is left).
void remove(const std::string& folder);

}  // namespace smartcli::journal
