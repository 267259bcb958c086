// Waits: never satisfied by their own echo or by old text, never late, never for ever.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "support/daemon_fixture.hpp"
#include "support/helpers.hpp"

using namespace smartcli::test;

TEST_CASE("what a program writes back with the kernel's echo off is output", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "sh", "-c", "stty -echo; echo ready; exec cat"});
  f.ok({"wait-regex", "-s", "c", "ready"});
  f.ok({"send-line", "-s", "c", "hello"});
  CHECK(f.ok({"wait-regex", "-s", "c", "^hello$"}) == "hello");
}

TEST_CASE("the main job works as the help prints it", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "python3", "-q"});
  f.ok({"wait-regex", "-s", sid, ">>> $"});
  f.ok({"send-line", "-s", sid, "print(6*7)"});
  CHECK(f.ok({"wait-regex", "-s", sid, "^42$"}) == "42");
  const auto echo = f.cli({"wait-regex", "-s", sid, "--timeout", "300ms", "6\\*7"});
  CHECK(echo.status == 124);
  CHECK(echo.out.empty());
  CHECK(f.ok({"wait-regex", "-s", sid, "--anywhere", "6\\*7"}) == "6*7");
  f.ok({"close", "-s", sid});
}

TEST_CASE("B138 a wait is not satisfied by the kernel's or the line editor's echo", "[integration]") {
  DaemonFixture f;
  SECTION("bash, at its prompt") {
    const auto sid = f.ok({"spawn", "bash", "--norc"});
    f.ok({"wait-regex", "-s", sid, "[$#] $"});
    f.ok({"send-line", "-s", sid, "sleep 1; echo Done"});
    const auto reply = f.json({"wait-regex", "-s", sid, "Done"});
    CHECK(reply["elapsed_ms"] > 500);
    CHECK(reply["match"]["row"] == 2);
  }
  SECTION("bash, busy: typed ahead, shown twice") {
    const auto sid = f.ok({"spawn", "bash", "--norc"});
    f.ok({"wait-regex", "-s", sid, "[$#] $"});
    f.ok({"send-line", "-s", sid, "sleep 1"});
    REQUIRE(becomes_true([&] { return f.json({"status", "-s", sid})["foreground"]["name"] == "sleep"; }));
    f.ok({"send-line", "-s", sid, "sleep 1; echo Do''ne"});
    CHECK(f.cli({"wait-regex", "-s", sid, "--timeout", "1500ms", "echo Do"}).status == 124);
    f.ok({"wait-regex", "-s", sid, "^Done$"});
  }
  SECTION("python3, busy") {
    const auto sid = f.ok({"spawn", "python3", "-q"});
    f.ok({"wait-regex", "-s", sid, ">>> $"});
    f.ok({"send-line", "-s", sid, "import time; time.sleep(1)"});
    f.ok({"send-line", "-s", sid, "time.sleep(0.3); print('re'+'ady')"});
    CHECK(f.cli({"wait-regex", "-s", sid, "--timeout", "1200ms", "time"}).status == 124);
    f.ok({"wait-regex", "-s", sid, "^ready$"});
  }
  SECTION("cat: the echo does not count, the output does") {
    const auto sid = f.ok({"spawn", "cat"});
    f.ok({"send-line", "-s", sid, "hello"});
    const auto reply = f.json({"wait-regex", "-s", sid, "hello"});
    CHECK(reply["matched"] == true);
    CHECK(reply["match"]["row"] == 2);
  }
  SECTION("a program that repeats the word after others") {
    const auto sid = f.ok({"spawn", "sh", "-c", "read x; echo got $x; sleep 60"});
    f.ok({"send-line", "-s", sid, "hello"});
    CHECK(f.ok({"wait-regex", "-s", sid, "hello"}) == "hello");
  }
}

