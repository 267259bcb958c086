#include "terminal/coloured.hpp"

#include <catch2/catch.hpp>

namespace smartcli::terminal {
namespace {

std::string coloured(std::string_view bytes, Size size = {40, 2}) {
  Terminal terminal(size, {});
  terminal.feed(bytes);
  return coloured_text(terminal.row_cells(terminal.screen_top()));
}

TEST_CASE("colours and attributes come back as SGR, and end with their row", "[coloured]") {
  CHECK(coloured("plain  ") == "plain");
  CHECK(coloured("a\033[31mb\033[mc") == "a\033[0;31mb\033[0mc");
  CHECK(coloured("\033[1;3;4;38;5;200;48;2;1;2;3mx") == "\033[0;1;3;4;38;5;200;48;2;1;2;3mx\033[0m");
  CHECK(coloured("\033[92;103mx") == "\033[0;92;103mx\033[0m");
  CHECK(coloured("\033[4:3;58:5:9mx") == "\033[0;4:3;58;5;9mx\033[0m");
  CHECK(coloured("\033[2;5;7;8;9;53mx") == "\033[0;2;5;7;8;9;53mx\033[0m");
  // A bar of background is seen, a trailing blank of another colour is not.
  CHECK(coloured("\033[44mx  ") == "\033[0;44mx  \033[0m");
  CHECK(coloured("\033[31mx  ") == "\033[0;31mx\033[0m");
  CHECK(coloured("").empty());
}

TEST_CASE("what came back shows the same cells again", "[coloured]") {
  const std::string given =
      "a\033[1;31mb\u4e2d\033[0;7m c\033[4:2;58:2::9:8:7md\033[0;48;5;17me \033[38;2;255;0;127mf";
  Terminal first({20, 1}, {}), second({20, 1}, {});
  first.feed(given);
  second.feed(coloured_text(first.row_cells(0)));
  const auto before = first.row_cells(0), after = second.row_cells(0);
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CAPTURE(i);
    CHECK(before[i].text == after[i].text);
    CHECK(before[i].style == after[i].style);
  }
}

TEST_CASE("T18: links and characters that turn or hide text do not come through", "[coloured]") {
  const auto text = coloured("\033]8;;http://x\007\033[1ml\033[m\033]8;;\007a\u202eb\ufeffc\u0301");
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') CHECK(text[i + 1] == '[');
  }
  CHECK(text.find("http") == std::string::npos);
  CHECK(text.find("\u202e") == std::string::npos);
  CHECK(text.find("c\u0301") != std::string::npos);
}

TEST_CASE("a part of a row cuts no wide character in two", "[coloured]") {
  Terminal terminal({10, 1}, {});
  terminal.feed("a\u4e2db");
  const auto row = terminal.row_cells(0);
  const auto part = [&](std::size_t from, std::size_t to) { return plain_text(cut_columns(row, from, to)); };
  CHECK(part(0, 10) == "a\u4e2db");
  CHECK(part(0, 3) == "a\u4e2d");
  CHECK(part(0, 2) == "a");
  CHECK(part(2, 4) == " b");
  CHECK(part(4, 9).empty());
  CHECK(cut_columns(row, 2, 9).size() == 7);
}

TEST_CASE("colours have names", "[coloured]") {
  CHECK_FALSE(colour_name(Colour{}));
  CHECK(colour_name(Colour::index(0)) == "0");
  CHECK(colour_name(Colour::index(255)) == "255");
  CHECK(colour_name(Colour::rgb(1, 0xab, 255)) == "#01abff");
}

TEST_CASE("a row's text alone is the text that it has with its columns", "[coloured]") {
  Terminal terminal({7, 3}, {});
  terminal.feed(
      "plain\r\na\033[6Gb\r\n\u4e2d\u4e2d\u4e2d\u4e2d\r\nabcdefghij  \r\n\033[31mred\033[m  \r\ne\u0301");
  const auto end = terminal.screen_top() + 3;
  REQUIRE(terminal.screen_top() > 3);
  for (auto row = terminal.first_row(); row < end; ++row) {
    CAPTURE(row);
    std::string text = "before";
    CHECK(terminal.append_row_text(row, text) == terminal.row_text(row).wraps);
    CHECK(text == "before" + terminal.row_text(row).text);
    CHECK(terminal.row_wraps(row) == terminal.row_text(row).wraps);
  }
  std::string nothing;
  CHECK_FALSE(terminal.append_row_text(end, nothing));
  CHECK_FALSE(terminal.row_wraps(end));
  CHECK(nothing.empty());
}

}  // namespace
}  // namespace smartcli::terminal
