#pragma once

// How a shim is started: `smartcli-shim` with no arguments; descriptor 0 is a sealed memfd with a StartBlock, 1 is one
// end of a SEQPACKET pair for the StartReport, 2 is /dev/null. Nothing else is inherited. The block is read into
// memory of the shim's own and kept for `restart`; nothing of it reaches an argv or a file.

#include <cstdint>

#include "shim_abi/header.hpp"

namespace smartcli::shim_abi {

inline constexpr std::uint32_t kStartMagic = 0x31545253;  // "SRT1"

/// Followed by `strings_bytes` of NUL-ended strings: runtime folder, journal folder, file stem, program path, working
/// directory, then `argc` arguments, then `envc` environment entries.
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
  std::uint8_t reserved[32];
};

enum class StartStage : std::uint32_t {
  running = 0,  ///< the program was executed
  exec = 1,     ///< execve failed
  chdir = 2,
  pty = 3,
  journal = 4,
  socket = 5,
  fork = 6,
  invalid = 7,  ///< the block
};

/// Sent once: after the exec succeeded, or on the first failure (the shim then goes and leaves no file).
struct StartReport {
  StartStage stage;
  std::int32_t errno_value;
  std::int32_t shim_pid;
  std::int32_t child_pid;
};

}  // namespace smartcli::shim_abi
