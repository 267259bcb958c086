#pragma once

namespace smartcli::server {

/// True if the process at the other end of a Unix socket runs as this user (SO_PEERCRED).
bool is_same_user(int socket);

/// True if the peer's end is closed altogether; false also where only its writing side is.
bool has_hung_up(int socket);

}  // namespace smartcli::server
