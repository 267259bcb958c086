#include "session/condition.hpp"

#include <catch2/catch.hpp>

#include "unit/session/screen_under_test.hpp"

using namespace smartcli;
using test::Line;
using test::ScreenUnderTest;

TEST_CASE("a pattern sees what was written since the fence", "[condition]") {
  ScreenUnderTest screen;
  screen.shows("ready\r\n$ ").typed("x\r", Line::canonical).shows("x\r\n");
  CHECK_FALSE(screen.finds("ready"));
  CHECK(screen.finds("ready", true));
  screen.shows("ready again\r\n");
  CHECK(screen.finds("ready"));
}

TEST_CASE("one new cell is enough for a match to count", "[condition]") {
  ScreenUnderTest screen;
  screen.shows("progress 9").typed("", Line::canonical);
  screen.fence = screen.terminal.offset();
  CHECK_FALSE(screen.finds("progress \\d+"));
  screen.shows("9%");
  CHECK(screen.finds("progress \\d+%"));
  CHECK_FALSE(screen.finds("progress 9"));
}

TEST_CASE("a prompt is found with its blank, without it, and at the end of the line", "[condition]") {
  ScreenUnderTest screen;
  screen.shows(">>> ");
  for (const char* pattern : {">>> $", ">>>$", "^>>> $", "^>>>$", ">>>\\s*$", ">>>"}) {
    CAPTURE(pattern);
    CHECK(screen.finds(pattern));
  }
  CHECK_FALSE(screen.finds("^>>$"));
  CHECK_FALSE(screen.finds(">>>  $"));
  ScreenUnderTest shell;
  shell.shows("user@host:~$ ");
  CHECK(shell.finds("\\$ $"));
  CHECK(shell.finds("\\$$"));
}

TEST_CASE("a number alone on its line is found, not inside the echo or another line", "[condition]") {
  ScreenUnderTest screen;
  screen.shows(">>> ").typed("print(42)\r", Line::raw).shows("print(42)\r\n");
  CHECK_FALSE(screen.finds("^42$"));
  CHECK_FALSE(screen.finds("42"));
  screen.shows("142\r\n");
  CHECK_FALSE(screen.finds("^42$"));
  screen.shows("42\r\n");
  CHECK(screen.finds("^42$"));
}

TEST_CASE("a match on a wrapped line is found across the wrap and placed where it begins", "[condition]") {
  ScreenUnderTest screen({10, 5});
  screen.shows("x\r\n12345678finished\r\n");
  auto condition = screen.condition_for("fin(ish)ed");
  REQUIRE(condition.look(screen.all(), false));
  REQUIRE(condition.match());
  CHECK(condition.match()->text == "finished");
  CHECK(condition.match()->groups == std::vector<std::string>{"ish"});
  CHECK(condition.match()->begin == session::Position{1, 8});
}

TEST_CASE("a line that flew past is matched", "[condition]") {
  ScreenUnderTest screen({40, 3}, 0);
  (void)screen.changed();
  std::string flood = "needle 7\r\n";
  for (int i = 0; i < 1000; ++i) flood += "hay " + std::to_string(i) + "\r\n";
  screen.shows(flood);
  auto condition = screen.condition_for("needle \\d");
  CHECK(condition.look(screen.changed(), false));
  CHECK(condition.match()->text == "needle 7");
}

TEST_CASE("on the alternate screen all that is shown counts", "[condition]") {
  ScreenUnderTest screen;
  screen.shows("\x1b[?1049h\x1b[H-- INSERT --").typed("x", Line::raw);
  screen.fence = screen.terminal.offset();
  CHECK(screen.finds("INSERT"));
  screen.shows("\x1b[?1049l");
  CHECK_FALSE(screen.finds("INSERT"));
}

TEST_CASE("anywhere counts old text and echo too", "[condition]") {
  ScreenUnderTest screen;
  screen.shows("old\r\n$ ").typed("echo\r", Line::canonical).shows("echo\r\n");
  CHECK_FALSE(screen.finds("old|echo"));
  CHECK(screen.finds("^old$", true));
  CHECK(screen.finds("echo", true));
}

TEST_CASE("a match that does not count hides none that overlaps it and does", "[condition]") {
  ScreenUnderTest screen;
  screen.shows("aa").typed("", Line::canonical);
  screen.fence = screen.terminal.offset();
  screen.shows("a");
  auto condition = screen.condition_for("aa");
  REQUIRE(condition.look(screen.all(), false));
  CHECK(condition.match()->begin.col == 1);
}

TEST_CASE("an empty match holds nothing new", "[condition]") {
  ScreenUnderTest screen;
  screen.shows("abc");
  CHECK_FALSE(screen.finds("x*$"));
  CHECK_FALSE(screen.finds("^"));
  CHECK(screen.finds("^", true));
}

TEST_CASE("a wait that finds nothing new knows what it saw", "[condition]") {
  ScreenUnderTest screen;
  screen.shows("ready\r\n$ ").typed("ready\r", Line::canonical).shows("ready\r\n");
  auto echoed = screen.condition_for("^\\$ ready");
  CHECK_FALSE(echoed.look(screen.all(), false));
  CHECK(echoed.only_echo());
  CHECK_FALSE(echoed.only_old());
  auto old = screen.condition_for("^ready$");
  CHECK_FALSE(old.look(screen.all(), false));
  CHECK(old.only_old());
  CHECK_FALSE(old.only_echo());
  auto never = screen.condition_for("nothing");
  CHECK_FALSE(never.look(screen.all(), false));
  CHECK_FALSE(never.only_old());
  CHECK_FALSE(never.only_echo());
}

TEST_CASE("text written after gigabytes without any input is matched", "[condition]") {
  ScreenUnderTest screen;
  screen.terminal.set_offset(3ull << 30);
  screen.shows("done\r\n");
  CHECK(screen.finds("^done$"));
}

TEST_CASE("a hostile pattern on a long line costs linear time", "[condition]") {
  ScreenUnderTest screen({1000, 100});
  screen.shows("old " + std::string(90'000, 'a')).typed("", Line::canonical);
  screen.fence = screen.terminal.offset();
  screen.shows("!");
  for (const char* pattern : {"(a+)+$", "a", "(a|aa)+b", "a{50}"}) {
    CAPTURE(pattern);
    CHECK_FALSE(screen.finds(pattern));
  }
}

TEST_CASE("the program's end is no match", "[condition]") {
  ScreenUnderTest screen;
  screen.shows("x");
  CHECK_FALSE(session::EndCondition().look(screen.all(), true));
}
