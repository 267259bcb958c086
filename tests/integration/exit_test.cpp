// How programs end: statuses, failures to start, what is kept, what is left running.

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "support/daemon_fixture.hpp"

using namespace smartcli::test;

TEST_CASE("B001 a program killed by a signal reads as killed, never as a success", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "kill", "sh", "-c", "kill -9 $$"});
  f.ok({"spawn", "-s", "term", "sh", "-c", "kill -TERM $$"});
  CHECK(f.ok({"wait-exit", "-s", "kill"}) == "137");
  CHECK(f.ok({"wait-exit", "-s", "term"}) == "143");
  const auto status = f.json({"status", "-s", "kill"});
  CHECK(status["exit"] == nlohmann::json{{"signal", 9}, {"name", "KILL"}});
  CHECK(status["state"] == "exited");
  CHECK(status["alive"] == false);
}

TEST_CASE("B002 a program that ends at once still has its session and its status", "[integration]") {
  DaemonFixture f;
  for (int i = 0; i < 20; ++i) {
    const auto sid = f.ok({"spawn", "sh", "-c", "exit 7"});
    CHECK(f.ok({"wait-exit", "-s", sid}) == "7");
    CHECK(f.json({"status", "-s", sid})["exit"]["code"] == 7);
  }
}

TEST_CASE("B005 eight programs that end at once do not swap their statuses", "[integration]") {
  DaemonFixture f;
  for (int i = 1; i <= 8; ++i) {
    f.ok({"spawn", "-s", "s" + std::to_string(i), "sh", "-c", "sleep 0.3; exit " + std::to_string(i)});
  }
  for (int i = 1; i <= 8; ++i) CHECK(f.ok({"wait-exit", "-s", "s" + std::to_string(i)}) == std::to_string(i));
}

TEST_CASE("B007 a program that runs on holds up nobody", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "a", "sleep", "30"});
  f.ok({"spawn", "-s", "b", "true"});
  CHECK(f.ok({"wait-exit", "-s", "b", "--timeout", "5"}) == "0");
  CHECK(f.ok({"snapshot", "-s", "a"}).empty());
  const auto list = f.json({"list"});
  REQUIRE(list["sessions"].size() == 2);
  CHECK(list["sessions"][0]["state"] != "exited");
  CHECK(list["sessions"][1]["state"] == "exited");
}

TEST_CASE("B008 a program that closes its terminal and goes on keeps its status", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "python3", "-c",
                         "import os,time; [os.close(f) for f in (0,1,2)]; time.sleep(1); os._exit(7)"});
  CHECK(f.ok({"wait-exit", "-s", sid}) == "7");
}

TEST_CASE("B009 F11 what cannot be executed is an error that names it, and leaves no session",
          "[integration]") {
  DaemonFixture f;
  const auto missing = f.cli({"spawn", "/nonexistent/prog", "--flag"});
  CHECK(missing.status == 127);
  CHECK(missing.err.find("/nonexistent/prog") != std::string::npos);
  CHECK(missing.out.empty());
  CHECK(f.cli({"spawn", "no-such-program-here"}).status == 127);
  CHECK(f.cli({"spawn", "/etc/passwd"}).status == 126);
  CHECK(f.cli({"spawn", "/"}).status == 126);
  const auto text = write_file(f.folder + "/text", "not a program\n");
  f.run({"chmod", "+x", text});
  CHECK(f.cli({"spawn", text}).status == 126);
  CHECK(f.cli({"spawn", "--cwd", "/nonexistent", "true"}).status == 2);
  const auto error = f.json({"spawn", "/nonexistent/prog"});
  CHECK(error["ok"] == false);
  CHECK(error["error"]["code"] == "program_not_found");
  CHECK(f.json({"list"})["sessions"].empty());
}

TEST_CASE("B021 what was printed just before the end is all there", "[integration]") {
  DaemonFixture f;
  for (int i = 0; i < 20; ++i) {
    const auto sid =
        f.ok({"spawn", "--cols", "200", "--rows", "120", "python3", "-c", "print('hello'*4096, end='')"});
    CHECK(f.ok({"wait-exit", "-s", sid}) == "0");
    auto text = f.ok({"snapshot", "-s", sid});
    text.erase(std::remove(text.begin(), text.end(), '\n'), text.end());
    CHECK(text.size() == 20480);
    f.ok({"close", "-s", sid});
  }
}

