// Waits on the screen as a whole: changes since it was last seen, quiet, patterns that go.

#include <catch2/catch.hpp>
#include <thread>

#include "support/daemon_fixture.hpp"

using namespace smartcli::test;
using nlohmann::json;

namespace {

/// Shows how many bytes it has read, at the top left; `q` ends it.
constexpr const char* kCounter = R"(import os, termios, tty
tty.setraw(0)
n = 0
os.write(1, b"\x1b[2J\x1b[Hcount 0")
while True:
    for byte in os.read(0, 65536):
        if byte == ord('q'): raise SystemExit
        n += 1
        os.write(1, b"\x1b[Hcount %d" % n)
)";

std::string counter(DaemonFixture& f) {
  const auto path = write_file(f.folder + "/counter.py", kCounter);
  f.ok({"spawn", "-s", "n", "python3", path});
  f.ok({"wait-regex", "-s", "n", "count 0"});
  return path;
}

std::string first_line(const json& reply) {
  const auto text = reply["text"].get<std::string>();
  return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("[wait_change] a change between two looks is not missed", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "s", "sh", "-c", "echo one; read x; echo two; exec cat"});
  // Nothing was seen yet, and something is there.
  const auto first = f.json({"wait-change", "-s", "s"});
  CHECK(first["changed"] == true);
  CHECK(first["reason"] == "CHANGED");
  CHECK(first_line(first) == "one");
  // Seen: nothing changes by itself.
  auto none = f.cli({"wait-change", "-s", "s", "--timeout", "50ms"});
  CHECK(none.status == 124);
  // The look before the input counts, whatever came between input and wait.
  f.ok({"send-line", "-s", "s", "go"});
  f.ok({"wait-regex", "-s", "s", "two"});
  CHECK(f.cli({"wait-change", "-s", "s", "--timeout", "50ms"}).status == 124);  // the wait's reply was a look
  f.ok({"send-line", "-s", "s", "again"});
  // Parsed by the time it is asked, or not: either way it differs from the screen before the input.
  const auto changed = f.json({"wait-change", "-s", "s"});
  CHECK(changed["changed"] == true);
}

TEST_CASE("[wait_change] a hash that was given counts alone", "[integration]") {
  DaemonFixture f;
  counter(f);
  const auto seen = f.json({"snapshot", "-s", "n"});
  f.ok({"send-text", "-s", "n", "x"});
  f.ok({"wait-regex", "-s", "n", "count 1"});  // a look
  const auto changed = f.json({"wait-change", "-s", "n", "--hash", seen["hash"]});
  CHECK(changed["changed"] == true);
  CHECK(changed["hash"] != seen["hash"]);
  const auto same = f.json({"wait-change", "-s", "n", "--hash", changed["hash"], "--timeout", "30ms"});
  CHECK(same["changed"] == false);
  CHECK(same["reason"] == "TIMEOUT");
  for (const char* wrong : {"", "123", "0123456789abcdeg", "0x23456789abcdef", "0123456789abcdef0"}) {
    CAPTURE(wrong);
    const auto refused = f.cli({"wait-change", "-s", "n", "--hash", wrong});
    CHECK(refused.status == 2);
    CHECK(refused.err.find("16 hex digits") != std::string::npos);
  }
}

TEST_CASE("[wait_visual_change] style, selection and cursor count too", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "s", "sh", "-c",
        "printf text; read a; printf '\\033[H\\033[7mtext\\033[m\\033[1;1H'; exec cat"});
  f.ok({"wait-regex", "-s", "s", "text"});
  const auto seen = f.json({"snapshot", "-s", "s"});
  f.cli({"send-keys", "-s", "s", "C-j"});
  const auto visual = f.json({"wait-visual-change", "-s", "s", "--visual-hash", seen["visual_hash"]});
  CHECK(visual["changed"] == true);
  CHECK(visual["visual_hash"] != seen["visual_hash"]);
}

