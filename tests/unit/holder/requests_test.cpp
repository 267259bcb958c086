#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "holder/holder.hpp"
#include "support/loop.hpp"
#include "support/scripted_shim.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;
using namespace std::chrono_literals;
using shim_abi::MessageType;
using shim_abi::Status;
using test::Loop;
using test::ScriptedShim;
using test::TempFolder;
using Message = ScriptedShim::Message;

namespace {

constexpr const char* kStem = "00112233445566778899aabbccddeeff";

struct Fixture {
  TempFolder folder;
  Loop loop;
  ScriptedShim shim{loop.context(), folder.path(), kStem, ::getpid()};
  std::unique_ptr<holder::Holder> holder;

  Fixture() {
    shim.serve();
    holder = loop.await(holder::adopt(loop.executor(), folder.path(), kStem, 5s)).value();
  }
  const Message& asked(std::size_t count = 1) {
    loop.until([&] { return shim.messages.size() >= count; });
    return shim.messages[count - 1];
  }
  void input_reply(const Message& message, Status status, std::uint32_t accepted) {
    auto reply = ScriptedShim::reply_to(message, status);
    reply.offset = 100;
    reply.revision = 103;
    reply.accepted = accepted;
    reply.line_flags = shim_abi::kLineEcho;
    shim.send(reply);
  }
  void input_done(std::uint64_t tag, std::uint32_t accepted, Status status = Status::ok,
                  shim_abi::RequestId id = {}, std::uint32_t step = 0) {
    shim_abi::InputDone done{};
    done.head.type = MessageType::input_done;
    done.head.tag = tag;
    done.status = status;
    done.accepted = accepted;
    done.id = id;
    done.step = step;
    shim.send(done);
  }
  holder::InputRequest typing(std::string data) {
    holder::InputRequest request;
    request.id.bytes[0] = 7;
    request.step = 2;
    request.data = std::move(data);
    return request;
  }
};

}  // namespace

TEST_CASE("answers find their requests by tag, in any order", "[holder]") {
  Fixture f;
  auto first = f.loop.run(f.holder->resize(100, 40));
  auto second = f.loop.run(f.holder->clear(false));
  f.asked(2);
  const auto resize = f.shim.messages[0].as<shim_abi::Resize>();
  CHECK(resize.cols == 100);
  CHECK(resize.rows == 40);
  auto reply = ScriptedShim::reply_to(f.shim.messages[1]);
  reply.revision = 2;
  f.shim.send(reply);
  f.loop.until([&] { return second.is_done(); });
  CHECK(*second.get() == 2);
  CHECK(!first.is_done());
  reply = ScriptedShim::reply_to(f.shim.messages[0]);
  reply.revision = 1;
  f.shim.send(reply);
  f.loop.until([&] { return first.is_done(); });
  CHECK(*first.get() == 1);
}

TEST_CASE("messages of a newer shim, or malformed ones, are skipped", "[holder]") {
  Fixture f;
  auto clearing = f.loop.run(f.holder->clear(false));
  const auto& asked = f.asked();
  shim_abi::MessageHead head{};
  head.type = static_cast<MessageType>(150);
  head.tag = asked.head.tag;
  f.shim.send(head, std::string(5000, 'x'));
  f.shim.send('x');
  head.type = MessageType::input_done;
  f.shim.send(head);
  auto reply = ScriptedShim::reply_to(asked);
  reply.head.tag += 1000;
  f.shim.send(reply);
  reply.head.tag -= 1000;
  reply.revision = 9;
  f.shim.send(reply);
  f.loop.until([&] { return clearing.is_done(); });
  CHECK(*clearing.get() == 9);
}

TEST_CASE("refusals become errors that say what is the matter", "[holder]") {
  Fixture f;
  struct Row {
    Status status;
    ErrorCode code;
  };
  const auto row = GENERATE(
      Row{Status::failed, ErrorCode::resource_exhausted}, Row{Status::ended, ErrorCode::session_exited},
      Row{Status::cancelled, ErrorCode::session_exited},
      Row{Status::unsupported, ErrorCode::version_mismatch}, Row{Status::invalid, ErrorCode::internal},
      Row{Status::not_owner, ErrorCode::internal});
  f.shim.on_message = [&](const Message& message) {
    auto reply = ScriptedShim::reply_to(message, row.status);
    reply.errno_value = ENOSPC;
    f.shim.send(reply);
  };
  const auto result = f.loop.await(f.holder->signal(2, shim_abi::SignalTarget::child));
  REQUIRE(!result);
  CHECK(result.error().code == row.code);
  if (row.status == Status::failed) CHECK(result.error().detail == "No space left on device");
  CHECK(f.shim.messages[0].as<shim_abi::Signal>().number == 2);
}

