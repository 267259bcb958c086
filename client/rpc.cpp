#include "client/rpc.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/text.hpp"
#include "proto/codec.hpp"
#include "proto/methods/daemon.hpp"

namespace smartcli::client {
namespace {

/// With what a connection takes, a client that is not understood has said so within 5 s.
constexpr std::chrono::seconds kHelloTime{4};
constexpr std::size_t kHelloBytes = 64 << 10;  ///< a line so long is no answer to a hello

Error hung_up() {
  return Error{ErrorCode::daemon_unreachable, "the daemon closed the connection; sessions go on, try again",
               Rpc::kHungUp};
}

Error no_daemon_of_ours(std::string_view why) {
  return Error{ErrorCode::version_mismatch, "what answers on the socket is no smartcli daemon of protocol " +
                                                std::to_string(kProtocolMin) + " to " +
                                                std::to_string(kProtocolMax) + ": " + std::string(why)};
}

}  // namespace

Rpc::Rpc(Fd socket, const Environment& env)
    : socket_(std::move(socket)),
      client_id_(env.get("SMARTCLI_CLIENT").value_or("")),
      trace_path_(env.get("SMARTCLI_TRACE").value_or("")) {}

Result<void> Rpc::trace(std::string_view direction, std::string_view method, std::string_view message) {
  if (trace_path_.empty()) return {};
  if (!trace_) {
    trace_.reset(::open(trace_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  }
  // In one write: several clients may append to one file.
  const auto line = trace_line(direction, method, message);
  if (!trace_ || ::write(trace_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    return errno_error(ErrorCode::invalid_argument, "SMARTCLI_TRACE=" + text::quoted(trace_path_, 200),
                       errno);
  }
  return {};
}

void Rpc::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      struct pollfd look {
        socket_.get(), POLLOUT, 0
      };
      ::poll(&look, 1, -1);
      continue;
    }
    // The daemon may have said why before it hung up: what it wrote is read first.
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

Result<std::string> Rpc::next_line(Deadline until) {
  std::size_t scanned = 0;
  for (;;) {
    const auto end = buffer_.find('\n', scanned);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    scanned = buffer_.size();
    if (!greeted_ && scanned > kHelloBytes) return no_daemon_of_ours("its first line does not end");
    int timeout_ms = -1;
    if (until) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(*until - std::chrono::steady_clock::now());
      timeout_ms = static_cast<int>(std::max<std::int64_t>(0, left.count()));
    }
    struct pollfd look {
      socket_.get(), POLLIN, 0
    };
    const int ready = ::poll(&look, 1, timeout_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      return Error{
          ErrorCode::daemon_unreachable,
          "the daemon does not respond (" + std::to_string(kHelloTime.count()) + " s); it was left alone"};
    }
    char block[16384];
    const auto n = ::recv(socket_.get(), block, sizeof block, 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return hung_up();
    buffer_.append(block, static_cast<std::size_t>(n));
  }
}

std::string Rpc::hello_line() const {
  Hello::Request hello;
  hello.client = "smartcli " SMARTCLI_VERSION;
  if (!client_id_.empty()) hello.client_id = client_id_;
  return request_line(0, Hello::info.name, encode_text(hello));
}

Result<void> Rpc::take_hello() {
  auto line = next_line(std::chrono::steady_clock::now() + kHelloTime);
  if (!line) return line.error();
  if (auto traced = trace("in", Hello::info.name, *line); !traced) return traced;
  auto reply = parse_reply(*line);
  if (!reply) return no_daemon_of_ours(reply.error().message);
  if (reply->error) return *reply->error;
  auto hello = decode_text<Hello::Reply>(reply->result);
  if (!hello || hello->protocol < kProtocolMin || hello->protocol > kProtocolMax) {
    return Error{ErrorCode::version_mismatch, "the daemon answers with protocol " +
                                                  (hello ? std::to_string(hello->protocol) : "?") +
                                                  ", this client speaks " + std::to_string(kProtocolMin) +
                                                  " to " + std::to_string(kProtocolMax)};
  }
  greeted_ = true;
  return {};
}

Result<void> Rpc::greet() {
  if (greeted_) return {};
  const auto hello = hello_line();
  if (auto traced = trace("out", Hello::info.name, hello); !traced) return traced;
  write_all(hello);
  return take_hello();
}

Result<std::string> Rpc::call(std::string_view method, std::string_view params_json,
                              const std::function<void(std::string)>& on_chunk) {
  // Who does not answer a hello may not read either: a long request waits for that answer, a short one goes
  // with the hello and saves a turn.
  constexpr std::size_t kShort = 16 << 10;
  if (!greeted_ && params_json.size() > kShort) {
    if (auto greeting = greet(); !greeting) return greeting.error();
  }
  const std::int64_t id = ++next_id_;
  const auto request = request_line(id, method, params_json);
  const auto hello = greeted_ ? std::string() : hello_line();
  if (!greeted_) {
    if (auto traced = trace("out", Hello::info.name, hello); !traced) return traced.error();
  }
  if (auto traced = trace("out", method, request); !traced) return traced.error();
  write_all(hello + request);
  if (!greeted_) {
    if (auto greeting = take_hello(); !greeting) return greeting.error();
  }
  for (;;) {
    auto line = next_line({});
    if (!line) return line.error();
    if (auto traced = trace("in", method, *line); !traced) return traced.error();
    auto reply = parse_reply(*line);
    if (!reply) return reply.error();
    if (reply->id != std::to_string(id) && reply->id != "null") continue;
    if (reply->error) return *reply->error;
    if (reply->is_stream) {
      if (on_chunk) on_chunk(std::move(reply->result));
      continue;
    }
    return std::move(reply->result);
  }
}

void Rpc::wait_for_end() {
  while (next_line({})) {
  }
}

}  // namespace smartcli::client