TEST_CASE("[wait_change] each driver of a session has its own last look", "[integration]") {
  DaemonFixture f;
  counter(f);
  const auto as = [&f](const char* client, std::vector<std::string> args) {
    f.env["SMARTCLI_CLIENT"] = client;
    auto output = f.cli(std::move(args));
    f.env.erase("SMARTCLI_CLIENT");
    return output.status;
  };
  CHECK(as("a", {"snapshot", "-s", "n"}) == 0);
  CHECK(as("b", {"snapshot", "-s", "n"}) == 0);
  CHECK(as("a", {"send-text", "-s", "n", "x"}) == 0);
  CHECK(as("a", {"wait-regex", "-s", "n", "count 1"}) == 0);
  CHECK(as("a", {"wait-change", "-s", "n", "--timeout", "30ms"}) == 124);
  CHECK(as("b", {"wait-change", "-s", "n"}) == 0);
  CHECK(as("b", {"wait-change", "-s", "n", "--timeout", "30ms"}) == 124);
  // One that never looked has seen the blank screen only.
  CHECK(as("c", {"wait-change", "-s", "n"}) == 0);
}

TEST_CASE("[wait_change] four drivers that type and wait at once miss no value and see none twice",
          "[integration]") {
  DaemonFixture f;
  counter(f);
  constexpr int kEach = 60, kDrivers = 4;
  std::vector<std::string> failures(kDrivers);
  std::vector<std::thread> drivers;
  for (int d = 0; d < kDrivers; ++d) {
    drivers.emplace_back([&f, &failure = failures[static_cast<std::size_t>(d)], d] {
      auto env = f.env;
      env["SMARTCLI_CLIENT"] = "driver-" + std::to_string(d);
      const auto run = [&env](std::vector<std::string> args) {
        args.insert(args.begin(), std::string(SMARTCLI_BIN) + "/smartcli");
        return Process(std::move(args), env).wait();
      };
      int last = -1;
      const auto look = [&] {
        const auto output = run({"wait-change", "--json", "-s", "n", "--timeout", "30s"});
        const auto reply = json::parse(output.out, nullptr, false);
        if (reply.is_discarded() || reply.value("changed", false) == false) {
          failure += "no change: " + output.out.substr(0, 300) + output.err + "; ";
          return false;
        }
        const int value = std::stoi(first_line(reply).substr(6));
        if (value <= last) failure += std::to_string(value) + " after " + std::to_string(last) + "; ";
        last = value;
        return true;
      };
      for (int i = 0; i < kEach; ++i) {
        if (run({"send-text", "-s", "n", "x"}).status != 0) failure += "not typed; ";
        if (!look()) return;
      }
      while (last < kEach * kDrivers) {
        if (!look()) return;
      }
    });
  }
  for (auto& driver : drivers) driver.join();
  for (const auto& failure : failures) CHECK(failure == "");
}

TEST_CASE("[wait_any] the first of the list that matches is named, and -1 where none does", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "s", "sh", "-c", "echo second; echo first; exec cat"});
  f.ok({"wait-regex", "-s", "s", "first"});
  auto any = f.json({"wait-any", "-s", "s", "first", "second", "third"});
  CHECK(any["index"] == 0);
  CHECK(any["matched"] == true);
  CHECK(any["match"]["text"] == "first");
  CHECK(any["match"]["row"] == 2);
  CHECK(f.json({"wait-any", "-s", "s", "[a,b]", "sec(on)d"})["match"]["groups"][0] == "on");
  any = f.json({"wait-any", "-s", "s", "third", "--timeout", "20ms"});
  CHECK(any["index"] == -1);
  CHECK(any["reason"] == "TIMEOUT");
  CHECK(f.ok({"wait-any", "-s", "s", "third", "sec"}) == "sec");
  const auto wrong = f.cli({"wait-any", "-s", "s", "ok", "("});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("'('") != std::string::npos);
  CHECK(f.cli({"wait-any", "-s", "s"}).status == 2);
}

