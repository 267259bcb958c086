#include "session/pump.hpp"

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
  CHECK(next->slots == 0);
  CHECK_FALSE(house.pump.use_slot(first.get(), 1));
  CHECK(next->slots == 1);
  CHECK(house.pump.use_slot(next.get(), Pump::kTurnBytes - 1));
  // Back in line, first gets the slot when another's turn is over.
  house.pump.want_slot(first);
  CHECK(first->slots == 1);
  CHECK_FALSE(house.pump.use_slot(next.get(), 1));
  CHECK(first->slots == 2);
  CHECK(house.pump.use_slot(first.get(), Pump::kTurnBytes - 1));
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
  house.loop.until([&] { return all.back()->kept_alive > 0; });
  CHECK(all.front()->kept_alive == 0);
}
