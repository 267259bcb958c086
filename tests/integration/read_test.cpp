// What is kept is read, searched and shown in part; long answers come as streams and hold up nobody.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "support/daemon_fixture.hpp"
#include "support/wire.hpp"

using namespace smartcli::test;
using nlohmann::json;

namespace {

using Texts = std::vector<std::string>;

/// A program that prints this, then `ready`, then `got:LINE` for each line that it is given.
std::string prints(DaemonFixture& f, const std::string& script, std::vector<std::string> options = {}) {
  std::vector<std::string> args{"spawn"};
  args.insert(args.end(), options.begin(), options.end());
  args.insert(args.end(), {"sh", "-c", script + "; echo ready; exec sed -u s/^/got:/"});
  const auto sid = f.ok(args);
  f.ok({"wait-regex", "-s", sid, "^ready$", "--timeout", "60"});
  return sid;
}

Texts split(const std::string& text) {
  Texts lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// No byte below a blank but newline, tab, and ESC where it begins an SGR sequence; no DEL, no C1.
bool is_inert(const std::string& text, bool may_colour) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == 0x1b && may_colour && i + 1 < text.size() && text[i + 1] == '[') {
      const auto end = text.find_first_not_of("0123456789;:", i + 2);
      if (end == std::string::npos || text[end] != 'm') return false;
      continue;
    }
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return false;
    if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return false;
  }
  return true;
}

long resident_kb(DaemonFixture& f) {
  const auto text =
      f.run({"sh", "-c", "grep RssAnon /proc/" + std::to_string(f.daemon_pid()) + "/status"}).out;
  return std::stol(text.substr(text.find_first_of("0123456789")));
}

}  // namespace

TEST_CASE("B133 a kept line is found after any number of redraws", "[integration]") {
  DaemonFixture f;
  const auto sid = prints(f, "echo keep-me; seq -f 'status %.0f' 1 200000 | tr '\\n' '\\r'; echo");
  CHECK(f.ok({"search", "-s", sid, "^keep-me$"}) == "1:keep-me");
  CHECK(f.json({"read", "-s", sid})["total"] < 30);
}

TEST_CASE("B139 after scrolling the screen is what is matched and found", "[integration]") {
  DaemonFixture f;
  const auto sid =
      f.ok({"spawn", "--rows", "10", "sh", "-c", "stty -echo; echo on; while read n; do seq $n; done"});
  f.ok({"wait-regex", "-s", sid, "^on$"});
  f.ok({"send-line", "-s", sid, "30"});
  CHECK(f.ok({"wait-regex", "-s", sid, "^30"}) == "30");
  CHECK(f.ok({"search", "-s", sid, "^30$"}) == "31:30");
}

TEST_CASE("B190 text that wraps at the edge is found", "[integration]") {
  DaemonFixture f;
  const auto sid = prints(f, "echo the quick brown fox jumps", {"--cols", "20"});
  CHECK(f.ok({"search", "-s", sid, "brown fox jumps"}) == "1:the quick brown fox jumps");
  CHECK(f.ok({"wait-regex", "-s", sid, "--anywhere", "brown fox jumps"}) == "brown fox jumps");
}

TEST_CASE("B193 a long address is one line where it is read, a real newline stays one", "[integration]") {
  DaemonFixture f;
  const auto url = "https://example.invalid/" + std::string(80, 'u');
  const auto sid = prints(f, "echo " + url + "; echo next", {"--cols", "40"});
  CHECK(f.ok({"read", "-s", sid}) == url + "\nnext\nready");
  CHECK(split(f.ok({"read", "-s", sid, "--as-shown"})) ==
        Texts{url.substr(0, 40), url.substr(40, 40), url.substr(80), "next", "ready"});
  const auto read = f.json({"read", "-s", sid});
  CHECK(read["lines"][0]["rows"] == 3);
  CHECK(read["lines"][1]["line"] == 2);
  CHECK_FALSE(read["lines"][1].contains("rows"));
}