TEST_CASE("[wait_gone] the pattern leaves the screen, or is not there to begin with", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "s", "sh", "-c", "echo Compiling; read x; printf '\\033[H\\033[2J'; exec cat"});
  f.ok({"wait-regex", "-s", "s", "Compiling"});
  CHECK(f.json({"wait-gone", "-s", "s", "Linking"})["gone"] == true);
  auto there = f.cli({"wait-gone", "-s", "s", "Comp", "--timeout", "30ms"});
  CHECK(there.status == 124);
  CHECK(there.err.find("still on the screen") != std::string::npos);
  auto waiting = f.start({"wait-gone", "-s", "s", "Comp"});
  f.ok({"send-line", "-s", "s", "go"});
  CHECK(waiting.wait().status == 0);
}

TEST_CASE("[wait_ready] a marker, quiet after the first paint, and never a blank screen", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "py", "python3", "-q"});
  CHECK(f.json({"wait-ready", "-s", "py", "--marker", ">>> $"})["reason"] == "MARKER");
  CHECK(f.json({"wait-ready", "-s", "py"})["reason"] == "STABLE");
  f.ok({"spawn", "-s", "blank", "cat"});
  const auto blank = f.json({"wait-ready", "-s", "blank", "--quiet", "10ms", "--timeout", "100ms"});
  CHECK(blank["reason"] == "TIMEOUT");
  CHECK(blank["ready"] == false);
  // The echo of a command is no sign of its end.
  f.ok({"send-line", "-s", "py", "import sys; sys.stdin.readline() # READY"});
  CHECK(f.cli({"wait-ready", "-s", "py", "--marker", "READY", "--quiet", "1h", "--timeout", "50ms"}).status ==
        124);
  f.ok({"spawn", "-s", "gone", "sh", "-c", "echo bye"});
  f.ok({"wait-exit", "-s", "gone"});
  const auto gone = f.json({"wait-ready", "-s", "gone"});
  CHECK(gone["reason"] == "EXITED");
  CHECK(gone["ready"] == false);
}

TEST_CASE("[spawn] with --no-detect-child-exit a wait goes on after the program's end", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "s", "--no-detect-child-exit", "sh", "-c", "exit 3"});
  CHECK(f.ok({"wait-exit", "-s", "s"}) == "3");
  const auto none = f.json({"wait-regex", "-s", "s", "late", "--timeout", "50ms"});
  CHECK(none["reason"] == "TIMEOUT");
  CHECK(none["exited"] == false);
  CHECK(none["alive"] == false);
  // The choice outlives the daemon.
  f.kill_daemon();
  CHECK(f.json({"wait-regex", "-s", "s", "late", "--timeout", "50ms"})["reason"] == "TIMEOUT");
}

TEST_CASE("[spawn] --wait ends with the program's own status", "[integration]") {
  DaemonFixture f;
  auto ended = f.cli({"spawn", "-s", "a", "--wait", "sh", "-c", "exit 7"});
  CHECK(ended.status == 7);
  CHECK(ended.out == "a\n");
  CHECK(f.cli({"spawn", "--wait", "sh", "-c", "kill -9 $$"}).status == 137);
  CHECK(f.cli({"spawn", "--wait", "true"}).status == 0);
  const auto late = f.cli({"spawn", "-s", "b", "--wait", "--timeout", "50ms", "cat"});
  CHECK(late.status == 124);
  CHECK(f.cli({"alive", "-s", "b"}).status == 0);
  CHECK(f.cli({"spawn", "--wait", "/nonexistent/prog"}).status == 127);
  CHECK(f.cli({"spawn", "--timeout", "1s", "cat"}).status == 2);
  const auto both = f.json({"spawn", "-s", "c", "--wait", "sh", "-c", "echo hi; exit 3"});
  CHECK(both["sid"] == "c");
  CHECK(both["exit"]["code"] == 3);
  CHECK(both["text"] == "hi");
}

