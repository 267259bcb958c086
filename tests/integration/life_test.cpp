// The daemon's life: started once, healed, killed, stopped; sessions go on.

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "support/daemon_fixture.hpp"

using namespace smartcli::test;

TEST_CASE("without a daemon each verb does what it promises", "[integration]") {
  DaemonFixture f;
  CHECK(f.cli({"list"}).status == 0);
  CHECK(f.cli({"list"}).out.empty());
  CHECK(f.json({"list"})["sessions"].empty());
  CHECK(f.cli({"daemon", "status"}).status == 4);
  CHECK(f.cli({"daemon", "stop"}).status == 0);
  CHECK(f.cli({"close", "--all"}).status == 0);
  CHECK(f.cli({"version"}).status == 0);
  CHECK(f.cli({"limits"}).status == 0);
  CHECK(f.cli({"--version"}).status == 0);
  CHECK(::access(f.socket().c_str(), F_OK) != 0);
  f.env["SMARTCLI_NO_AUTOSTART"] = "1";
  CHECK(f.cli({"spawn", "cat"}).status == 4);
  f.env.erase("SMARTCLI_NO_AUTOSTART");
  f.ok({"daemon", "start"});
  CHECK(f.daemon_pid() > 1);
}

TEST_CASE("B097 the first spawn lets go of its caller's streams", "[integration]") {
  DaemonFixture f;
  const auto captured =
      f.run({"sh", "-c",
             "out=$(timeout 10 smartcli spawn bash); echo \"got $out\"; smartcli list | cat >/dev/null"});
  CHECK(captured.status == 0);
  CHECK(captured.out == "got bash-1\n");
}

TEST_CASE("B107 F17 ten clients at once start one daemon", "[integration]") {
  for (int round = 0; round < 3; ++round) {
    DaemonFixture f;
    std::vector<Process> clients;
    for (int i = 0; i < 10; ++i)
      clients.push_back(f.start({"spawn", "-s", "s" + std::to_string(i), "sleep", "600"}));
    for (auto& client : clients) {
      const auto output = client.wait();
      CAPTURE(output.err);
      CHECK(output.status == 0);
    }
    CHECK(f.json({"list"})["sessions"].size() == 10);
    CHECK(f.run({"sh", "-c", "grep -c serves " + f.folder + "/state/smartcli/*/daemon.log"}).out == "1\n");
  }
}

TEST_CASE("B101 C01 a killed daemon loses no session, screen, status or byte", "[integration]") {
  DaemonFixture f;
  constexpr int kLines = 20000;
  for (int i = 0; i < 8; ++i) {
    f.ok({"spawn", "-s", "k" + std::to_string(i), "sh", "-c",
          "i=0; while [ $i -lt " + std::to_string(kLines) + " ]; do echo line $i; i=$((i+1)); done; exit " +
              std::to_string(i + 20)});
  }
  for (int kills = 0; kills < 6; ++kills) {
    f.kill_daemon();
    CHECK(f.json({"list"})["sessions"].size() == 8);
  }
  std::string expected_tail;
  for (int n = kLines - 23; n < kLines; ++n)
    expected_tail += (n > kLines - 23 ? "\n" : "") + ("line " + std::to_string(n));
  for (int i = 0; i < 8; ++i) {
    const auto sid = "k" + std::to_string(i);
    CHECK(f.ok({"wait-exit", "-s", sid}) == std::to_string(i + 20));
    CHECK(f.ok({"snapshot", "-s", sid}) == expected_tail);
  }
  std::string whole;
  for (int n = 0; n < kLines; ++n) whole += "line " + std::to_string(n) + "\r\n";
  const auto check = f.run(
      {"sh", "-c",
       "for d in " + f.folder + "/state/smartcli/*/sessions/*; do cat $d/*.seg | md5sum; done | sort -u"});
  const auto want = Process({"md5sum"}, f.env, whole).wait().out;
  CHECK(check.out == want);
}

TEST_CASE("a replay types nothing into the program", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok(
      {"spawn", "python3", "-c",
       "import os,tty,select\ntty.setraw(0)\nos.write(1,b'\\x1b[c\\x1b[6n\\x1b[>c')\nn=0\n"
       "while select.select([0],[],[],3)[0]: n+=len(os.read(0,4096))\n"
       "os.write(1,b'first %d.\\r\\n'%n)\nm=0\nos.read(0,1)\n"
       "while select.select([0],[],[],1)[0]: m+=len(os.read(0,4096))\nos.write(1,b'after %d.\\r\\n'%m)"});
  f.ok({"wait-regex", "-s", sid, "first \\d+\\."});
  f.kill_daemon();
  CHECK(f.ok({"snapshot", "-s", sid}).find("first") != std::string::npos);
  f.ok({"send-text", "-s", sid, "x"});
  CHECK(f.ok({"wait-regex", "-s", sid, "after \\d+\\."}) == "after 0.");
}

