#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "proto/frame.hpp"
#include "session/meeting.hpp"

namespace smartcli::dispatch {

/// The pieces of one request's answer, on their way to its client before the reply. A client that does not
/// read them holds up nobody else: the handler waits for its turn before it makes a piece.
class Stream {
 public:
  explicit Stream(std::string id) : id_(std::move(id)) {}
  virtual ~Stream() = default;

  /// Waits until what was sent before is mostly read, and no other answer for this client is in the making.
  /// Held while a piece is made. Nothing: the request was cancelled, or its connection is gone.
  virtual boost::asio::awaitable<std::optional<session::FifoLock::Hold>> turn() = 0;

  /// Sends one piece, a Chunk of the registry.
  template <class Chunk>
  void send(const Chunk& chunk) {
    put(stream_line_of(id_, seq_++, chunk));
  }

 protected:
  virtual void put(std::string line) = 0;

 private:
  std::string id_;
  std::int64_t seq_ = 0;
};

}  // namespace smartcli::dispatch
