#include <catch2/catch.hpp>
#include <thread>

#include "holder/holder.hpp"
#include "support/loop.hpp"
#include "support/scripted_shim.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;
using namespace std::chrono_literals;
using shim_abi::MessageType;
using test::Loop;
using test::ScriptedShim;
using test::TempFolder;

namespace {

constexpr const char* kStem = "00112233445566778899aabbccddeeff";

struct Counter : holder::Listener {
  int outputs = 0, exits = 0, hang_ups = 0, health = 0, losses = 0;
  void on_output() override { ++outputs; }
  void on_exited() override { ++exits; }
  void on_hung_up() override { ++hang_ups; }
  void on_journal_health() override { ++health; }
  void on_lost() override { ++losses; }
};

struct Fixture {
  TempFolder folder;
  Loop loop;
  test::Sleeper process;
  ScriptedShim shim{loop.context(), folder.path(), kStem, process.pid()};
  Counter told;
  std::unique_ptr<holder::Holder> holder;

  Fixture() {
    shim.serve();
    holder = loop.await(holder::adopt(loop.executor(), folder.path(), kStem, 5s)).value();
    holder->listen(&told);
  }
};

}  // namespace

TEST_CASE("output wakes once for each time it was asked for", "[holder]") {
  Fixture f;
  auto& header = f.shim.header();
  f.holder->arm_output(0, 0);
  CHECK(header.output_armed == 1);
  f.loop.poll();
  CHECK(f.told.outputs == 0);
  header.write_offset = 10;
  f.shim.signal_if_armed();
  f.loop.until([&] { return f.told.outputs == 1; });
  header.write_offset = 20;
  f.shim.wake_output();  // a signal nobody asked for
  f.loop.poll();
  CHECK(f.told.outputs == 1);

  SECTION("what is there already comes posted, not from within the call") {
    f.holder->arm_output(10, 0);
    CHECK(f.told.outputs == 1);
    f.loop.until([&] { return f.told.outputs == 2; });
    CHECK(header.output_armed == 0);  // the shim need not signal any more
    f.loop.poll();
    CHECK(f.told.outputs == 2);
  }
  SECTION("events alone wake too") {
    f.holder->arm_output(20, 0);
    header.event_bytes = 88;
    f.shim.signal_if_armed();
    f.loop.until([&] { return f.told.outputs == 2; });
  }
  SECTION("a late signal of an earlier time is not taken for news") {
    f.holder->arm_output(20, 0);
    f.shim.wake_output();
    f.loop.poll();
    f.loop.poll();
    CHECK(f.told.outputs == 1);
    CHECK(header.output_armed == 1);  // still asked for
    header.write_offset = 21;
    f.shim.signal_if_armed();
    f.loop.until([&] { return f.told.outputs == 2; });
  }
}

TEST_CASE("no wake-up is lost between the look and the wish", "[holder]") {
  // A thread plays the shim: it stores, then looks whether it should signal. The loop does the reverse.
  Fixture f;
  auto& header = f.shim.header();
  constexpr std::uint64_t kLast = 20'000;
  struct Follow : holder::Listener {
    holder::Holder* holder = nullptr;
    std::uint64_t seen = 0;
    void on_output() override {
      seen = holder->header().write_offset;
      holder->arm_output(seen, 0);
    }
    void on_exited() override {}
    void on_hung_up() override {}
    void on_journal_health() override {}
    void on_lost() override {}
  } follow;
  follow.holder = f.holder.get();
  f.holder->listen(&follow);
  f.holder->arm_output(0, 0);
  std::thread shim([&] {
    for (std::uint64_t i = 1; i <= kLast; ++i) {
      header.write_offset.store(i);
      f.shim.signal_if_armed();
    }
  });
  f.loop.until([&] { return follow.seen == kLast; });
  shim.join();
  f.holder->listen(nullptr);
}

TEST_CASE("credit only grows, and signals only a shim that waits for it", "[holder]") {
  Fixture f;
  auto& header = f.shim.header();
  f.holder->grant(1000);
  CHECK(header.credit == 1000);
  CHECK(f.shim.credit_signals() == 0);
  f.holder->grant(500);
  CHECK(header.credit == 1000);
  header.credit_wanted = 1;
  f.holder->grant(2000);
  CHECK(header.credit == 2000);
  CHECK(header.credit_wanted == 0);
  CHECK(f.shim.credit_signals() == 1);
}

