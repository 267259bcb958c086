#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace smartcli::test {

/// What stands on a daemon's socket but is none, or one of another version: accepts every client and answers
/// each line with what `answer` makes of it (nothing: silence), for as long as it lives.
class FakeDaemon {
 public:
  FakeDaemon(const std::string& socket, std::function<std::string(const std::string& line)> answer);
  ~FakeDaemon();
  FakeDaemon(const FakeDaemon&) = delete;

 private:
  void serve();

  std::string path_;
  std::function<std::string(const std::string&)> answer_;
  int listener_;
  int stop_[2];
  std::thread thread_;
};

}  // namespace smartcli::test
