#pragma once

#include <string>
#include <string_view>

#include "client/connect.hpp"
#include "proto/frame.hpp"

namespace smartcli::client {

/// One connection: hello and requests on it.
class Rpc {
 public:
  explicit Rpc(Fd socket, std::string client_id) : socket_(std::move(socket)), client_id_(std::move(client_id)) {}

  /// Sends one request and returns its result as JSON text. The first call says hello in the same write.
  /// Errors: what the daemon replied; daemon_unreachable (it hung up, or says nothing for 5 s to the hello).
  Result<std::string> call(std::string_view method, std::string_view params_json);
  /// Blocks until the daemon closes the connection.
  void wait_for_end();

 private:
  Result<std::string> next_line(int timeout_ms);
  Result<void> write_all(std::string_view bytes);

  Fd socket_;
  std::string client_id_;
  std::string buffer_;
  std::int64_t next_id_ = 0;
  bool greeted_ = false;
};

}  // namespace smartcli::client
