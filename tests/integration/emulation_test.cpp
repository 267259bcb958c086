// Rows of public bug reports about what a screen shows, through the whole chain: a program's bytes in,
// snapshots and replies out. What the core does with them in detail stands in tests/unit/terminal.

#include <catch2/catch.hpp>
#include <fstream>

#include "support/daemon_fixture.hpp"

using namespace smartcli::test;

namespace {

/// Starts a program that writes these bytes (as printf spells them) and stays; returns once all is shown.
std::string shows(DaemonFixture& f, const std::string& bytes, std::vector<std::string> options = {}) {
  std::vector<std::string> argv{"spawn", "-s", "p"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.insert(argv.end(), {"sh", "-c", "printf \"$0\"; printf '\\033]2;all\\007'; exec sleep 600", bytes});
  f.ok(argv);
  REQUIRE(becomes_true([&f] { return f.json({"status", "-s", "p"})["title"] == "all"; }));
  return f.ok({"snapshot", "-s", "p"});
}

nlohmann::json cells(DaemonFixture& f, const std::string& region) {
  return f.json({"snapshot", "-s", "p", "--region", region})["cells"];
}

/// Writes a query to its terminal, and prints what comes back as hex.
std::string answer_to(DaemonFixture& f, const std::string& query) {
  const auto program =
      write_file(f.folder + "/query.py",
                 "import os, select, sys, termios, tty\n"
                 "tty.setraw(0)\n"
                 "os.write(1, sys.argv[1].encode().decode('unicode_escape').encode('latin-1'))\n"
                 "got = b''\n"
                 "while not got.endswith(b'$y') and not got.endswith(b'c'):\n"
                 "    got += os.read(0, 4096)\n"
                 "os.write(1, b'\\r\\nREPLY ' + got.hex().encode() + b' END\\r\\n')\n");
  f.ok({"spawn", "-s", "q", "python3", program, query});
  const auto found = f.json({"wait-regex", "-s", "q", "REPLY ([0-9a-f]*) END"});
  f.ok({"close", "-s", "q"});
  return found["match"]["groups"][0];
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const unsigned char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[c >> 4];
    out += kDigits[c & 15];
  }
  return out;
}

}  // namespace

TEST_CASE("B064 B066 cells after a wide character keep their columns, and both its columns their style",
          "[integration]") {
  DaemonFixture f;
  shows(f, "\\344\\270\\255x\\n\\033[44m\\350\\250\\255\\345\\256\\232\\033[0m");
  const auto row = cells(f, "1,1,1,3");
  CHECK(row[0]["text"] == "中");
  CHECK(row[0]["wide"] == true);
  CHECK(row[1]["continuation"] == true);
  CHECK(row[2]["text"] == "x");
  CHECK(row[2]["col"] == 3);
  for (const auto& cell : cells(f, "2,1,1,4")) CHECK(cell["bg"] == "4");
}

TEST_CASE("B196 strings of APC, PM, SOS and DCS are not shown", "[integration]") {
  DaemonFixture f;
  CHECK(shows(f, "a\\033_Gjunk;x\\033\\\\b\\033^pm\\033\\\\c\\033Xsos\\033\\\\d\\033P1$rx\\033\\\\e") ==
        "abcde");
}

TEST_CASE("B198 an unfinished control string ends with the next sequence", "[integration]") {
  DaemonFixture f;
  CHECK(shows(f, "\\033]0;unfinished\\033[mback") == "back");
}

TEST_CASE("B201 broken sixel is swallowed, and a control inside a sequence acts while it goes on",
          "[integration]") {
  DaemonFixture f;
  CHECK(shows(f, "\\033Pq#1;;2;3;4!!99999~-\\033\\\\ok\\nAB\\033[3\\r1mX") == "ok\nXB");
  CHECK(cells(f, "2,1,1,1")[0]["fg"] == "1");
}

TEST_CASE("B200 random bytes and resizes meanwhile break nothing", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "other", "cat"});
  f.ok({"spawn", "-s", "r", "python3", "-c",
        "import os, random; random.seed(7); os.write(1, b'\\x1b[5;10r')\n"
        "for _ in range(500): os.write(1, random.randbytes(4096))"});
  for (int i = 0; i < 20; ++i) {
    const auto status = f.cli({"resize", "-s", "r", "--cols", std::to_string(1 + i * 13 % 90), "--rows",
                               std::to_string(1 + i * 7 % 40)})
                            .status;
    CHECK((status == 0 || status == 1));  // the program may be done
  }
  CHECK(f.ok({"wait-exit", "-s", "r"}) == "0");
  const auto snapshot = f.json({"snapshot", "-s", "r"});
  CHECK(snapshot["ok"] == true);
  f.ok({"send-line", "-s", "other", "still here"});
  f.ok({"wait-regex", "-s", "other", "^still here$"});
}

