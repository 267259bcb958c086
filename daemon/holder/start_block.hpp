#pragma once

#include "common/error.hpp"
#include "common/fd.hpp"
#include "holder/holder.hpp"
#include "shim_abi/start.hpp"

namespace smartcli::holder {

/// A sealed memfd with the start block of `spec`.
/// Errors: invalid_argument (a NUL inside a string, no argv), spawn_failed (too long), resource_exhausted.
Result<Fd> make_start_block(const StartSpec& spec);

/// What a failed stage means to whoever wanted the program.
Error start_error(shim_abi::StartStage stage, int errno_value, const StartSpec& spec);

/// Whether an errno says that the system has no more of something, whatever was asked of it.
bool is_shortage(int errno_value);

}  // namespace smartcli::holder
