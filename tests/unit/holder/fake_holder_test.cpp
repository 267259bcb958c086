#include "support/fake_holder.hpp"

#include <catch2/catch.hpp>

#include "support/loop.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;
using namespace std::chrono_literals;
using shim_abi::Status;

namespace {

struct Counter : holder::Listener {
  int outputs = 0, exits = 0, losses = 0;
  void on_output() override { ++outputs; }
  void on_exited() override { ++exits; }
  void on_hung_up() override {}
  void on_journal_health() override {}
  void on_lost() override { ++losses; }
};

}  // namespace

TEST_CASE("the fake behaves as a holder does: fences, repeats, wake-ups, ends", "[holder]") {
  test::TempFolder folder;
  test::Loop loop;
  test::FakeHolder holder(loop.executor(), folder.path());
  Counter told;
  holder.listen(&told);
  holder.output("$ ");
  holder.arm_output(0, 0);
  loop.until([&] { return told.outputs == 1; });
  holder.on_input = [&](const holder::InputRequest& request) { holder.output(request.data); };
  holder.arm_output(2, holder.header().event_bytes);
  const auto typed = loop.await(holder.input({{{1}}, 0, 0, {}, "ls\r"}, 1s));
  REQUIRE(typed.has_value());
  CHECK(typed->offset == 2);
  CHECK(typed->accepted == 3);
  CHECK(holder.header().write_offset == 5);
  CHECK(holder.header().marks[0].offset == 2);
  loop.until([&] { return told.outputs == 2; });
  CHECK(loop.await(holder.input({{{1}}, 0, 0, {}, "ls\r"}, 1s))->status == Status::repeated);
  CHECK(holder.typed() == "ls\r");
  CHECK(*loop.await(holder.resize(100, 30)) == 6);
  holder.exit(shim_abi::ExitKind::code, 3);
  loop.until([&] { return told.exits == 1; });
  CHECK(loop.await(holder.input({{}, 0, 0, {}, "x"}, 1s))->status == Status::ended);
  holder.lose();
  loop.until([&] { return told.losses == 1; });
  CHECK(loop.await(holder.facts()).error().code == ErrorCode::session_gone);
}