TEST_CASE("B023 F12 two hundred last words and statuses are right", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_MAX_SESSIONS"] = "300";
  f.env["SMARTCLI_MAX_ENDED"] = "300";
  for (int round = 0; round < 10; ++round) {
    std::vector<Process> started;
    for (int i = 0; i < 20; ++i) {
      const int n = round * 20 + i;
      started.push_back(f.start({"spawn", "-s", "n" + std::to_string(n), "sh", "-c",
                                 "printf last-" + std::to_string(n) + "; exit " + std::to_string(n)}));
    }
    for (auto& one : started) CHECK(one.wait().status == 0);
  }
  for (int n = 0; n < 200; ++n) {
    const auto sid = "n" + std::to_string(n);
    CHECK(f.ok({"wait-exit", "-s", sid}) == std::to_string(n));
    CHECK(f.ok({"snapshot", "-s", sid}) == "last-" + std::to_string(n));
  }
}

TEST_CASE("B026 P16 an ended session costs nothing", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "ended", "sh", "-c", "echo hello"});
  f.ok({"wait-exit", "-s", "ended"});
  f.ok({"spawn", "-s", "idle", "cat"});
  const int daemon = f.daemon_pid();
  const auto cpu = [&] {
    const auto stat = f.run({"cat", "/proc/" + std::to_string(daemon) + "/stat"}).out;
    std::istringstream fields(stat.substr(stat.rfind(')') + 2));
    std::string field;
    long ticks = 0;
    for (int i = 3; fields >> field; ++i) {
      if (i == 14 || i == 15) ticks += std::stol(field);
    }
    return ticks;
  };
  const long before = cpu();
  CHECK(f.cli({"wait-regex", "-s", "idle", "--timeout", "3", "never"}).status == 124);
  CHECK(cpu() - before <= 3);  // hundredths of a second, in three seconds
}

TEST_CASE("B027 the normal end of a shell is no error", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "bash", "--norc"});
  f.ok({"wait-regex", "-s", sid, "[$#] $"});
  f.ok({"send-line", "-s", sid, "exit"});
  CHECK(f.ok({"wait-exit", "-s", sid}) == "0");
  CHECK(f.ok({"snapshot", "-s", sid}).find("rror") == std::string::npos);
  CHECK(f.json({"status", "-s", sid})["state"] == "exited");
}

TEST_CASE("B028 B186 the final screen stays until the session is closed", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "boom", "sh", "-c", "echo boom >&2; exit 3"});
  f.ok({"spawn", "-s", "hi", "echo", "hi"});
  f.ok({"spawn", "-s", "cd", "sh", "-c", "cd /; exit 0"});
  CHECK(f.ok({"wait-exit", "-s", "boom"}) == "3");
  CHECK(f.ok({"wait-exit", "-s", "hi"}) == "0");
  CHECK(f.ok({"wait-exit", "-s", "cd"}) == "0");
  CHECK(f.ok({"snapshot", "-s", "boom"}) == "boom");
  CHECK(f.ok({"snapshot", "-s", "hi"}) == "hi");
  CHECK(f.json({"list"})["sessions"].size() == 3);
  f.ok({"close", "-s", "boom"});
  CHECK(f.cli({"snapshot", "-s", "boom"}).status == 3);
  CHECK(f.ok({"wait-exit", "-s", f.ok({"spawn", "true"})}) == "0");
}

TEST_CASE("B030 input to an ended session is one clear error", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "t", "true"});
  f.ok({"wait-exit", "-s", "t"});
  for (const auto& verb : std::vector<std::vector<std::string>>{{"send-keys", "-s", "t", "C-c"},
                                                                {"send-text", "-s", "t", "x"},
                                                                {"send-line", "-s", "t", "x"},
                                                                {"resize", "-s", "t", "--cols", "90"}}) {
    const auto output = f.cli(verb);
    CAPTURE(verb[0]);
    CHECK(output.status == 1);
    CHECK(output.err.find("has exited (0)") != std::string::npos);
  }
  CHECK(f.cli({"list"}).status == 0);
}

