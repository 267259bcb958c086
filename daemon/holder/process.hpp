#pragma once

// Which process a number means. Numbers are used again; a start time and a boot tell one from the next.

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "common/error.hpp"
#include "common/fd.hpp"

namespace smartcli::holder {

/// Field 22 of /proc/PID/stat; nothing if there is no such process, or only its zombie.
std::optional<std::uint64_t> start_ticks(pid_t pid);

/// shim_abi::fnv1a of this boot's id; 0 if the kernel does not say.
std::uint64_t boot_id_hash();

/// A pidfd of the process `pid` that began at `ticks`.
/// Errors: session_gone (it has ended; the number may be somebody else's now), resource_exhausted.
Result<Fd> open_process(pid_t pid, std::uint64_t ticks);

/// Whether the process of a pidfd has ended.
bool has_ended(int pidfd);

}  // namespace smartcli::holder
