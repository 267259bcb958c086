// Lines that left the screen.

#include <catch2/catch.hpp>
#include <random>

#include "invariants.hpp"
#include "support.hpp"
#include "terminal/history.hpp"

namespace smartcli::terminal {
namespace {

TEST_CASE("a line in history keeps text, columns, styles, links and its wrap", "[terminal][history]") {
  Terminal terminal({10, 2}, {});
  terminal.feed(
      "a\033[1;31m\u4e2de\u0301\033[m\033[8G\033]8;;http://l\007x\033]8;;\007\r\nabcdefghijklm\r\n\n\n");
  const auto first = terminal.first_row();
  const RowText text = terminal.row_text(first);
  CHECK(text.text == "a\u4e2de\u0301   x");
  CHECK(text.columns == std::vector<std::uint16_t>{0, 1, 1, 1, 3, 3, 3, 4, 5, 6, 7});
  const auto cells = terminal.row_cells(first);
  REQUIRE(cells.size() == 8);
  CHECK(cells[1].is_wide);
  CHECK(cells[2].is_second_half);
  CHECK(cells[1].style.flags == kBold);
  CHECK(cells[3].text == "e\u0301");
  CHECK(cells[3].style.fg == Colour::index(1));
  CHECK(cells[4].style == Style{});
  CHECK(cells[4].text == "");
  CHECK(cells[7].link == "http://l");
  CHECK(terminal.row_text(first + 1).wraps);
  CHECK_FALSE(terminal.row_text(first + 2).wraps);
  CHECK(broken_invariant(terminal) == "");
}

TEST_CASE("a row keeps its ordinal when it scrolls away", "[terminal][history]") {
  Terminal terminal({10, 3}, {});
  terminal.feed("one\r\ntwo\r\nthree");
  const auto top = terminal.screen_top();
  CHECK(terminal.row_text(top + 1).text == "two");
  terminal.feed("\r\nfour\r\nfive\r\nsix");
  CHECK(terminal.row_text(top + 1).text == "two");
  CHECK(terminal.screen_top() == top + 3);
  CHECK(terminal.row_text(terminal.screen_top()).text == "four");
}

TEST_CASE("a line keeps its number when it scrolls away, is reflowed or outlives others",
          "[terminal][history]") {
  Terminal terminal({10, 3}, {100, 1 << 20});
  const auto line_at = [&terminal](std::uint64_t number) {
    std::string text;
    for (auto row = terminal.row_of_line(number);; ++row) {
      const auto part = terminal.row_text(row);
      CHECK(terminal.line_of_row(row) == number);
      text += part.text;
      if (!part.wraps) return text;
    }
  };
  // Every third line is wider than the screen, then narrower than all that it becomes.
  const auto text_of = [](int number) {
    return std::to_string(number) + (number % 3 == 0 ? std::string(25, 'x') : "");
  };
  for (int i = 1; i <= 60; ++i) terminal.feed(text_of(i) + "\r\n");
  const auto check = [&](int from) {
    for (int i = from; i <= 60; ++i) {
      CAPTURE(i);
      CHECK(line_at(static_cast<std::uint64_t>(i)) == text_of(i));
    }
  };
  check(1);
  for (const Size size : {Size{7, 3}, Size{40, 10}, Size{3, 2}, Size{80, 24}, Size{10, 3}}) {
    CAPTURE(size.cols, size.rows);
    terminal.resize(size);
    check(1);
  }
  Terminal small({10, 3}, {8, 1 << 20});
  for (int i = 1; i <= 5000; ++i) {
    small.feed(std::to_string(i) + (i % 2 ? std::string(12, '.') : "") + "\r\n");
    if (i % 100 == 0) small.trim_history();
  }
  CHECK(small.row_text(small.row_of_line(4999)).text.starts_with("4999"));
  CHECK(small.row_of_line(1) == small.first_row());
  CHECK(small.row_of_line(9999) == small.screen_top() + 3);
  // Wiped lines do not give their numbers to new ones.
  const auto last = small.line_of_row(small.screen_top());
  small.clear();
  small.feed("after");
  CHECK(small.line_of_row(small.screen_top()) > last);
  small.feed("\033[3J");
  CHECK(small.line_of_row(small.screen_top()) > last);
}

TEST_CASE("history is kept over its limits until it is trimmed", "[terminal][history]") {
  Terminal terminal({10, 2}, {3, 1 << 20});
  for (int i = 0; i < 20; ++i) terminal.feed(std::to_string(i) + "\r\n");
  CHECK(terminal.screen_top() - terminal.first_row() == 19);
  terminal.trim_history();
  CHECK(terminal.screen_top() - terminal.first_row() == 3);
  CHECK(history_lines(terminal) == std::vector<std::string>{"16", "17", "18"});
  CHECK(terminal.row_text(terminal.first_row() - 1).text == "");
}

TEST_CASE("no history at all still shows the slice's lines", "[terminal][history]") {
  Terminal terminal({10, 2}, {0, 0});
  terminal.feed("one\r\ntwo\r\nthree");
  CHECK(history_lines(terminal) == std::vector<std::string>{"one"});
  terminal.trim_history();
  CHECK(history_lines(terminal).empty());
}

TEST_CASE("the byte limit counts too", "[terminal][history]") {
  Terminal terminal({80, 2}, {1'000'000, 10'000});
  for (int i = 0; i < 1000; ++i) terminal.feed(std::string(80, 'x') + "\r\n");
  terminal.trim_history();
  CHECK(terminal.history_bytes() <= 10'000);
  CHECK(terminal.screen_top() - terminal.first_row() > 50);
}

TEST_CASE("10 000 lines of 80 columns take at most 1.2 MB", "[terminal][history][memory]") {
  Terminal terminal({80, 24}, {});
  for (int i = 0; i < 10'024; ++i) terminal.feed(std::string(80, 'x') + "\r\n");
  CHECK(terminal.screen_top() - terminal.first_row() >= 10'000);
  // Records, and four bytes each to find them.
  CHECK(terminal.history_bytes() + 4 * 10'000 <= 1'200'000);
}

TEST_CASE("history taken from both ends stays whole", "[terminal][history]") {
  Tables tables;
  History history(tables);
  Grid grid(40, 1);
  std::mt19937 random(3);
  std::vector<std::string> model;
  std::uint64_t first = 0;
  for (int i = 0; i < 20'000; ++i) {
    const unsigned what = random() % 10;
    if (what < 6) {
      const std::string text = std::to_string(random());
      Row& row = grid.row(0);
      grid.erase(row, 0, 40, 0);
      for (std::size_t k = 0; k < text.size(); ++k) row.content[k] = static_cast<Content>(text[k]);
      row.used = static_cast<std::uint16_t>(text.size());
      history.push(row, false, 0);
      model.push_back(text);
    } else if (what < 8 && !model.empty()) {
      history.pop_back();
      model.pop_back();
    } else if (!model.empty()) {
      history.pop_front();
      model.erase(model.begin());
      ++first;
    }
    REQUIRE(history.size() == model.size());
    REQUIRE(history.first() == first);
    if (model.empty()) continue;
    const std::size_t at = random() % model.size();
    REQUIRE(history.text(first + at).bytes == model[at]);
  }
}

TEST_CASE("the alternate screen adds no history", "[terminal][history][B068]") {
  Terminal terminal({10, 3}, {});
  terminal.feed("before\033[?1049h1\r\n2\r\n3\r\n4\r\n5\033[?1049l");
  CHECK(terminal.first_row() == terminal.screen_top());
  CHECK(terminal.screen_text()[0] == "before");
}

TEST_CASE("a wrapped line in history ends when its rest is erased", "[terminal][history]") {
  Terminal terminal({4, 2}, {});
  terminal.feed("abcdefghij");
  CHECK(terminal.row_text(terminal.screen_top() - 1).wraps);
  terminal.feed("\033[H\033[2Jnew");
  CHECK_FALSE(terminal.row_text(terminal.screen_top() - 1).wraps);
}

}  // namespace
}  // namespace smartcli::terminal