TEST_CASE("C14 a stop ends no session, the next command finds it as it was", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "bash", "--norc"});
  f.ok({"wait-regex", "-s", sid, "[$#] $"});
  f.ok({"send-line", "-s", sid, "X=kept; echo before"});
  f.ok({"wait-regex", "-s", sid, "^before"});
  const auto screen = f.json({"snapshot", "-s", sid});
  const auto stopped = f.json({"daemon", "stop"});
  CHECK(stopped["kept"] == 1);
  CHECK(::access(f.socket().c_str(), F_OK) != 0);
  CHECK(::access((f.socket() + ".lock").c_str(), F_OK) != 0);
  const auto again = f.json({"snapshot", "-s", sid});
  for (const char* field : {"text", "hash", "visual_hash", "revision"}) CHECK(again[field] == screen[field]);
  CHECK(again["screen"]["cursor"] == screen["screen"]["cursor"]);
  f.ok({"send-line", "-s", sid, "echo $X"});
  f.ok({"wait-regex", "-s", sid, "^kept"});
}

TEST_CASE("B033 stop --end-sessions leaves nothing behind", "[integration]") {
  DaemonFixture f;
  std::vector<int> pids;
  for (int i = 0; i < 3; ++i) pids.push_back(f.json({"spawn", "bash", "--norc"})["pid"]);
  const int daemon = f.daemon_pid();
  CHECK(f.json({"daemon", "stop", "--end-sessions"})["closed"] == 3);
  for (const int pid : pids) CHECK(becomes_true([pid] { return !is_running(pid); }));
  CHECK(becomes_true([daemon] { return !is_running(daemon); }));
  CHECK(f.run({"find", f.folder + "/run", "-type", "s", "-o", "-name", "*.lock"}).out.empty());
  CHECK(f.json({"list"})["sessions"].empty());
}

TEST_CASE("TERM stops the daemon as `daemon stop` does", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "kept", "cat"});
  const int daemon = f.daemon_pid();
  ::kill(daemon, SIGTERM);
  CHECK(becomes_true([daemon] { return !is_running(daemon); }));
  CHECK(f.json({"list"})["sessions"][0]["sid"] == "kept");
}

TEST_CASE("F18 start right after stop succeeds", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "kept", "cat"});
  for (int i = 0; i < 10; ++i) {
    auto stop = f.start({"daemon", "stop"});
    const auto started = f.cli({"spawn", "true"});
    stop.wait();
    CAPTURE(started.err);
    CHECK((started.status == 0 || started.err.find("closed the connection") != std::string::npos));
    CHECK(f.json({"list"})["sessions"].size() >= 1);
  }
}

TEST_CASE("B103 a pid in a stale lock file means nothing", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "a", "cat"});
  f.kill_daemon();
  auto sleeper = Process({"sleep", "600"}, f.env);
  std::ofstream(f.socket() + ".lock") << sleeper.pid() << "\n";
  CHECK(f.cli({"spawn", "-s", "b", "cat"}).status == 0);
  CHECK(is_running(sleeper.pid()));
  CHECK(f.json({"list"})["sessions"].size() == 2);
}

TEST_CASE("B105 F20 a socket that was cleaned away comes back with its sessions", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "kept", "cat"});
  const int daemon = f.daemon_pid();
  ::unlink(f.socket().c_str());
  CHECK(becomes_true([&] {
    const auto list = f.cli({"list", "--json"});
    return list.status == 0 && list.out.find("\"kept\"") != std::string::npos;
  }));
  CHECK(f.daemon_pid() == daemon);
}

TEST_CASE("P09 a live socket is never taken over", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "kept", "cat"});
  const int daemon = f.daemon_pid();
  const auto second = f.run({std::string(SMARTCLI_BIN) + "/smartclid"});
  CHECK(second.status == 9);
  CHECK(f.daemon_pid() == daemon);
}

