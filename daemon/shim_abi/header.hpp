#pragma once

// The mapped 4 KiB file `ID.hdr` in the runtime directory: what a shim says without being asked. A live shim
// freezes it, so a field never moves and never changes its meaning; new ones take reserved space, and
// `abi_minor` grows. Plain libc: the shim includes this. All integers are little-endian as on the machine;
// the file never leaves it.
//
// The named file says who the shim is; whoever takes over maps the descriptor that `hello` hands over. If the
// runtime folder was cleaned, the shim makes the name again with a copy of the first 128 bytes, which nobody
// updates.
//
// Reading. The shim writes files (or the spool), then stores event_bytes, then write_offset. So a reader
// loads write_offset first and event_bytes after it: then no record that belongs before one of its bytes is
// missing, and records past its write_offset wait. A segment is unlinked after kept_offset has passed it: on
// ENOENT look there again. Wake-ups are pairs of store-then-load on both sides, so both are sequentially
// consistent: the daemon stores output_armed and looks at the offsets again; it stores credit and swaps
// credit_wanted to 0; the shim does the reverse.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace smartcli::shim_abi {

inline constexpr std::uint64_t kHeaderMagic = 0x314d494853434d53;  // "SMCSHIM1"
inline constexpr std::uint16_t kAbiMajor = 1;  ///< another one cannot be adopted, only left alone
inline constexpr std::uint16_t kAbiMinor = 1;
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr std::size_t kMarks = 64;
inline constexpr std::uint64_t kSegmentBytes = 1 << 20;
inline constexpr std::uint64_t kQuietCredit = 64 << 10;  ///< a quiet session always holds this much
inline constexpr std::uint64_t kDrainBytes = 64 << 10;   ///< at most this is drained before an input write
inline constexpr int kExitReportMs = 500;    ///< the exit is reported at the latest this long after death
inline constexpr int kStuckDaemonMs = 2000;  ///< credit not moved so long while bytes wait: daemon is away
inline constexpr int kRebindMs = 30000;      ///< names that were cleaned away are made again within this
inline constexpr std::uint64_t kNoSpool = ~std::uint64_t{0};

/// 16 bytes a request is known by. All zero: none.
struct RequestId {
  std::uint8_t bytes[16];
  friend bool operator==(const RequestId&, const RequestId&) = default;
};

enum class MarkState : std::uint32_t {
  writing = 0,    ///< the rest is queued in the shim
  done = 1,       ///< all `bytes` were taken
  cancelled = 2,  ///< `accepted` is final
  ended = 3,      ///< the program ended first; `accepted` is final
};

/// One input that was (or is about to be) written: published before its first byte goes to the program.
struct Mark {
  RequestId id;
  std::uint32_t step;                   ///< the part of the request: a batch step, a piece of a long text
  std::uint32_t bytes;                  ///< of the whole message
  std::atomic<std::uint32_t> accepted;  ///< bytes the terminal took so far
  std::atomic<std::uint32_t> state;     ///< MarkState; stored (release) after `accepted`
  std::uint64_t offset;    ///< of output: all before it came before the input, exact in every replay
  std::uint64_t revision;  ///< the fence: `offset` plus resizes, clears and restarts before it
};
static_assert(sizeof(Mark) == 48);

enum class Phase : std::uint32_t {
  starting = 0,  ///< no program yet
  running = 1,
  ended = 2,   ///< the program was reaped and its exit is in the header; the PTY may still have survivors
  closed = 3,  ///< `close` is done: the shim is about to go
};

enum class ExitKind : std::uint32_t { none = 0, code = 1, signal = 2, unknown = 3 };

enum class JournalHealth : std::uint32_t { ok = 0, degraded = 1 };

/// What the kernel knew at the last input write.
enum LineFlags : std::uint32_t {
  kLineCanonical = 1,
  kLineEcho = 2,
  kLineIcrnl = 4,
  kLineSignals = 8,
  kLineEchoctl = 16,
};

struct Header {
  // --- written once, before the file gets its name
  std::uint64_t magic;
  std::uint16_t abi_major, abi_minor;
  std::uint32_t bytes;       ///< sizeof the header as the shim knows it
  std::uint8_t session[16];  ///< random; names the files of this session
  std::int32_t shim_pid;
  std::uint32_t reserved0;
  std::uint64_t shim_start_ticks;  ///< field 22 of /proc/PID/stat: tells a recycled pid
  std::uint64_t boot_id_hash;      ///< fnv1a of /proc/sys/kernel/random/boot_id, its 36 characters
  std::int64_t created_realtime_ns;
  std::uint8_t reserved1[64];

