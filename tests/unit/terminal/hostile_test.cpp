// Output that means harm: the kinds T01 to T17. The fuzzer looks for the rest.

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>

#include "invariants.hpp"
#include "support.hpp"

namespace smartcli::terminal {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

/// Nothing under AddressSanitizer, whose quarantine keeps 256 MB of what was freed.
std::size_t resident_bytes() {
#ifdef __SANITIZE_ADDRESS__
  return 0;
#endif
  std::ifstream in("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * 4096;
}

std::string replies_to(std::string_view bytes) {
  Terminal terminal({80, 24}, {});
  terminal.feed(bytes);
  CHECK(broken_invariant(terminal) == "");
  return joined_replies(terminal);
}

TEST_CASE("T01 no title is ever reported, whatever it holds", "[terminal][T01]") {
  CHECK(replies_to(
            "\033]2;\r\nid\r\n;cmd\007\033[21t\033[20t\033[22;0t\033[23;0t\033[21t\033]1;x\007\033[20t") ==
        "");
  Terminal terminal({80, 24}, {});
  terminal.feed(
      "\033]2;a\x01\r\n\xc2\x9b\x7f"
      "b\007");
  CHECK(terminal.title() == "ab");
}

TEST_CASE("T02 DECRQSS never echoes", "[terminal][T02]") {
  CHECK(replies_to("\033P$qfoo\nbar\033\\") == "\033P0$r\033\\");
  CHECK(replies_to("\033P$q" + std::string(64 << 10, 'm') + "\033\\") == "");
  CHECK(replies_to("\033P$q\033[c\033\\") == "\033[?62;6;22c");
}

TEST_CASE("T03 XTGETTCAP answers its own hex or a fixed no", "[terminal][T03]") {
  CHECK(replies_to("\033P+q6B31\033\\") == "\033P0+r\033\\");
  CHECK(replies_to("\033P+q544e\033\\").starts_with("\033P1+r544E="));
  CHECK(replies_to("\033P+qzz\r\n;rm\033\\") == "\033P0+r\033\\\033P0+r\033\\");
}

TEST_CASE("T04 T06 fonts, answerback and graphics queries get no answer", "[terminal][T04][T06]") {
  CHECK(replies_to("\033]50;?\007\033]50;#1\007\005\033G\033GQ\033_Gi=1,a=q;AAAA\033\\") == "");
}

TEST_CASE("T05 the clipboard is written to a bounded buffer and never read", "[terminal][T05]") {
  CHECK(replies_to("\033]52;c;?\007\033]52;p;?\033\\") == "");
  Terminal terminal({80, 24}, {});
  terminal.feed("\033]52;c;aGVsbG8=\007");
  auto events = terminal.take_events();
  REQUIRE(events.size() == 1);
  CHECK(events[0].kind == EventKind::clipboard);
  CHECK(events[0].text == "hello");
  terminal.feed("\033]52;c;" + repeated("YWFh", (100 << 10) / 3) + "\007");
  events = terminal.take_events();
  REQUIRE(events.size() == 1);
  CHECK(events[0].text.size() == (100 << 10) / 3 * 3);
  terminal.feed("\033]52;c;" + repeated("YWFh", 40'000) + "\007\033]52;c;*bad*\007");
  CHECK(terminal.take_events().empty());
  terminal.feed("\033]52;c;" + std::string(2 << 20, 'A') + "\007x");
  CHECK(terminal.take_events().empty());
  CHECK(terminal.screen_text()[0] == "x");
}

TEST_CASE("T07 a million queries fill the queue and no more", "[terminal][T07]") {
  Terminal terminal({80, 24}, {});
  terminal.feed(repeated("\033[6n", 1'000'000));
  const auto replies = terminal.take_replies();
  std::size_t bytes = 0;
  for (const Reply& reply : replies) {
    bytes += reply.bytes.size();
    REQUIRE(reply_length(reply.bytes) == reply.bytes.size());
  }
  CHECK(bytes <= 64 << 10);
  CHECK(replies.size() + terminal.replies_dropped() == 1'000'000);
  terminal.feed("\033[5n");
  CHECK(joined_replies(terminal) == "\033[0n");
}

TEST_CASE("T07 replies carry the offset past their query and their index there", "[terminal][T07]") {
  Terminal terminal({80, 24}, {});
  terminal.feed("ab\033[5n\033]10;?;?\007");
  const auto replies = terminal.take_replies();
  REQUIRE(replies.size() == 3);
  CHECK(replies[0].offset == 6);
  CHECK(replies[0].index == 0);
  CHECK(replies[1].offset == 15);
  CHECK(replies[1].index == 0);
  CHECK(replies[2].offset == 15);
  CHECK(replies[2].index == 1);
}

TEST_CASE("T08 output does not resize", "[terminal][T08]") {
  Terminal terminal({80, 24}, {});
  terminal.feed(
      "\033[8;0;0t\033[8;65535;65535t\033[4;2147483648;9t\033[3;-1;5t\033[?40h\033[?3h\033[9;1t\033[24t\033["
      "1$|");
  CHECK(terminal.size() == Size{80, 24});
}

TEST_CASE("T09 T13 T16 an unterminated string of any kind costs no memory and ends where it should",
          "[terminal][T09][T13][T16]") {
  const std::string start =
      GENERATE(as<std::string>{}, "\033]2;", "\033]52;c;", "\033P", "\033Pq", "\033P$q", "\033Ptmux;",
               "\033P1000p", "\033_G", "\033^", "\033X", "\033]1337;File=:", "\033[");
  CAPTURE(start);
  Terminal terminal({80, 24}, {});
  const std::string mebibyte(1 << 20, start == "\033[" ? '1' : 'x');
  terminal.feed(start);
  terminal.feed(mebibyte);
  const std::size_t before = resident_bytes();
  for (int i = 0; i < 24; ++i) terminal.feed(mebibyte);
  CHECK(resident_bytes() < before + (2 << 20));
  terminal.feed(
      "\x18"
      "after");
  CHECK(terminal.screen_text()[0] == "after");
  CHECK(terminal.take_replies().empty());
}

TEST_CASE("T16 what tmux wraps is not acted on", "[terminal][T16]") {
  Terminal terminal({80, 24}, {});
  terminal.feed("\033Ptmux;\033\033]2;title\007\033\\x");
  CHECK(terminal.title() == "");
  CHECK(terminal.screen_text()[0] == "x");
}

TEST_CASE("T10 huge counts end at once", "[terminal][T10]") {
  const std::string finals = "@ABCDEFGHIJKLMPSTXZ`abdefgr";
  const std::string count = GENERATE(as<std::string>{}, "2147483647", "99999999999999999999");
  for (char final : finals) {
    Terminal terminal({80, 24}, {});
    terminal.feed("ab\r\ncd");
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) terminal.feed("\033[" + count + final);
    const auto took = std::chrono::steady_clock::now() - start;
    CAPTURE(final);
    CHECK(broken_invariant(terminal) == "");
    CHECK(took < std::chrono::milliseconds(
                     500));  // twenty of them; the bound is a millisecond each on a quiet machine
  }
}

TEST_CASE("T11 more parameters than anyone keeps are dropped", "[terminal][T11]") {
  Terminal terminal({80, 24}, {});
  terminal.feed("\033[" + repeated(repeated(":", 1000) + ";", 1000) + "mx");
  CHECK(terminal.screen_text()[0] == "x");
  CHECK(terminal.parser_errors() == 1);
  terminal.feed("\033[38" + repeated(":2", 200) + "m\033[0;38;5mx");
  CHECK(broken_invariant(terminal) == "");
}

TEST_CASE("T12 a million marks on one cell keep sixteen code points", "[terminal][T12]") {
  Terminal terminal({80, 24}, {});
  terminal.feed("a" + repeated("\u0301", 1'000'000) + "b");
  const auto cells = terminal.row_cells(terminal.screen_top());
  CHECK(cells[0].text == "a" + repeated("\u0301", 15));
  CHECK(terminal.screen_text()[0].back() == 'b');
}

TEST_CASE("T14 floods of titles, bells and modes are one event of each kind", "[terminal][T14]") {
  Terminal terminal({80, 24}, {});
  terminal.feed(repeated("\033]2;a\007\007\033[?2004h\033[?2004l\033]133;A\007", 20'000));
  const auto events = terminal.take_events();
  CHECK(events.size() <= 1024);
  CHECK(terminal.marks_dropped() == 19'000);
  for (std::size_t i = 1; i < events.size(); ++i) CHECK(events[i].offset >= events[i - 1].offset);
  CHECK(terminal.take_events().empty());
}

TEST_CASE("T15 vendor strings are data", "[terminal][T15]") {
  Terminal terminal({80, 24}, {});
  terminal.feed(
      "\033]99;i=1;hello\033\\\033]777;notify;a;b\007\033]9;note\007\033]1337;File=name=x:AAAA\007x");
  CHECK(terminal.take_events().empty());
  CHECK(terminal.screen_text()[0] == "x");
  terminal.feed("\033]7;file://h/" + std::string(5000, 'p') + "\007");
  CHECK(terminal.cwd() == "");
}

TEST_CASE("T17 a control at any place of a sequence leaves the terminal well", "[terminal][T17]") {
  const std::string sequences[] = {"\033[1;31m", "\033]2;title\033\\", "\033P$qm\033\\", "\033_x\033\\",
                                   "\033(0",     "\033[?1049h",        "\xe4\xb8\xad",   "\033[38:2::1:2:3m"};
  for (const std::string& sequence : sequences)
    for (std::size_t at = 0; at <= sequence.size(); ++at)
      for (int control = 0; control < 256; control = control == 0x1f ? 0x7f : control + 1) {
        Terminal terminal({10, 4}, {});
        std::string bytes = sequence;
        bytes.insert(at, 1, static_cast<char>(control));
        terminal.feed(bytes + "\x18\033[m\033(B\033[?1049l\033[H\033[2Jok");
        REQUIRE(broken_invariant(terminal) == "");
        REQUIRE(terminal.screen_text()[0] == "ok");
      }
}

TEST_CASE("a caller can stop where few bytes cost much, and go on to the same state", "[terminal][work]") {
  const std::string bytes = repeated("\033#8\033[2J\033[1;1;500;900;1$rab\n\033[999b\033[99S", 20);
  Terminal whole({1000, 500}, {}), parts({1000, 500}, {});
  whole.feed(bytes);
  std::string_view rest = bytes;
  int calls = 0;
  while (!rest.empty()) {
    const std::size_t taken = parts.feed_some(rest, 100'000);
    REQUIRE(taken > 0);
    rest.remove_prefix(taken);
    ++calls;
  }
  CHECK(calls > 20);
  CHECK(parts.offset() == bytes.size());
  CHECK(dump(parts) == dump(whole));
}

TEST_CASE("endless new styles, links and clusters are reused", "[terminal][memory]") {
  Terminal terminal({80, 24}, {100, 1 << 20});
  std::size_t before = 0;
  for (int i = 0; i < 60'000; ++i) {
    const std::string n = std::to_string(i);
    terminal.feed("\033[38;2;" + std::to_string(i % 256) + ";" + std::to_string(i / 256) +
                  ";7m\033]8;;http://" + n + std::string(200, 'u') + "\007x" +
                  repeated("\u0301", 1 + static_cast<std::size_t>(i) % 7) +
                  std::string(1, static_cast<char>('a' + i % 26)) + "\u0323\r\n");
    terminal.trim_history();
    terminal.take_events();
    if (i == 10'000) before = resident_bytes();
  }
  CHECK(resident_bytes() < before + (2 << 20));
  CHECK(broken_invariant(terminal) == "");
}

}  // namespace
}  // namespace smartcli::terminal