TEST_CASE("B037 F10 a shell that leaves a job on the terminal has ended all the same", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "bash", "--norc"});
  f.ok({"wait-regex", "-s", sid, "[$#] $"});
  f.ok({"send-line", "-s", sid, "sleep 600 & echo job $!; exit 6"});
  f.ok({"wait-regex", "-s", sid, "job \\d+"});
  CHECK(f.ok({"wait-exit", "-s", sid, "--timeout", "5"}) == "6");
  const auto text = f.ok({"snapshot", "-s", sid});
  const int job = std::stoi(text.substr(text.rfind("job ") + 4));
  CHECK(is_running(job));
  f.ok({"close", "-s", sid});
  CHECK(becomes_true([job] { return !is_running(job); }));
}

TEST_CASE("B031 B032 close ends the whole session, and names who left it", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "bash", "--norc"});
  f.ok({"wait-regex", "-s", sid, "[$#] $"});
  f.ok({"send-line", "-s", sid,
        "sleep 4321 & (trap '' HUP TERM; sleep 4322) & setsid sleep 4323 & echo started $((1+1))"});
  f.ok({"wait-regex", "-s", sid, "started 2"});
  const auto count = [&](const char* what) {
    return f.run({"pgrep", "-f", std::string("^sleep ") + what}).out;
  };
  // setsid has left the session when it has become sleep; before, the hang-up ends it too.
  REQUIRE(becomes_true([&] { return !count("4323").empty() && !count("4322").empty(); }));
  const auto closed = f.json({"close", "-s", sid});
  CHECK(closed["ok"] == true);
  CHECK(becomes_true([&] { return count("4321").empty() && count("4322").empty(); }));
  REQUIRE(closed["survivors"].size() == 1);
  const int survivor = closed["survivors"][0]["pid"];
  CHECK(closed["survivors"][0]["name"] == "sleep");
  CHECK(is_running(survivor));
  ::kill(survivor, SIGKILL);

  const auto again = f.ok({"spawn", "bash", "--norc"});
  f.ok({"wait-regex", "-s", again, "[$#] $"});
  f.ok({"send-line", "-s", again, "setsid sleep 4324 & echo started $((1+2))"});
  f.ok({"wait-regex", "-s", again, "started 3"});
  REQUIRE(becomes_true([&] { return !count("4324").empty(); }));
  CHECK(f.json({"close", "-s", again, "--tree"})["survivors"].empty());
  CHECK(becomes_true([&] { return count("4324").empty(); }));
}

TEST_CASE("B034 B129 F02 many short sessions leave no zombie, descriptor or file", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "first", "true"});
  f.ok({"wait-exit", "-s", "first"});
  f.ok({"close", "-s", "first"});
  const int daemon = f.daemon_pid();
  const auto descriptors = [&] { return f.run({"ls", "/proc/" + std::to_string(daemon) + "/fd"}).out; };
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  const auto before = lines(descriptors());
  for (int i = 0; i < 100; ++i) {
    const auto sid = f.ok({"spawn", "true"});
    if (i % 2 == 0) f.ok({"wait-exit", "-s", sid});
    f.ok({"close", "-s", sid});
  }
  CHECK(lines(descriptors()) <= before + 2);
  CHECK(f.run({"ps", "--ppid", std::to_string(daemon), "-o", "pid="}).out.empty());
  CHECK(f.run({"find", f.folder + "/run", f.folder + "/state", "-name", "*.seg", "-o", "-name", "*.hdr"})
            .out.empty());
}

TEST_CASE("B106 a program killed from outside is not listed as live", "[integration]") {
  DaemonFixture f;
  const auto spawned = f.json({"spawn", "-s", "z", "sleep", "600"});
  ::kill(spawned["pid"].get<int>(), SIGKILL);
  CHECK(f.ok({"wait-exit", "-s", "z"}) == "137");
  CHECK(f.json({"list"})["sessions"][0]["state"] == "exited");
}
