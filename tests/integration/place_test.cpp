// Where a client may stand: on a terminal that goes, without a home, in a folder it cannot write, in any
// locale, inside a session; and which names a session may have there.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "support/daemon_fixture.hpp"

using namespace smartcli::test;

namespace {

/// A field of /proc/PID/stat, counted from 1 as proc(5) does; none that stands before the name.
std::string stat_field(int pid, int field) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(stat, line);
  std::istringstream rest(line.substr(line.rfind(')') + 2));
  std::string word;
  for (int at = 3; at <= field; ++at) rest >> word;
  return word;
}

/// A plain user: no entry in the password database, no home, no runtime folder.
constexpr const char* kNobody = "54321";

}  // namespace

TEST_CASE("B095 the daemon and its sessions outlive the terminal that started them", "[integration]") {
  DaemonFixture f;
  const auto started = f.run({"script", "-qec", "smartcli spawn --sid k bash --norc", "/dev/null"});
  REQUIRE(started.status == 0);
  CHECK(f.json({"list"})["sessions"][0]["sid"] == "k");
  CHECK(f.ok({"wait-regex", "-s", "k", "[$#] $"}).size() > 0);
  f.ok({"send-line", "-s", "k", "echo al''ive"});
  f.ok({"wait-regex", "-s", "k", "^alive$"});
  const int daemon = f.daemon_pid();
  constexpr int kSession = 6, kTerminal = 7;
  CHECK(stat_field(daemon, kSession) == std::to_string(daemon));
  CHECK(stat_field(daemon, kTerminal) == "0");
}

TEST_CASE("B114 T40 a name that is a path, or none, is refused before anything is made", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "first", "true"});
  const auto files = [&] {
    // Of what is there, only the log grows.
    return f.run({"sh", "-c", "cd " + f.folder + " && find . | sort"}).out;
  };
  const auto before = files();
  for (const std::string name :
       {"../evil", "a/b", ".", "..", "", "a\nb", "-x", ".hidden", "a b", "\xc3\xa4", "*"}) {
    CAPTURE(name);
    const auto refused = f.cli({"spawn", "--sid=" + name, "sleep", "60"});
    CHECK(refused.status == 2);
    CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
  }
  CHECK(f.cli({"spawn", "-s", std::string(65, 'x'), "true"}).status == 2);
  CHECK(f.json({"list"})["sessions"].size() == 1);
  CHECK(files() == before);
  CHECK(::access((f.folder + "/run/evil").c_str(), F_OK) != 0);
}

TEST_CASE("B117 T51 without a home sessions work, and nothing is written to /", "[integration]") {
  if (::geteuid() != 0) {
    WARN("needs root to become another user in file systems of its own");
    return;
  }
  DaemonFixture f;
  const auto user = GENERATE(std::string("root"), std::string("a plain user"));
  const auto home =
      GENERATE(std::string("unset"), std::string("/"), std::string("/nonexistent"), std::string("rel"));
  CAPTURE(user, home);
  const std::string env = "env -i PATH=\"$PATH\"" + (home == "unset" ? "" : " HOME=" + home) + " ";
  const std::string as =
      user == "root" ? ""
                     : std::string("setpriv --reuid=") + kNobody + " --regid=" + kNobody + " --clear-groups ";
  // Folders that others share are replaced for these programs; / itself is the machine's.
  const auto output =
      f.run({"unshare", "-m", "sh", "-c",
             "for d in /tmp /run /root; do mount -t tmpfs none $d; done; chmod 1777 /tmp; ls -A / "
             ">/dev/shm/$$.before\n"
             "s() { " +
                 as + env +
                 "smartcli \"$@\"; }\n"
                 "sid=$(s spawn bash --norc) && s wait-regex -s $sid '[$#] $' >/dev/null && s send-line -s "
                 "$sid 'exit 7'\n"
                 "s wait-exit -s $sid; s daemon stop >/dev/null\n"
                 "s list --format '{sid} {exit}'; s close --all; s daemon stop --end-sessions >/dev/null\n"
                 "ls -A / | cmp - /dev/shm/$$.before; rm /dev/shm/$$.before; find /tmp /run /root -name "
                 "'daemon.log'"});
  CAPTURE(output.err);
  CHECK(output.out.find("7\nbash-1 7\n") == 0);
  CHECK(output.err.empty());
  const auto state =
      user == "root" ? "/root/.local/state/smartcli/" : std::string("/tmp/smartcli-") + kNobody + "/";
  CHECK(output.out.find(state) != std::string::npos);
}

