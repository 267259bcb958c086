#pragma once

// The envelope: JSON-RPC 2.0, one message a line. Bytes in, frames out; no socket.

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "proto/limits.hpp"

namespace smartcli {

/// Cuts a byte stream into lines. Holds at most `cap` bytes of an unfinished line.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t cap) : cap_(cap) {}
  /// Room that `append` takes now: never more than the cap allows.
  std::size_t room() const {
    return buffer_.size() - start_ > cap_ ? 0 : cap_ + 1 - (buffer_.size() - start_);
  }
  /// Precondition: bytes.size() <= room().
  void append(std::string_view bytes);
  /// The next whole line without its newline (and without a CR before it); nothing if none is whole. Valid
  /// until `append`.
  std::optional<std::string_view> next();
  /// The line that has begun is longer than the cap: the stream cannot go on.
  bool too_long() const {
    return buffer_.size() - start_ > cap_ && buffer_.find('\n', scanned_) == std::string::npos;
  }
  bool empty() const { return buffer_.size() == start_; }

 private:
  std::size_t cap_;
  std::string buffer_;
  std::size_t start_ = 0;    // of the line not yet handed out
  std::size_t scanned_ = 0;  // no newline before this
};

/// A request as received. `id` is JSON text ("7", "\"a\"", "null").
struct RequestFrame {
  std::string id = "null";
  bool is_notification = false;
  std::string method;
  std::shared_ptr<nlohmann::json> params;  ///< an object
};

/// Errors: invalid_argument; `id` is filled as far as it could be read, so that the error can be answered.
Result<RequestFrame> parse_request(std::string_view line, std::int64_t depth, std::string& id,
                                   std::int64_t values = limits::json_values.standard);

std::string request_line(std::int64_t id, std::string_view method, std::string_view params_json);
/// {"ok": true, ...result}; ends with a newline.
std::string reply_line(std::string_view id, nlohmann::json result);
/// The same from a Reply of the registry.
template <class T>
std::string reply_line_of(std::string_view id, const T& reply);
std::string error_line(std::string_view id, const Error& error);
/// A `stream` notification, piece number `seq` (from 0) of the answer to request `id`; ends with a newline.
std::string stream_line(std::string_view id, std::int64_t seq, nlohmann::json chunk);
/// The same from a Chunk of the registry.
template <class T>
std::string stream_line_of(std::string_view id, std::int64_t seq, const T& chunk);

/// A reply as a client sees it.
struct ReplyFrame {
  std::string id = "null";
  std::optional<Error> error;
  std::string result;      ///< JSON text of the result, as sent, where there is no error
  bool is_stream = false;  ///< a piece of the answer: `result` holds the notification's params
};
/// Errors: internal, if it is neither a JSON-RPC reply nor a piece of one.
Result<ReplyFrame> parse_reply(std::string_view line);

/// One message as a line of a trace: {dir: "out" or "in", method, pid, message}; what is no JSON stands there
/// as a string. Ends with a newline.
std::string trace_line(std::string_view direction, std::string_view method, std::string_view message);

/// {ok: false, error: {code, message, detail}} as the CLI prints it with --json; one line without newline.
std::string error_json(const Error& error);

}  // namespace smartcli
