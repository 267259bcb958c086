#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <set>
#include <string>

#include "common/fd.hpp"
#include "server/connection.hpp"

namespace smartcli::server {

/// Binds the daemon's socket (0600) and listens. The caller holds the lock that makes this the only daemon; a
/// socket that nevertheless answers is never taken over. Errors: session_exists-like states come as
/// resource_exhausted, naming the path.
Result<Fd> listen_on(const std::string& path);

class Server {
 public:
  /// @param keep_lock  asked every two seconds: are we still the one daemon of this path? If not, `lock_lost`
  /// is called
  Server(boost::asio::io_context& loop, Fd listener, std::string path, dispatch::Handlers& handlers,
         const Limits& limits, std::function<bool()> keep_lock, std::function<void()> lock_lost);

  void start();
  std::size_t clients() const { return connections_.size(); }
  /// No new clients; those there are get what is queued for them, for at most `patience`; the socket's path
  /// goes.
  void stop(std::chrono::milliseconds patience);

 private:
  boost::asio::awaitable<void> accept_loop();
  boost::asio::awaitable<void> watch_path();
  bool is_ours() const;

  boost::asio::io_context& loop_;
  boost::asio::local::stream_protocol::acceptor acceptor_;
  std::string path_;
  dispatch::Handlers& handlers_;
  const Limits& limits_;
  std::function<bool()> keep_lock_;
  std::function<void()> lock_lost_;
  std::set<std::shared_ptr<Connection>> connections_;
  boost::asio::steady_timer pause_, path_timer_;
  Fd spare_;  ///< given up for a moment when descriptors run out, so that a client can be told
  bool stopping_ = false;
};

}  // namespace smartcli::server