TEST_CASE("B141 only what came after the last input counts", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "bash", "--norc"});
  f.ok({"wait-regex", "-s", sid, "[$#] $"});
  f.ok({"send-line", "-s", sid, "echo READY"});
  f.ok({"wait-regex", "-s", sid, "^READY"});
  f.ok({"send-line", "-s", sid, "sleep 1; echo REA''DY"});
  const auto reply = f.json({"wait-regex", "-s", sid, "^READY"});
  CHECK(reply["matched"] == true);
  CHECK(reply["elapsed_ms"] > 500);
  CHECK(f.json({"wait-regex", "-s", sid, "--after", "0", "^READY"})["elapsed_ms"] < 500);
}

TEST_CASE("B139 a line that scrolled past since the input is seen", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "--rows", "10", "bash", "--norc"});
  f.ok({"wait-regex", "-s", sid, "[$#] $"});
  f.ok({"send-line", "-s", sid, "seq 30"});
  CHECK(f.ok({"wait-regex", "-s", sid, "^30$"}) == "30");
  CHECK(f.ok({"wait-regex", "-s", sid, "^3$"}) == "3");
  const auto none =
      f.ok({"spawn", "--rows", "5", "--scrollback", "0", "sh", "-c", "read x; seq 100; sleep 60"});
  auto waiter = f.start({"wait-regex", "-s", none, "^17$"});
  REQUIRE(becomes_true([&] { return f.json({"daemon", "status"})["waits"] == 1; }));
  f.ok({"send-line", "-s", none, "go"});
  CHECK(waiter.wait().status == 0);
}

TEST_CASE("prompts are found with and without their blank", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "python3", "-q"});
  for (const char* pattern : {">>> $", ">>>$", "^>>> ?$", ">>>\\s*$"}) {
    CAPTURE(pattern);
    CHECK(f.cli({"wait-regex", "-s", sid, pattern}).status == 0);
  }
}

TEST_CASE("B190 a pattern sees a soft-wrapped line whole", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "--cols", "20", "echo", "the quick brown fox jumps over"});
  CHECK(f.ok({"wait-regex", "-s", sid, "brown fox jumps"}) == "brown fox jumps");
}

TEST_CASE("a wait ends with the program, and says so", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "sh", "-c", "read x; echo bye; exit 5"});
  auto waiter = f.start({"wait-regex", "-s", sid, "--json", "never"});
  REQUIRE(becomes_true([&] { return f.json({"daemon", "status"})["waits"] == 1; }));
  f.ok({"send-line", "-s", sid, "x"});
  const auto output = waiter.wait();
  CHECK(output.status == 1);
  const auto reply = nlohmann::json::parse(output.out);
  CHECK(reply["reason"] == "EXITED");
  CHECK(reply["exited"] == true);
  CHECK(reply["exit"]["code"] == 5);
  CHECK(f.ok({"wait-regex", "-s", sid, "bye"}) == "bye");
  CHECK(f.cli({"wait-regex", "-s", sid, "never"}).status == 1);
}

TEST_CASE("B145 verbs on an unknown session fail at once", "[integration]") {
  DaemonFixture f;
  for (const bool with_daemon : {false, true}) {
    if (with_daemon) f.ok({"spawn", "-s", "some", "cat"});
    for (const auto& verb : std::vector<std::vector<std::string>>{{"snapshot"},
                                                                  {"wait-regex", "x"},
                                                                  {"send-text", "x"},
                                                                  {"resize", "--cols", "80"},
                                                                  {"close"},
                                                                  {"status"},
                                                                  {"wait-exit"},
                                                                  {"send-keys", "a"},
                                                                  {"send-line", "x"},
                                                                  {"wait-any", "x", "y"},
                                                                  {"wait-gone", "x"},
                                                                  {"wait-change"},
                                                                  {"wait-visual-change"},
                                                                  {"wait-ready"},
                                                                  {"alive"},
                                                                  {"signal", "INT"}}) {
      auto args = verb;
      args.insert(args.begin() + 1, {"-s", "nosuch"});
      const auto output = f.cli(args);
      CAPTURE(verb[0], with_daemon, output.err);
      CHECK(output.status == 3);
      CHECK(std::count(output.err.begin(), output.err.end(), '\n') == 1);
    }
  }
}

