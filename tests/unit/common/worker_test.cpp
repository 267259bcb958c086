#include "common/worker.hpp"

#include <catch2/catch.hpp>
#include <future>
#include <vector>

using smartcli::Worker;

TEST_CASE("tasks run in order, on another thread", "[worker]") {
  std::vector<int> order;
  std::promise<std::thread::id> last;
  Worker worker(8);
  for (int i = 0; i < 5; ++i) CHECK(worker.post([&order, i] { order.push_back(i); }));
  CHECK(worker.post([&last] { last.set_value(std::this_thread::get_id()); }));
  CHECK(last.get_future().get() != std::this_thread::get_id());
  CHECK(order == std::vector<int>{0, 1, 2, 3, 4});
}

TEST_CASE("past its bound a task is refused, and what waits at the end is not done", "[worker]") {
  std::promise<void> began, go_on;
  int done = 0;
  {
    Worker worker(2);
    CHECK(worker.post([&] {
      began.set_value();
      go_on.get_future().wait();
    }));
    began.get_future().wait();
    CHECK(worker.post([&done] { ++done; }));
    CHECK(worker.post([&done] { ++done; }));
    CHECK_FALSE(worker.post([&done] { ++done; }));
    go_on.set_value();
  }
  CHECK(done <= 2);
}
