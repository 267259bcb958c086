#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "shim/start_block.hpp"

namespace smartcli::shim {

/// Limits that the shim changes for itself, as it found them: the program gets them back.
struct InheritedLimits {
  rlimit core{}, file_size{};
};

struct Spawned {
  shim_abi::StartStage stage = shim_abi::StartStage::running;
  int error = 0;
  pid_t pid = -1;
};

/// Starts the program as leader of a session of its own on `slave`, with descriptors 0, 1, 2 and nothing
/// else, and returns once it was executed or could not be. On failure nothing of it is left.
Spawned spawn_program(const StartView& start, int slave, const InheritedLimits& limits);

}  // namespace smartcli::shim