TEST_CASE("B194 any lines of a long output are read and found by number", "[integration]") {
  DaemonFixture f;
  const auto sid = prints(f, "seq 1 20000", {"--scrollback", "30000"});
  CHECK(f.ok({"read", "-s", sid, "--start", "9990", "--end", "9999"}) ==
        "9990\n9991\n9992\n9993\n9994\n9995\n9996\n9997\n9998\n9999");
  CHECK(f.ok({"search", "-s", sid, "^15000$"}) == "15000:15000");
  const auto all = f.ok({"read", "-s", sid, "--start", "1"});
  CHECK(std::count(all.begin(), all.end(), '\n') == 20000);
  CHECK(all.ends_with("20000\nready"));
}

TEST_CASE("pages are read from the bottom", "[integration]") {
  DaemonFixture f;
  const auto sid = prints(f, "seq 1 50", {"--rows", "10"});
  CHECK(split(f.ok({"read", "-s", sid})).front() == "42");
  CHECK(f.ok({"read", "-s", sid, "--rows", "3"}) == "49\n50\nready");
  CHECK(f.ok({"read", "-s", sid, "--rows", "3", "--page", "1"}) == "46\n47\n48");
  CHECK(f.ok({"read", "-s", sid, "--rows", "20", "--page", "99"}) ==
        f.ok({"read", "-s", sid, "--start", "1", "--end", "11"}));
  const auto page = f.json({"read", "-s", sid, "--rows", "20", "--page", "99"});
  CHECK(page["page"] == 2);
  CHECK(page["pages"] == 3);
  CHECK(page["total"] == 51);
  CHECK(page["oldest"] == 1);
  CHECK(page["first"] == 1);
  CHECK(page["last"] == 11);
  CHECK(page["cols"] == 80);
  CHECK(page["rows"] == 10);
  CHECK(page["cursor"]["row"] == 10);
  CHECK(page["alive"] == true);
  CHECK(page["state"] == "input");
  CHECK(f.cli({"read", "-s", sid, "--start", "-3"}).status == 2);
  CHECK(f.cli({"read", "-s", sid, "--page", "-1"}).status == 2);
  CHECK(f.cli({"read", "-s", sid, "--rows", "0"}).status == 2);
  CHECK(f.cli({"read", "-s", sid, "--rows", "1001"}).status == 2);
  CHECK(f.cli({"read", "-s", sid, "--page", "1", "--start", "1"}).status == 2);
  CHECK(f.cli({"read", "-s", sid, "--start", "9", "--end", "8"}).status == 2);
  CHECK(f.cli({"read", "-s", "none"}).status == 3);
  CHECK(f.ok({"read", "-s", sid, "--start", "1000", "--end", "2000"}).empty());
  CHECK(f.ok({"read", "-s", sid, "--start", "51", "--end", "2000"}) == "ready");
}

TEST_CASE("line numbers stay valid while output grows, and lines past the cap are gone", "[integration]") {
  DaemonFixture f;
  const auto sid = prints(f, "seq 1 100", {"--rows", "10", "--scrollback", "200"});
  CHECK(f.ok({"search", "-s", sid, "^77$"}) == "77:77");
  const auto grow = [&](int lines, const std::string& last) {
    std::string text;
    for (int i = 0; i < lines; ++i) text += "x\n";
    f.ok({"send-text", "-s", sid, text});
    f.ok({"send-line", "-s", sid, last});
    f.ok({"wait-regex", "-s", sid, "^got:" + last + "$"});
  };
  grow(40, "grown");
  CHECK(f.ok({"read", "-s", sid, "--start", "77", "--end", "78"}) == "77\n78");
  CHECK(f.json({"read", "-s", sid, "--start", "77", "--end", "78"})["oldest"] == 1);
  grow(90, "more");
  const auto oldest = f.json({"read", "-s", sid})["oldest"].get<int>();
  CHECK(oldest > 77);
  CHECK(f.ok({"read", "-s", sid, "--start", "77", "--end", "78"}).empty());
  CHECK(f.json({"read", "-s", sid, "--start", "1", "--end", std::to_string(oldest)})["lines"][0]["line"] ==
        oldest);
  CHECK(f.cli({"search", "-s", sid, "^77$"}).status == 1);
}