  // --- offset 128: output, shim writes (own cache line)
  std::atomic<std::uint64_t> write_offset;  ///< bytes in the journal; stored (release) after data and events
  std::atomic<std::uint64_t> event_bytes;   ///< events recorded so far, counted over all events files
  std::atomic<std::uint64_t> kept_offset;   ///< first byte still in the journal
  std::atomic<std::uint64_t> kept_events;   ///< first byte of events still in the journal
  /// While degraded: bytes from here to write_offset are in the spool (messages.hpp), not in the journal;
  /// else kNoSpool. Likewise for events. Both grow when the spool must drop its oldest.
  std::atomic<std::uint64_t> spool_from;
  std::atomic<std::uint64_t> spool_events_from;
  std::atomic<std::uint32_t> journal_health;  ///< JournalHealth
  std::atomic<std::uint32_t> gaps;            ///< gaps within the journal so far (neither `cap` nor `none`)
  std::atomic<std::uint32_t>
      output_armed;  ///< daemon sets to 1: wake me; shim swaps to 0 and signals its eventfd
  std::atomic<std::uint32_t> revision_steps;  ///< resizes, clears and restarts so far
  std::atomic<std::uint64_t> journal_cap;     ///< in force, as in JournalCap
  std::atomic<std::int32_t> journal_errno;    ///< of the last disk failure; stays after recovery
  std::atomic<std::int32_t>
      owner_pid;  ///< the peer that took over, as the kernel names it; 0: no daemon attached
  std::uint8_t reserved2[48];

  // --- offset 256: credit, daemon writes (own cache line)
  std::atomic<std::uint64_t> credit;  ///< the shim reads the PTY up to this offset while a daemon is attached
  std::atomic<std::uint32_t>
      credit_wanted;  ///< shim sets to 1 when it stops for want of credit: then signal its eventfd
  std::uint8_t reserved3[116];

  // --- offset 384: the program, shim writes
  std::atomic<std::uint32_t> phase;  ///< Phase; stored (release) after the fields below
  std::int32_t child_pid;
  std::uint64_t child_start_ticks;
  std::int64_t started_realtime_ns;
  std::atomic<std::uint32_t> exit_kind;  ///< ExitKind
  std::int32_t exit_value;               ///< code or signal number
  std::uint64_t exit_offset;             ///< output offset at which the exit was reported
  std::int64_t exit_realtime_ns;
  std::atomic<std::uint32_t> restarts;
  std::uint16_t cols, rows;
  std::atomic<std::uint32_t> hung_up;  ///< 1: EIO was seen, no slave is open, no output can follow
  std::uint8_t reserved4[68];

  // --- offset 512: input, shim writes
  std::atomic<std::uint64_t> reply_offset;  ///< highest key of a terminal reply written (or dropped) so far
  std::atomic<std::uint32_t> reply_index;
  std::atomic<std::uint32_t> line_flags;  ///< LineFlags at the last input write
  std::atomic<std::uint64_t>
      marks_written;  ///< mark N stands in marks[N % kMarks]; stored (release) after the mark
  std::atomic<std::uint32_t> input_queued;     ///< bytes of the input that waits for the terminal's buffer
  std::atomic<std::uint32_t> replies_dropped;  ///< terminal replies lost because their queue was full
  std::uint8_t reserved5[96];
  /// The slot of mark `marks_written` may be half overwritten, so the last kMarks - 1 are safe: copy one,
  /// then look at marks_written again.
  Mark marks[kMarks];  // offset 640
};
static_assert(offsetof(Header, write_offset) == 128);
static_assert(offsetof(Header, credit) == 256);
static_assert(offsetof(Header, phase) == 384);
static_assert(offsetof(Header, reply_offset) == 512);
static_assert(offsetof(Header, marks) == 640);
static_assert(sizeof(Header) <= kHeaderBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

constexpr std::uint64_t fnv1a(const char* text, std::size_t length) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < length; ++i)
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3;
  return hash;
}

}  // namespace smartcli::shim_abi
