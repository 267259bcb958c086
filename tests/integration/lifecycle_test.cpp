// A session's life beside its program's: cleared, started again.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "support/daemon_fixture.hpp"
#include "support/trace.hpp"

using namespace smartcli::test;

TEST_CASE("close tells how a program without a last word ended", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  CHECK(f.json({"close", "-s", "c"})["exit"]["name"] == "HUP");
  f.ok({"spawn", "-s", "c", "sh", "-c", "trap 'exit 5' HUP TERM; echo ready; while :; do sleep 0.01; done"});
  f.ok({"wait-regex", "-s", "c", "ready"});
  CHECK(f.json({"close", "-s", "c"})["exit"]["code"] == 5);
}

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
  f.ok({"send-keys", "-s", "r", "C-d"});
  CHECK(f.ok({"wait-exit", "-s", "r"}) == "0");
  CHECK(f.json({"restart", "-s", "r", "--rows", "20"})["rows"] == 20);
  CHECK(f.json({"status", "-s", "r"})["rows"] == 20);
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

namespace {

nlohmann::json tombstone(DaemonFixture& f, const std::string& sid) {
  const auto list = f.json({"list"});
  for (const auto& row : list["tombstones"]) {
    if (row["sid"] == sid) return row;
  }
  return nullptr;
}

std::set<std::string> sids(DaemonFixture& f) {
  std::set<std::string> all;
  const auto list = f.json({"list"});
  for (const auto& row : list["sessions"]) all.insert(row["sid"]);
  return all;
}

}  // namespace

TEST_CASE("an idle session is ended and leaves a tombstone, one in use does not", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_FAILPOINTS"] = "idle.hurry:idle";  // a minute in 60 ms
  const int idle = f.json({"spawn", "-s", "idle", "--idle-timeout", "1m", "cat"})["pid"];
  f.ok({"spawn", "-s", "used", "--idle-timeout", "1m", "cat"});
  REQUIRE(becomes_true([&f] { return !tombstone(f, "idle").is_null(); }));
  CHECK_FALSE(is_running(idle));
  const auto stone = tombstone(f, "idle");
  CHECK(stone["reason"] == "idle");
  CHECK(stone["exit"]["name"] == "HUP");
  CHECK(stone["expires"].get<std::string>() > stone["ended"].get<std::string>());
  const auto refused = f.json({"snapshot", "-s", "idle"});
  CHECK(refused["error"]["code"] == "session_gone");
  CHECK(refused["error"]["detail"] == "idle");
  CHECK(f.cli({"snapshot", "-s", "idle"}).status == 3);
  CHECK(f.json({"spawn", "-s", "idle", "cat"})["error"]["code"] == "session_exists");
  CHECK(sids(f) == std::set<std::string>{"used"});
  // It outlives the daemon, and `close` frees the name.
  f.kill_daemon();
  CHECK(tombstone(f, "idle")["ended"] == stone["ended"]);
  CHECK(f.json({"alive", "-s", "idle"})["error"]["detail"] == "idle");
  f.ok({"close", "-s", "idle"});
  CHECK(tombstone(f, "idle").is_null());
  f.ok({"spawn", "-s", "idle", "cat"});
}

TEST_CASE("an idle timeout is refused below a minute and past thirty days", "[integration]") {
  DaemonFixture f;
  CHECK(f.cli({"spawn", "--idle-timeout", "59s", "cat"}).status == 2);
  CHECK(f.cli({"spawn", "--idle-timeout", "721h", "cat"}).status == 2);
  f.ok({"spawn", "-s", "a", "--idle-timeout", "0", "cat"});
  f.ok({"spawn", "-s", "b", "--idle-timeout", "720h", "cat"});
}

