#include "shim/connections.hpp"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "shim/sys.hpp"

namespace smartcli::shim {

Connection* Connections::add(Fd socket) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 || peer.uid != ::geteuid())
    return nullptr;
  Connection* place = nullptr;
  for (Connection& c : table_)
    if (!c.socket && !place) place = &c;
  if (!place) {
    for (Connection& c : table_)
      if (&c != owner_ && (!place || c.age < place->age)) place = &c;
    drop(place);
  }
  place->socket = static_cast<Fd&&>(socket);
  place->greeted = false;
  place->peer = peer.pid;
  place->age = next_age_++;
  return place;
}

bool Connections::accept_all(int listener) {
  for (int i = 0; i < 16; ++i) {  // bounded: the program's output has its turn too
    Fd socket(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) return errno == EAGAIN || errno == ECONNABORTED || errno == EINTR;
    add(static_cast<Fd&&>(socket));
  }
  return true;
}

void Connections::drop(Connection* connection) {
  connection->socket.reset();
  connection->greeted = false;
  if (owner_ == connection) owner_ = nullptr;
}

void Connections::take_over(Connection* connection) {
  Connection* const before = owner_;
  owner_ = connection;
  if (before && before != connection) drop(before);
}

void Connections::send(Connection* connection, const void* data, std::size_t bytes, const int* fds,
                       int fd_count) {
  if (!connection || !connection->socket) return;
  iovec part{const_cast<void*>(data), bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 8)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd_count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * static_cast<std::size_t>(fd_count));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * static_cast<std::size_t>(fd_count));
    ::memcpy(CMSG_DATA(header), fds, sizeof(int) * static_cast<std::size_t>(fd_count));
  }
  ssize_t n;
  do n = ::sendmsg(connection->socket.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  if (n < 0) drop(connection);
}

std::ptrdiff_t receive(int socket, void* into, std::size_t capacity, Fd* descriptor) {
  iovec part{into, capacity};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 8)];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t n;
  do n = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n < 0) return errno == EAGAIN ? -1 : 0;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd;
      ::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
      if (!*descriptor)
        descriptor->reset(fd);
      else
        ::close(fd);
    }
  }
  return (message.msg_flags & MSG_TRUNC) ? -2 : n;
}

}  // namespace smartcli::shim
