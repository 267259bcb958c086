// What programs print is what is read, and it is harmless where it is shown.

#include <catch2/catch.hpp>

#include "support/daemon_fixture.hpp"
#include "support/helpers.hpp"

using namespace smartcli::test;

TEST_CASE("B058 B060 characters whose bytes come apart are whole", "[integration]") {
  DaemonFixture f;
  const auto script = write_file(f.folder + "/pieces.py", kPiecewise);
  const auto one = f.ok({"spawn", "python3", script, "cleanup \\xe2", "\\x80\\x94 end"});
  const auto two = f.ok({"spawn", "python3", script, "B\\xcc", "\\x81C\\xe2\\x94", "\\x80|"});
  CHECK(f.ok({"wait-regex", "-s", one, ".*end$"}) == "cleanup \xe2\x80\x94 end");
  CHECK(f.ok({"wait-regex", "-s", two, ".*\\|$"}) ==
        "B\xcc\x81"
        "C\xe2\x94\x80|");
}

TEST_CASE("B062 B063 wide characters take two columns and no blank", "[integration]") {
  DaemonFixture f;
  const auto sid =
      f.ok({"spawn", "sh", "-c", "printf '\\344\\270\\226\\347\\225\\214abc\\033[1;10HX'; sleep 60"});
  f.ok({"wait-regex", "-s", sid, "X"});
  CHECK(f.ok({"snapshot", "-s", sid}) ==
        "\xe4\xb8\x96\xe7\x95\x8c"
        "abc  X");
  CHECK(f.json({"snapshot", "-s", sid})["screen"]["cursor"]["col"] == 11);
}

TEST_CASE("B090 the size is set before the program starts", "[integration]") {
  DaemonFixture f;
  for (int i = 0; i < 20; ++i) {
    const auto sid = f.ok({"spawn", "--cols", "120", "--rows", "30", "stty", "size"});
    CHECK(f.ok({"wait-regex", "-s", sid, "^\\d+ \\d+$"}) == "30 120");
    f.ok({"close", "-s", sid});
  }
}

TEST_CASE("B091 sizes out of range are refused with the range", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  for (const auto& [cols, rows] :
       std::vector<std::pair<const char*, const char*>>{{"0", "0"}, {"-1", "5"}, {"100000", "100000"}}) {
    const auto refused = f.cli({"resize", "-s", "c", "--cols", cols, "--rows", rows});
    CHECK(refused.status == 2);
    CHECK(refused.err.find("from 1 to 1000") != std::string::npos);
  }
  CHECK(f.cli({"resize", "-s", "c", "--cols", "1000", "--rows", "500"}).status == 4);
  f.ok({"resize", "-s", "c", "--cols", "1000", "--rows", "100"});
  f.ok({"resize", "-s", "c", "--cols", "1", "--rows", "1"});
  CHECK(f.json({"status", "-s", "c"})["cols"] == 1);
}

TEST_CASE("B092 a lower window keeps the used lines", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "sh", "-c", "echo one; echo two; echo three; sleep 60"});
  f.ok({"wait-regex", "-s", sid, "three"});
  f.ok({"resize", "-s", sid, "--rows", "10"});
  CHECK(f.ok({"snapshot", "-s", sid}) == "one\ntwo\nthree");
}

TEST_CASE("T18 T23 T19 hostile output, titles and names are inert in every text and in JSON",
          "[integration]") {
  DaemonFixture f;
  const std::string hostile =
      "\\033]2;t\\033[31mitle\\007\\033]7;file://h/"
      "\\302\\233x\\007a\\302\\205b\\302\\233c\\177d\\342\\200\\256e\\377f";
  const auto sid =
      f.ok({"spawn", "-s", "h", "sh", "-c", "printf '" + hostile + "'; : '\x1b[31m\x9b\n\x7f'; exec cat"});
  f.ok({"wait-regex", "-s", sid, "f$"});
  const auto is_inert = [](const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return false;
      if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return false;
    }
    return true;
  };
  for (const auto& verb : std::vector<std::vector<std::string>>{{"snapshot", "-s", "h"},
                                                                {"snapshot", "-s", "h", "--json"},
                                                                {"status", "-s", "h"},
                                                                {"status", "-s", "h", "--json"},
                                                                {"list"},
                                                                {"list", "--json"},
                                                                {"wait-regex", "-s", "h", "a.*"},
                                                                {"send-keys", "-s", "h", "\x1b[31m\x9bkey"},
                                                                {"send-text", "-s", "\x1b[31mx", "y"},
                                                                {"spawn", "/nonexistent/\x1b[31m\n\x9b"},
                                                                {"wait-regex", "-s", "h", "(\x1b[31m"},
                                                                {"\x1b[31mverb"},
                                                                {"list", "--\x1b[31m"}}) {
    const auto output = f.cli(verb);
    CAPTURE(verb[0], output.out, output.err);
    CHECK(is_inert(output.out));
    CHECK(is_inert(output.err));
  }
  const auto screen = f.json({"snapshot", "-s", "h"});
  CHECK(screen["text"].get<std::string>().find('f') != std::string::npos);
}