TEST_CASE("an input that is taken at once is answered with its fence", "[holder]") {
  Fixture f;
  f.shim.on_message = [&](const Message& m) { f.input_reply(m, Status::ok, 5); };
  auto request = f.typing("hello");
  request.flags = shim_abi::kInputSecret;
  request.condition = shim_abi::WriteCondition::canonical_no_echo;
  const auto result = f.loop.await(f.holder->input(request, 1s));
  REQUIRE(result.has_value());
  CHECK(result->status == Status::ok);
  CHECK(result->offset == 100);
  CHECK(result->revision == 103);
  CHECK(result->accepted == 5);
  CHECK(result->line_flags == shim_abi::kLineEcho);
  const auto& message = f.shim.messages.at(0);
  const auto input = message.as<shim_abi::Input>();
  CHECK(input.id.bytes[0] == 7);
  CHECK(input.step == 2);
  CHECK(input.flags == shim_abi::kInputSecret);
  CHECK(input.condition == shim_abi::WriteCondition::canonical_no_echo);
  CHECK(message.tail(sizeof input) == "hello");
}

TEST_CASE("an input's refusals are results", "[holder]") {
  Fixture f;
  const auto status =
      GENERATE(Status::repeated, Status::busy, Status::condition, Status::line_too_long, Status::ended);
  f.shim.on_message = [&](const Message& m) { f.input_reply(m, status, 0); };
  const auto result = f.loop.await(f.holder->input(f.typing("hello"), 1s));
  REQUIRE(result.has_value());
  CHECK(result->status == status);
  CHECK(result->accepted == 0);
}

TEST_CASE("an input of no bytes, or of too many, never reaches the shim", "[holder]") {
  Fixture f;
  for (const std::size_t size : {std::size_t{0}, shim_abi::kInputBytes + 1}) {
    const auto result = f.loop.await(f.holder->input(f.typing(std::string(size, 'x')), 1s));
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::internal);
  }
  CHECK(f.shim.messages.empty());
  f.shim.on_message = [&](const Message& m) { f.input_reply(m, Status::ok, shim_abi::kInputBytes); };
  const auto most = f.loop.await(f.holder->input(f.typing(std::string(shim_abi::kInputBytes, 'x')), 1s));
  REQUIRE(most.has_value());
  CHECK(f.shim.messages[0].bytes.size() == shim_abi::kMessageBytes);
}

TEST_CASE("a full terminal is waited for, as long as it takes anything", "[holder]") {
  Fixture f;
  f.shim.header().input_queued = 1'000'000;
  f.shim.on_message = [&](const Message& m) { f.input_reply(m, Status::ok, 3); };
  auto typing = f.loop.run(f.holder->input(f.typing(std::string(10, 'x')), 10ms));
  f.asked();
  // The buffer moves between any two looks at it, for many times the bound.
  const auto until = std::chrono::steady_clock::now() + 100ms;
  f.loop.until([&] {
    --f.shim.header().input_queued;
    return std::chrono::steady_clock::now() > until;
  });
  CHECK(!typing.is_done());
  CHECK(f.shim.messages.size() == 1);
  f.input_done(f.shim.messages[0].head.tag, 10);
  f.loop.until([&] { return typing.is_done(); });
  REQUIRE(typing.get().has_value());
  CHECK(typing.get()->status == Status::ok);
  CHECK(typing.get()->accepted == 10);
  CHECK(typing.get()->offset == 100);
}

TEST_CASE("F08: a terminal that stays full gives the rest back, and the count is the shim's", "[holder]") {
  Fixture f;
  f.shim.header().input_queued = 7;
  f.shim.on_message = [&](const Message& m) {
    if (m.head.type == MessageType::input) {
      f.input_reply(m, Status::ok, 3);
      return;
    }
    REQUIRE(m.head.type == MessageType::cancel_input);
    const auto cancel = m.as<shim_abi::CancelInput>();
    CHECK(cancel.id.bytes[0] == 7);
    CHECK(cancel.step == 2);
    f.input_done(f.shim.messages[0].head.tag, 4, Status::cancelled);
    auto reply = ScriptedShim::reply_to(m);
    reply.accepted = 4;
    f.shim.send(reply);
  };
  const auto result = f.loop.await(f.holder->input(f.typing(std::string(10, 'x')), 20ms));
  REQUIRE(result.has_value());
  CHECK(result->status == Status::ok);
  CHECK(result->accepted == 4);
}

