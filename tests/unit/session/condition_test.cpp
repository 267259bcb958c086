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
  REQUIRE(test::sees(condition, screen.all(), false));
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
  CHECK(test::sees(condition, screen.changed(), false));
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
  REQUIRE(test::sees(condition, screen.all(), false));
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
  CHECK_FALSE(test::sees(echoed, screen.all(), false));
  CHECK(echoed.only_echo());
  CHECK_FALSE(echoed.only_old());
  auto old = screen.condition_for("^ready$");
  CHECK_FALSE(test::sees(old, screen.all(), false));
  CHECK(old.only_old());
  CHECK_FALSE(old.only_echo());
  auto never = screen.condition_for("nothing");
  CHECK_FALSE(test::sees(never, screen.all(), false));
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
  session::EndCondition end;
  CHECK_FALSE(test::sees(end, screen.all(), true));
}

TEST_CASE("of several patterns the first in the list counts, wherever it stands on the screen",
          "[condition]") {
  ScreenUnderTest screen;
  screen.shows("second\r\nfirst\r\n");
  std::vector<session::MatchCondition> patterns;
  for (const char* text : {"first", "second", "third"}) patterns.push_back(screen.condition_for(text));
  session::AnyCondition any(std::move(patterns));
  CHECK_FALSE(any.holds());
  const auto lines = screen.all();
  // Line by line, as a wait looks at what is there when it begins.
  any.look(std::span(&lines[0], 1), false);
  CHECK(any.index() == 1u);
  CHECK_FALSE(any.is_decided());
  any.look(std::span(&lines[1], 1), false);
  CHECK(any.index() == 0u);
  CHECK(any.is_decided());
  CHECK(any.matches()[1].match()->text == "second");
}

namespace {

/// The screen at a time of the test's.
session::ScreenSight at(const ScreenUnderTest& screen, int now_ms, int last_activity_ms,
                        bool is_alive = true) {
  const auto time = [](int ms) { return Clock::Steady(std::chrono::milliseconds(ms)); };
  return {screen.terminal, time(now_ms), time(last_activity_ms), is_alive};
}

bool holds(session::Condition& condition, session::ScreenSight sight) {
  condition.look(sight);
  return condition.holds();
}

}  // namespace

TEST_CASE("a pattern is gone when no line of the screen has it, and may come back", "[condition]") {
  ScreenUnderTest screen({20, 4});
  screen.shows("Compiling\r\n");
  session::GoneCondition gone(*Pattern::compile("Comp"));
  CHECK_FALSE(holds(gone, at(screen, 0, 0)));
  screen.shows("\x1b[H\x1b[2J");
  CHECK(holds(gone, at(screen, 0, 0)));
  screen.shows("Completing");
  CHECK_FALSE(holds(gone, at(screen, 0, 0)));
  // What scrolled away is not on the screen.
  screen.shows("\r\n\n\n\n\n");
  CHECK(holds(gone, at(screen, 0, 0)));
}

TEST_CASE("a change is told by the text's hash or by all that is visible", "[condition]") {
  ScreenUnderTest screen;
  screen.shows("text");
  using session::ChangeCondition;
  ChangeCondition text(ChangeCondition::Of::text, screen.terminal.text_hash());
  ChangeCondition all(ChangeCondition::Of::all, screen.terminal.visual_hash());
  CHECK_FALSE(holds(text, at(screen, 0, 0)));
  CHECK_FALSE(holds(all, at(screen, 0, 0)));
  screen.shows("\x1b[H\x1b[7mtext\x1b[m");
  CHECK_FALSE(holds(text, at(screen, 0, 0)));
  CHECK(holds(all, at(screen, 0, 0)));
  screen.shows("!");
  CHECK(holds(text, at(screen, 0, 0)));
  screen.shows("\b ");
  CHECK_FALSE(holds(text, at(screen, 0, 0)));
}

TEST_CASE("a screen is ready when it was painted and nothing visible changed for long enough",
          "[condition]") {
  using namespace std::chrono_literals;
  ScreenUnderTest screen;
  session::ReadyCondition ready(std::nullopt, 200ms);
  CHECK_FALSE(holds(ready, at(screen, 5000, 0)));  // blank, however long
  CHECK_FALSE(ready.due());
  screen.shows("menu");
  CHECK_FALSE(holds(ready, at(screen, 6000, 6000)));
  CHECK(ready.due() == Clock::Steady(6200ms));
  CHECK_FALSE(holds(ready, at(screen, 6199, 6000)));
  screen.shows("\x1b[H");  // the cursor moves
  CHECK_FALSE(holds(ready, at(screen, 6199, 6199)));
  CHECK_FALSE(holds(ready, at(screen, 6398, 6199)));
  screen.shows("\x1b[31m");  // nothing to see
  CHECK(holds(ready, at(screen, 6399, 6399)));
  CHECK(ready.reason() == Reason::stable);
}

TEST_CASE("a screen that was quiet before is ready at once, and not right after input", "[condition]") {
  using namespace std::chrono_literals;
  ScreenUnderTest screen;
  screen.shows("menu");
  session::ReadyCondition long_quiet(std::nullopt, 200ms), just_typed(std::nullopt, 200ms),
      ended(std::nullopt, 200ms);
  CHECK(holds(long_quiet, at(screen, 1000, 100)));
  CHECK_FALSE(holds(just_typed, at(screen, 1000, 990)));
  CHECK(just_typed.due() == Clock::Steady(1190ms));
  CHECK_FALSE(holds(ended, at(screen, 1000, 100, false)));
  CHECK_FALSE(ended.due());
}

TEST_CASE("a marker makes a screen ready while it still changes", "[condition]") {
  ScreenUnderTest screen;
  session::ReadyCondition ready(screen.condition_for(">>> $"), std::chrono::milliseconds(200));
  screen.shows("Python\r\n>>> ");
  CHECK_FALSE(holds(ready, at(screen, 0, 0)));
  CHECK(test::sees(ready, screen.all(), false));
  CHECK(ready.reason() == Reason::marker);
}
