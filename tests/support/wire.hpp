#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace smartcli::test {

using nlohmann::json;

/// A client that speaks the protocol by hand.
class Wire {
 public:
  explicit Wire(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    REQUIRE(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  ~Wire() { ::close(fd_); }
  void send(const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const auto n = ::send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (n <= 0) return;
      done += static_cast<std::size_t>(n);
    }
  }
  void request(const json& id, const std::string& method, const json& params) {
    send(json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump() + "\n");
  }
  json hello(int min = 1, int max = 1) {
    request("h", "hello", {{"client", "test"}, {"protocol", {{"min", min}, {"max", max}}}});
    return *next();
  }
  /// Nothing: the connection is closed, or nothing came within 10 s.
  std::optional<json> next() {
    for (;;) {
      const auto end = buffer_.find('\n');
      if (end != std::string::npos) {
        const auto line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return json::parse(line);
      }
      pollfd look{fd_, POLLIN, 0};
      if (::poll(&look, 1, 10000) <= 0) return std::nullopt;
      char block[65536];
      const auto n = ::recv(fd_, block, sizeof block, 0);
      if (n <= 0) {
        is_closed_ = true;
        return std::nullopt;
      }
      buffer_.append(block, static_cast<std::size_t>(n));
    }
  }
  /// The daemon closed the connection (`next` returned nothing for that, not for want of an answer).
  bool is_closed() const { return is_closed_; }
  void shut_down() { ::shutdown(fd_, SHUT_WR); }

 private:
  int fd_;
  bool is_closed_ = false;
  std::string buffer_;
};

}  // namespace smartcli::test