TEST_CASE("what the shim says is told once: exit, hang-up, journal health", "[holder]") {
  Fixture f;
  auto& header = f.shim.header();
  header.phase = static_cast<std::uint32_t>(shim_abi::Phase::ended);
  f.shim.notice(MessageType::exited);
  f.shim.notice(MessageType::exited);
  f.loop.until([&] { return f.told.exits == 1; });
  header.hung_up = 1;
  f.shim.notice(MessageType::hung_up);
  header.journal_health = 1;
  f.shim.notice(MessageType::journal);
  f.loop.until([&] { return f.told.health == 1; });
  header.journal_health = 0;
  f.shim.notice(MessageType::journal);
  f.loop.until([&] { return f.told.health == 2; });
  f.loop.poll();
  CHECK(f.told.exits == 1);
  CHECK(f.told.hang_ups == 1);
  CHECK(f.told.losses == 0);
}

TEST_CASE("after a restart the next end is told, however soon it comes", "[holder]") {
  Fixture f;
  auto& header = f.shim.header();
  header.phase = static_cast<std::uint32_t>(shim_abi::Phase::ended);
  f.shim.notice(MessageType::exited);
  f.loop.until([&] { return f.told.exits == 1; });
  f.shim.on_message = [&](const ScriptedShim::Message& m) {
    shim_abi::RestartReply reply{};
    reply.reply = ScriptedShim::reply_to(m);
    f.shim.send(reply);
    f.shim.notice(MessageType::exited);  // it has ended again before anybody looks
  };
  REQUIRE(f.loop.await(f.holder->restart(1s, std::nullopt)).has_value());
  f.loop.until([&] { return f.told.exits == 2; });
}

TEST_CASE("what happened before anybody listened is told to whoever listens first", "[holder]") {
  TempFolder folder;
  Loop loop;
  test::Sleeper process;
  ScriptedShim shim(loop.context(), folder.path(), kStem, process.pid());
  shim.serve();
  shim.header().phase = static_cast<std::uint32_t>(shim_abi::Phase::ended);
  shim.header().hung_up = 1;
  const auto holder = loop.await(holder::adopt(loop.executor(), folder.path(), kStem, 5s)).value();
  process.end();
  loop.until([&] { return !loop.await(holder->clear(false)).has_value(); });
  Counter told;
  holder->listen(&told);
  CHECK(told.exits == 0);  // not from within the call
  loop.until([&] { return told.losses == 1; });
  CHECK(told.exits == 1);
  CHECK(told.hang_ups == 1);
  holder->listen(nullptr);
  holder->listen(&told);
  loop.poll();
  CHECK(told.exits == 1);
  CHECK(told.losses == 1);
}

TEST_CASE("C06: a killed shim is lost by its pidfd's word, and every request says session_gone", "[holder]") {
  Fixture f;
  auto clearing = f.loop.run(f.holder->clear(false));
  auto typing = f.loop.run(f.holder->input({{}, 0, 0, {}, "hello"}, 5s));
  f.loop.until([&] { return f.shim.messages.size() == 2; });
  f.process.end();
  f.shim.disconnect();
  f.loop.until([&] { return f.told.losses == 1 && clearing.is_done() && typing.is_done(); });
  REQUIRE(!clearing.get());
  CHECK(clearing.get().error().code == ErrorCode::session_gone);
  REQUIRE(!typing.get());
  CHECK(typing.get().error().code == ErrorCode::session_gone);
  const auto later = f.loop.await(f.holder->facts());
  REQUIRE(!later);
  CHECK(later.error().code == ErrorCode::session_gone);
  f.holder->terminal_reply(1, 0, "x", false);
  f.holder->grant(99);
  CHECK(f.told.losses == 1);
  CHECK(f.shim.connections == 1);
}