TEST_CASE("a wait ends when its session is closed, its client leaves, or its time is over", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  auto closed = f.start({"wait-regex", "-s", "c", "--json", "never"});
  auto left = f.start({"wait-exit", "-s", "c"});
  REQUIRE(becomes_true([&] { return f.json({"daemon", "status"})["waits"] == 2; }));
  f.run({"kill", "-INT", std::to_string(left.pid())});
  CHECK(left.wait().status == 130);
  CHECK(becomes_true([&] { return f.json({"daemon", "status"})["waits"] == 1; }));
  f.ok({"close", "-s", "c"});
  const auto output = closed.wait();
  CHECK(output.status == 1);
  CHECK(nlohmann::json::parse(output.out)["reason"] == "CLOSED");
  f.ok({"spawn", "-s", "d", "cat"});
  CHECK(f.cli({"wait-exit", "-s", "d", "--timeout-ms", "50"}).status == 124);
  CHECK(f.cli({"wait-regex", "-s", "d", "--timeout", "0", "x"}).status == 124);
  CHECK(f.cli({"wait-regex", "-s", "d", "--timeout", "2h", "x"}).status == 2);
  CHECK(f.cli({"wait-regex", "-s", "d", "(?=x)"}).status == 2);
}

TEST_CASE("B171 a wait for a password prompt and its silent answer", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "python3", "-c", "import getpass; print(len(getpass.getpass()))"});
  f.ok({"wait-regex", "-s", sid, "Password: $"});
  REQUIRE(becomes_true([&] { return f.json({"status", "-s", sid})["state"] == "password"; }));
  f.ok({"send-line", "-s", sid, "secret"});
  CHECK(f.ok({"wait-regex", "-s", sid, "^\\d+$"}) == "6");
  CHECK(f.ok({"snapshot", "-s", sid}).find("secret") == std::string::npos);
}

TEST_CASE("B144 a spinner is never quiet, and the wait says so when its time is over", "[integration]") {
  DaemonFixture f;
  const auto sid =
      f.ok({"spawn", "sh", "-c", "while :; do for c in a b c; do printf \"\\r$c\"; sleep 0.1; done; done"});
  const auto output = f.cli({"wait-ready", "-s", sid, "--timeout", "2s", "--json"});
  CHECK(output.status == 124);
  // An outcome, not an error: what stands on stderr explains it.
  CHECK_THAT(output.err, Catch::StartsWith("smartcli: the screen is not ready: TIMEOUT after 2"));
  const auto reply = nlohmann::json::parse(output.out);
  CHECK(reply["ok"] == true);
  CHECK(reply["ready"] == false);
  CHECK(reply["reason"] == "TIMEOUT");
  CHECK(reply["elapsed_ms"] >= 2000);
  CHECK(reply["elapsed_ms"] < 3000);
  CHECK(reply["text"].get<std::string>().size() == 1);
  CHECK(reply["screen"]["lines"][0] == reply["text"]);
}

TEST_CASE("B147 no change between two waits is missed", "[integration]") {
  DaemonFixture f;
  const auto script = write_file(f.folder + "/pieces.py", kPiecewise);
  const auto sid = f.ok({"spawn", "python3", script, "a\\r\\n", "b\\r\\n", "c\\r\\n"});
  std::string hash = f.json({"wait-regex", "-s", sid, "^a$"})["hash"], text;
  for (int i = 0; i < 2 && text.find('c') == std::string::npos; ++i) {
    const auto reply = f.json({"wait-change", "-s", sid, "--hash", hash});
    CHECK(reply["changed"] == true);
    CHECK(reply["hash"] != hash);
    hash = reply["hash"];
    text = reply["text"];
  }
  CHECK(text == "a\nb\nc");
  const auto last = f.cli({"wait-change", "-s", sid, "--hash", hash, "--timeout", "300ms", "--json"});
  CHECK(last.status == 124);
  CHECK(nlohmann::json::parse(last.out)["changed"] == false);
}
