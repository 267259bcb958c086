#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace smartcli::test {

struct Output {
  int status = -1;  ///< exit status; 128+S for a signal; -1: it did not end in time and was killed
  std::string out, err;
};

/// A child process with its streams on pipes.
class Process {
 public:
  /// @param env  the whole environment, NAME -> value
  Process(std::vector<std::string> argv, const std::map<std::string, std::string>& env,
          std::string input = {}, std::string cwd = {});
  ~Process();
  Process(Process&&) noexcept;
  Process& operator=(Process&&) = delete;

  int pid() const { return pid_; }
  /// `wait` calls it with the status.
  void on_end(std::function<void(int)> tell) { tell_ = std::move(tell); }
  /// Reads to the end of both streams and reaps. A process that outlives `limit` is killed: status -1.
  Output wait(std::chrono::seconds limit = std::chrono::seconds(60));

 private:
  int pid_ = -1, out_ = -1, err_ = -1;
  std::function<void(int)> tell_;
};

}  // namespace smartcli::test
