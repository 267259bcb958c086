// The second opinion: a session's journal through libtsm, beside our screen.

#include <signal.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "support/daemon_fixture.hpp"

using namespace smartcli::test;

namespace {

Output second_opinion(DaemonFixture& f, const std::string& sid) {
  return f.cli({"doctor", "--second-opinion", sid});
}

}  // namespace

TEST_CASE("[crosscheck] libtsm shows an editor's screen as we do, a resize included", "[integration]") {
  DaemonFixture f;
  const auto text = write_file(f.folder + "/notes.txt", "one\ntwo\n\tthree\n");
  f.ok({"spawn", "-s", "v", "vim", "-u", "NONE", text});
  f.ok({"wait-regex", "-s", "v", "three"});
  f.ok({"resize", "-s", "v", "--cols", "60", "--rows", "12"});
  f.ok({"send-text", "-s", "v", "ohello"});
  f.ok({"wait-regex", "-s", "v", "^hello"});
  f.ok({"wait-ready", "-s", "v"});
  const auto output = second_opinion(f, "v");
  INFO(output.out << output.err);
  CHECK(output.status == 0);
  CHECK(output.out.find("screen 60x12") != std::string::npos);
}

TEST_CASE("[crosscheck] a difference is shown row by row, harmless, and is no error", "[integration]") {
  DaemonFixture f;
  // libtsm drops combining characters.
  f.ok({"spawn", "-s", "c", "printf", "e\\xcc\\x81\\n\\x1b]0;title\\x07"});
  f.ok({"wait-exit", "-s", "c"});
  const auto output = second_opinion(f, "c");
  CHECK(output.status == 1);
  CHECK(output.out.find("row 1\n  smartcli  e\xcc\x81\n  libtsm    e\n") != std::string::npos);
  CHECK(output.out.find('\x1b') == std::string::npos);
  const auto nothing = f.run({std::string(SMARTCLI_BIN) + "/smartcli-crosscheck", f.folder + "/none"});
  CHECK(nothing.status == 2);
  CHECK(nothing.err.find("none") != std::string::npos);
}

TEST_CASE("[doctor] what is wrong is said, each thing with its line", "[integration]") {
  DaemonFixture f;
  const auto reply = f.json({"doctor"});
  std::set<std::string> names;
  for (const auto& check : reply["checks"]) names.insert(check["name"]);
  for (const char* name : {"daemon", "user", "runtime folder", "state folder", "descriptors", "terminals",
                           "logout", "journals", "shims", "second opinion"}) {
    CAPTURE(name);
    CHECK(names.count(name) == 1);
  }
  CHECK(reply.find("second_opinion") == reply.end());
  CHECK(f.cli({"doctor", "--second-opinion", "none"}).status == 3);
}

TEST_CASE("[doctor] a program whose shim died is told of", "[integration]") {
  DaemonFixture f;
  const int child = f.json({"spawn", "-s", "gone", "cat"})["pid"];
  std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
  std::string line;
  std::getline(stat, line);
  ::kill(std::stoi(line.substr(line.rfind(')') + 4)), SIGKILL);  // its parent
  REQUIRE(becomes_true([&f] { return f.json({"status", "-s", "gone"})["state"] == "lost"; }));
  // Its program goes on, but how it ends nobody can tell any more.
  const auto ended = f.cli({"wait-exit", "-s", "gone"});
  CHECK(ended.status == 1);
  CHECK(ended.out == "unknown\n");
  CHECK(is_running(child));
  CHECK(f.ok({"doctor"}).find("died before their programs: gone") != std::string::npos);
}