TEST_CASE("F08: the last bytes may go just before they are taken back", "[holder]") {
  Fixture f;
  f.shim.header().input_queued = 7;
  f.shim.on_message = [&](const Message& m) {
    if (m.head.type == MessageType::input) {
      f.input_reply(m, Status::ok, 3);
      return;
    }
    f.input_done(f.shim.messages[0].head.tag, 10);
    f.shim.send(ScriptedShim::reply_to(m, Status::invalid));  // nothing is queued any more
  };
  const auto result = f.loop.await(f.holder->input(f.typing(std::string(10, 'x')), 20ms));
  REQUIRE(result.has_value());
  CHECK(result->accepted == 10);
}

TEST_CASE("a program that ends with input queued leaves the count", "[holder]") {
  Fixture f;
  f.shim.header().input_queued = 7;
  f.shim.on_message = [&](const Message& m) {
    f.input_reply(m, Status::ok, 3);
    f.input_done(m.head.tag, 5, Status::ended);
  };
  const auto result = f.loop.await(f.holder->input(f.typing(std::string(10, 'x')), 5s));
  REQUIRE(result.has_value());
  CHECK(result->status == Status::ended);
  CHECK(result->accepted == 5);
}

TEST_CASE("P26: a repeat of an input under way waits for its end, found by id after a takeover", "[holder]") {
  Fixture f;
  f.shim.header().input_queued = 7;
  f.shim.on_message = [&](const Message& m) { f.input_reply(m, Status::repeated, 3); };
  auto typing = f.loop.run(f.holder->input(f.typing(std::string(10, 'x')), 5s));
  f.asked();
  f.loop.poll();
  CHECK(!typing.is_done());
  f.input_done(0, 2, Status::ok, {{9}}, 2);  // of another one
  f.loop.poll();
  CHECK(!typing.is_done());
  f.input_done(0, 10, Status::ok, {{7}}, 2);
  f.loop.until([&] { return typing.is_done(); });
  CHECK(typing.get()->status == Status::repeated);
  CHECK(typing.get()->accepted == 10);
}

TEST_CASE("a terminal's own replies go out without being waited for", "[holder]") {
  Fixture f;
  f.holder->terminal_reply(500, 1, "\033[?62c", false);
  f.holder->terminal_reply(600, 0, "late", true);
  f.asked(2);
  const auto first = f.shim.messages[0].as<shim_abi::TerminalReply>();
  CHECK(first.key_offset == 500);
  CHECK(first.key_index == 1);
  CHECK(first.drop == 0);
  CHECK(first.condition == shim_abi::WriteCondition::none);
  CHECK(f.shim.messages[0].tail(sizeof first) == "\033[?62c");
  CHECK(f.shim.messages[1].as<shim_abi::TerminalReply>().drop == 1);
  CHECK(f.shim.messages[1].bytes.size() == sizeof first);
}

TEST_CASE("a reply that must not be typed into a line says whether it was", "[holder]") {
  Fixture f;
  const auto status = GENERATE(Status::ok, Status::stale, Status::condition, Status::busy, Status::ended);
  f.shim.on_message = [&](const Message& m) {
    CHECK(m.as<shim_abi::TerminalReply>().condition == shim_abi::WriteCondition::not_canonical);
    f.shim.send(ScriptedShim::reply_to(m, status));
  };
  const auto result = f.loop.await(f.holder->terminal_reply_if_raw(5, 0, "x"));
  REQUIRE(result.has_value());
  CHECK(*result == status);
}

