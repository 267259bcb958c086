#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "common/fd.hpp"

namespace smartcli::shim {

inline constexpr int kConnections = 8;

struct Connection {
  Fd socket;
  bool greeted = false;
  pid_t peer = 0;
  std::uint32_t age = 0;  ///< order of acceptance
};

/// The peers, at most one of which is the owner. A full table gives up its oldest peer that is not the owner,
/// so that idle connections cannot keep a daemon out.
class Connections {
 public:
  Connection* begin() { return table_; }
  Connection* end() { return table_ + kConnections; }

  /// Takes a socket in if its peer is of our user. @return null otherwise
  Connection* add(Fd socket);
  /// @return false if descriptors ran out: the listener had better be left alone for a while
  bool accept_all(int listener);
  void drop(Connection* connection);
  void take_over(Connection* connection);
  Connection* owner() { return owner_; }

  /// One packet; a peer that is gone, or does not read, is dropped (it would miss an answer).
  void send(Connection* connection, const void* data, std::size_t bytes, const int* fds = nullptr,
            int fd_count = 0);

 private:
  Connection table_[kConnections];
  Connection* owner_ = nullptr;
  std::uint32_t next_age_ = 0;
};

/// Receives one packet and at most one descriptor; others are closed.
/// @return bytes, 0: the peer is gone, -1: nothing there, -2: longer than `capacity`
std::ptrdiff_t receive(int socket, void* into, std::size_t capacity, Fd* descriptor);

}  // namespace smartcli::shim
