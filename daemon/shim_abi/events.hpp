#pragma once

// The events files: `NNNNNNNN.events` beside segment `NNNNNNNN.seg` in the journal folder of a session,
// rotating with it. Segment N holds output bytes [N, N+1) x kSegmentBytes; its events are those whose offset
// lies in that range (a record at the very end of a segment stands in the next one's file). Records only ever
// follow each other; a reader takes the valid prefix. Frozen by live shims: see header.hpp.
//
// The position of a record counts bytes of events over all files. Within a file positions are contiguous and
// begin at `events_before`; from one file to the next they may jump, over records that were lost with their
// segments.
//
// Lost bytes. When the disk fails at offset S the shim first puts a gap record (none, from = to = S) into its
// spool. If the disk is well again before the spool is full, that record and all after it go to the files as
// they are. Else the spool drops whole segments: the record becomes (S, to) with `to` the start of the first
// segment that it still has, it ends the events file of S, that segment file stays short, segments in between
// have no files, and the FirstEvent of the segment at `to` carries on. So a reader meets the gap at `from`,
// and what follows begins with a FirstEvent.

#include <cstdint>

#include "shim_abi/header.hpp"

namespace smartcli::shim_abi {

enum class EventType : std::uint16_t {
  first = 1,        ///< FirstEvent: opens every events file
  time = 2,         ///< no body: the bytes from `offset` on arrived at `time_ns`; at most one a millisecond
  resize = 3,       ///< ResizeEvent, written before TIOCSWINSZ
  clear = 4,        ///< ClearEvent: the `clear` verb
  restart = 5,      ///< RestartEvent: the program was started again; screen and history begin anew
  input = 6,        ///< InputEvent: a fence; never what was typed
  reply = 7,        ///< ReplyEvent: a terminal's own reply was written or dropped
  gap = 8,          ///< GapEvent: bytes missing from the journal
  exit = 9,         ///< ExitEvent
  write_done = 10,  ///< WriteDoneEvent: final count of an input that was not taken whole at once
};

/// Begins every record. A reader skips types that it does not know by `bytes`.
struct EventHead {
  std::uint32_t crc;  ///< CRC-32C of the record from `type` on
  EventType type;
  std::uint16_t bytes;   ///< of the whole record, a multiple of 8
  std::uint64_t offset;  ///< output bytes before it
  std::int64_t time_ns;  ///< CLOCK_REALTIME of its writing (times of one file never decrease)
  std::uint32_t
      data_crc;  ///< CRC-32C of the segment's bytes since the record before it in the file (or its start)
  std::uint32_t reserved;
};
static_assert(sizeof(EventHead) == 32);

struct FirstEvent {
  EventHead head;
  std::uint16_t abi_major, abi_minor;
  std::uint16_t cols, rows;      ///< in force at `offset`
  std::uint64_t events_before;   ///< position of this record
  std::uint32_t revision_steps;  ///< resizes, clears, restarts before it
  std::uint32_t gaps, restarts, reserved;
  std::uint64_t marks_before;  ///< input events before it
  std::uint8_t session[16];
};
static_assert(sizeof(FirstEvent) == 88);

struct ResizeEvent {
  EventHead head;
  std::uint16_t cols, rows, reserved[2];
};
static_assert(sizeof(ResizeEvent) == 40);

struct ClearEvent {
  EventHead head;
  std::uint64_t flags;  ///< ClearFlags; 0: screen and history
};
static_assert(sizeof(ClearEvent) == 40);

struct RestartEvent {
  EventHead head;
  std::int32_t pid;
  std::uint16_t cols, rows;
};
static_assert(sizeof(RestartEvent) == 40);

enum InputFlags : std::uint32_t {
  kInputEndsLine = 1,  ///< the message ended in CR or LF; set by the shim, ignored in a request
  kInputSecret = 2,    ///< sent by `send_secret`
};

struct InputEvent {
  EventHead head;
  RequestId id;
  std::uint32_t step;
  std::uint32_t bytes;       ///< of the whole message; 0 for a secret: its length is nobody's business
  std::uint32_t line_flags;  ///< LineFlags seen at the write
  std::uint32_t flags;       ///< InputFlags
};
static_assert(sizeof(InputEvent) == 64);

struct WriteDoneEvent {
  EventHead head;
  RequestId id;
  std::uint32_t step, accepted;  ///< `accepted`: 0 for a secret
};
static_assert(sizeof(WriteDoneEvent) == 56);

struct ReplyEvent {
  EventHead head;
  std::uint64_t key_offset;
  std::uint32_t key_index;
  std::uint32_t dropped;  ///< 1: it came too late, or its queue was full, and it was not written
};
static_assert(sizeof(ReplyEvent) == 48);

enum class GapReason : std::uint32_t {
  none = 0,  ///< the disk failed here and nothing was lost: no gap
  disk_full = 1,
  io_error = 2,
  shim_died = 3,
  cap = 4,  ///< stands where the oldest segments were dropped, not at `from`; only says when that was
};

struct GapEvent {
  EventHead head;
  std::uint64_t from, to;  ///< offsets; equal: a number nobody knows is missing at `from`
  GapReason reason;
  std::uint32_t errno_value;
};
static_assert(sizeof(GapEvent) == 56);

struct ExitEvent {
  EventHead head;
  ExitKind kind;
  std::int32_t value;
  std::int64_t time_ns;  ///< CLOCK_REALTIME of the reaping
};
static_assert(sizeof(ExitEvent) == 48);

/// CRC-32C (Castagnoli), of `bytes` bytes that follow what `seed` covers; 0 for none.
std::uint32_t crc32c(std::uint32_t seed, const void* data, std::size_t bytes);

/// The file `exit` in the journal folder, written under another name and renamed: an ExitEvent alone (its
/// data_crc 0). A restart removes it.
inline constexpr const char* kExitFile = "exit";

}  // namespace smartcli::shim_abi