TEST_CASE("a blank screen, one of one cell, and the alternate one are read", "[integration]") {
  DaemonFixture f;
  const auto blank = f.ok({"spawn", "sleep", "60"});
  CHECK(f.ok({"read", "-s", blank}).empty());
  CHECK(f.json({"read", "-s", blank})["total"] == 0);
  CHECK(f.json({"read", "-s", blank})["lines"].empty());
  CHECK(f.cli({"search", "-s", blank, "."}).status == 1);
  CHECK(f.ok({"snapshot", "-s", blank, "--ansi"}).empty());
  CHECK(f.ok({"snapshot", "-s", blank, "--region", "1,1,2,2"}).empty());

  const auto small = f.ok({"spawn", "--cols", "1", "--rows", "1", "printf", "abc\\nd"});
  f.ok({"wait-exit", "-s", small});
  CHECK(f.ok({"read", "-s", small, "--start", "1"}) == "abc\nd");
  CHECK(f.ok({"snapshot", "-s", small, "--region", "1,1,1,1"}) == "d");

  const auto full =
      f.ok({"spawn", "--rows", "4", "sh", "-c",
            "printf 'before\\n\\033[?1049h\\033[H\\344\\270\\255\\346\\226\\207 full\\n'; exec cat"});
  f.ok({"wait-regex", "-s", full, "full"});
  CHECK(f.ok({"read", "-s", full}) == "\u4e2d\u6587 full");
  CHECK(f.cli({"search", "-s", full, "\u6587 full"}).status == 0);
  const auto cells = f.json({"snapshot", "-s", full, "--region", "1,1,1,5"})["cells"];
  CHECK(cells[0]["wide"] == true);
  CHECK(cells[1]["continuation"] == true);
  CHECK(cells[1]["text"] == "");
  CHECK_FALSE(cells[4].contains("wide"));
}

TEST_CASE("search says all that it found, and how to go on", "[integration]") {
  DaemonFixture f;
  const auto sid = prints(f, "seq 1 1000");
  const auto first = f.json({"search", "-s", sid, "7$"});
  CHECK(first["total"] == 100);
  CHECK(first["hits"].size() == 100);
  CHECK_FALSE(first.contains("next"));
  const auto part = f.json({"search", "-s", sid, "7$", "--limit", "10", "--skip", "20"});
  CHECK(part["hits"][0]["line"] == 207);
  CHECK(part["hits"][0]["match"] == "7");
  CHECK(part["next"] == 30);
  CHECK(f.json({"search", "-s", sid, "7$", "--limit", "10", "--skip", "90"}).contains("next") == false);
  CHECK(f.ok({"search", "-s", sid, "^50[05]$", "--context", "1"}) ==
        "499-499\n500:500\n501-501\n--\n504-504\n505:505\n506-506");
  const auto none = f.cli({"search", "-s", sid, "nothing"});
  CHECK(none.status == 1);
  CHECK(none.out.empty());
  CHECK(f.cli({"search", "-s", sid, "("}).status == 2);
  CHECK(f.cli({"search", "-s", sid, "--literal", "("}).status == 1);
  CHECK(f.cli({"search", "-s", sid, "--ignore-case", "READY"}).status == 0);
  CHECK(f.cli({"search", "-s", sid, "--context", "101", "x"}).status == 2);
}

TEST_CASE("a reply of search stays within the line limit", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_MAX_LINE_BYTES"] = "65536";
  const auto sid = prints(f, "seq -f 'line %.0f with \"quotes\" in it' 1 3000", {"--scrollback", "10000"});
  int seen = 0, skip = 0;
  for (;;) {
    Wire wire(f.socket());
    wire.hello();
    wire.request(1, "search",
                 {{"sid", sid}, {"pattern", "quotes"}, {"limit", 10000}, {"context", 2}, {"skip", skip}});
    const auto reply = *wire.next();
    REQUIRE(reply.contains("result"));
    CHECK(reply.dump().size() < 65536);
    const auto& result = reply["result"];
    CHECK(result["total"] == 3000);
    REQUIRE(!result["hits"].empty());
    seen += static_cast<int>(result["hits"].size());
    if (!result.contains("next")) break;
    CHECK(result["next"] == seen);
    skip = result["next"];
  }
  CHECK(seen == 3000);
}

