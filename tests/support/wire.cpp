#include "support/wire.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "support/trace.hpp"

namespace smartcli::test {

using nlohmann::json;

namespace {

/// A flood's messages are all alike.
constexpr int kMostRecorded = 500;

}  // namespace

Wire::Wire(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  REQUIRE(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  static int count = 0;
  number_ = ++count;
}

Wire::~Wire() {
  ::close(fd_);
}

void Wire::send(const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto n = ::send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

void Wire::request(const json& id, const std::string& method, const json& params) {
  const json message{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
  if (++recorded_ <= kMostRecorded)
    record({{"dir", "out"}, {"connection", number_}, {"method", method}, {"message", message}});
  send(message.dump() + "\n");
}

json Wire::hello(int min, int max) {
  request("h", "hello", {{"client", "test"}, {"protocol", {{"min", min}, {"max", max}}}});
  return *next();
}

json Wire::ask(const std::string& method, const json& params) {
  request("a" + std::to_string(++asked_), method, params);
  auto reply = next();
  REQUIRE(reply);
  return *reply;
}

std::optional<json> Wire::next() {
  for (;;) {
    const auto end = buffer_.find('\n');
    if (end != std::string::npos) {
      const auto line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      auto message = json::parse(line);
      if (++recorded_ <= 2 * kMostRecorded)
        record({{"dir", "in"}, {"connection", number_}, {"message", message}});
      return message;
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

void Wire::shut_down() {
  ::shutdown(fd_, SHUT_WR);
}

}  // namespace smartcli::test