TEST_CASE("B202 B203 queries are answered to the program at once", "[integration]") {
  DaemonFixture f;
  const auto script = write_file(f.folder + "/query.py", kQuery);
  const auto ask = [&](const std::string& query) {
    const auto sid = f.ok({"spawn", "python3", script, query});
    auto reply = f.ok({"wait-regex", "-s", sid, "^REPLY .*"});
    return reply.substr(6);
  };
  CHECK(ask("\\x1b[3;7H\\x1b[6n") == "1b 5b 33 3b 37 52");
  const auto background = ask("\\x1b]11;?\\x07");
  CHECK(background.substr(0, 24) == "1b 5d 31 31 3b 72 67 62 ");
  CHECK(background.substr(background.size() - 2) == "07");
  CHECK(ask("\\x1b[?2026$p").substr(0, 20) == "1b 5b 3f 32 30 32 36");
}

TEST_CASE("T01 T02 T03 T05 T06 nothing of the program's choosing is ever typed", "[integration]") {
  DaemonFixture f;
  const auto script = write_file(f.folder + "/query.py", kQuery);
  for (const char* query : {"\\x1b]2;evil\\x0d\\x07\\x1b[21t", "\\x1b]52;c;?\\x07", "\\x05",
                            "\\x1b]50;?\\x07", "\\x1b]2;a\\x0drm\\x07\\x1b[20t"}) {
    CAPTURE(query);
    const auto sid = f.ok({"spawn", "python3", script, query});
    CHECK(f.ok({"wait-regex", "-s", sid, "^REPLY .*"}) == "REPLY none");
  }
}

TEST_CASE("B209 a snapshot never shows a half-drawn frame", "[integration]") {
  DaemonFixture f;
  const auto script = write_file(f.folder + "/pieces.py", kPiecewise);
  // The pieces of the frame come 0.1 s apart: within what readers wait for.
  auto text = std::string(kPiecewise);
  text.replace(text.find("0.4"), 3, "0.1");
  write_file(script, text);
  const auto sid =
      f.ok({"spawn", "python3", script, "old", "\\x1b[?2026h\\x1b[2J\\x1b[HAAAA", "\\r\\nBBBB\\x1b[?2026l"});
  f.ok({"wait-regex", "-s", sid, "old"});
  const auto waited = f.json({"wait-regex", "-s", sid, "AAAA"});
  CHECK(waited["text"] == "AAAA\nBBBB");
  CHECK(f.ok({"snapshot", "-s", sid}) == "AAAA\nBBBB");
}

TEST_CASE("B204 answers that come too late are dropped, not left for the next command", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "bash", "--norc"});
  f.ok({"wait-regex", "-s", sid, "[$#] $"});
  for (int i = 0; i < 20; ++i) {
    f.ok({"send-line", "-s", sid, "printf '\\033[c\\033[6n'"});
    f.ok({"wait-regex", "-s", sid, "[$#] $"});
    f.ok({"send-line", "-s", sid, "echo clean" + std::to_string(i)});
    f.ok({"wait-regex", "-s", sid, "^clean" + std::to_string(i) + "$"});
  }
  CHECK(f.ok({"snapshot", "-s", sid}).find("2c") == std::string::npos);
  CHECK(f.json({"status", "-s", sid})["counters"]["unanswered_queries"] > 0);
}

TEST_CASE("B131 B026 history is bounded", "[integration]") {
  DaemonFixture f;
  const auto sid = f.ok({"spawn", "--scrollback", "100", "seq", "1", "200000"});
  f.ok({"wait-exit", "-s", sid});
  const auto text = f.ok({"snapshot", "-s", sid});
  CHECK(text.substr(text.rfind('\n') + 1) == "200000");
  CHECK(f.cli({"wait-regex", "-s", sid, "--anywhere", "^199900$"}).status == 0);
  CHECK(f.cli({"wait-regex", "-s", sid, "--anywhere", "^100$"}).status == 1);
}