TEST_CASE("a region has its cells, and what is outside is refused or cut", "[integration]") {
  DaemonFixture f;
  const auto sid = prints(f,
                          "printf 'plain \\033[1;3;4:3;31;48;2;1;2;255mstyled\\033[m "
                          "\\033]8;;http://a/b\\007link\\033]8;;\\007\\n'",
                          {"--cols", "40", "--rows", "5"});
  const auto reply = f.json({"snapshot", "-s", sid, "--region", "1,6,1,3"});
  CHECK(reply["text"] == " st");
  CHECK_FALSE(reply.contains("screen"));
  const auto& cells = reply["cells"];
  REQUIRE(cells.size() == 3);
  CHECK(cells[0] == json{{"row", 1}, {"col", 6}, {"text", " "}});
  CHECK(cells[1] == json{{"row", 1},
                         {"col", 7},
                         {"text", "s"},
                         {"fg", "1"},
                         {"bg", "#0102ff"},
                         {"bold", true},
                         {"italic", true},
                         {"underline", "curly"}});
  CHECK(f.json({"snapshot", "-s", sid, "--region", "1,14,1,1"})["cells"][0]["link"] == "http://a/b");
  CHECK(f.json({"snapshot", "-s", sid, "--region", "5,39,100,100"})["cells"].size() == 2);
  CHECK(f.ok({"snapshot", "-s", sid, "--region", "1,1,2,5"}) == "plain\nready");
  CHECK(f.ok({"snapshot", "-s", sid, "--region", "1,7,1,6", "--ansi"}) ==
        "\033[0;1;3;4:3;31;48;2;1;2;255mstyled\033[0m");
  const auto outside = f.cli({"snapshot", "-s", sid, "--region", "6,1,1,1"});
  CHECK(outside.status == 2);
  CHECK(outside.err.find("5 rows and 40 columns") != std::string::npos);
  CHECK(f.cli({"snapshot", "-s", sid, "--region", "1,1,1"}).status == 2);
  f.ok({"resize", "-s", sid, "--cols", "300", "--rows", "200"});
  const auto large = f.cli({"snapshot", "-s", sid, "--region", "1,1,200,300"});
  CHECK(large.status == 4);
  CHECK(large.err.find("reply_cells") != std::string::npos);
  CHECK(f.cli({"snapshot", "-s", sid, "--region", "1,1,64,256"}).status == 0);
}

TEST_CASE("only rows that changed since a revision are shown", "[integration]") {
  DaemonFixture f;
  const auto sid = prints(f, "printf 'one\\ntwo\\n'", {"--rows", "6"});
  const auto revision = [&] {
    return std::to_string(f.json({"snapshot", "-s", sid})["revision"].get<long>());
  };
  auto since = revision();
  CHECK(f.ok({"snapshot", "-s", sid, "--since", since}).empty());
  CHECK(f.json({"snapshot", "-s", sid, "--since", since})["rows"].empty());
  f.ok({"send-line", "-s", sid, "three"});
  f.ok({"wait-regex", "-s", sid, "^got:three$"});
  const auto changed = f.json({"snapshot", "-s", sid, "--since", since});
  CHECK(changed["rows"] ==
        json::array({{{"row", 4}, {"text", "three"}}, {{"row", 5}, {"text", "got:three"}}}));
  CHECK(changed["text"] == "three\ngot:three");
  CHECK_FALSE(changed.contains("screen"));
  CHECK(f.ok({"snapshot", "-s", sid, "--since", since}) == "4:three\n5:got:three");
  CHECK(f.ok({"snapshot", "-s", sid, "--since", "0"}) == "1:one\n2:two\n3:ready\n4:three\n5:got:three");
  f.ok({"resize", "-s", sid, "--cols", "70"});
  CHECK(f.json({"snapshot", "-s", sid, "--since", since})["rows"].size() == 6);
  since = revision();
  CHECK(f.json({"snapshot", "-s", sid, "--since", since})["rows"].empty());
  CHECK(f.cli({"snapshot", "-s", sid, "--since", "999999"}).status == 2);
  CHECK(f.cli({"snapshot", "-s", sid, "--since", "-1"}).status == 2);
  CHECK(f.cli({"snapshot", "-s", sid, "--since", "1", "--region", "1,1,1,1"}).status == 2);
}