TEST_CASE("T24 a runtime folder that others can reach is refused, and left as it is", "[integration]") {
  DaemonFixture f;
  const auto folder = f.folder + "/run/smartcli";
  SECTION("mode") {
    ::mkdir(folder.c_str(), 0777);
    ::chmod(folder.c_str(), 0777);
  }
  SECTION("symbolic link") {
    ::mkdir((f.folder + "/elsewhere").c_str(), 0700);
    CHECK(::symlink((f.folder + "/elsewhere").c_str(), folder.c_str()) == 0);
  }
  SECTION("file") {
    write_file(folder, "");
  }
  struct stat before {
  }, after{};
  ::lstat(folder.c_str(), &before);
  const auto refused = f.cli({"spawn", "cat"});
  CHECK(refused.status == 4);
  CHECK(refused.err.find("run/smartcli") != std::string::npos);
  ::lstat(folder.c_str(), &after);
  CHECK(before.st_mode == after.st_mode);
  CHECK(f.run({"sh", "-c", "ls " + f.folder + "/elsewhere 2>/dev/null"}).out.empty());
  f.run({"rm", "-rf", folder});
}

TEST_CASE("B112 F48 a socket path that is too long is named with the limit", "[integration]") {
  DaemonFixture f;
  const auto deep = f.folder + "/" + std::string(100, 'd') + "/" + std::string(40, 'e');
  f.run({"mkdir", "-p", "-m", "700", deep});
  f.env["XDG_RUNTIME_DIR"] = deep;
  const auto refused = f.cli({"spawn", "cat"});
  CHECK(refused.status == 2);
  CHECK(refused.err.find("107") != std::string::npos);
  f.env["XDG_RUNTIME_DIR"] = f.folder + "/run";
}

TEST_CASE("B187 everything is private, whatever the umask", "[integration]") {
  DaemonFixture f;
  f.run({"sh", "-c", "umask 000; exec smartcli spawn -s p cat"});
  const auto open =
      f.run({"find", f.folder + "/run/smartcli", f.folder + "/state/smartcli", "-perm", "/077"});
  CHECK(open.out.empty());
}

TEST_CASE("B099 B100 the daemon stands in no folder, programs in their caller's", "[integration]") {
  DaemonFixture f;
  ::mkdir((f.folder + "/w").c_str(), 0700);
  ::mkdir((f.folder + "/w/sub").c_str(), 0700);
  f.cwd = f.folder + "/w";
  const auto here = f.ok({"spawn", "pwd"});
  CHECK(f.ok({"wait-regex", "-s", here, ".+"}) == f.folder + "/w");
  const auto sub = f.ok({"spawn", "--cwd", "sub", "pwd"});
  CHECK(f.ok({"wait-regex", "-s", sub, ".+"}) == f.folder + "/w/sub");
  CHECK(f.run({"readlink", "/proc/" + std::to_string(f.daemon_pid()) + "/cwd"}).out == "/\n");
}

TEST_CASE("B123 B119 the environment is the caller's, with our TERM", "[integration]") {
  DaemonFixture f;
  f.env["MARK"] = "one";
  f.ok({"daemon", "start"});
  f.env["MARK"] = "two";
  f.env["TERM"] = "dumb";
  f.env["COLUMNS"] = "7";
  const auto sid = f.ok({"spawn", "--env", "EXTRA=a=b", "sh", "-c",
                         "echo $MARK $TERM $COLORTERM [$COLUMNS] $SMARTCLI_SID $EXTRA"});
  CHECK(f.ok({"wait-regex", "-s", sid, ".+"}) == "two xterm-256color truecolor [] " + sid + " a=b");
  CHECK(f.cli({"spawn", "--env", "1A=x", "true"}).status == 2);
  CHECK(f.cli({"spawn", "--env", "SMARTCLI_X=x", "true"}).status == 2);
}

TEST_CASE("B127 T37 a program sees its terminal and nothing else", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "a", "cat"});
  f.ok({"spawn", "-s", "b", "cat"});
  const auto sid = f.ok({"spawn", "ls", "-l", "/proc/self/fd"});
  f.ok({"wait-exit", "-s", sid});
  const auto text = f.ok({"snapshot", "-s", sid});
  CHECK(text.find("ptmx") == std::string::npos);
  CHECK(text.find("socket") == std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '>') == 4);  // 0, 1, 2 and the folder that ls reads
}

TEST_CASE("B184 arguments are passed as they are", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "--", "sh", "-c", "echo 'a  b;c'; exit 3"});
  CHECK(f.ok({"wait-exit", "-s", sid}) == "3");
  CHECK(f.ok({"snapshot", "-s", sid}) == "a  b;c");
  const auto odd = f.ok({"spawn", "printf", "[%s]", "", " ", "*", "$HOME", "a\nb", "\"'\\"});
  f.ok({"wait-exit", "-s", odd});
  CHECK(f.ok({"snapshot", "-s", odd}) == "[][ ][*][$HOME][a\nb][\"'\\]");
}

