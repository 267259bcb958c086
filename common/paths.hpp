#pragma once

#include <string>

#include "common/env.hpp"
#include "common/error.hpp"

namespace smartcli::paths {

/// Where everything of one daemon stands. All absolute.
struct Paths {
  std::string runtime_dir;  ///< 0700: the socket and what stands beside it
  std::string socket;       ///< `runtime_dir`/daemon.sock, or what SMARTCLI_SOCKET names
  std::string lock;         ///< SOCKET.lock
  std::string shims_dir;    ///< SOCKET.d, 0700: headers and sockets of this daemon's shims
  std::string state_dir;  ///< 0700: `$XDG_STATE_HOME/smartcli/KEY`, KEY a hash of the socket's path, so that
                          ///< daemons on different sockets never adopt each other's sessions
  std::string log;        ///< `state_dir`/daemon.log
  std::string sessions_dir;  ///< `state_dir`/sessions: a journal folder a session
};

inline constexpr std::size_t kSocketPathBytes = 107;  ///< sun_path less its NUL

/// `$HOME`, else the home of the user's entry in `passwd`; empty if neither is a directory that is there, or
/// it is /, as in containers: nothing of ours belongs there. Read here, not asked of the name service, which
/// a static client does not have: client and daemon must find the same folders.
std::string home_of(const Environment& env, unsigned uid, const std::string& passwd = "/etc/passwd");

/// A pure function of its arguments, but for looking whether /run/user/UID is there and ours.
/// The socket is `$SMARTCLI_SOCKET`, else `$XDG_RUNTIME_DIR/smartcli/daemon.sock`, else
/// /run/user/UID/smartcli/daemon.sock, else /tmp/smartcli-UID/daemon.sock; never under $TMPDIR. `home` is
/// used where XDG_STATE_HOME is unset or relative; if it is empty too, state stands beside the socket.
/// Errors: invalid_argument for a relative SMARTCLI_SOCKET or a socket path longer than kSocketPathBytes,
/// naming both.
Result<Paths> find(const Environment& env, unsigned uid, const std::string& home);

/// Makes the folder (0700) if it is missing and checks it: a directory, ours, no symbolic link, no access for
/// others. Errors: policy_denied naming the folder and what is wrong with it; resource_exhausted if it cannot
/// be made.
Result<void> make_private(const std::string& folder, unsigned uid);
/// As make_private, parents made too (those need only be writable by us).
Result<void> make_private_tree(const std::string& folder, unsigned uid);

}  // namespace smartcli::paths
