// What is typed arrives as a terminal would send it, or is refused before the first byte.

#include <catch2/catch.hpp>

#include "support/daemon_fixture.hpp"
#include "support/helpers.hpp"

using namespace smartcli::test;

namespace {

/// A raw reader that has shown READY.
std::string spawn_reader(DaemonFixture& f, const std::string& start = "") {
  const auto script = write_file(f.folder + "/reader.py", kRawReader);
  const auto sid = f.ok({"spawn", "--cols", "200", "python3", script, start});
  f.ok({"wait-regex", "-s", sid, "READY"});
  return sid;
}

std::string last_lines(DaemonFixture& f, const std::string& sid) {
  auto text = f.ok({"snapshot", "-s", sid});
  text.erase(0, text.find("READY") + 6);
  for (auto& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

}  // namespace

TEST_CASE("B070 arrows follow the application cursor mode", "[integration]") {
  DaemonFixture f;
  const auto sid = spawn_reader(f, "\\x1b[?1h");
  f.ok({"send-keys", "-s", sid, "Up", "Down", "Left", "Right"});
  f.ok({"wait-regex", "-s", sid, "1b 4f 43"});
  CHECK(last_lines(f, sid) == "1b 4f 41 1b 4f 42 1b 4f 44 1b 4f 43");
}

TEST_CASE("B078 B082 modified keys have xterm's encodings", "[integration]") {
  DaemonFixture f;
  const auto sid = spawn_reader(f);
  f.ok({"send-keys", "-s", sid, "Alt+b", "Shift+Tab", "Ctrl+Right", "Alt+Up", "Shift+Delete", "F5", "PageUp",
        "C-Space", "C-@"});
  f.ok({"wait-regex", "-s", sid, "00 00"});
  CHECK(last_lines(f, sid) ==
        "1b 62 1b 5b 5a 1b 5b 31 3b 35 43 1b 5b 31 3b 33 41 1b 5b 33 3b 32 7e 1b 5b 31 35 7e 1b 5b 35 7e 00 "
        "00");
}

TEST_CASE("a program that asked for event types is told that a key is let go", "[integration]") {
  DaemonFixture f;
  const auto sid = spawn_reader(f, "\\x1b[>3u");
  f.ok({"send-keys", "-s", sid, "--count", "2", "Left", "a", "Enter"});
  f.ok({"wait-regex", "-s", sid, "(61 0d.*){2}"});
  const std::string once = "1b 5b 44 1b 5b 31 3b 31 3a 33 44 61 0d";
  CHECK(last_lines(f, sid) == once + " " + once);
}

TEST_CASE("a character of several code points is a key like any other", "[integration]") {
  DaemonFixture f;
  const auto sid = spawn_reader(f);
  f.ok({"send-keys", "-s", sid, "e\u0301", "é", "日"});
  f.ok({"wait-regex", "-s", sid, "a5"});
  CHECK(last_lines(f, sid) == "65 cc 81 c3 a9 e6 97 a5");
  CHECK(f.cli({"send-keys", "-s", sid, "日本"}).status == 2);
}

TEST_CASE("B077 B175 a newline in text is Enter, and a line ends in one CR", "[integration]") {
  DaemonFixture f;
  const auto sid = spawn_reader(f);
  f.ok({"send-text", "-s", sid, "a\nb"});
  f.ok({"wait-regex", "-s", sid, "62"});
  CHECK(last_lines(f, sid) == "61 0d 62");
  const auto other = spawn_reader(f);
  f.ok({"send-line", "-s", other, "ab"});
  f.ok({"wait-regex", "-s", other, "0d"});
  CHECK(last_lines(f, other) == "61 62 0d");
}

TEST_CASE("B056 Enter is a write of its own, so that a paste-aware box submits", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "python3", write_file(f.folder + "/box.py", kInputBox)});
  f.ok({"wait-regex", "-s", sid, "^> "});
  for (int i = 0; i < 10; ++i) {
    f.ok({"send-line", "-s", sid, "hello world"});
    CHECK(f.ok({"wait-regex", "-s", sid, "SUBMITTED \\d+"}) == "SUBMITTED 11");
  }
}

TEST_CASE("B074 B075 B079 text is text: semicolons, dashes, words that look like keys", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "cat", "-v"});
  for (const char* text :
       {"ls;", ";", "C-c", "Enter", "-----BEGIN KEY-----", "-n", "$HOME `x` \"q\" 'q' \\"}) {
    CAPTURE(text);
    f.ok({"send-line", "-s", sid, "--", text});
    f.ok({"wait-regex", "-s", sid,
          "^" + std::string(text == std::string("$HOME `x` \"q\" 'q' \\") ? "\\$HOME" : text)});
  }
  CHECK(f.cli({"send-text", "-s", sid, "-n"}).status == 2);
  f.ok({"send-keys", "-s", sid, "C-c"});
  CHECK(f.ok({"wait-exit", "-s", sid}) == "130");
}

TEST_CASE("an unknown key is refused with the nearest name, and nothing is typed", "[integration]") {
  DaemonFixture f;
  const auto sid = spawn_reader(f);
  const auto refused = f.cli({"send-keys", "-s", sid, "x", "Entr"});
  CHECK(refused.status == 2);
  CHECK(refused.err.find("Enter") != std::string::npos);
  f.ok({"send-keys", "-s", sid, "--literal", "Entr"});
  f.ok({"wait-regex", "-s", sid, "72"});
  CHECK(last_lines(f, sid) == "45 6e 74 72");
}