TEST_CASE("B118 with every folder read-only help works, and the rest names the folder in one line",
          "[integration]") {
  if (::geteuid() != 0) {
    WARN("needs root to become a user who may not write");
    return;
  }
  DaemonFixture f;
  f.env.erase("SMARTCLI_TRACE");  // the tests' own file
  for (const char* part : {"/run", "/state", "/home"}) {
    ::chown((f.folder + part).c_str(), 54321, 54321);
    ::chmod((f.folder + part).c_str(), 0500);
  }
  ::chmod(f.folder.c_str(), 0755);
  const auto as_user = [&](std::vector<std::string> args) {
    args.insert(args.begin(), {"setpriv", std::string("--reuid=") + kNobody,
                               std::string("--regid=") + kNobody, "--clear-groups", "smartcli"});
    return f.run(args);
  };
  CHECK(as_user({"--version"}).status == 0);
  CHECK(as_user({"--help"}).status == 0);
  CHECK(as_user({"version"}).status == 0);
  const auto list = as_user({"list"});
  CHECK(list.status == 0);
  CHECK(list.out.empty());
  const auto refused = as_user({"spawn", "true"});
  CHECK(refused.status == 4);
  CHECK(refused.err.find(f.folder + "/run/smartcli") != std::string::npos);
  CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
  // Only the socket needs a place: without one for journals they stand beside it.
  ::chmod((f.folder + "/run").c_str(), 0700);
  CHECK(as_user({"spawn", "-s", "s", "echo", "works"}).status == 0);
  CHECK(as_user({"wait-regex", "-s", "s", "works"}).out == "works\n");
  CHECK(as_user({"daemon", "stop", "--end-sessions"}).status == 0);
}

TEST_CASE("B121 symbols are shown in any locale", "[integration]") {
  DaemonFixture f;
  f.env.erase("LANG");
  f.env["LC_ALL"] = "C";
  const auto sid = f.ok({"spawn", "sh", "-c", "printf '\\342\\234\\273 \\342\\216\\277\\n'; sleep 60"});
  f.ok({"wait-regex", "-s", sid, "\\S"});
  CHECK(f.ok({"snapshot", "-s", sid}) == "\xe2\x9c\xbb \xe2\x8e\xbf");
  CHECK(f.ok({"wait-regex", "-s", sid, "\xe2\x9c\xbb .$"}) == "\xe2\x9c\xbb \xe2\x8e\xbf");
}

TEST_CASE("B124 a session inside a session is one of its own", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_SESSION"] = "outer";
  f.ok({"spawn", "-s", "outer", "bash", "--norc"});
  f.ok({"wait-regex", "[$#] $"});
  f.ok({"send-line", "smartcli spawn --sid inner bash --norc"});
  CHECK(f.ok({"wait-regex", "^inner$"}) == "inner");
  f.ok({"send-line", "smartcli spawn sleep 60"});  // no name given: none is taken over
  CHECK(f.ok({"wait-regex", "^sleep-1$"}) == "sleep-1");
  std::vector<std::string> sids;
  const auto list = f.json({"list"});
  for (const auto& row : list["sessions"]) sids.push_back(row["sid"]);
  CHECK(sids == std::vector<std::string>{"outer", "inner", "sleep-1"});
  f.ok({"wait-regex", "-s", "inner", "[$#] $"});
  f.ok({"send-line", "-s", "inner", "env | grep -c ^SMARTCLI_SID=; echo \"<$SMARTCLI_SID>\""});
  CHECK(f.ok({"wait-regex", "-s", "inner", "^<.*>"}) == "<inner>");
  CHECK(f.ok({"wait-regex", "-s", "inner", "^\\d+$"}) == "1");
  const auto taken = f.cli({"spawn", "-s", "outer", "cat"});
  CHECK(taken.status == 1);
  f.ok({"close", "-s", "inner"});
  f.ok({"send-line", "echo still he''re"});
  CHECK(f.ok({"wait-regex", "^still here$"}) == "still here");
}
