#include "common/worker.hpp"

#include <csignal>
#include <utility>

namespace smartcli {

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool Worker::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (tasks_.size() >= most_) return false;
    tasks_.push_back(std::move(task));
  }
  if (!thread_.joinable()) {
    // Signals are the loop's.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  wake_.notify_one();
  return true;
}

void Worker::run() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stops_ || !tasks_.empty(); });
      if (stops_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace smartcli