TEST_CASE("a wait holds off the idle timeout", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_FAILPOINTS"] = "idle.hurry:w";
  f.ok({"spawn", "-s", "w", "--idle-timeout", "1m", "sh", "-c", "read x; echo got $x; exec cat"});
  auto waiting = f.start({"wait-regex", "-s", "w", "got it"});
  REQUIRE(becomes_true([&f] { return f.json({"daemon", "status"})["waits"] == 1; }));
  f.ok({"spawn", "-s", "other", "sh", "-c", "sleep 0.3"});
  f.ok({"wait-exit", "-s", "other"});
  f.ok({"send-line", "-s", "w", "it"});
  CHECK(waiting.wait().status == 0);
}

TEST_CASE("at the cap --evict ends the session least recently used", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_MAX_SESSIONS"] = "3";
  for (const char* sid : {"a", "b", "c"}) f.ok({"spawn", "-s", sid, "cat"});
  CHECK(f.json({"spawn", "-s", "d", "cat"})["error"]["code"] == "limit_exceeded");
  auto waiting = f.start({"wait-exit", "-s", "b", "--json"});
  REQUIRE(becomes_true([&f] { return f.json({"daemon", "status"})["waits"] == 1; }));
  f.ok({"send-line", "-s", "a", "used"});
  f.ok({"wait-regex", "-s", "a", "used"});
  f.ok({"snapshot", "-s", "c"});
  f.ok({"spawn", "-s", "d", "--evict", "cat"});
  CHECK(sids(f) == std::set<std::string>{"a", "c", "d"});
  CHECK(tombstone(f, "b")["reason"] == "evicted");
  const auto ended = waiting.wait();
  CHECK(nlohmann::json::parse(ended.out)["reason"] == "EVICTED");
  CHECK(ended.status == 1);
}

TEST_CASE("ended sessions past their cap leave tombstones with their exit, bounded in number",
          "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_MAX_ENDED"] = "1";
  f.env["SMARTCLI_MAX_TOMBSTONES"] = "2";
  for (const char* sid : {"a", "b", "c", "d"}) {
    f.ok({"spawn", "-s", sid, "sh", "-c", "exit 7"});
    f.ok({"wait-exit", "-s", sid});
  }
  f.ok({"spawn", "-s", "e", "cat"});
  REQUIRE(becomes_true([&f] { return !tombstone(f, "c").is_null(); }));
  CHECK(tombstone(f, "c")["reason"] == "dropped");
  CHECK(tombstone(f, "c")["exit"]["code"] == 7);
  CHECK(tombstone(f, "b")["exit"]["code"] == 7);
  CHECK(tombstone(f, "a").is_null());
  reached_limit("tombstones");
  CHECK(f.cli({"alive", "-s", "a"}).status == 3);
  f.ok({"close", "--all"});
  CHECK(f.json({"list"})["tombstones"].empty());
}

TEST_CASE("a daemon that died while it ended a session has it ended by the next", "[integration]") {
  DaemonFixture f;
  const int pid = f.json({"spawn", "-s", "half", "cat"})["pid"];
  f.ok({"spawn", "-s", "keep", "cat"});
  f.kill_daemon();
  // As if it had died right after it wrote down what it was about to do.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(f.folder + "/state")) {
    if (entry.path().filename() != "index") continue;
    std::ifstream in(entry.path());
    auto index = nlohmann::json::parse(in);
    if (index["sid"] != "half") continue;
    index["grave"] = {{"reason", "idle"}, {"ended_ms", 1'700'000'000'000}, {"exit", nullptr}};
    std::ofstream(entry.path()) << index;
  }
  // Older than thirty days, so that nothing is left at all.
  CHECK(becomes_true([&] { return sids(f) == std::set<std::string>{"keep"}; }));
  CHECK(becomes_true([&] { return !is_running(pid); }));
  reached_limit("tombstone_days");
  CHECK(f.cli({"alive", "-s", "half"}).status == 3);
}

