// A session's life beside its program's: cleared, started again.

#include <catch2/catch.hpp>

#include "support/daemon_fixture.hpp"

using namespace smartcli::test;

TEST_CASE("clear wipes screen and history, and the program lives on", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "sh", "-c", "seq 100; exec cat"});
  f.ok({"wait-regex", "-s", "c", "^100$"});
  const auto before = f.json({"status", "-s", "c"});
  const auto cleared = f.json({"clear", "-s", "c"});
  CHECK(cleared["revision"].get<long>() == before["revision"].get<long>() + 1);
  CHECK(f.ok({"snapshot", "-s", "c"}).empty());
  CHECK(f.json({"read", "-s", "c"})["total"] == 0);
  CHECK(f.cli({"search", "-s", "c", "100"}).status == 1);
  f.ok({"send-line", "-s", "c", "still here"});
  f.ok({"wait-regex", "-s", "c", "^still here$"});
  // The next daemon shows the same.
  const auto screen = f.ok({"snapshot", "-s", "c"});
  f.kill_daemon();
  CHECK(f.ok({"snapshot", "-s", "c"}) == screen);
  f.ok({"close", "-s", "c"});
  CHECK(f.cli({"clear", "-s", "c"}).status == 3);
}

TEST_CASE("clear at a shell's prompt leaves the prompt and what was typed at it", "[integration]") {
  const std::string shell = GENERATE("bash --norc", "dash", "zsh -f", "fish --no-config");
  CAPTURE(shell);
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "--shell-command", "PS1='ready> ' exec " + shell});
  f.ok({"wait-regex", "-s", "c", "[>#$%] ?$"});
  f.ok({"send-line", "-s", "c", "seq 50"});
  f.ok({"wait-regex", "-s", "c", "^50$"});
  f.ok({"wait-ready", "-s", "c"});
  REQUIRE(becomes_true([&f] { return f.json({"status", "-s", "c"})["state"] == "prompt"; }));
  const auto before = f.json({"snapshot", "-s", "c"})["screen"];
  const int row = before["cursor"]["row"];
  const std::string prompt = before["lines"][static_cast<std::size_t>(row - 1)];
  f.ok({"clear", "-s", "c"});
  const auto after = f.json({"snapshot", "-s", "c"})["screen"];
  CHECK(after["lines"][0] == prompt);
  CHECK(after["cursor"]["row"] == 1);
  CHECK(after["cursor"]["col"] == before["cursor"]["col"]);
  CHECK(f.ok({"snapshot", "-s", "c"}).find("50") == std::string::npos);
  f.ok({"send-line", "-s", "c", "echo fr''esh"});
  f.ok({"wait-regex", "-s", "c", "^fresh$"});
}

TEST_CASE("restart runs the same program again with an empty screen and history", "[integration]") {
  DaemonFixture f;
  const auto first =
      f.json({"spawn", "-s", "r", "--env", "WORD=kept", "sh", "-c", "seq 100; echo $WORD $$; exec cat"});
  f.ok({"wait-regex", "-s", "r", "kept"});
  const auto before = f.json({"status", "-s", "r"});
  const auto again = f.json({"restart", "-s", "r"});
  CHECK(again["pid"] != first["pid"]);
  CHECK(again["argv"] == first["argv"]);
  CHECK(again["revision"].get<long>() > before["revision"].get<long>());
  CHECK(f.ok({"wait-regex", "-s", "r", "kept [0-9]+"}) == "kept " + std::to_string(again["pid"].get<int>()));
  CHECK(f.json({"search", "-s", "r", "kept"})["total"] == 1);
  CHECK_FALSE(is_running(first["pid"]));
  f.kill_daemon();
  CHECK(f.json({"search", "-s", "r", "kept"})["total"] == 1);
  f.ok({"send-line", "-s", "r", "hello"});
  f.ok({"wait-regex", "-s", "r", "^hello$"});
}

TEST_CASE("restart takes another program, size, directory and variables, and starts an ended one",
          "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "r", "sh", "-c", "exit 7"});
  CHECK(f.ok({"wait-exit", "-s", "r"}) == "7");
  f.ok({"restart", "-s", "r", "--cols", "100", "--rows", "30", "--cwd", "/", "--env", "WORD=new", "--", "sh",
        "-c", "pwd; echo $WORD; stty size; exec cat"});
  f.ok({"wait-regex", "-s", "r", "30 100"});
  CHECK(f.ok({"snapshot", "-s", "r"}) == "/\nnew\n30 100");
  CHECK(f.json({"status", "-s", "r"})["alive"] == true);
  // Only the size: the program keeps its own environment.
  f.ok({"restart", "-s", "r", "--cols", "90"});
  f.ok({"wait-regex", "-s", "r", "30 90"});
  CHECK(f.ok({"snapshot", "-s", "r"}) == "/\nnew\n30 90");
  const auto none = f.json({"restart", "-s", "r", "--", "no-such-program"});
  CHECK(none["error"]["code"] == "program_not_found");
  CHECK(f.json({"status", "-s", "r"})["alive"] == true);
  CHECK(f.cli({"restart", "-s", "none"}).status == 3);
  CHECK(f.cli({"restart", "-s", "r", "--cwd", "/nowhere"}).status == 2);
}

TEST_CASE("a program that does not go is killed by restart after its grace", "[integration]") {
  DaemonFixture f;
  const auto first =
      f.json({"spawn", "-s", "r", "sh", "-c", "trap '' HUP TERM; echo ready; while :; do sleep 0.01; done"});
  f.ok({"wait-regex", "-s", "r", "ready"});
  f.ok({"restart", "-s", "r", "--grace", "50ms"});
  CHECK(becomes_true([&] { return !is_running(first["pid"]); }));
  f.ok({"wait-regex", "-s", "r", "ready"});
}