TEST_CASE("B211 the support query for synchronized output says what is done", "[integration]") {
  DaemonFixture f;
  CHECK(answer_to(f, "\\x1b[?2026$p") == hex("\033[?2026;2$y"));
  CHECK(answer_to(f, "\\x1b[?2026h\\x1b[?2026$p") == hex("\033[?2026;1$y"));
}

TEST_CASE("B212 B213 a hyperlink is shown as its text, and its cells carry the address", "[integration]") {
  DaemonFixture f;
  CHECK(shows(f, "see \\033]8;;https://example.invalid/a\\033\\\\docs\\033]8;;\\033\\\\ here") ==
        "see docs here");
  const auto row = cells(f, "1,1,1,13");
  for (const auto& cell : row) {
    const int col = cell["col"];
    CAPTURE(col);
    if (col >= 5 && col <= 8)
      CHECK(cell["link"] == "https://example.invalid/a");
    else
      CHECK(cell.find("link") == cell.end());
  }
}

TEST_CASE("B223 backspace after the last column goes to the one before it", "[integration]") {
  DaemonFixture f;
  CHECK(shows(f, "\\033[1;80Hx\\by") == std::string(78, ' ') + "yx");
}

TEST_CASE("B225 line drawing is shown as lines", "[integration]") {
  DaemonFixture f;
  CHECK(shows(f, "\\033(0lqqqk\\033(B\\n") == "┌───┐");
}

TEST_CASE("B227 the last cell of the bottom row does not scroll", "[integration]") {
  DaemonFixture f;
  const auto screen = shows(f, "top\\033[24;1H" + std::string(80, 'S'));
  CHECK(screen.substr(0, 4) == "top\n");
  CHECK(screen.substr(screen.rfind('\n') + 1) == std::string(80, 'S'));
  CHECK(f.json({"snapshot", "-s", "p"})["screen"]["lines"].size() == 24);
}

TEST_CASE("T01 T02 T03 T07 queries bring no byte of the program's own back", "[integration]") {
  DaemonFixture f;
  // DA1 last, so that the end is seen.
  const std::string end = hex("\033[?62;6;22c");
  CHECK(answer_to(f, "\\x1b]2;evil\\x07\\x1b[21t\\x1b[20t\\x1b]0;;cmd\\x07\\x1b[21t\\x1b[c") == end);
  CHECK(answer_to(f, "\\x1bP$qrm -rf\\x1b\\\\\\x1b[c") == hex("\033P0$r\033\\") + end);
  CHECK(answer_to(f, "\\x1bP+q6576696c\\x1b\\\\\\x1b[c") == hex("\033P0+r\033\\") + end);
  CHECK(answer_to(f, "\\x05\\x1b]52;c;?\\x07\\x1b]50;?\\x07\\x1bGQ\\x1b[c") == end);
}

TEST_CASE("T09 T13 a string without end of any kind costs no memory", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "first", "cat"});
  const auto resident = [&f] {
    std::ifstream status("/proc/" + std::to_string(f.daemon_pid()) + "/status");
    std::string word;
    while (status >> word && word != "RssAnon:") {
    }
    long kib = 0;
    status >> kib;
    return kib;
  };
  shows(f, "warm");
  f.ok({"close", "-s", "p"});
  const long before = resident();
  for (const char* start : {"]2;", "]52;c;", "P", "Pq", "_G", "^", "X", "]1337;File=inline=1:"}) {
    CAPTURE(start);
    f.ok({"spawn", "-s", "s", "sh", "-c",
          "printf '\\033%s' \"$0\"; head -c 8000000 /dev/zero | tr '\\0' A; "
          "printf '\\033\\\\after'",
          start});
    f.ok({"wait-exit", "-s", "s"});
    CHECK(f.ok({"snapshot", "-s", "s"}) == "after");
    f.ok({"close", "-s", "s"});
  }
  CHECK(resident() - before < 4096);
}
