// Refusals and bounds that no user's story comes by.

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "support/daemon_fixture.hpp"
#include "support/trace.hpp"

using namespace smartcli::test;

TEST_CASE("a key without an encoding is refused before anything is typed", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  const auto refused = f.json({"send-keys", "-s", "c", "a", "Super+a"});
  CHECK(refused["error"]["code"] == "not_encodable");
  CHECK(f.cli({"send-keys", "-s", "c", "Super+a"}).status == 2);
  CHECK(f.ok({"snapshot", "-s", "c"}) == "");
}

TEST_CASE("a program that the kernel does not start is an error, and leaves no session", "[integration]") {
  DaemonFixture f;
  const auto busy = f.folder + "/busy";
  std::filesystem::copy_file("/bin/true", busy);
  const std::ofstream writer(busy, std::ios::app);
  CHECK(f.json({"spawn", busy})["error"]["code"] == "not_executable");
  CHECK(f.cli({"spawn", "--wait", busy}).status == 126);
  // With a small stack the kernel takes 128 KiB of arguments and environment.
  f.ok({"daemon", "stop"});
  REQUIRE(f.run({"sh", "-c", "ulimit -s 512; exec smartcli daemon start"}).status == 0);
  for (int i = 0; i < 30; ++i) f.env["LONG" + std::to_string(i)] = std::string(8000, 'x');
  const auto refused = f.json({"spawn", "true"});
  CHECK(refused["error"]["code"] == "spawn_failed");
  CHECK(refused["error"]["message"].get<std::string>().find("too long for the kernel") != std::string::npos);
  CHECK(f.cli({"spawn", "--wait", "true"}).status == 125);
  CHECK(f.ok({"list", "-q"}) == "");
}

TEST_CASE("a daemon that may not be started is told of, and nothing is", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_NO_AUTOSTART"] = "1";
  const auto refused = f.json({"spawn", "cat"});
  CHECK(refused["error"]["code"] == "daemon_unreachable");
  CHECK(refused["error"]["message"].get<std::string>().find("SMARTCLI_NO_AUTOSTART") != std::string::npos);
  CHECK(f.cli({"spawn", "cat"}).status == 4);
}

TEST_CASE("T25 a folder that belongs to somebody else is not used", "[integration]") {
  if (::geteuid() != 0) return;  // needs another user
  DaemonFixture f;
  const auto foreign = f.folder + "/foreign";
  std::filesystem::create_directories(foreign + "/smartcli");
  REQUIRE(::chown((foreign + "/smartcli").c_str(), 65534, 65534) == 0);
  const auto own = f.env["XDG_RUNTIME_DIR"];
  f.env["XDG_RUNTIME_DIR"] = foreign;
  const auto refused = f.json({"spawn", "cat"});
  f.env["XDG_RUNTIME_DIR"] = own;
  CHECK(refused["error"]["code"] == "policy_denied");
}

TEST_CASE("a client that is terminated cancels its wait and leaves the session alone", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  for (const auto& [number, status] : {std::pair{SIGTERM, 143}, {SIGINT, 130}}) {
    auto waiting = f.start({"wait-regex", "-s", "c", "never"});
    REQUIRE(becomes_true([&] { return f.json({"daemon", "status"})["waits"] == 1; }));
    ::kill(waiting.pid(), number);
    CHECK(waiting.wait().status == status);
    CHECK(becomes_true([&] { return f.json({"daemon", "status"})["waits"] == 0; }));
  }
  CHECK(f.cli({"alive", "-s", "c"}).status == 0);
}

TEST_CASE("history is held to its bytes too, whatever its lines", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_HISTORY_BYTES"] = "1048576";
  f.ok({"spawn", "-s", "long", "--cols", "1000", "--scrollback", "1000000", "sh", "-c",
        "for i in $(seq 4000); do printf '%0900d\\n' $i; done"});
  f.ok({"wait-exit", "-s", "long"});
  const auto page = f.json({"read", "-s", "long"});
  CHECK(page["oldest"] > 2000);
  CHECK(page["last"] == 4000);
  reached_limit("history_bytes");
}

TEST_CASE("[wait_any] looks from a revision on, or at all that is there, as wait-regex does",
          "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  f.ok({"send-line", "-s", "c", "--timeout", "3s", "one"});
  f.ok({"wait-regex", "-s", "c", "one"});
  const auto revision = std::to_string(f.json({"status", "-s", "c"})["revision"].get<int>());
  f.ok({"send-keys", "-s", "c", "--timeout", "3s", "x"});
  CHECK(f.cli({"wait-any", "-s", "c", "one", "--timeout", "20ms"}).status == 124);
  CHECK(f.json({"wait-any", "-s", "c", "two", "one", "--anywhere"})["index"] == 1);
  CHECK(f.cli({"wait-any", "-s", "c", "one", "--after", revision, "--timeout", "20ms"}).status == 124);
  CHECK(f.json({"wait-any", "-s", "c", "one", "--after", "1"})["index"] == 0);
  f.ok({"send-keys", "-s", "c", "C-d", "C-d"});
  const auto end = f.json({"wait-exit", "-s", "c"});
  CHECK(end["exit"]["code"] == 0);
  CHECK(end["screen"]["alive"] == false);
}
