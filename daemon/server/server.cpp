#include "server/server.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>

#include "common/log.hpp"
#include "common/text.hpp"
#include "server/peer.hpp"

namespace smartcli::server {
namespace {

using namespace std::chrono_literals;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;
using boost::asio::local::stream_protocol;

constexpr auto kPathCheck = 2s;  ///< a socket that a cleaner removed is bound again within this

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof address.sun_path - 1));
  return address;
}

/// A last word to a client that is not served.
void refuse(int socket, const Error& error) {
  const std::string line = error_line("null", error);
  (void)!::send(socket, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

Result<Fd> listen_on(const std::string& path) {
  const auto address = address_of(path);
  {
    const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int status = ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (status == 0 || errno == EAGAIN || errno == EINPROGRESS) {
      return Error{ErrorCode::resource_exhausted, "another daemon answers on " + text::quoted(path, 200)};
    }
    struct stat st {};
    if (errno == ECONNREFUSED && ::lstat(path.c_str(), &st) == 0 && S_ISSOCK(st.st_mode))
      ::unlink(path.c_str());
  }
  Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const mode_t before = ::umask(0177);
  const int bound = ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int bind_errno = errno;
  ::umask(before);
  if (bound != 0) {
    return errno_error(ErrorCode::resource_exhausted, "cannot bind the socket " + text::quoted(path, 200),
                       bind_errno);
  }
  if (::listen(listener.get(), SOMAXCONN) != 0) {
    return errno_error(ErrorCode::resource_exhausted, "cannot listen on " + text::quoted(path, 200), errno);
  }
  return listener;
}

Server::Server(boost::asio::io_context& loop, Fd listener, std::string path, dispatch::Handlers& handlers,
               const Limits& limits, std::function<bool()> keep_lock, std::function<void()> lock_lost)
    : loop_(loop),
      acceptor_(loop, stream_protocol(), listener.release()),
      path_(std::move(path)),
      handlers_(handlers),
      limits_(limits),
      keep_lock_(std::move(keep_lock)),
      lock_lost_(std::move(lock_lost)),
      pause_(loop),
      path_timer_(loop),
      spare_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {}

void Server::start() {
  boost::asio::co_spawn(loop_, accept_loop(), boost::asio::detached);
  boost::asio::co_spawn(loop_, watch_path(), boost::asio::detached);
}

boost::asio::awaitable<void> Server::accept_loop() {
  boost::system::error_code error;
  while (!stopping_) {
    co_await acceptor_.async_wait(stream_protocol::acceptor::wait_read, redirect_error(use_awaitable, error));
    if (stopping_) co_return;
    for (;;) {
      Fd peer(::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!peer) {
        if (errno == EMFILE || errno == ENFILE) {
          spare_.reset();
          peer.reset(::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
          if (peer)
            refuse(peer.get(),
                   Error{ErrorCode::resource_exhausted, "the daemon is out of descriptors; try again"});
          peer.reset();
          spare_.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
          pause_.expires_after(50ms);
          co_await pause_.async_wait(redirect_error(use_awaitable, error));
        }
        break;
      }
      if (!is_same_user(peer.get())) {
        log::warning("a client of another user was refused");
        continue;
      }
      const auto cap = limits_[LimitId::clients];
      if (static_cast<std::int64_t>(connections_.size()) >= cap) {
        refuse(peer.get(), over_limit(LimitId::clients, cap, "too many clients"));
        continue;
      }
      boost::system::error_code assigned;
      stream_protocol::socket socket(loop_);
      socket.assign(stream_protocol(), peer.release(), assigned);
      if (assigned) continue;
      auto connection =
          std::make_shared<Connection>(std::move(socket), handlers_, limits_, [this](Connection* gone) {
            std::erase_if(connections_, [gone](const auto& other) { return other.get() == gone; });
          });
      connections_.insert(connection);
      connection->start();
    }
  }
}

bool Server::is_ours() const {
  struct stat path {};
  // The inode of a bound socket's path is not that of its descriptor: that it answers as ours is seen by its
  // peer's pid.
  if (::lstat(path_.c_str(), &path) != 0 || !S_ISSOCK(path.st_mode)) return false;
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto name = address_of(path_);
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0)
    return errno == EAGAIN;
  struct ucred peer {};
  socklen_t size = sizeof peer;
  return ::getsockopt(probe.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == ::getpid();
}

boost::asio::awaitable<void> Server::watch_path() {
  boost::system::error_code error;
  struct stat known {};
  bool is_known = ::lstat(path_.c_str(), &known) == 0;
  while (!stopping_) {
    path_timer_.expires_after(kPathCheck);
    co_await path_timer_.async_wait(redirect_error(use_awaitable, error));
    if (stopping_) co_return;
    if (!keep_lock_()) {
      lock_lost_();
      co_return;
    }
    struct stat now {};
    const bool there = ::lstat(path_.c_str(), &now) == 0;
    if (there && is_known && now.st_ino == known.st_ino && now.st_dev == known.st_dev) continue;
    if (!there || !is_ours()) {
      auto listener = listen_on(path_);
      if (!listener) {
        log::error(listener.error().message);
        continue;
      }
      log::warning("the socket's path was gone; bound again");
      acceptor_.close(error);
      acceptor_.assign(stream_protocol(), listener->release(), error);  // the accept loop goes on with it
    }
    is_known = ::lstat(path_.c_str(), &known) == 0;
  }
}

void Server::stop(std::chrono::milliseconds patience) {
  if (stopping_) return;
  const bool ours = is_ours();
  stopping_ = true;
  boost::system::error_code ignored;
  if (ours) ::unlink(path_.c_str());
  acceptor_.close(ignored);
  pause_.cancel();
  path_timer_.cancel();
  const auto connections = connections_;
  for (const auto& connection : connections) connection->finish(patience);
}

}  // namespace smartcli::server
