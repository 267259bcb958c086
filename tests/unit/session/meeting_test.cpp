#include "session/meeting.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "support/loop.hpp"

using namespace smartcli;
using session::Cancellation;
using session::FifoLock;

TEST_CASE("a cancellation fires once for each who asked, and at once for who comes late", "[meeting]") {
  Cancellation cancel;
  std::string calls;
  (void)cancel.subscribe([&] { calls += 'a'; });
  const auto gone = cancel.subscribe([&] { calls += 'b'; });
  (void)cancel.subscribe([&] { calls += 'c'; });
  cancel.unsubscribe(gone);
  CHECK_FALSE(cancel.fired());
  cancel.fire();
  cancel.fire();
  CHECK(calls == "ac");
  CHECK(cancel.fired());
  (void)cancel.subscribe([&] { calls += 'd'; });
  CHECK(calls == "acd");
}

TEST_CASE("who is told of a cancellation may leave or come in that moment", "[meeting]") {
  Cancellation cancel;
  int calls = 0;
  Cancellation::Token second = 0;
  (void)cancel.subscribe([&] {
    ++calls;
    cancel.unsubscribe(second);
    (void)cancel.subscribe([&] { ++calls; });
  });
  second = cancel.subscribe([&] { ++calls; });
  cancel.fire();
  CHECK(calls >= 2);
}

TEST_CASE("a lock is taken in order of arrival, each held whole", "[meeting]") {
  test::Loop loop;
  FifoLock lock(loop.executor());
  std::string order;
  const auto worker = [](FifoLock& its_lock, test::Loop& its_loop, std::string& its_order,
                         char name) -> boost::asio::awaitable<int> {
    const auto hold = co_await its_lock.take(FifoLock::Time::max(), nullptr);
    REQUIRE(hold.has_value());
    its_order += name;
    for (int i = 0; i < 3; ++i) co_await boost::asio::post(its_loop.executor(), boost::asio::use_awaitable);
    its_order += name;
    co_return 0;
  };
  auto a = loop.run(worker(lock, loop, order, 'a'));
  auto b = loop.run(worker(lock, loop, order, 'b'));
  auto c = loop.run(worker(lock, loop, order, 'c'));
  loop.until([&] { return a.is_done() && b.is_done() && c.is_done(); });
  CHECK(order == "aabbcc");
  // And free again.
  CHECK(loop.await(worker(lock, loop, order, 'd')) == 0);
  CHECK(order == "aabbccdd");
}

TEST_CASE("who waits for a lock leaves the line when it is cancelled or late, and the next one gets it",
          "[meeting]") {
  test::Loop loop;
  FifoLock lock(loop.executor());
  const auto take = [](FifoLock& its_lock, FifoLock::Time deadline,
                       std::shared_ptr<Cancellation> cancel) -> boost::asio::awaitable<bool> {
    const auto hold = co_await its_lock.take(deadline, cancel);
    co_return hold.has_value();
  };
  auto first = std::make_unique<std::optional<FifoLock::Hold>>(
      loop.await([](FifoLock& its_lock) -> boost::asio::awaitable<std::optional<FifoLock::Hold>> {
        co_return co_await its_lock.take(FifoLock::Time::max(), nullptr);
      }(lock)));
  auto cancel = std::make_shared<Cancellation>();
  auto cancelled = loop.run(take(lock, FifoLock::Time::max(), cancel));
  auto late = loop.run(take(lock, FifoLock::Time::min(), nullptr));
  auto patient = loop.run(take(lock, FifoLock::Time::max(), nullptr));
  cancel->fire();
  loop.until([&] { return cancelled.is_done() && late.is_done(); });
  CHECK_FALSE(cancelled.get());
  CHECK_FALSE(late.get());
  CHECK_FALSE(patient.is_done());
  first.reset();
  loop.until([&] { return patient.is_done(); });
  CHECK(patient.get());
}
