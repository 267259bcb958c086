#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace smartcli::test {

/// A connection to the daemon, byte by byte. What goes over it is recorded as the client's messages are.
class Wire {
 public:
  explicit Wire(const std::string& path);
  ~Wire();
  Wire(const Wire&) = delete;

  /// All of it, or what the daemon takes before it hangs up.
  void send(const std::string& bytes);
  void request(const nlohmann::json& id, const std::string& method,
               const nlohmann::json& params = nlohmann::json::object());
  nlohmann::json hello(int min = 1, int max = 1);
  /// Nothing: the connection is closed, or nothing came within 10 s.
  std::optional<nlohmann::json> next();
  /// A request and the next message.
  nlohmann::json ask(const std::string& method, const nlohmann::json& params = nlohmann::json::object());
  /// The daemon closed the connection (`next` returned nothing for that, not for want of an answer).
  bool is_closed() const { return is_closed_; }
  void shut_down();
  int fd() const { return fd_; }

 private:
  int fd_;
  int number_ = 0;  // of this process's connections
  int asked_ = 0;
  int recorded_ = 0;
  bool is_closed_ = false;
  std::string buffer_;
};

}  // namespace smartcli::test
