#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "dispatch/dispatch.hpp"
#include "proto/frame.hpp"

namespace smartcli::server {

/// One peer: reads requests, writes replies as they are ready. A slow, rude or vanished peer costs itself
/// only: while more than its share is queued for it or under way, nothing more is read from it; if its queue
/// does not move for 30 s it is dropped.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::local::stream_protocol::socket;
  Connection(Socket socket, dispatch::Handlers& handlers, const Limits& limits,
             std::function<void(Connection*)> gone);

  void start();
  /// Ends it once what is queued was written, or after `patience`.
  void finish(std::chrono::milliseconds patience);

 private:
  boost::asio::awaitable<void> read_loop();
  boost::asio::awaitable<void> write_loop();
  boost::asio::awaitable<void> watch_greeting();
  /// False: the connection ends.
  bool take_line(std::string_view line);
  bool take_hello(const RequestFrame& frame);
  void serve(RequestFrame frame, std::size_t bytes);
  void send(std::string line);
  class ReplyStream;
  void drop();
  bool is_crowded() const;

  Socket socket_;
  dispatch::Handlers& handlers_;
  const Limits& limits_;
  std::function<void(Connection*)> gone_;
  LineSplitter lines_;
  std::string client_id_;
  bool greeted_ = false, dropped_ = false, finishing_ = false;
  int bad_lines_ = 0;
  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;
  std::size_t busy_bytes_ = 0;                                               // of requests under way
  std::map<std::string, std::shared_ptr<session::Cancellation>> in_flight_;  // by id
  boost::asio::steady_timer room_, greeting_, writer_, stuck_;
  session::FifoLock stream_turn_;          // one piece of a stream in the making at a time
  boost::asio::steady_timer stream_room_;  // cancelled when something was written
};

}  // namespace smartcli::server
