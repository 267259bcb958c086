#include "session/pump.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "support/loop.hpp"

using namespace smartcli;
using session::Pump;

namespace {

struct FakeSession final : session::Pumped {
  FakeSession(std::string& its_log, char its_name, int its_slices)
      : log(its_log), name(its_name), slices(its_slices) {}
  bool slice() override {
    log += name;
    if (during_slice) during_slice();
    return --slices > 0;
  }
  void slot_given() override { ++slots; }
  void keep_alive() override { ++kept_alive; }

  std::string& log;
  char name;
  int slices, slots = 0, kept_alive = 0;
  std::function<void()> during_slice;
};

struct House {
  test::Loop loop;
  std::string log;
  Pump pump{loop.executor()};

  std::shared_ptr<FakeSession> session(char name, int slices = 1) {
    return std::make_shared<FakeSession>(log, name, slices);
  }
};

}  // namespace

TEST_CASE("sessions are parsed a slice each in turn", "[pump]") {
  House house;
  const auto a = house.session('a', 3), b = house.session('b', 1), c = house.session('c', 2);
  house.pump.wake(a);
  house.pump.wake(b);
  house.pump.wake(c);
  house.loop.poll();
  CHECK(house.log == "abcaca");
}

TEST_CASE("a session that is in line already is not put there twice", "[pump]") {
  House house;
  const auto a = house.session('a', 1), b = house.session('b', 1);
  for (int i = 0; i < 5; ++i) house.pump.wake(a);
  house.pump.wake(b);
  house.loop.poll();
  CHECK(house.log == "ab");
}

TEST_CASE("one slice, then everybody else on the loop", "[pump]") {
  House house;
  const auto a = house.session('a', 3), b = house.session('b', 2);
  const auto other = [&] { house.log += '.'; };
  a->during_slice = b->during_slice = [&] { boost::asio::post(house.loop.executor(), other); };
  house.pump.wake(a);
  house.pump.wake(b);
  house.loop.poll();
  CHECK(house.log == "a.b.a.b.a.");
}

TEST_CASE("a session woken during its own slice comes again", "[pump]") {
  House house;
  const auto a = house.session('a', 1);
  a->during_slice = [&] {
    a->during_slice = nullptr;
    house.pump.wake(a);
  };
  house.pump.wake(a);
  house.loop.poll();
  CHECK(house.log == "aa");
}

TEST_CASE("a session that is forgotten is not parsed, nor kept", "[pump]") {
  House house;
  auto a = house.session('a', 5);
  const auto b = house.session('b', 1);
  house.pump.wake(a);
  house.pump.wake(b);
  house.pump.want_slot(a);
  house.pump.forget(a.get());
  const std::weak_ptr<FakeSession> gone = a;
  a.reset();
  CHECK(gone.expired());
  house.loop.poll();
  CHECK(house.log == "b");
}

TEST_CASE("a session that is forgotten during its own slice does not come back", "[pump]") {
  House house;
  const auto a = house.session('a', 5);
  a->during_slice = [&] { house.pump.forget(a.get()); };
  house.pump.wake(a);
  house.loop.poll();
  CHECK(house.log == "a");
}

TEST_CASE("four sessions hold a flood slot, the others wait in line", "[pump]") {
  House house;
  std::vector<std::shared_ptr<FakeSession>> all;
  for (char name = 'a'; name < 'g'; ++name) {
    all.push_back(house.session(name));
    house.pump.want_slot(all.back());
    house.pump.want_slot(all.back());
  }
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i]->slots == (i < Pump::kFloodSlots ? 1 : 0));
  // One goes: the first in line gets its place.
  house.pump.release_slot(all[1].get());
  CHECK(all[4]->slots == 1);
  CHECK(all[5]->slots == 0);
  house.pump.forget(all[0].get());
  CHECK(all[5]->slots == 1);
  CHECK_FALSE(house.pump.use_slot(all[0].get(), 1));
}

TEST_CASE("there are no more flood slots than processors, and one at least", "[pump]") {
  for (const std::size_t processors : {0u, 1u, 2u, 3u, 64u}) {
    House house;
    Pump pump(house.loop.executor(), processors);
    std::vector<std::shared_ptr<FakeSession>> all;
    for (char name = 'a'; name < 'k'; ++name) {
      all.push_back(house.session(name));
      pump.want_slot(all.back());
    }
    std::size_t slots = 0;
    for (const auto& session : all) slots += static_cast<std::size_t>(session->slots);
    CAPTURE(processors);
    CHECK(slots == std::clamp<std::size_t>(processors, 1, 4));
  }
}

