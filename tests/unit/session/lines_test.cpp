#include "session/lines.hpp"

#include <catch2/catch.hpp>

#include "unit/session/screen_under_test.hpp"

using namespace smartcli;
using test::ScreenUnderTest;
using Texts = std::vector<std::string>;

namespace {

Texts texts(const std::vector<session::Line>& lines) {
  Texts out;
  for (const auto& line : lines) out.push_back(line.text.substr(0, line.trimmed));
  return out;
}

Texts changed(ScreenUnderTest& screen) {
  Texts out = texts(screen.changed());
  std::erase(out, "");
  return out;
}

}  // namespace

TEST_CASE("soft wraps are joined, line ends are not", "[lines]") {
  ScreenUnderTest screen({5, 6});
  screen.shows("abcdefghijkl\r\nxyz\r\n12345\r\n!");
  const auto lines = test::all_lines(screen.terminal);
  REQUIRE(lines.size() >= 4);
  CHECK(lines[0].text == "abcdefghijkl");
  CHECK(lines[0].first_row == 0);
  CHECK(lines[0].last_row == 2);
  CHECK(lines[0].positions[5] == session::Position{1, 0});
  CHECK(lines[0].positions[11] == session::Position{2, 1});
  CHECK(lines[1].text == "xyz");
  CHECK(lines[2].text == "12345");
  CHECK(lines[3].text == "!");
  // Any row of a line gives the line.
  for (const std::uint64_t row : {0, 1, 2})
    CHECK(session::line_at(screen.terminal, row).text == "abcdefghijkl");
}

TEST_CASE("a line that began in history goes on on the screen", "[lines]") {
  ScreenUnderTest screen({5, 2});
  screen.shows("abcdefghijklmno");
  REQUIRE(screen.terminal.screen_top() == 1);
  CHECK(session::line_at(screen.terminal, 2).text == "abcdefghijklmno");
  CHECK(session::line_at(screen.terminal, 0).last_row == 2);
}

TEST_CASE("a row that is not kept gives nothing", "[lines]") {
  ScreenUnderTest screen({5, 2}, 0);
  screen.shows("a\r\nb\r\nc\r\nd");
  screen.terminal.trim_history();
  CHECK(session::line_at(screen.terminal, 0).text.empty());
  CHECK(session::line_at(screen.terminal, 99).text.empty());
  CHECK(texts(test::all_lines(screen.terminal)) == Texts{"c", "d"});
}

TEST_CASE("trailing blanks count up to the cursor, where the program wrote them", "[lines]") {
  ScreenUnderTest screen;
  screen.shows(">>> ");
  const auto line = session::line_at(screen.terminal, 0);
  CHECK(line.text == ">>> ");
  CHECK(line.trimmed == 3);
  CHECK(line.to_cursor == 4);
  // The cursor before the line's end takes nothing away.
  ScreenUnderTest back;
  back.shows("abc\r");
  CHECK(session::line_at(back.terminal, 0).to_cursor == 3);
}

TEST_CASE("each change is given once", "[lines]") {
  ScreenUnderTest screen;
  screen.shows("one\r\ntwo\r\n");
  CHECK(changed(screen) == Texts{"one", "two"});
  CHECK(changed(screen).empty());
  screen.shows("three");
  CHECK(changed(screen) == Texts{"three"});
  screen.shows("!");
  CHECK(changed(screen) == Texts{"three!"});
  screen.shows("\x1b[1;1Hone more");
  CHECK(changed(screen) == Texts{"one more"});
  CHECK(changed(screen).empty());
}

TEST_CASE("a change in one row gives the whole line it belongs to, once", "[lines]") {
  ScreenUnderTest screen({5, 6});
  screen.shows("abcdefghijkl");
  (void)changed(screen);
  screen.shows("\x1b[2;1HX\x1b[3;1HY");
  CHECK(changed(screen) == Texts{"abcdeXghijYl"});
}

