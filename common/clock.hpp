#pragma once

#include <chrono>

namespace smartcli {

/// Time as an argument, so that tests decide it.
class Clock {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  using Wall = std::chrono::system_clock::time_point;
  virtual ~Clock() = default;
  virtual Steady now() const = 0;  ///< monotonic: every time-out
  virtual Wall wall() const = 0;   ///< for people and files only
};

class SystemClock final : public Clock {
 public:
  Steady now() const override { return std::chrono::steady_clock::now(); }
  Wall wall() const override { return std::chrono::system_clock::now(); }
};

}  // namespace smartcli