TEST_CASE("facts come with the processes of the foreground", "[holder]") {
  Fixture f;
  shim_abi::Facts facts{};
  facts.foreground_group = 77;
  facts.input_pending = 4;
  facts.processes = 2;
  shim_abi::ProcessFacts process{};
  process.pid = 78;
  std::memset(process.name, 'n', sizeof process.name);
  std::string tail(reinterpret_cast<const char*>(&facts), sizeof facts);
  for (int i = 0; i < 2; ++i) tail.append(reinterpret_cast<const char*>(&process), sizeof process);
  SECTION("whole") {
    f.shim.on_message = [&](const Message& m) { f.shim.send(ScriptedShim::reply_to(m), tail); };
    const auto result = f.loop.await(f.holder->facts());
    REQUIRE(result.has_value());
    CHECK(result->foreground_group == 77);
    REQUIRE(result->processes.size() == 2);
    CHECK(result->processes[1].pid == 78);
    CHECK(std::strlen(result->processes[1].name) == 15);
  }
  SECTION("cut at any byte") {
    std::size_t cut = 0;
    f.shim.on_message = [&](const Message& m) {
      f.shim.send(ScriptedShim::reply_to(m), tail.substr(0, cut));
    };
    for (cut = 0; cut < tail.size(); ++cut) {
      const auto result = f.loop.await(f.holder->facts());
      REQUIRE(!result);
      REQUIRE(result.error().code == ErrorCode::internal);
    }
  }
}

TEST_CASE("close names the survivors", "[holder]") {
  Fixture f;
  f.shim.on_message = [&](const Message& m) {
    const auto close = m.as<shim_abi::Close>();
    CHECK(close.grace_ms == 1500);
    CHECK(close.flags == shim_abi::kCloseTree);
    shim_abi::CloseReply reply{};
    reply.reply = ScriptedShim::reply_to(m);
    reply.survivors = 1;
    shim_abi::CloseSurvivor survivor{4711, "nohup", 1};
    f.shim.send(reply, std::string(reinterpret_cast<const char*>(&survivor), sizeof survivor));
  };
  const auto result = f.loop.await(f.holder->close(1500ms, true));
  REQUIRE(result.has_value());
  REQUIRE(result->survivors.size() == 1);
  CHECK(result->survivors[0].pid == 4711);
  CHECK(result->survivors[0].ended == 1);
}

TEST_CASE("restart hands over a start block and brings another master", "[holder]") {
  Fixture f;
  Fd fresh(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  f.shim.on_message = [&](const Message& m) {
    shim_abi::RestartReply reply{};
    reply.reply = ScriptedShim::reply_to(m);
    reply.reply.revision = 12;
    f.shim.send(reply, {}, {fresh.get()});
  };
  holder::StartSpec spec;
  spec.program = "/bin/other";
  spec.argv = {"other"};
  const auto result = f.loop.await(f.holder->restart(1s, spec));
  REQUIRE(result.has_value());
  CHECK(*result == 12);
  REQUIRE(f.shim.messages[0].descriptors.size() == 1);
  struct stat now {
  }, expected{};
  REQUIRE(::fstat(f.holder->master(), &now) == 0);
  REQUIRE(::fstat(fresh.get(), &expected) == 0);
  CHECK(now.st_rdev == expected.st_rdev);

  const auto again = f.loop.await(f.holder->restart(1s, std::nullopt));
  REQUIRE(again.has_value());
  CHECK(f.shim.messages[1].descriptors.empty());

  f.shim.on_message = [&](const Message& m) {
    shim_abi::RestartReply reply{};
    reply.reply = ScriptedShim::reply_to(m, Status::failed);
    reply.reply.errno_value = ENOEXEC;
    reply.stage = 1;  // exec
    f.shim.send(reply);
  };
  const auto failed = f.loop.await(f.holder->restart(1s, spec));
  REQUIRE(!failed);
  CHECK(failed.error().code == ErrorCode::not_executable);
  CHECK(failed.error().message.find("/bin/other") != std::string::npos);
}

TEST_CASE("a socket that is full delays requests and keeps their order", "[holder]") {
  Fixture f;
  // The shim does not read: nothing of this loop runs until all is asked.
  std::vector<Loop::Running<Result<holder::InputResult>>> typing;
  constexpr std::size_t kCount = 40;
  for (std::size_t i = 0; i < kCount; ++i) {
    auto request = f.typing(std::string(60'000, static_cast<char>('a' + i % 26)));
    request.step = static_cast<std::uint32_t>(i);
    typing.push_back(f.loop.run(f.holder->input(std::move(request), 5s)));
  }
  f.shim.on_message = [&](const Message& m) { f.input_reply(m, Status::ok, 60'000); };
  f.loop.until([&] { return typing.back().is_done(); });
  REQUIRE(f.shim.messages.size() == kCount);
  for (std::size_t i = 0; i < kCount; ++i) CHECK(f.shim.messages[i].as<shim_abi::Input>().step == i);
}