TEST_CASE("a slot's holder gives it up after its turn, but only to somebody in line", "[pump]") {
  House house;
  std::vector<std::shared_ptr<FakeSession>> all;
  for (char name = 'a'; name < 'e'; ++name) {
    all.push_back(house.session(name));
    house.pump.want_slot(all.back());
  }
  const auto& first = all.front();
  for (int i = 0; i < 100; ++i) CHECK(house.pump.use_slot(first.get(), Pump::kTurnBytes));  // nobody waits
  const auto next = house.session('x');
  house.pump.want_slot(next);
  // Its turn is over, but it goes on until its credit is used up: nobody else before that.
  CHECK_FALSE(house.pump.use_slot(first.get(), 1));
  CHECK(next->slots == 0);
  house.pump.release_slot(first.get());
  CHECK(next->slots == 1);
  CHECK(house.pump.use_slot(next.get(), Pump::kTurnBytes - 1));
  // Back in line, first gets the slot when another's turn is over.
  house.pump.want_slot(first);
  CHECK(first->slots == 1);
  CHECK_FALSE(house.pump.use_slot(next.get(), 1));
  house.pump.release_slot(next.get());
  CHECK(first->slots == 2);
  CHECK(house.pump.use_slot(first.get(), Pump::kTurnBytes - 1));
}

TEST_CASE("a flood among others gets less credit than one that is alone", "[pump]") {
  House house;
  const auto a = house.session('a'), b = house.session('b');
  house.pump.want_slot(a);
  CHECK(house.pump.slot_credit() == Pump::kLoneCredit);
  house.pump.want_slot(b);
  CHECK(house.pump.slot_credit() == Pump::kSharedCredit);
  house.pump.release_slot(b.get());
  CHECK(house.pump.slot_credit() == Pump::kLoneCredit);
}

TEST_CASE("a session that somebody waits for comes next", "[pump]") {
  House house;
  const auto a = house.session('a', 2), b = house.session('b', 1), c = house.session('c', 1);
  house.pump.wake(a);
  house.pump.wake(b);
  house.pump.wake(c);
  house.pump.wake_first(c);
  house.loop.poll();
  CHECK(house.log == "caba");
}

TEST_CASE("all handlers of a request run before the next slice", "[pump]") {
  House house;
  const auto a = house.session('a', 2);
  std::function<void(int)> hop = [&](int left) {
    house.log += '.';
    if (left > 0) boost::asio::post(house.loop.executor(), [&hop, left] { hop(left - 1); });
  };
  a->during_slice = [&] {
    a->during_slice = nullptr;
    hop(5);
  };
  house.pump.wake(a);
  house.loop.poll();
  CHECK(house.log == "a......a");
}

TEST_CASE("handlers without end do not keep slices away", "[pump]") {
  House house;
  const auto a = house.session('a', 3);
  std::function<void()> spin = [&] {
    if (a->slices > 0) boost::asio::post(house.loop.executor(), spin);
  };
  spin();
  house.pump.wake(a);
  house.loop.poll();
  CHECK(house.log == "aaa");
}

TEST_CASE("a slot belongs to its holder only", "[pump]") {
  House house;
  const auto a = house.session('a');
  CHECK_FALSE(house.pump.use_slot(a.get(), 1));
  house.pump.release_slot(a.get());
  house.pump.want_slot(a);
  CHECK(house.pump.use_slot(a.get(), 1));
  house.pump.release_slot(a.get());
  CHECK_FALSE(house.pump.use_slot(a.get(), 1));
}

TEST_CASE("who waits for a slot is kept alive meanwhile", "[pump]") {
  House house;
  std::vector<std::shared_ptr<FakeSession>> all;
  for (char name = 'a'; name < 'f'; ++name) {
    all.push_back(house.session(name));
    house.pump.want_slot(all.back());
  }
  all.push_back(house.session('z'));
  house.pump.want_slot(all.back());
  // One after the other, none twice before the other once.
  house.loop.until([&] { return all.back()->kept_alive > 0; });
  CHECK(all[4]->kept_alive == 1);
  CHECK(all.front()->kept_alive == 0);
}

TEST_CASE("long work lets a slice through between two steps, and never waits for one that does not come",
          "[pump]") {
  House h;
  int steps = 0;
  const auto work = [&]() -> boost::asio::awaitable<void> {
    for (; steps < 3; ++steps) {
      h.log += '.';
      co_await h.pump.let_others();
    }
  };
  boost::asio::co_spawn(h.loop.executor(), work(), boost::asio::detached);
  h.pump.wake(h.session('a', 3));
  h.loop.until([&] { return steps == 3; });
  CHECK(h.log.find("..") == std::string::npos);
  h.log.clear();
  steps = 0;
  boost::asio::co_spawn(h.loop.executor(), work(), boost::asio::detached);
  h.loop.until([&] { return steps == 3; });
  CHECK(h.log == "...");
  // Who was waited for goes away.
  steps = 0;
  const auto gone = h.session('b', 1000);
  h.pump.wake(gone);
  boost::asio::co_spawn(h.loop.executor(), work(), boost::asio::detached);
  h.pump.forget(gone.get());
  h.loop.until([&] { return steps == 3; });
  CHECK(steps == 3);
}