TEST_CASE("B128 with shim and daemon killed together the program is hung up, and the session is lost",
          "[integration]") {
  DaemonFixture f;
  const auto spawned = f.json({"spawn", "-s", "c", "sh", "-c", "echo kept; exec cat"});
  f.ok({"wait-regex", "-s", "c", "kept"});
  const int child = spawned["pid"];
  std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
  std::string line;
  std::getline(stat, line);
  const int shim = std::stoi(line.substr(line.rfind(')') + 4));
  const int daemon = f.daemon_pid();
  ::kill(daemon, SIGSTOP);  // so that neither sees the other go
  ::kill(shim, SIGKILL);
  ::kill(daemon, SIGKILL);
  CHECK(becomes_true([child] { return !is_running(child); }));
  CHECK(becomes_true([daemon] { return !is_running(daemon); }));
  const auto status = f.json({"status", "-s", "c"});
  CHECK(status["state"] == "lost");
  CHECK(status["exit"].is_null());
  CHECK(!status["exit_reason"].get<std::string>().empty());
  CHECK(f.ok({"snapshot", "-s", "c"}) == "kept");
  const auto refused = f.json({"send-text", "-s", "c", "x"});
  CHECK(refused["error"]["code"] == "session_gone");
  const auto waited = f.cli({"wait-exit", "-s", "c"});
  CHECK(waited.status == 1);
  CHECK(waited.out == "unknown\n");
  f.ok({"close", "-s", "c"});
}

TEST_CASE("a bug of ours is one reply that says so, and the daemon goes on", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_FAILPOINTS"] = "dispatch.throw:snapshot";
  f.ok({"spawn", "-s", "c", "cat"});
  const auto broken = f.cli({"snapshot", "-s", "c"});
  CHECK(broken.status == 5);
  CHECK(broken.err.find("'snapshot'") != std::string::npos);
  CHECK(f.json({"snapshot", "-s", "c"})["error"]["code"] == "internal");
  f.ok({"status", "-s", "c"});
  f.ok({"daemon", "stop"});
  f.env["SMARTCLI_FAILPOINTS"] = "dispatch.thrown:snapshot";
  const auto misspelt = f.cli({"spawn", "true"});
  CHECK(misspelt.status == 4);
  CHECK(misspelt.err.find("no failpoint 'dispatch.thrown'") != std::string::npos);
  f.env.erase("SMARTCLI_FAILPOINTS");
  f.ok({"snapshot", "-s", "c"});
}

TEST_CASE("SMARTCLI_TRACE records every message of a client in a private file, and others' lines stay",
          "[integration]") {
  DaemonFixture f;
  const auto file = f.folder + "/trace";
  f.env["SMARTCLI_TRACE"] = file;
  f.ok({"spawn", "-s", "c", "cat"});
  f.cli({"snapshot", "-s", "nosuch"});
  f.env["SMARTCLI_TRACE"] = f.folder;
  CHECK(f.cli({"list"}).status == 2);
  f.env.erase("SMARTCLI_TRACE");
  f.ok({"list"});
  struct stat st {};
  REQUIRE(::stat(file.c_str(), &st) == 0);
  CHECK((st.st_mode & 07777) == 0600);
  std::ifstream lines(file);
  std::vector<std::pair<std::string, std::string>> seen;
  std::string line, last;
  while (std::getline(lines, line)) {
    const auto row = nlohmann::json::parse(line);
    seen.emplace_back(row["dir"], row["method"]);
    CHECK(row["pid"].is_number());
    CHECK(row["message"]["jsonrpc"] == "2.0");
    last = row["message"].dump();
  }
  using Seen = std::vector<std::pair<std::string, std::string>>;
  CHECK(seen == Seen{{"out", "hello"},
                     {"in", "hello"},
                     {"out", "spawn"},
                     {"in", "spawn"},
                     {"out", "hello"},
                     {"out", "snapshot"},
                     {"in", "hello"},
                     {"in", "snapshot"}});
  CHECK(last.find("session_not_found") != std::string::npos);
}

TEST_CASE("C06 a killed shim loses only its session, and no status is invented", "[integration]") {
  DaemonFixture f;
  const auto spawned = f.json({"spawn", "-s", "c", "cat"});
  f.ok({"spawn", "-s", "other", "cat"});
  std::ifstream stat("/proc/" + std::to_string(spawned["pid"].get<int>()) + "/stat");
  std::string line;
  std::getline(stat, line);
  ::kill(std::stoi(line.substr(line.rfind(')') + 4)), SIGKILL);
  CHECK(becomes_true([&] { return f.json({"status", "-s", "c"})["state"] == "lost"; }));
  CHECK(f.json({"status", "-s", "c"})["exit"].is_null());
  f.ok({"send-line", "-s", "other", "fine"});
  f.ok({"wait-regex", "-s", "other", "fine"});
  f.ok({"close", "-s", "c"});
}
