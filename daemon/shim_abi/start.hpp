#pragma once

// How a shim is started: `smartcli-shim` with no arguments; descriptor 0 is a memfd with a StartBlock, sealed
// against writing, growing and shrinking; 1 is one end of a SEQPACKET pair, 2 is /dev/null. Nothing else is
// used: the shim closes what it inherits besides. It keeps the memfd for `restart`; nothing of the block
// reaches an argv or a file.
//
// The process that was started forks and ends at once with status 0, so the starter has a child to wait for
// but no zombie later and no child. The StartReport comes on the pair; after a good one the pair is a
// connection like any other: `hello` may follow on it. Until somebody takes over, the shim reads and journals
// by itself. STEM.sock is bound before the program starts (and taken away again if it cannot), STEM.hdr
// appears only after it was executed. End of file without a report: the shim died.

#include <cstdint>

#include "shim_abi/header.hpp"

namespace smartcli::shim_abi {

inline constexpr std::uint32_t kStartMagic = 0x31545253;  // "SRT1"

/// Followed by `strings_bytes` of NUL-ended strings: runtime folder, journal folder, file stem, program path,
/// working directory, then `argc` arguments, then `envc` environment entries.
struct StartBlock {
  std::uint32_t magic;
  std::uint16_t abi_major, abi_minor;
  std::uint32_t strings_bytes;
  std::uint32_t argc, envc;
  std::uint16_t cols, rows;
  std::uint32_t umask;
  std::uint32_t flags;
  std::uint64_t nofile_soft, nofile_hard;  ///< RLIMIT_NOFILE for the program; 0: leave as it is
  std::uint64_t journal_cap;               ///< as in JournalCap
  std::uint8_t session[16];
  std::uint64_t core_soft, core_hard;  ///< RLIMIT_CORE for the program, with kStartCore
  std::uint8_t reserved[16];
};
static_assert(sizeof(StartBlock) == 104);

enum StartFlags : std::uint32_t { kStartCore = 1 };

inline constexpr std::size_t kStartBytes = 4 << 20;  ///< at most, of the whole block

enum class StartStage : std::uint32_t {
  running = 0,  ///< the program was executed
  exec = 1,     ///< execve failed
  chdir = 2,
  pty = 3,
  journal = 4,
  socket = 5,
  fork = 6,
  invalid = 7,  ///< the block
  runtime = 8,  ///< the runtime folder, or the header in it
};

/// Sent once: after the exec succeeded, or on the first failure (the shim then goes and leaves no file).
struct StartReport {
  StartStage stage;
  std::int32_t errno_value;
  std::int32_t shim_pid;
  std::int32_t child_pid;
  std::uint16_t abi_major, abi_minor;
  std::uint32_t reserved;
};
static_assert(sizeof(StartReport) == 24);

}  // namespace smartcli::shim_abi
