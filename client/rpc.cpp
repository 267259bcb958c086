#include "client/rpc.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "common/text.hpp"
#include "proto/codec.hpp"
#include "proto/methods/daemon.hpp"

namespace smartcli::client {
namespace {

constexpr int kHelloMs = 5000;

Error hung_up() {
  return Error{ErrorCode::daemon_unreachable, "the daemon closed the connection; sessions go on, try again",
               Rpc::kHungUp};
}

}  // namespace

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

Result<std::string> Rpc::next_line(int timeout_ms) {
  std::size_t scanned = 0;
  for (;;) {
    const auto end = buffer_.find('\n', scanned);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    scanned = buffer_.size();
    struct pollfd look {
      socket_.get(), POLLIN, 0
    };
    const int ready = ::poll(&look, 1, timeout_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      return Error{
          ErrorCode::daemon_unreachable,
          "the daemon does not respond (" + std::to_string(timeout_ms / 1000) + " s); it was left alone"};
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
  auto line = next_line(kHelloMs);
  if (!line) return line.error();
  auto reply = parse_reply(*line);
  if (!reply) {
    return Error{ErrorCode::version_mismatch,
                 "what answers on the socket is no smartcli daemon of protocol " +
                     std::to_string(kProtocolMin) + " to " + std::to_string(kProtocolMax) + ": " +
                     reply.error().message};
  }
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
  write_all(hello_line());
  return take_hello();
}

Result<std::string> Rpc::call(std::string_view method, std::string_view params_json,
                              const std::function<void(std::string)>& on_chunk) {
  const std::int64_t id = ++next_id_;
  write_all((greeted_ ? std::string() : hello_line()) + request_line(id, method, params_json));
  if (!greeted_) {
    if (auto greeting = take_hello(); !greeting) return greeting.error();
  }
  for (;;) {
    auto line = next_line(-1);
    if (!line) return line.error();
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
  while (next_line(-1)) {
  }
}

}  // namespace smartcli::client
