// The second opinion: a session's journal through libtsm, beside our screen.

#include <catch2/catch.hpp>
#include <filesystem>

#include "support/daemon_fixture.hpp"

using namespace smartcli::test;

namespace {

std::string journal_of_the_only_session(DaemonFixture& f) {
  const auto state = f.json({"daemon", "status"})["state_dir"].get<std::string>();
  for (const auto& entry : std::filesystem::directory_iterator(state + "/sessions")) return entry.path();
  return {};
}

Output crosscheck(DaemonFixture& f) {
  return f.run({std::string(SMARTCLI_BIN) + "/smartcli-crosscheck", journal_of_the_only_session(f)});
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
  const auto output = crosscheck(f);
  INFO(output.out << output.err);
  CHECK(output.status == 0);
  CHECK(output.out.find("screen 60x12") != std::string::npos);
}

TEST_CASE("[crosscheck] a difference is shown row by row, harmless, and is no error", "[integration]") {
  DaemonFixture f;
  // libtsm drops combining characters.
  f.ok({"spawn", "-s", "c", "printf", "e\\xcc\\x81\\n\\x1b]0;title\\x07"});
  f.ok({"wait-exit", "-s", "c"});
  const auto output = crosscheck(f);
  CHECK(output.status == 1);
  CHECK(output.out.find("row 1\n  smartcli  e\xcc\x81\n  libtsm    e\n") != std::string::npos);
  CHECK(output.out.find('\x1b') == std::string::npos);
  const auto nothing = f.run({std::string(SMARTCLI_BIN) + "/smartcli-crosscheck", f.folder + "/none"});
  CHECK(nothing.status == 2);
  CHECK(nothing.err.find("none") != std::string::npos);
}
