// Other sizes.

#include <catch2/catch.hpp>
#include <random>

#include "invariants.hpp"
#include "support.hpp"

namespace smartcli::terminal {
namespace {

std::string some_lines(unsigned seed, int count) {
  std::mt19937 random(seed);
  static const char* const signs[] = {"a", "b", " ", "c", "\u4e2d", "e\u0301", "\U0001F469\u200d\U0001F4BB",
                                      "x", "y"};
  std::string out;
  for (int i = 0; i < count; ++i) {
    out += "\033[3" + std::to_string(random() % 8) + "m#";
    for (unsigned n = random() % 60; n > 0; --n) out += signs[random() % 9];
    out += "\033[m|\r\n";
  }
  return out + "$ ";
}

TEST_CASE("lower takes the blank rows below the cursor first", "[terminal][resize][B092]") {
  Terminal terminal({80, 24}, {});
  terminal.feed("one\r\ntwo\r\nthree\r\n");
  terminal.resize({80, 10});
  CHECK(terminal.screen_text()[0] == "one");
  CHECK(terminal.screen_text()[2] == "three");
  CHECK(terminal.cursor().row == 3);
  CHECK(terminal.screen_text().size() == 10);
}

TEST_CASE("another height alone keeps the rows' ordinals", "[terminal][resize]") {
  Terminal terminal({20, 4}, {});
  terminal.feed("one\r\ntwo\r\nthree\r\nfour");
  const auto epoch = terminal.layout_epoch();
  const auto top = terminal.screen_top();
  terminal.resize({20, 2});
  CHECK(terminal.row_text(top).text == "one");
  CHECK(terminal.screen_top() == top + 2);
  terminal.resize({20, 4});
  CHECK(terminal.screen_top() == top);
  CHECK(terminal.row_text(top).text == "one");
  CHECK(terminal.layout_epoch() == epoch);
}

TEST_CASE("a cleared screen does not pull history back when it grows", "[terminal][resize]") {
  Terminal terminal({20, 4}, {});
  terminal.feed("1\r\n2\r\n3\r\n4\r\n5\r\n6\033[H\033[2J$ ");
  terminal.resize({20, 8});
  CHECK(terminal.screen_text()[0] == "$");
  CHECK(terminal.cursor().row == 0);
}

TEST_CASE("narrower wraps, wider joins again, the cursor stays on its character", "[terminal][resize]") {
  Terminal terminal({10, 4}, {});
  terminal.feed("abcdefgh\r\n$ cmd");
  terminal.resize({4, 4});
  CHECK(terminal.screen_text() == std::vector<std::string>{"abcd", "efgh", "$ cm", "d"});
  CHECK(terminal.cursor().row == 3);
  CHECK(terminal.cursor().col == 1);
  terminal.feed("X");
  terminal.resize({10, 4});
  CHECK(terminal.screen_text()[0] == "abcdefgh");
  CHECK(terminal.screen_text()[1] == "$ cmdX");
  CHECK(terminal.cursor().col == 6);
}

TEST_CASE("a row that gets exactly full waits with its wrap", "[terminal][resize]") {
  Terminal terminal({10, 3}, {});
  terminal.feed("abcd");
  terminal.resize({4, 3});
  CHECK(terminal.cursor().col == 3);
  CHECK(terminal.cursor().pending_wrap);
  terminal.feed("e");
  CHECK(terminal.screen_text()[1] == "e");
  CHECK(terminal.row_text(terminal.screen_top()).wraps);
}

TEST_CASE("a wide character is never cut by a new width", "[terminal][resize]") {
  Terminal terminal({6, 4}, {});
  terminal.feed("\u4e2d\u6587\u5b57");
  terminal.resize({3, 4});
  CHECK(terminal.screen_text() == std::vector<std::string>{"\u4e2d", "\u6587", "\u5b57", ""});
  CHECK(broken_invariant(terminal) == "");
  terminal.resize({6, 4});
  CHECK(terminal.screen_text()[0] == "\u4e2d\u6587\u5b57");
}

TEST_CASE("text survives any widths and heights and back", "[terminal][resize][F45]") {
  const unsigned seed = GENERATE(1u, 2u, 3u, 4u);
  Terminal terminal({40, 12}, {});
  terminal.feed(some_lines(seed, 40));
  const auto before = logical_lines(terminal);
  std::mt19937 random(seed);
  const std::vector<Size> sizes{{20, 12}, {1, 1},     {7, 30}, {1000, 100}, {2, 2},
                                {3, 7},   {200, 500}, {1, 5},  {39, 11}};
  for (const Size& size : sizes) {
    terminal.resize(size);
    CAPTURE(size.cols, size.rows);
    CHECK(broken_invariant(terminal) == "");
    CHECK(logical_lines(terminal) == before);
    const RowText row =
        terminal.row_text(terminal.screen_top() + static_cast<std::uint64_t>(terminal.cursor().row));
    CHECK(row.trimmed <= 2);
  }
  terminal.resize({40, 12});
  CHECK(logical_lines(terminal) == before);
}

TEST_CASE("narrower and back at once shows the same screen", "[terminal][resize]") {
  Terminal terminal({40, 12}, {});
  terminal.feed(some_lines(9, 40));
  const auto before = terminal.screen_text();
  const auto hash = terminal.visual_hash();
  const int width = GENERATE(39, 20, 11, 4, 1);
  terminal.resize({width, 12});
  terminal.resize({40, 12});
  CHECK(terminal.screen_text() == before);
  CHECK(terminal.visual_hash() == hash);
}

TEST_CASE("the primary screen reflows under the alternate one, which does not", "[terminal][resize][B067]") {
  Terminal terminal({10, 4}, {});
  terminal.feed("abcdefgh\r\n$ \033[?1049h\033[1;1Hfull width");
  terminal.resize({6, 4});
  CHECK(terminal.screen_text()[0] == "full w");
  CHECK(terminal.screen_text()[1] == "");
  terminal.feed("\033[?1049l!");
  CHECK(terminal.screen_text() == std::vector<std::string>{"abcdef", "gh", "$ !", ""});
}

TEST_CASE("the cursor under the alternate screen stays on its line when the height changes",
          "[terminal][resize]") {
  Terminal terminal({10, 6}, {});
  terminal.feed("1\r\n2\r\n3\r\n4\r\n5\r\n$ \033[?1049h");
  terminal.resize({10, 3});
  terminal.feed("\033[?1049lx");
  CHECK(terminal.screen_text() == std::vector<std::string>{"4", "5", "$ x"});
  terminal.feed("\033[?1049h");
  terminal.resize({10, 6});
  terminal.feed("\033[?1049ly");
  CHECK(terminal.screen_text()[0] == "1");
  CHECK(terminal.screen_text()[5] == "$ xy");
}

TEST_CASE("lines from a screen one column wide come back with wide characters whole", "[terminal][resize]") {
  Terminal terminal({1, 2}, {});
  terminal.feed("\u4e2d\r\n\u6587\r\n\u5b57\r\nx");
  terminal.resize({4, 2});
  terminal.resize({4, 9});
  CHECK(terminal.screen_text()[0] == "\u4e2d");
  CHECK(terminal.row_cells(terminal.screen_top())[0].is_wide);
  CHECK(broken_invariant(terminal) == "");
}

TEST_CASE("a flag takes one column where all signs do, and two again after", "[terminal][resize]") {
  const std::string flag = "\U0001F1E9\U0001F1EA";
  Terminal printed({1, 2}, {});
  printed.feed(flag);
  CHECK(printed.screen_text()[0] == flag);
  Terminal terminal({4, 2}, {});
  terminal.feed(flag);
  terminal.resize({1, 2});
  CHECK(terminal.screen_text()[0] == flag);
  terminal.resize({4, 2});
  CHECK(terminal.row_cells(terminal.screen_top())[0].is_wide);
  CHECK(broken_invariant(terminal) == "");
}

TEST_CASE("sizes outside the bounds are clamped", "[terminal][resize]") {
  Terminal terminal({0, -3}, {});
  CHECK(terminal.size() == Size{1, 1});
  terminal.resize({100'000, 100'000});
  CHECK(terminal.size() == Size{kMaxCols, kMaxRows});
}

TEST_CASE("a resize resets margins and keeps tab stops", "[terminal][resize]") {
  Terminal terminal({20, 6}, {});
  terminal.feed("\033[3g\033[1;4H\033H\033[2;3r");
  terminal.resize({40, 6});
  terminal.feed("\033[1;1H\tx\ty");
  CHECK(terminal.screen_text()[0].substr(0, 4) == "   x");
  CHECK(terminal.screen_text()[0].size() == 25);
  terminal.feed("\033[6;1Hlast");
  CHECK(terminal.screen_text()[5] == "last");
}

TEST_CASE("an endless line and a storm of resizes stay cheap", "[terminal][resize][F45]") {
  Terminal terminal({80, 24}, {});
  terminal.feed(std::string(3'000'000, 'x'));
  for (int i = 0; i < 20; ++i) terminal.resize({40 + i % 60, 10 + i % 30});
  CHECK(broken_invariant(terminal) == "");
  std::size_t length = 0;
  for (const std::string& line : logical_lines(terminal)) length += line.size();
  CHECK(length == 3'000'000);
}

}  // namespace
}  // namespace smartcli::terminal
