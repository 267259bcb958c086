#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace smartcli {

/// One thread for file work that nobody waits for: a slow disk holds up this thread alone. Tasks run in
/// order, own what they use, and touch nothing of the loop's.
class Worker {
 public:
  /// @param most  tasks that may wait
  explicit Worker(std::size_t most) : most_(most) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// What still waits is not done.
  ~Worker();

  /// False, and nothing done, where too many wait already. The thread starts with the first task.
  bool post(std::function<void()> task);

 private:
  void run();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace smartcli
