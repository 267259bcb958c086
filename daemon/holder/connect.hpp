#pragma once

// From a socket's path to the ownership of a shim: connect, check the peer, hello.

#include <sys/socket.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/fd.hpp"
#include "shim_abi/header.hpp"
#include "shim_abi/messages.hpp"

namespace smartcli::holder {

using Deadline = std::chrono::steady_clock::time_point;

/// The mapped header; unmapped with the last user.
std::shared_ptr<shim_abi::Header> map_header(int fd);

/// What a takeover yields.
struct Owned {
  Fd socket;
  Fd master, spool, output_event, credit_event;
  std::shared_ptr<shim_abi::Header> header;
};

/// A descriptor to wait for, with a bound.
class Wait : public std::enable_shared_from_this<Wait> {
 public:
  Wait(boost::asio::any_io_executor executor, Fd fd)
      : descriptor_(executor, fd.release()), timer_(executor) {}
  int fd() { return descriptor_.native_handle(); }
  Fd release() { return Fd(descriptor_.release()); }
  /// True once it can be read; false when the deadline passed before.
  static boost::asio::awaitable<bool> readable(std::shared_ptr<Wait> self, Deadline deadline);

 private:
  boost::asio::posix::stream_descriptor descriptor_;
  boost::asio::steady_timer timer_;
};

/// One packet, without waiting. `bytes` 0: end of the connection; -1: errno.
struct Packet {
  ssize_t bytes = -1;
  std::vector<Fd> descriptors;
  bool descriptors_lost = false;  ///< this process has no room for more
};
Packet receive(int socket, std::span<char> into);

/// Sends one packet, with a descriptor if `fd` is not negative, without waiting. False with errno set
/// (EAGAIN: no room).
bool send(int socket, std::span<const char> packet, int fd = -1);

/// Connects to the shim's socket. Tries again while its backlog is full, or its name gone for a while (it
/// makes it again).
/// @param pidfd  the shim's: its end ends the attempts
/// Errors: session_gone, resource_exhausted (not in time), policy_denied (somebody else's socket).
boost::asio::awaitable<Result<Fd>> connect(boost::asio::any_io_executor executor, std::string runtime_dir,
                                           std::string stem, int pidfd, Deadline deadline);

/// Takes over on a fresh connection.
/// Errors: session_gone, version_mismatch, resource_exhausted (no answer in time; no descriptors left),
/// internal.
boost::asio::awaitable<Result<Owned>> take_over(boost::asio::any_io_executor executor, Fd socket,
                                                Deadline deadline);

}  // namespace smartcli::holder
