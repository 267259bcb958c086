#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "client/connect.hpp"
#include "proto/frame.hpp"

namespace smartcli::client {

/// One connection: hello and requests on it.
class Rpc {
 public:
  Rpc(Fd socket, const Environment& env);

  /// Says hello and waits for the answer; `call` does it by itself, in one write with the request.
  Result<void> greet();
  /// Sends one request and returns its result as JSON text.
  /// Errors: what the daemon replied; version_mismatch (also if what answers is no daemon of ours);
  /// daemon_unreachable (the hello is not answered within 4 s; or, with detail kHungUp, it closed the
  /// connection: whether it acted on the request is then unknown); invalid_argument (SMARTCLI_TRACE cannot be
  /// written).
  /// @param on_chunk  given what a streamed answer brings before its result: a notification's params as JSON
  /// text
  Result<std::string> call(std::string_view method, std::string_view params_json,
                           const std::function<void(std::string)>& on_chunk = nullptr);
  static constexpr const char* kHungUp = "hung_up";
  static constexpr const char* kRestart = "restart";  ///< a wait's: another daemon follows, ask that
  /// Blocks until the daemon closes the connection.
  void wait_for_end();

 private:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  Result<std::string> next_line(Deadline until);
  void write_all(std::string_view bytes);
  std::string hello_line() const;
  /// A debugging aid: with SMARTCLI_TRACE=FILE every message of the wire is appended to FILE, which is made
  /// 0600; what is typed stands there too. The lines: `trace_line` in proto/frame.hpp.
  Result<void> trace(std::string_view direction, std::string_view method, std::string_view message);
  Result<void> take_hello();

  Fd socket_;
  std::string client_id_;
  std::string trace_path_;
  Fd trace_;
  std::string buffer_;
  std::int64_t next_id_ = 0;
  bool greeted_ = false;
};

}  // namespace smartcli::client
