#include "server/peer.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace smartcli::server {

bool is_same_user(int socket) {
  struct ucred peer {};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

bool has_hung_up(int socket) {
  struct pollfd look {};
  look.fd = socket;
  return ::poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace smartcli::server
