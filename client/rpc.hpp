#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "client/connect.hpp"
#include "proto/frame.hpp"

namespace smartcli::client {

/// One connection: hello and requests on it.
class Rpc {
 public:
  explicit Rpc(Fd socket, std::string client_id)
      : socket_(std::move(socket)), client_id_(std::move(client_id)) {}

  /// Says hello and waits for the answer; `call` does it by itself, in one write with the request.
  Result<void> greet();
  /// Sends one request and returns its result as JSON text.
  /// Errors: what the daemon replied; daemon_unreachable (it says nothing for 5 s to the hello; or, with
  /// detail kHungUp, it closed the connection: whether it acted on the request is then unknown).
  /// @param on_chunk  given what a streamed answer brings before its result: a notification's params as JSON
  /// text
  Result<std::string> call(std::string_view method, std::string_view params_json,
                           const std::function<void(std::string)>& on_chunk = nullptr);
  static constexpr const char* kHungUp = "hung_up";
  /// Blocks until the daemon closes the connection.
  void wait_for_end();

 private:
  Result<std::string> next_line(int timeout_ms);
  void write_all(std::string_view bytes);
  std::string hello_line() const;
  Result<void> take_hello();

  Fd socket_;
  std::string client_id_;
  std::string buffer_;
  std::int64_t next_id_ = 0;
  bool greeted_ = false;
};

}  // namespace smartcli::client
