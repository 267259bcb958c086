#pragma once

#include <sys/types.h>

#include <string>

#include "common/env.hpp"
#include "common/error.hpp"
#include "common/fd.hpp"
#include "common/paths.hpp"

namespace smartcli::client {

enum class AutoStart { never, if_sessions_are_left, always };

/// A connected stream socket to this user's daemon. It is started where that is allowed and it does not run:
/// by `always`, or by `if_sessions_are_left` when live or ended sessions are there without one; never with
/// SMARTCLI_NO_AUTOSTART. Errors: daemon_unreachable (with detail "none" where no daemon runs and none was to
/// be started), policy_denied (the folder or the socket belongs to somebody else), invalid_argument (paths).
Result<Fd> connect(const Environment& env, AutoStart start);

/// This user's paths, as the daemon would find them.
Result<paths::Paths> own_paths(const Environment& env);

/// A version_mismatch says also how many sessions the other daemon holds; any other error is as it was.
Error with_sessions(Error error, const Environment& env);

/// The running daemon's lock, to be waited for by; 0: none.
ino_t lock_inode(const Environment& env);
/// Returns when that lock was given up, the last thing that a daemon does, or after 6 s.
void wait_for_lock(const Environment& env, ino_t held);

/// A program of ours: beside this one, else in ../libexec/smartcli; empty if it is nowhere.
std::string find_program(const std::string& name);

}  // namespace smartcli::client