TEST_CASE("T18 a hostile screen is inert through --ansi, read and search", "[integration]") {
  DaemonFixture f;
  const std::string hostile =
      "\\033[31mred\\033[m \\033]2;t\\007\\033]8;;http://x\\033\\\\l\\033]8;;\\007 "
      "a\\302\\205b\\302\\233c\\177d"
      "\\342\\200\\256e\\377f \\033P1$r\\033\\\\ \\233 \\033_x\\033\\\\ \\001\\002\\016\\017 tail";
  const auto sid = prints(f, "for i in 1 2 3; do printf '" + hostile + "\\n'; done", {"--cols", "30"});
  for (const auto& verb : std::vector<Texts>{{"snapshot", "-s", sid, "--ansi"},
                                             {"snapshot", "-s", sid, "--ansi", "--region", "1,1,10,30"},
                                             {"snapshot", "-s", sid, "--ansi", "--since", "0"}}) {
    const auto shown = f.cli(verb);
    CAPTURE(shown.out);
    CHECK(shown.out.find("\033[0;31mred\033[0m") != std::string::npos);
    CHECK(is_inert(shown.out, true));
    const auto reply = f.cli([&] {
      auto with_json = verb;
      with_json.insert(with_json.begin() + 1, "--json");
      return with_json;
    }());
    CHECK(is_inert(reply.out, false));
    CHECK(is_inert(json::parse(reply.out)["text"].get<std::string>(), true));
  }
  for (const auto& verb : std::vector<Texts>{{"read", "-s", sid},
                                             {"read", "-s", sid, "--json"},
                                             {"read", "-s", sid, "--start", "1", "--as-shown"},
                                             {"search", "-s", sid, "tail", "--context", "2"},
                                             {"search", "-s", sid, "tail", "--json"},
                                             {"search", "-s", sid, "\x1b[31m("},
                                             {"snapshot", "-s", sid, "--since", "0"},
                                             {"snapshot", "-s", sid, "--region", "1,1,9,9", "--json"}}) {
    const auto shown = f.cli(verb);
    CAPTURE(verb[0], shown.out, shown.err);
    CHECK(is_inert(shown.out, false));
    CHECK(is_inert(shown.err, false));
  }
}

TEST_CASE("a long answer is a stream, whole and in order, and one object with --json", "[integration]") {
  DaemonFixture f;
  const auto sid = prints(f, "seq -f 'line %.0f of a long output' 1 30000", {"--scrollback", "100000"});
  Wire wire(f.socket());
  wire.hello();
  wire.request("r", "read", {{"sid", sid}, {"start", 1}});
  std::int64_t pieces = 0, next = 1;
  json reply;
  for (;;) {
    const auto message = wire.next();
    REQUIRE(message);
    const bool is_last = message->contains("id");
    const auto& body = is_last ? (*message)["result"] : (*message)["params"];
    if (!is_last) {
      CHECK((*message)["method"] == "stream");
      CHECK(body["id"] == "r");
      CHECK(body["seq"] == pieces++);
      CHECK(message->dump().size() < 128 << 10);
    }
    for (const auto& line : body["lines"]) {
      REQUIRE(line["line"] == next);
      ++next;
    }
    if (!is_last) {
      CHECK(body["last"] == next - 1);
      CHECK(body["end"] == 30001);
      continue;
    }
    reply = body;
    break;
  }
  CHECK(pieces > 10);
  CHECK(next == 30002);
  CHECK(reply["first"] == 1);
  CHECK(reply["last"] == 30001);
  const auto merged = f.json({"read", "-s", sid, "--start", "1"});
  CHECK(merged["lines"].size() == 30001);
  CHECK(merged["lines"][29999]["text"] == "line 30000 of a long output");
  CHECK_FALSE(merged.contains("seq"));
  // A page of long rows is one, too.
  CHECK(split(f.ok({"read", "-s", sid, "--rows", "1000"})).size() == 1000);
}