TEST_CASE("where the cap has dropped a session's beginning, the next daemon goes on from a keyframe",
          "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_JOURNAL_BYTES"] = std::to_string(4 << 20);
  // What only the first bytes say: a title, a mode, a scrolling region; then what drops them.
  const bool is_live = GENERATE(true, false);
  CAPTURE(is_live);
  f.ok({"spawn", "-s", "k", "--scrollback", "100", "sh", "-c",
        std::string(
            "printf '\\033]2;kept\\007\\033[?2004h\\033[2;20r\\033[20;1H'; seq 1 1500000; printf done;") +
            (is_live ? "exec cat" : "exit 3")});
  f.ok({"wait-regex", "-s", "k", "--anywhere", "--timeout", "60s", "done"});
  if (is_live)
    f.ok({"resize", "-s", "k", "--cols", "70"});
  else
    f.ok({"wait-exit", "-s", "k"});
  const auto before = f.json({"snapshot", "-s", "k"})["screen"];
  const auto lines = f.json({"read", "-s", "k"});
  const auto status = f.json({"status", "-s", "k"});
  REQUIRE(before["title"] == "kept");
  f.kill_daemon();
  const auto after = f.json({"snapshot", "-s", "k"})["screen"];
  CHECK(after["lines"] == before["lines"]);
  CHECK(after["title"] == "kept");
  CHECK(after["modes"] == before["modes"]);
  CHECK(after["cursor"] == before["cursor"]);
  CHECK(after["visual_hash"] == before["visual_hash"]);
  CHECK(after["revision"] == before["revision"]);
  const auto again = f.json({"read", "-s", "k"});
  CHECK(again["last"] == lines["last"]);
  CHECK(again["lines"] == lines["lines"]);
  CHECK(f.json({"status", "-s", "k"})["exit"] == status["exit"]);
  std::size_t keyframes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(f.folder + "/state"))
    keyframes += entry.path().extension() == ".keyframe";
  CHECK(keyframes > 0);
  CHECK(keyframes < 8);
}

TEST_CASE("C04 daemon restart puts another daemon in place, and sessions and waits go on", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "r", "sh", "-c", "echo ready; read x; echo got $x; exec cat"});
  f.ok({"wait-regex", "-s", "r", "ready"});
  const int before = f.daemon_pid();
  auto matched = f.start({"wait-regex", "-s", "r", "^got it$"});
  auto ended = f.start({"wait-exit", "-s", "r"});
  REQUIRE(becomes_true([&f] { return f.json({"daemon", "status"})["waits"] == 2; }));
  const std::string verb = GENERATE("restart", "upgrade");
  f.ok({"daemon", verb});
  const int after = f.daemon_pid();
  CHECK(after != before);
  CHECK_FALSE(is_running(before));
  // Both ask the daemon that follows.
  REQUIRE(becomes_true([&f] { return f.json({"daemon", "status"})["waits"] == 2; }));
  f.ok({"send-line", "-s", "r", "it"});
  const auto found = matched.wait();
  CHECK(found.status == 0);
  CHECK(found.out == "got it\n");
  f.ok({"send-keys", "-s", "r", "C-d"});
  CHECK(ended.wait().out == "0\n");
}

TEST_CASE(
    "daemon restart starts one where none runs, and leaves the old one alone where the new does not run",
    "[integration]") {
  DaemonFixture f;
  f.ok({"daemon", "restart"});
  const int before = f.daemon_pid();
  CHECK(is_running(before));
  // A client beside a smartclid that is none.
  const std::string folder = f.folder + "/bin";
  std::filesystem::create_directory(folder);
  std::filesystem::create_hard_link(std::string(SMARTCLI_BIN) + "/smartcli", folder + "/smartcli");
  write_file(folder + "/smartclid", "#!/bin/sh\nexit 1\n");
  std::filesystem::permissions(folder + "/smartclid", std::filesystem::perms::owner_all);
  const auto refused = f.run({folder + "/smartcli", "daemon", "upgrade"});
  CHECK(refused.status == 4);
  CHECK(refused.err.find("does not run") != std::string::npos);
  CHECK(f.daemon_pid() == before);
}