TEST_CASE("B083 B125 bytes that a shell cannot pass travel over the wire and from files", "[integration]") {
  DaemonFixture f;
  const auto sid = spawn_reader(f);
  f.ok({"send-text", "-s", sid, "-"}, std::string("a\0b\xff", 4));
  f.ok({"wait-regex", "-s", sid, "ff"});
  CHECK(last_lines(f, sid) == "61 00 62 ff");
}

TEST_CASE("B041 a line that the kernel would cut is refused before anything is sent", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "sh", "-c", "cat >" + f.folder + "/o; echo done"});
  const auto long_line = f.cli({"send-line", "-s", sid, std::string(5000, 'a')});
  CHECK(long_line.status == 1);
  CHECK(long_line.err.find("4095") != std::string::npos);
  f.ok({"send-line", "-s", sid, std::string(4095, 'b')});
  f.ok({"send-keys", "-s", sid, "C-d"});
  f.ok({"wait-regex", "-s", sid, "^done"});
  CHECK(f.run({"wc", "-c", f.folder + "/o"}).out.substr(0, 5) == "4096 ");
}

TEST_CASE("B042 F08 a program that does not read costs its own sender only", "[integration]") {
  DaemonFixture f;
  const auto sid =
      f.ok({"spawn", "python3", "-c", "import tty,time; tty.setraw(0); print('up'); time.sleep(60)"});
  f.ok({"wait-regex", "-s", sid, "up"});
  const auto big = write_file(f.folder + "/big", std::string(1 << 20, 'x'));
  auto sender = f.start({"send-text", "-s", sid, "--timeout", "1s", "-"}, std::string(1 << 20, 'x'));
  CHECK(f.cli({"list"}).status == 0);
  const auto other = f.ok({"spawn", "echo", "ok"});
  CHECK(f.ok({"wait-exit", "-s", other}) == "0");
  const auto output = sender.wait();
  CHECK(output.status == 1);
  CHECK(output.err.find("of 1048576 bytes were taken") != std::string::npos);
  f.ok({"close", "-s", sid});
}

TEST_CASE("a megabyte arrives whole in a program that reads", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "python3", "-c",
                         "import tty,os,hashlib\ntty.setraw(0)\nprint('up',end='\\r\\n',flush=True)\nd=b''\n"
                         "while len(d)<1<<20: d+=os.read(0,65536)\nprint(hashlib.md5(d).hexdigest())"});
  f.ok({"wait-regex", "-s", sid, "up"});
  std::string text;
  for (int i = 0; text.size() < (1 << 20); ++i) text += std::to_string(i) + " ";
  text.resize(1 << 20);
  const auto path = write_file(f.folder + "/text", text);
  f.ok({"send-text", "-s", sid, "-"}, text);
  const auto sum = f.run({"md5sum", path}).out.substr(0, 32);
  CHECK(f.ok({"wait-regex", "-s", sid, "[0-9a-f]{32}"}) == sum);
}

TEST_CASE("P26 F24 a request id is typed once, also after the daemon died", "[integration]") {
  DaemonFixture f;
  const auto sid = spawn_reader(f);
  const auto first = f.json({"send-text", "-s", sid, "--request-id", "one", "a"});
  const auto again = f.json({"send-text", "-s", sid, "--request-id", "one", "a"});
  CHECK(again["repeated"] == true);
  CHECK(again["fence"] == first["fence"]);
  f.kill_daemon();
  const auto later = f.json({"send-text", "-s", sid, "--request-id", "one", "a"});
  CHECK(later["repeated"] == true);
  CHECK(later["fence"] == first["fence"]);
  f.ok({"send-text", "-s", sid, "b"});
  f.ok({"wait-regex", "-s", sid, "62"});
  CHECK(last_lines(f, sid) == "61 62");
}

TEST_CASE("B080 Escape and a letter are two keys to an editor", "[integration]") {
  DaemonFixture f;
  const auto file = f.folder + "/v";
  const auto sid = f.ok({"spawn", "vim", "-u", "NONE", "-N", file});
  f.ok({"wait-regex", "-s", sid, "~"});
  f.ok({"send-text", "-s", sid, "ihello"});
  f.ok({"send-keys", "-s", sid, "Escape"});
  f.ok({"send-text", "-s", sid, "Ofirst"});
  f.ok({"send-keys", "-s", sid, "Escape"});
  f.ok({"send-line", "-s", sid, ":wq"});
  CHECK(f.ok({"wait-exit", "-s", sid}) == "0");
  CHECK(f.run({"cat", file}).out == "first\nhello\n");
}

TEST_CASE("B176 B177 C-c interrupts what runs, whatever the starter ignored", "[integration]") {
  DaemonFixture f;
  f.run({"sh", "-c", "trap '' INT QUIT HUP; exec smartcli spawn -s k bash --norc"});
  f.ok({"wait-regex", "-s", "k", "[$#] $"});
  for (const std::string line : {"sleep 60", "cat", "sh -c 'sleep 60'"}) {
    f.ok({"send-line", "-s", "k", line});
    const std::string name = line.substr(0, line.find(' '));
    REQUIRE(becomes_true([&] {
      const auto status = f.json({"status", "-s", "k"});
      return status["foreground"].is_object() && status["foreground"]["name"] == name;
    }));
    f.ok({"send-keys", "-s", "k", "C-c"});
    f.ok({"wait-regex", "-s", "k", "--timeout", "5", "[$#] $"});
  }
  f.ok({"send-line", "-s", "k", "echo rc=$?"});
  CHECK(f.ok({"wait-regex", "-s", "k", "^rc=\\d+"}) == "rc=130");
}
