#include "holder/connect.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>

#include "holder/process.hpp"

namespace smartcli::holder {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kMostDescriptors = 16;  // a newer shim may send more than the 5 known ones
constexpr std::size_t kDescriptors = 5;

Error no_answer() {
  return Error{ErrorCode::resource_exhausted,
               "the session's shim does not answer; it was left alone, try again"};
}

/// Connects without waiting; errno on failure.
bool try_connect(int socket, const std::string& runtime_dir, const std::string& stem) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::string path = runtime_dir + "/" + stem + ".sock";
  Fd folder;
  if (path.size() >= sizeof address.sun_path) {
    // Too long for an address: the kernel also takes the way through an open folder.
    folder.reset(::open(runtime_dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return false;
    path = "/proc/self/fd/" + std::to_string(folder.get()) + "/" + stem + ".sock";
    if (path.size() >= sizeof address.sun_path) {
      errno = ENAMETOOLONG;
      return false;
    }
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

std::shared_ptr<shim_abi::Header> map_header(int fd) {
  struct stat info {};
  // A shorter file would end the daemon by SIGBUS at the first look.
  if (::fstat(fd, &info) != 0 || info.st_size < static_cast<off_t>(shim_abi::kHeaderBytes)) return nullptr;
  void* mapped = ::mmap(nullptr, shim_abi::kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return nullptr;
  return {static_cast<shim_abi::Header*>(mapped),
          [](shim_abi::Header* h) { ::munmap(h, shim_abi::kHeaderBytes); }};
}

asio::awaitable<bool> Wait::readable(std::shared_ptr<Wait> self, Deadline deadline) {
  self->timer_.expires_at(deadline);
  // The handler holds the object: it may be queued already when the descriptor becomes ready.
  self->timer_.async_wait([self](error_code error) {
    if (!error && self->descriptor_.is_open()) self->descriptor_.cancel();
  });
  error_code error;
  co_await self->descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                                        asio::redirect_error(asio::use_awaitable, error));
  self->timer_.cancel();
  co_return !error;
}

Packet receive(int socket, std::span<char> into) {
  Packet packet;
  iovec part{into.data(), into.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  do {
    packet.bytes = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (packet.bytes < 0 && errno == EINTR);
  if (packet.bytes < 0) return packet;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
      packet.descriptors.emplace_back(fd);
    }
  }
  packet.descriptors_lost = (message.msg_flags & MSG_CTRUNC) != 0;
  return packet;
}

bool send(int socket, std::span<const char> bytes, int fd) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  }
  ssize_t n = 0;
  do {
    n = ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  return n >= 0;
}

asio::awaitable<Result<Fd>> connect(asio::any_io_executor executor, std::string runtime_dir, std::string stem,
                                    int pidfd, Deadline deadline) {
  asio::steady_timer timer(executor);
  auto pause = std::chrono::milliseconds(1);
  for (;;) {
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket)
      co_return errno_error(ErrorCode::resource_exhausted, "cannot reach the session's shim", errno);
    if (try_connect(socket.get(), runtime_dir, stem)) {
      ucred peer{};
      socklen_t size = sizeof peer;
      if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != ::geteuid()) {
        co_return Error{ErrorCode::policy_denied, "the socket of the session's shim belongs to another user"};
      }
      co_return socket;
    }
    const int reason = errno;
    if (pidfd >= 0 && has_ended(pidfd)) {
      co_return Error{ErrorCode::session_gone, "the session's shim has ended"};
    }
    if (reason != EAGAIN && reason != EINTR && reason != ENOENT && reason != ECONNREFUSED) {
      co_return errno_error(ErrorCode::resource_exhausted, "cannot reach the session's shim", reason);
    }
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) co_return no_answer();
    timer.expires_at(std::min<Deadline>(deadline, now + pause));
    error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    pause = std::min(pause * 2, std::chrono::milliseconds(100));
  }
}

asio::awaitable<Result<Owned>> take_over(asio::any_io_executor executor, Fd socket, Deadline deadline) {
  const Error gone{ErrorCode::session_gone, "the session's shim ended the connection"};
  const auto wait = std::make_shared<Wait>(executor, std::move(socket));
  shim_abi::Hello hello{};
  hello.head.type = shim_abi::MessageType::hello;
  hello.head.bytes = sizeof hello;
  hello.head.tag = 1;
  hello.abi_major = shim_abi::kAbiMajor;
  hello.abi_minor = shim_abi::kAbiMinor;
  hello.flags = shim_abi::kTakeover;
  if (!send(wait->fd(), {reinterpret_cast<const char*>(&hello), sizeof hello})) {
    if (errno == EPIPE || errno == ECONNRESET) co_return gone;
    co_return errno_error(ErrorCode::resource_exhausted, "cannot reach the session's shim", errno);
  }
  for (;;) {
    shim_abi::HelloReply reply{};
    std::array<char, 256> bytes{};  // longer packets are not the answer, or its tail is not known here
    Packet packet = receive(wait->fd(), bytes);
    if (packet.bytes == 0 || (packet.bytes < 0 && errno != EAGAIN)) co_return gone;
    if (packet.bytes < 0) {
      const bool came = co_await Wait::readable(wait, deadline);
      if (!came) co_return no_answer();
      continue;
    }
    if (packet.bytes < static_cast<ssize_t>(sizeof(shim_abi::Reply))) continue;
    std::memcpy(&reply, bytes.data(),
                std::min<std::size_t>(sizeof reply, static_cast<std::size_t>(packet.bytes)));
    if (reply.reply.head.type != shim_abi::MessageType::reply || reply.reply.head.tag != hello.head.tag)
      continue;
    if (reply.reply.status == shim_abi::Status::unsupported) {
      co_return Error{ErrorCode::version_mismatch,
                      "the session's shim speaks version " + std::to_string(reply.abi_major) +
                          " of its protocol, this daemon " + std::to_string(shim_abi::kAbiMajor)};
    }
    if (reply.reply.status != shim_abi::Status::ok) {
      co_return Error{ErrorCode::internal, "the session's shim refused the takeover with status " +
                                               std::to_string(static_cast<unsigned>(reply.reply.status))};
    }
    if (packet.descriptors_lost || packet.descriptors.size() < kDescriptors) {
      co_return errno_error(ErrorCode::resource_exhausted, "cannot take the session's descriptors", EMFILE);
    }
    Owned owned;
    owned.master = std::move(packet.descriptors[0]);
    owned.header = map_header(packet.descriptors[1].get());
    owned.spool = std::move(packet.descriptors[2]);
    owned.output_event = std::move(packet.descriptors[3]);
    owned.credit_event = std::move(packet.descriptors[4]);
    if (!owned.header)
      co_return errno_error(ErrorCode::resource_exhausted, "cannot map the session's header", errno);
    if (owned.header->magic != shim_abi::kHeaderMagic) {
      co_return Error{ErrorCode::internal, "the session's header is not one"};
    }
    if (owned.header->abi_major != shim_abi::kAbiMajor) {
      co_return Error{ErrorCode::version_mismatch,
                      "the session's header has version " + std::to_string(owned.header->abi_major)};
    }
    owned.socket = wait->release();
    co_return owned;
  }
}

}  // namespace smartcli::holder