TEST_CASE("lines that flew past between two looks are given, with any history", "[lines]") {
  const std::size_t history = GENERATE(0, 3, 1000);
  ScreenUnderTest screen({20, 3}, history);
  screen.shows("first\r\n");
  (void)changed(screen);
  std::string flood;
  Texts expected;
  for (int i = 0; i < 200; ++i) {
    flood += "line " + std::to_string(i) + "\r\n";
    expected.push_back("line " + std::to_string(i));
  }
  screen.shows(flood);
  Texts seen = changed(screen);  // before the history is trimmed, as a session looks
  std::erase(seen, "first");
  CHECK(seen == expected);
  screen.terminal.trim_history();
  CHECK(changed(screen).empty());
  screen.shows("last\r\n");
  // The row that left the screen with it is given again; those that only moved up are not.
  CHECK(changed(screen) == Texts{"line 198", "last"});
}

TEST_CASE("a line whose blanks the cursor comes back to is given again", "[lines]") {
  ScreenUnderTest screen;
  screen.shows("> \x1b[5;1Hstatus");
  (void)changed(screen);
  screen.shows("\x1b[1;3H");
  const auto lines = screen.changed();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].text == "> ");
  CHECK(lines[0].to_cursor == 2);
  CHECK(screen.changed().empty());
}

TEST_CASE("after a renumbering all that is on the screen is given again", "[lines]") {
  ScreenUnderTest screen({20, 5});
  screen.shows("one\r\ntwo\r\n");
  (void)changed(screen);
  SECTION("the alternate screen") {
    screen.shows("\x1b[?1049h\x1b[Hfull");
    CHECK(changed(screen) == Texts{"full"});
    screen.shows("\x1b[?1049l");
    CHECK(changed(screen) == Texts{"one", "two"});
  }
  SECTION("a resize") {
    screen.terminal.resize({2, 5});
    const auto seen = changed(screen);
    CHECK(std::find(seen.begin(), seen.end(), "two") != seen.end());
  }
}

TEST_CASE("what was skipped is not given", "[lines]") {
  ScreenUnderTest screen;
  screen.shows("old\r\n");
  screen.feed.skip(screen.terminal);
  CHECK(changed(screen).empty());
  screen.shows("new");
  CHECK(changed(screen) == Texts{"new"});
}

TEST_CASE("a line of very many rows is cut in pieces, none twice and none left out", "[lines]") {
  ScreenUnderTest screen({2, 5}, 10'000);
  screen.shows(std::string(9'000, 'x'));
  std::size_t bytes = 0;
  std::uint64_t next = 0;
  for (const auto& line : test::all_lines(screen.terminal)) {
    if (line.text.empty()) continue;
    CHECK(line.first_row == next);
    next = line.last_row + 1;
    bytes += line.text.size();
  }
  CHECK(bytes == 9'000);
}

TEST_CASE("what was written is new after any amount of output, and never before its fence", "[lines]") {
  constexpr std::uint64_t kGiB = 1ull << 30;
  const auto before = GENERATE(as<std::uint64_t>{}, 0, 1, 2 * kGiB - 1, 2 * kGiB, 3 * kGiB, 4 * kGiB - 2,
                               5 * kGiB, 40 * kGiB);
  CAPTURE(before);
  terminal::Terminal terminal({20, 3}, {});
  terminal.set_offset(before);
  terminal.feed("abc");
  const auto line = session::line_at(terminal, terminal.screen_top());
  REQUIRE(line.text == "abc");
  CHECK(line.is_new(0, before));
  CHECK_FALSE(line.is_new(0, before + 1));
  CHECK(line.is_new(2, before + 2));
  CHECK_FALSE(line.is_new(2, before + 3));
  CHECK(line.is_new(0, 0));  // nothing was ever typed
  CHECK_FALSE(line.is_new(0, before + 1000));
}