TEST_CASE("a connection that ends while the shim lives fails what waits, and is made again", "[holder]") {
  Fixture f;
  auto waiting = f.loop.run(f.holder->clear(false));
  f.loop.until([&] { return f.shim.messages.size() == 1; });
  f.holder->arm_output(0, 0);
  f.shim.header().output_armed = 0;  // a shim forgets the wishes of its last owner
  f.shim.disconnect();
  f.loop.until([&] { return waiting.is_done(); });
  REQUIRE(!waiting.get());
  CHECK(waiting.get().error().code == ErrorCode::session_gone);

  // Asked meanwhile: it goes out with the new connection.
  f.shim.on_message = [&](const ScriptedShim::Message& m) { f.shim.send(ScriptedShim::reply_to(m)); };
  const auto again = f.loop.await(f.holder->clear(false));
  CHECK(again.has_value());
  CHECK(f.shim.hellos == 2);
  CHECK(f.told.losses == 0);
  CHECK(f.shim.header().output_armed == 1);

  SECTION("an end soon after means that somebody else wants the shim: not again") {
    f.shim.disconnect();
    f.loop.until([&] { return !f.loop.await(f.holder->clear(false)).has_value(); });
    f.loop.poll();
    CHECK(f.shim.hellos == 2);
    CHECK(f.told.losses == 0);
    f.process.end();
    f.loop.until([&] { return f.told.losses == 1; });
  }
  SECTION("an exit that was said to nobody is told") {
    f.shim.header().phase = static_cast<std::uint32_t>(shim_abi::Phase::ended);
    f.shim.notice(MessageType::exited);
    f.loop.until([&] { return f.told.exits == 1; });
  }
}

TEST_CASE("a shim that goes after close is not lost, even if it dies before its answer is read", "[holder]") {
  Fixture f;
  f.shim.on_message = [&](const ScriptedShim::Message& m) {
    shim_abi::CloseReply reply{};
    reply.reply = ScriptedShim::reply_to(m);
    f.shim.send(reply);
    f.shim.disconnect();
    f.process.end();
  };
  const auto closed = f.loop.await(f.holder->close(0ms, false));
  CHECK(closed.has_value());
  f.loop.until([&] { return !f.loop.await(f.holder->clear(false)).has_value(); });
  f.loop.poll();
  CHECK(f.told.losses == 0);
}

TEST_CASE("a holder that goes leaves its requests with session_gone", "[holder]") {
  Fixture f;
  auto clearing = f.loop.run(f.holder->clear(false));
  auto unstarted = f.loop.run(f.holder->input({{}, 0, 0, {}, "hello"}, 5s));
  f.loop.until([&] { return f.shim.messages.size() == 2; });
  auto never_run = f.holder->facts();
  f.holder.reset();
  f.loop.until([&] { return clearing.is_done() && unstarted.is_done(); });
  CHECK(clearing.get().error().code == ErrorCode::session_gone);
  CHECK(unstarted.get().error().code == ErrorCode::session_gone);
  const auto late = f.loop.await(std::move(never_run));
  REQUIRE(!late);
  CHECK(late.error().code == ErrorCode::session_gone);
}

TEST_CASE("a listener may let go of the holder from within a call", "[holder]") {
  Fixture f;
  struct Quitter : Counter {
    std::unique_ptr<holder::Holder>* holder = nullptr;
    void on_exited() override {
      ++exits;
      holder->reset();
    }
  } quitter;
  quitter.holder = &f.holder;
  f.holder->listen(&quitter);
  f.shim.header().phase = static_cast<std::uint32_t>(shim_abi::Phase::ended);
  f.shim.header().hung_up = 1;
  f.shim.notice(MessageType::exited);
  f.loop.until([&] { return quitter.exits == 1; });
  f.loop.poll();
  CHECK(quitter.hang_ups == 0);
}

TEST_CASE("a loop that is destroyed with holders and requests takes them along", "[holder]") {
  TempFolder folder;
  std::unique_ptr<holder::Holder> holder;
  {
    Loop loop;
    ScriptedShim shim(loop.context(), folder.path(), kStem, ::getpid());
    shim.serve();
    holder = loop.await(holder::adopt(loop.executor(), folder.path(), kStem, 5s)).value();
    auto waiting = loop.run(holder->clear(false));
    loop.until([&] { return shim.messages.size() == 1; });
    holder.reset();
  }
}