TEST_CASE("a reader that stops for a while costs no memory, nobody else, and gets all", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_CLIENT_QUEUE_BYTES"] = "262144";
  const auto sid = prints(f, "yes $(printf 'x%.0s' $(seq 70)) | head -200000", {"--scrollback", "300000"});
  const auto before = resident_kb(f);
  Wire slow(f.socket());
  slow.hello();
  for (int i = 0; i < 20; ++i) slow.request(i, "read", {{"sid", sid}, {"start", 1}});
  // Others are served meanwhile, and what waits for the reader stays small.
  for (int i = 0; i < 30; ++i) CHECK(f.cli({"list"}).status == 0);
  CHECK(f.ok({"read", "-s", sid, "--rows", "1"}) == "ready");
  CHECK(resident_kb(f) - before < 8 * 1024);
  // The same connection still takes requests.
  for (int i = 1; i < 20; ++i) slow.request(100 + i, "cancel", {{"id", i}});
  std::int64_t lines = 0;
  int ended = 0, cancelled = 0;
  bool is_done = false;
  while (!is_done || ended < 20) {
    const auto message = slow.next();
    REQUIRE(message);
    if (message->contains("method")) {
      if ((*message)["params"]["id"] == 0)
        lines += static_cast<std::int64_t>((*message)["params"]["lines"].size());
      continue;
    }
    const auto id = (*message)["id"].get<int>();
    if (id >= 100) continue;
    ++ended;
    if ((*message)["result"].contains("reason")) ++cancelled;
    if (id == 0) {
      lines += static_cast<std::int64_t>((*message)["result"]["lines"].size());
      is_done = true;
    }
  }
  CHECK(lines == 200001);
  CHECK(cancelled > 0);
}

TEST_CASE("a stream ends when it is cancelled, and says how far it came", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_CLIENT_QUEUE_BYTES"] = "131072";
  const auto sid = prints(f, "yes $(printf 'x%.0s' $(seq 70)) | head -100000", {"--scrollback", "300000"});
  Wire wire(f.socket());
  wire.hello();
  wire.request(1, "read", {{"sid", sid}, {"start", 1}});
  REQUIRE((*wire.next())["method"] == "stream");
  wire.request(2, "cancel", {{"id", 1}});
  std::int64_t last = 0;
  json reply;
  for (int answers = 0; answers < 2;) {
    const auto message = wire.next();
    REQUIRE(message);
    if (message->contains("method")) {
      last = (*message)["params"]["last"];
      continue;
    }
    ++answers;
    if ((*message)["id"] == 1) reply = (*message)["result"];
    if ((*message)["id"] == 2) CHECK((*message)["result"]["found"] == true);
  }
  CHECK(reply["ok"] == true);
  CHECK(reply["reason"] == "CANCELLED");
  CHECK(reply["last"] >= last);
  CHECK(reply["last"] < 100000);
  // A connection that goes away ends its streams, too.
  {
    Wire gone(f.socket());
    gone.hello();
    gone.request(1, "read", {{"sid", sid}, {"start", 1}});
    REQUIRE(gone.next());
  }
  CHECK(becomes_true([&] { return f.json({"daemon", "status"})["clients"] <= 2; }));
}

TEST_CASE("numbers are the same after the daemon died, and a read goes on", "[integration]") {
  DaemonFixture f;
  const auto sid = prints(f, "seq 1 500");
  CHECK(f.ok({"search", "-s", sid, "^123$"}) == "123:123");
  f.kill_daemon();
  CHECK(f.ok({"search", "-s", sid, "^123$"}) == "123:123");
  CHECK(f.ok({"read", "-s", sid, "--start", "499", "--end", "500"}) == "499\n500");
}

TEST_CASE("long reads and searches hold up nobody", "[integration]") {
  DaemonFixture f;
  const auto sid = prints(f, "seq -f 'line %.0f of some output' 1 100000", {"--scrollback", "1000000"});
  Wire wire(f.socket()), other(f.socket());
  wire.hello();
  other.hello();
  wire.request(1, "read", {{"sid", sid}, {"start", 1}});
  wire.request(2, "search", {{"sid", sid}, {"pattern", "(o|e)+.*nothing"}});
  // Both are under way while this one is answered: it came later.
  other.request(3, "list", json::object());
  REQUIRE(other.next());
  int answers = 0;
  while (answers < 2) {
    const auto message = wire.next();
    REQUIRE(message);
    if (message->contains("id")) ++answers;
  }
  CHECK(f.json({"search", "-s", sid, "output"})["total"] == 100000);
}
