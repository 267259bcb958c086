#pragma once

// Messages between daemon and shim over SOCK_SEQPACKET, one struct a packet, at most kMessageBytes. Both
// sides check the peer's uid. A shim answers every message by one `reply` with the same tag; what it does not
// know (a type, a flag, a write condition) it refuses with `unsupported` and does nothing. Connect-and-close
// has no effect: only `hello` with kTakeover makes a peer the owner (the one that gets notices and gives
// credit); the owner before it is disconnected. `hello` comes first on a connection (else `invalid`); facts
// are for anyone, the rest for the owner only. Several peers may be connected at once. Frozen: see
// header.hpp.

#include <cstdint>

#include "shim_abi/header.hpp"

namespace smartcli::shim_abi {

inline constexpr std::size_t kMessageBytes = 64 << 10;

enum class MessageType : std::uint16_t {
  // daemon -> shim
  hello = 1,
  input = 2,
  cancel_input = 3,
  terminal_reply = 4,
  resize = 5,
  clear = 6,
  signal = 7,
  facts = 8,
  close = 9,
  restart = 10,
  journal_cap = 11,
  // shim -> daemon
  reply = 100,       ///< Reply, then what the request's comment names
  input_done = 101,  ///< InputDone, tag of the input (0 after a takeover): all was taken, or no more will be
  exited = 102,      ///< ExitedNotice
  hung_up = 103,     ///< no body: the last slave was closed
  journal = 104,     ///< JournalNotice: health changed
};

struct MessageHead {
  MessageType type;
  std::uint16_t reserved;
  std::uint32_t bytes;  ///< of the whole message
  std::uint64_t tag;    ///< chosen by the asker, given back in the reply
};
static_assert(sizeof(MessageHead) == 16);

enum class Status : std::uint32_t {
  ok = 0,
  unsupported = 1,    ///< message, flag or condition not known
  repeated = 2,       ///< this (request id, step) was typed before; the reply describes that time
  busy = 3,           ///< the input before it is not taken yet; with a condition also: replies are queued
  condition = 4,      ///< the write condition did not hold; nothing was written
  line_too_long = 5,  ///< canonical mode, and the line would pass 4095 bytes; nothing was written
  ended = 6,          ///< the program has ended, or is being ended; nothing was written
  not_owner = 7,
  invalid = 8,     ///< malformed
  failed = 9,      ///< `errno_value` says why
  stale = 10,      ///< a terminal reply whose key is at or below the highest written
  cancelled = 11,  ///< in InputDone: by cancel_input; for `close` and `restart`: a later `close` took over
};

/// Answers every request. `input`: fence and accepted so far, `input_done` follows if not all was taken.
struct Reply {
  MessageHead head;
  Status status;
  std::int32_t errno_value;
  std::uint64_t offset;    ///< output bytes at that moment; for `input` the fence's offset
  std::uint64_t revision;  ///< likewise; for `input` the fence
  std::uint32_t accepted;  ///< bytes taken by the terminal
  std::uint32_t line_flags;
};
static_assert(sizeof(Reply) == 48);

enum HelloFlags : std::uint32_t { kTakeover = 1 };

/// Answered by HelloReply; to the new owner with descriptors (SCM_RIGHTS): PTY master, header file, spool,
/// output eventfd (the shim signals), credit eventfd (the daemon signals). Another major version:
/// `unsupported`, no effect.
struct Hello {
  MessageHead head;
  std::uint16_t abi_major, abi_minor;
  std::uint32_t flags;
};

struct HelloReply {
  Reply reply;
  std::uint16_t abi_major, abi_minor;
  std::uint32_t descriptors;  ///< 0 without kTakeover, else 5 in this version; a newer shim may send more
};
static_assert(sizeof(HelloReply) == 56);

/// The spool: a memfd with output from `spool_from` on (byte at `offset % kSpoolBytes`) and, from kSpoolBytes
/// on, the events from `spool_events_from` on (`position % kSpoolEventBytes`), used only while the disk
/// fails. Full, it drops up to the next start of a segment, so at least the last MiB is there. A reader looks
/// at spool_from (or spool_events_from) again after reading: if it has passed, the bytes are not what was
/// asked for. One that finds its offset or position below them and not in a file has met the gap: it goes on
/// at both, where a FirstEvent stands. Events that do not fit: times, inputs and replies are left out,
/// resizes and clears refused (`failed`, ENOSPC).
inline constexpr std::uint64_t kSpoolBytes = 2 << 20;
inline constexpr std::uint64_t kSpoolEventBytes = 64 << 10;

enum class WriteCondition : std::uint32_t {
  none = 0,
  canonical_no_echo = 1,  ///< for secrets: ICANON set and ECHO clear at the very write
  not_canonical = 2,      ///< for replies: ICANON clear at the very write
};

/// Bytes for the program (at least one); they follow the struct. One at a time (`busy`). Nothing is written
/// unless all may be. A repeat of one that is still queued takes over its `input_done`.
struct Input {
  MessageHead head;
  RequestId id;
  std::uint32_t step;
  std::uint32_t flags;  ///< InputFlags
  WriteCondition condition;
  std::uint32_t reserved;
};
inline constexpr std::size_t kInputBytes = kMessageBytes - sizeof(Input);

struct InputDone {
  MessageHead head;
  Status status;  ///< ok, cancelled, ended
  std::uint32_t accepted;
  RequestId id;
  std::uint32_t step;
  std::uint32_t reserved;
};
static_assert(sizeof(InputDone) == 48);

/// Takes back what the terminal has not taken of the queued input: of (id, step), or with an all-zero id of
/// any. Reply
/// (`accepted`: how far it got), after `input_done`. `invalid` if that input is not queued.
struct CancelInput {
  MessageHead head;
  RequestId id;
  std::uint32_t step;
  std::uint32_t reserved;
};

/// A terminal's own reply (DA, CPR, ...), bytes follow. Its key is the offset just past the query and an
/// index among the replies to the same offset. Written at once if nothing is queued, else in order. Dropped
/// if full.
struct TerminalReply {
  MessageHead head;
  std::uint64_t key_offset;
  std::uint32_t key_index;
  std::uint32_t drop;        ///< 1: do not write it, but take the key (it came too late)
  WriteCondition condition;  ///< where it does not hold: Status::condition, and the key is not taken
  std::uint32_t reserved;
};
static_assert(sizeof(TerminalReply) == 40);

struct Resize {
  MessageHead head;
  std::uint16_t cols, rows, pixel_width, pixel_height;
};

enum ClearFlags : std::uint64_t {
  kClearKeepLine = 1,  ///< the logical line that the cursor is in stays, at the top (since minor version 1)
};

struct Clear {
  MessageHead head;
  std::uint64_t flags;  ///< ClearFlags
};

enum class SignalTarget : std::uint32_t { foreground = 0, child = 1 };

struct Signal {
  MessageHead head;
  std::int32_t number;
  SignalTarget target;
};

/// Kernel facts for the state word: Reply, then Facts, then `processes` ProcessFacts of the foreground group.
struct FactsRequest {
  MessageHead head;
};

struct Facts {
  std::int32_t foreground_group;  ///< tcgetpgrp of the terminal, or -1
  std::uint32_t line_flags;
  std::uint32_t input_pending;  ///< bytes typed that nobody has read (TIOCINQ of the slave), canonical: 0
                                ///< until a line is whole
  std::uint32_t processes;
};

struct ProcessFacts {
  std::int32_t pid;
  std::int32_t group;
  char state;                ///< as /proc/PID/stat has it: R S D T t Z
  std::uint8_t on_terminal;  ///< 1: it reads this terminal; 2: it polls it and nothing else; 3: it polls it
                             ///< among others
  std::uint8_t syscall_known;
  std::uint8_t reserved;
  std::int32_t syscall;  ///< number, -1: in user space
  char name[16];
};

enum CloseFlags : std::uint32_t { kCloseTree = 1 };

/// Hang up, TERM, after `grace_ms` KILL. Answered when done: CloseReply, then `survivors` CloseSurvivor
/// (descendants that left by setsid; with kCloseTree they were ended too). Header and socket are gone by
/// then, the exit is in the mapped header; the journal stays for the daemon to delete. A second `close`
/// meanwhile can only shorten the grace.
struct Close {
  MessageHead head;
  std::uint32_t grace_ms;
  std::uint32_t flags;
};

struct CloseReply {
  Reply reply;
  std::uint32_t survivors;
  std::uint32_t reserved;
};

struct CloseSurvivor {
  std::int32_t pid;
  char name[16];
  std::uint32_t ended;
};

/// Ends the program and starts one again under the same session. With a descriptor (SCM_RIGHTS): a memfd with
/// a new start block (start.hpp; its folders, stem, session and journal cap are ignored), which is kept from
/// then on; without: the one kept. The program gets a new PTY, at the size of a
/// block that was given, else at the size in force. The exit of the one before is recorded and told as
/// always. Answered by RestartReply, when it runs with the new PTY master (SCM_RIGHTS). `failed`: `stage`
/// says where; the session then stays as after its program's end.
struct Restart {
  MessageHead head;
  std::uint32_t grace_ms;
  std::uint32_t flags;
};

struct RestartReply {
  Reply reply;
  std::uint32_t stage;  ///< StartStage
  std::int32_t child_pid;
};

/// Bytes of journal (segments and events) to keep; the last two segments stay whatever it says. Oldest whole
/// segments go first, with a gap record (cap).
struct JournalCap {
  MessageHead head;
  std::uint64_t bytes;
};

struct ExitedNotice {
  MessageHead head;
  ExitKind kind;
  std::int32_t value;
  std::uint64_t offset;
};

struct JournalNotice {
  MessageHead head;
  JournalHealth health;
  std::int32_t errno_value;
};

}  // namespace smartcli::shim_abi
