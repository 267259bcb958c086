// Real programs look as they do in a terminal.

#include <catch2/catch.hpp>

#include "support/daemon_fixture.hpp"

using namespace smartcli::test;

TEST_CASE("B068 vim on the alternate screen, the shell's screen after it", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "bash", "--norc"});
  f.ok({"wait-regex", "-s", sid, "[$#] $"});
  f.ok({"send-line", "-s", sid, "echo before"});
  f.ok({"wait-regex", "-s", sid, "^before"});
  f.ok({"send-line", "-s", sid, "vim -u NONE " + f.folder + "/f"});
  f.ok({"wait-regex", "-s", sid, "~"});
  CHECK(f.json({"status", "-s", sid})["alt_screen"] == true);
  CHECK(becomes_true([&] { return f.json({"status", "-s", sid})["state"] == "app"; }));
  f.ok({"send-keys", "-s", sid, "Escape"});
  f.ok({"send-line", "-s", sid, ":q!"});
  f.ok({"wait-regex", "-s", sid, "[$#] $"});
  CHECK(f.json({"status", "-s", sid})["alt_screen"] == false);
  const auto text = f.ok({"snapshot", "-s", sid});
  CHECK(text.find("\nbefore\n") != std::string::npos);
  CHECK(text.find('~') == std::string::npos);
}

TEST_CASE("B073 arrow keys in less, and at the prompt after it", "[integration]") {
  DaemonFixture f;
  const auto file = f.folder + "/n";
  f.run({"sh", "-c", "seq 200 >" + file});
  const auto sid = f.ok({"spawn", "bash", "--norc"});
  f.ok({"wait-regex", "-s", sid, "[$#] $"});
  f.ok({"send-line", "-s", sid, "less " + file});
  f.ok({"wait-regex", "-s", sid, "^23$"});
  f.ok({"send-keys", "-s", sid, "Down", "Down", "Down"});
  f.ok({"wait-regex", "-s", sid, "^26$"});
  CHECK(f.ok({"snapshot", "-s", sid}).substr(0, 2) == "4\n");
  f.ok({"send-text", "-s", sid, "q"});
  f.ok({"wait-regex", "-s", sid, "[$#] $"});
  f.ok({"send-keys", "-s", sid, "Up"});
  f.ok({"wait-regex", "-s", sid, "less .*n$"});
}

TEST_CASE("htop, top, mc, fzf, dialog and nano draw, take keys and leave", "[integration]") {
  DaemonFixture f;
  f.run({"sh", "-c", "printf 'apple\\nbanana\\ncherry\\n' >" + f.folder + "/fruit"});
  struct Row {
    std::vector<std::string> argv;
    const char* sign;
    std::vector<std::string> keys;
    const char* text;
  };
  for (const auto& row : std::vector<Row>{
           {{"top", "-d", "1"}, "load average", {"q"}, ""},
           {{"htop"}, "F10", {"F10"}, ""},
           {{"mc", "-u", f.folder}, "10Quit", {"F10"}, ""},
           {{"sh", "-c", "fzf <" + f.folder + "/fruit"}, "3/3", {"b", "a", "n", "Enter"}, "banana"},
           {{"dialog", "--yesno", "Really?", "7", "30"}, "Really", {"Tab", "Enter"}, ""},
           {{"nano", f.folder + "/fruit"}, "cherry", {"C-x"}, ""}}) {
    CAPTURE(row.argv);
    std::vector<std::string> args{"spawn", "--"};
    args.insert(args.end(), row.argv.begin(), row.argv.end());
    const auto sid = f.ok(args);
    f.ok({"wait-regex", "-s", sid, row.sign});
    for (const auto& key : row.keys) f.ok({"send-keys", "-s", sid, key});
    f.ok({"wait-exit", "-s", sid, "--timeout", "20"});
    CHECK(f.ok({"snapshot", "-s", sid}).find(row.text) != std::string::npos);
    f.ok({"close", "-s", sid});
  }
}

TEST_CASE("B067 a resize reaches the program and the screen together", "[integration]") {
  DaemonFixture f;
  const auto script = write_file(f.folder + "/draw.py", R"py(import os, signal, time
def draw(*_):
    cols, rows = os.get_terminal_size(1)
    os.write(1, b"\x1b[2J" + b"".join(b"\x1b[%d;1Hrow %d of %d x %d" % (y, y, cols, rows) for y in range(1, rows + 1)))
signal.signal(signal.SIGWINCH, draw)
os.write(1, b"\x1b[?1049h")
draw()
while True:
    time.sleep(60)
)py");
  const auto sid = f.ok({"spawn", "python3", script});
  f.ok({"wait-regex", "-s", sid, "row 24 of 80 x 24"});
  f.ok({"resize", "-s", sid, "--cols", "60", "--rows", "10"});
  f.ok({"wait-regex", "-s", sid, "row 10 of 60 x 10"});
  std::string expected;
  for (int row = 1; row <= 10; ++row)
    expected += (row > 1 ? "\n" : "") + ("row " + std::to_string(row) + " of 60 x 10");
  CHECK(f.ok({"snapshot", "-s", sid}) == expected);
}