TEST_CASE("[spawn] a shell line, a login shell and a clean environment", "[integration]") {
  DaemonFixture f;
  f.env["SECRET_THING"] = "visible";
  f.ok({"spawn", "-s", "line", "--shell-command", "echo \"$0|$SECRET_THING|$TERM\"; exit 4"});
  CHECK(f.ok({"wait-exit", "-s", "line"}) == "4");
  CHECK(f.ok({"snapshot", "-s", "line"}) == "/bin/bash|visible|xterm-256color");
  f.ok({"spawn", "-s", "clean", "--clean-env", "--env", "MARK=1", "sh", "-c",
        "echo \"[$SECRET_THING][$MARK][$HOME]\""});
  f.ok({"wait-exit", "-s", "clean"});
  CHECK(f.ok({"snapshot", "-s", "clean"}) == "[][1][" + f.folder + "/home]");
  write_file(f.folder + "/home/.bash_profile", "echo from-profile\n");
  f.ok({"spawn", "-s", "login", "--login"});
  f.ok({"wait-regex", "-s", "login", "from-profile"});
  f.ok({"spawn", "-s", "named", "--login", "bash", "-c", "echo $0"});
  f.ok({"wait-exit", "-s", "named"});
  CHECK(f.ok({"snapshot", "-s", "named"}).find("-bash") != std::string::npos);
  const auto refused = f.cli({"spawn", "--login", "python3"});
  CHECK(refused.status == 2);
  CHECK(refused.err.find("--login is for shells") != std::string::npos);
  CHECK(f.cli({"spawn", "--shell-command", "true", "cat"}).status == 2);
}

TEST_CASE("[signal] to the foreground, or to the session's own program", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "sh", "bash", "--norc"});
  f.ok({"send-line", "-s", "sh", "sh -c 'echo up; exec sleep 1000'"});
  f.ok({"wait-regex", "-s", "sh", "^up"});
  CHECK(f.json({"signal", "-s", "sh", "sigint"})["signal"] == "INT");
  f.ok({"wait-regex", "-s", "sh", "[$#] $"});
  // The program itself, while another one has the foreground.
  f.ok({"spawn", "-s", "two", "bash", "-c", "set -m; trap 'echo got-it' USR1; sleep 1000; read x"});
  REQUIRE(becomes_true([&] { return f.json({"status", "-s", "two"})["foreground"]["name"] == "sleep"; }));
  CHECK(f.json({"signal", "-s", "two", "--to", "child", "USR1"})["number"] == 10);
  f.ok({"signal", "-s", "two", "KILL"});  // the trap runs when the foreground's command is over
  f.ok({"wait-regex", "-s", "two", "^got-it"});
  const auto wrong = f.cli({"signal", "-s", "sh", "TREM"});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("'TERM'") != std::string::npos);
  CHECK(f.cli({"signal", "-s", "sh", "--to", "nobody", "TERM"}).status == 2);
  f.ok({"signal", "-s", "sh", "--to", "child", "9"});
  CHECK(f.ok({"wait-exit", "-s", "sh"}) == "137");
  const auto late = f.cli({"signal", "-s", "sh", "TERM"});
  CHECK(late.status == 1);
  CHECK(late.err.find("has exited") != std::string::npos);
}

TEST_CASE("[list] live ones, names, and lines of a form that was given", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "one", "--cols", "100", "cat"});
  f.ok({"spawn", "-s", "two", "--wait", "true"});
  CHECK(f.ok({"list", "-q"}) == "one\ntwo");
  CHECK(f.ok({"list", "--live", "-q"}) == "one");
  CHECK(f.json({"list", "--live"})["sessions"].size() == 1);
  CHECK(f.ok({"list", "--format", "{sid}\\t{cols}x{rows} {{{exit}}}"}) == "one\t100x24 {-}\ntwo\t80x24 {0}");
  const auto wrong = f.cli({"list", "--format", "{sdi}"});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("'sid'") != std::string::npos);
}

TEST_CASE("[alive] tells by its status alone", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "a", "cat"});
  auto alive = f.cli({"alive", "-s", "a"});
  CHECK(alive.status == 0);
  CHECK(alive.out + alive.err == "");
  f.ok({"signal", "-s", "a", "TERM"});
  f.ok({"wait-exit", "-s", "a"});
  alive = f.cli({"alive", "-s", "a"});
  CHECK(alive.status == 1);
  CHECK(alive.out + alive.err == "");
  CHECK(f.cli({"alive", "-s", "nosuch"}).status == 3);
}
