// What actions do to cells, where the judged cases do not look.

#include <catch2/catch.hpp>

#include "invariants.hpp"
#include "support.hpp"

namespace smartcli::terminal {
namespace {

Terminal fed(std::string_view bytes, Size size = {20, 5}) {
  Terminal terminal(size, {});
  terminal.feed(bytes);
  CHECK(broken_invariant(terminal) == "");
  return terminal;
}

std::string row(const Terminal& terminal, int n) {
  return terminal.screen_text()[static_cast<std::size_t>(n)];
}

struct ClusterCase {
  std::string_view name, bytes;
  int columns;
};

TEST_CASE("code points that make one sign share a cell and lose nothing", "[terminal][graphemes]") {
  const auto c = GENERATE(ClusterCase{"combining marks", "e\u0301\u0323", 1},  //
                          ClusterCase{"woman technologist", "\U0001F469\u200d\U0001F4BB", 2},
                          ClusterCase{"a family", "\U0001F468\u200d\U0001F469\u200d\U0001F467", 2},
                          ClusterCase{"a flag", "\U0001F1E9\U0001F1EA", 2},
                          ClusterCase{"skin tone", "\U0001F44D\U0001F3FD", 2},
                          ClusterCase{"a variation selector keeps the width", "\u2764\ufe0f", 1},
                          ClusterCase{"conjoining jamo", "\u1112\u1161\u11ab", 2});
  CAPTURE(c.name);
  Terminal terminal({20, 5}, {});
  terminal.feed(c.bytes);
  CHECK(terminal.cursor().col == c.columns);
  terminal.feed("x");
  CHECK(row(terminal, 0) == std::string(c.bytes) + "x");
  CHECK(terminal.row_cells(terminal.screen_top())[0].text == c.bytes);
  CHECK(broken_invariant(terminal) == "");
}

TEST_CASE("three regional indicators are a flag and a letter", "[terminal][graphemes]") {
  const Terminal terminal = fed("\U0001F1E9\U0001F1EA\U0001F1EB");
  CHECK(terminal.row_cells(terminal.screen_top()).size() == 3);
}

TEST_CASE("a mark with nothing before it is dropped", "[terminal][graphemes]") {
  CHECK(row(fed("\u0301a"), 0) == "a");
}

TEST_CASE("a flag that does not fit on the row keeps its halves apart", "[terminal][graphemes]") {
  const Terminal terminal = fed("abc\U0001F1E9\U0001F1EA", {4, 3});
  CHECK(row(terminal, 0) == "abc\U0001F1E9");
  CHECK(row(terminal, 1) == "\U0001F1EA");
}

TEST_CASE("a screen one column wide holds wide characters and gives them back", "[terminal][wide]") {
  Terminal terminal({1, 4}, {});
  terminal.feed("\u4e2d\u6587");
  CHECK(broken_invariant(terminal) == "");
  terminal.resize({10, 4});
  CHECK(row(terminal, 0) == "\u4e2d\u6587");
  CHECK(broken_invariant(terminal) == "");
}

TEST_CASE("side margins hold scrolling, insertion and the cursor", "[terminal][margins]") {
  Terminal terminal({10, 4}, {});
  for (int r = 1; r <= 4; ++r)
    terminal.feed("\033[" + std::to_string(r) + ";1H" + std::string(10, static_cast<char>('0' + r)));
  terminal.feed("\033[?69h\033[3;6s");
  SECTION("SU moves only what is inside") {
    terminal.feed("\033[S");
    CHECK(row(terminal, 0) == "1122221111");
    CHECK(row(terminal, 3) == "44    4444");
    CHECK(terminal.first_row() == terminal.screen_top());
  }
  SECTION("ICH pushes off at the right margin") {
    terminal.feed("\033[1;4H\033[2@");
    CHECK(row(terminal, 0) == "111  11111");
  }
  SECTION("DCH takes in blanks at the right margin") {
    terminal.feed("\033[1;4H\033[P");
    CHECK(row(terminal, 0) == "11111 1111");
  }
  SECTION("DL outside does nothing") {
    terminal.feed("\033[1;1H\033[M");
    CHECK(row(terminal, 0) == "1111111111");
  }
  SECTION("CR goes to the left margin from inside, and to column 1 from outside") {
    terminal.feed("\033[1;5H\r");
    CHECK(terminal.cursor().col == 2);
    terminal.feed("\033[1;2H\r");
    CHECK(terminal.cursor().col == 0);
  }
  SECTION("a wide character across the margin is broken into blanks") {
    terminal.feed("\033[2;2H\u4e2d\033[1;3H\033[S");
    CHECK(row(terminal, 1).substr(0, 2) == "2 ");
  }
  CHECK(broken_invariant(terminal) == "");
}

TEST_CASE("a pending wrap outlives CBT, DECRC and DECAWM, as in xterm", "[terminal][wraps]") {
  const std::string full(20, 'x');
  CHECK(row(fed(full + "\033[7Za"), 1) == "a");
  CHECK(row(fed(full + "\033[Z\0337\033[H\0338a"), 1) == "a");
  CHECK(row(fed("\033[?7l" + full + "yz\033[?7ha"), 0) == full.substr(1) + "z");
  CHECK(row(fed("\033[?7l" + full + "yz\033[?7ha"), 1) == "a");
  CHECK(row(fed(full + "\033[Z\033[Ka"), 1) == "");
  CHECK(row(fed(full + "\033[!p\0338ab"), 1) == "ab");
  CHECK(row(fed(full + "\033c\0338ab"), 0) == "ab");
}

TEST_CASE("reverse wrap from a region's first cell goes to its last one, however far", "[terminal][wraps]") {
  const auto place = [](std::string_view bytes) {
    const CursorState cursor = fed(bytes).cursor();
    return std::pair(cursor.row + 1, cursor.col + 1);
  };
  CHECK(place("\033[?45h\033[8D") == std::pair(5, 20));
  CHECK(place("\033[?45h\033[3;4r\033[3;1H\033[30D") == std::pair(4, 20));
  CHECK(place("\033[?45h\033[3;4r\033[3D") == std::pair(5, 18));
  CHECK(place("\033[?45h\033[3;4r\033[4;1H\033[3D") == std::pair(3, 18));
}

TEST_CASE("insert mode shifts within the side margins, and overwrites outside them", "[terminal][margins]") {
  const std::string start = "\033[4habcdefgh\033[?69h\033[4;6s";
  CHECK(row(fed(start + "X"), 0) == "Xbcdefgh");
  CHECK(row(fed(start + "\033[1;5HX"), 0) == "abcdXegh");
  CHECK(row(fed(start + "\033[1;7HX"), 0) == "abcdefXh");
}

TEST_CASE("a selective erase spares protected cells, ED does not, and SPA spares from both",
          "[terminal][protect]") {
  CHECK(row(fed("a\033[1\"qb\033[0\"qc\033[?2J"), 0) == " b");
  CHECK(row(fed("a\033[1\"qb\033[0\"qc\033[2J"), 0) == "");
  CHECK(row(fed("a\033Vb\033Wc\033[2J"), 0) == " b");
  CHECK(row(fed("a\033Vb\033Wc\033[?2J"), 0) == " b");
  CHECK(row(fed("\033[1\"qab\033[0\"qcd\033Vef\033Wgh\033[?2J"), 0) == "ab  ef");
  CHECK(row(fed("\033Vab\033[1;1;2;9$z"), 0) == "");
  CHECK(row(fed("\033Vab\033[!p\033[?2J"), 0) == "");
}

TEST_CASE("written blanks count as text, erased ones do not", "[terminal][blanks]") {
  const Terminal terminal = fed("a  \033[2;1Hbcd\033[2;2H\033[K");
  const auto top = terminal.screen_top();
  CHECK(terminal.row_text(top).text == "a  ");
  CHECK(terminal.row_text(top).trimmed == 1);
  CHECK(terminal.row_text(top + 1).text == "b");
}

TEST_CASE("a soft wrap is known until something breaks it", "[terminal][wraps]") {
  Terminal terminal({4, 3}, {});
  terminal.feed("abcdef");
  const auto top = terminal.screen_top();
  CHECK(terminal.row_text(top).wraps);
  SECTION("erasing the rest of the row") {
    terminal.feed("\033[1;2H\033[K");
  }
  SECTION("writing the last column anew") {
    terminal.feed("\033[1;4Hx\033[3;1H");
  }
  SECTION("a line put between") {
    terminal.feed("\033[2;1H\033[L");
  }
  SECTION("erasing the row it goes on in") {
    terminal.feed("\033[2;1H\033[2K");
  }
  SECTION("deleting the row it goes on in") {
    terminal.feed("\033[2;1H\033[M");
  }
  CHECK_FALSE(terminal.row_text(top).wraps);
}

TEST_CASE("the pen's link is apart from its rendition", "[terminal][links]") {
  const Terminal terminal = fed("\033]8;;http://a\033\\x\033[0my\033]8;;\033\\z");
  const auto cells = terminal.row_cells(terminal.screen_top());
  CHECK(cells[0].link == "http://a");
  CHECK(cells[1].link == "http://a");
  CHECK(cells[2].link == "");
}

TEST_CASE("titles come back from the stack and are never told to the program", "[terminal][T01]") {
  Terminal terminal({20, 5}, {});
  terminal.feed("\033]2;one\007\033[22;2t\033]2;two\007\033[23;2t");
  CHECK(terminal.title() == "one");
  CHECK(terminal.take_replies().empty());
}

TEST_CASE("the keyboard protocols keep what was asked, for each screen", "[terminal][modes]") {
  Terminal terminal({20, 5}, {});
  terminal.feed("\033[>5u\033[?u");
  CHECK(joined_replies(terminal) == "\033[?5u");
  terminal.feed("\033[?1049h\033[?u\033[=3;1u\033[?1049l");
  CHECK(joined_replies(terminal) == "\033[?0u");
  CHECK(terminal.modes().kitty_flags == 5);
  terminal.feed("\033[<u\033[>4;2m\033[?4m");
  CHECK(terminal.modes().kitty_flags == 0);
  CHECK(terminal.modes().modify_other_keys == 2);
  CHECK(joined_replies(terminal) == "\033[>4;2m");
}

TEST_CASE("private modes are saved and restored one by one", "[terminal][modes]") {
  Terminal terminal({20, 5}, {});
  terminal.feed("\033[?2004h\033[?2004s\033[?2004l");
  CHECK_FALSE(terminal.modes().bracketed_paste);
  terminal.feed("\033[?2004r");
  CHECK(terminal.modes().bracketed_paste);
}

TEST_CASE("DECRQM knows every mode we hold and says 0 for the rest", "[terminal][queries]") {
  const auto c = GENERATE(table<std::string, std::string>({{"\033[?25$p", "\033[?25;1$y"},
                                                           {"\033[?1049$p", "\033[?1049;2$y"},
                                                           {"\033[?2027$p", "\033[?2027;3$y"},
                                                           {"\033[?31337$p", "\033[?31337;0$y"},
                                                           {"\033[?1048$p", "\033[?1048;2$y"},
                                                           {"\033[20$p", "\033[20;2$y"}}));
  Terminal terminal({20, 5}, {});
  terminal.feed(std::get<0>(c));
  CHECK(joined_replies(terminal) == std::get<1>(c));
}

TEST_CASE("settings and sizes are reported as they are", "[terminal][queries]") {
  const auto c = GENERATE(table<std::string, std::string>(
      {{"\033[1;4:3;38;5;200;48;2;1;2;3m\033P$qm\033\\", "\033P1$r0;1;4:3;38:5:200;48:2::1:2:3m\033\\"},
       {"\033[2;4r\033P$qr\033\\", "\033P1$r2;4r\033\\"},
       {"\033[5 q\033P$q q\033\\", "\033P1$r5 q\033\\"},
       {"\033P$qx\033\\", "\033P0$r\033\\"},
       {"\033P+q524742\033\\", "\033P1+r524742=382F382F38\033\\"},
       {"\033[18t", "\033[8;5;20t"},
       {"\033[?996n", "\033[?997;1n"},
       {"\033]4;1;?\033\\", "\033]4;1;rgb:cdcd/0000/0000\033\\"},
       {"\033]10;?;?\007", "\033]10;rgb:e5e5/e5e5/e5e5\007\033]11;rgb:0000/0000/0000\007"},
       {"\033[?2048h", "\033[48;5;20;80;160t"}}));
  Terminal terminal({20, 5}, {});
  terminal.feed(std::get<0>(c));
  CHECK(joined_replies(terminal) == std::get<1>(c));
}

TEST_CASE("a resize is reported in band where the program asked", "[terminal][queries]") {
  Terminal terminal({20, 5}, {});
  terminal.feed("\033[?2048h");
  terminal.take_replies();
  terminal.resize({30, 6});
  const auto replies = terminal.take_replies();
  REQUIRE(replies.size() == 1);
  CHECK(replies[0].bytes == "\033[48;6;30;96;240t");
}

TEST_CASE("clear wipes cells and history and leaves the modes", "[terminal]") {
  Terminal terminal({20, 3}, {});
  terminal.feed("1\r\n2\r\n3\r\n4\033[?2004h\033[31m");
  const auto epoch = terminal.layout_epoch();
  const auto top = terminal.screen_top();
  terminal.clear();
  CHECK(logical_lines(terminal).empty());
  CHECK(terminal.first_row() == terminal.screen_top());
  CHECK(terminal.screen_top() > top);
  CHECK(terminal.layout_epoch() != epoch);
  CHECK(terminal.modes().bracketed_paste);
  CHECK(terminal.cursor().row == 0);
}

TEST_CASE("clear can keep the cursor's line, soft wraps and all, at the top", "[terminal]") {
  Terminal terminal({6, 5}, {});
  terminal.feed("1\r\n2\r\n3\r\n4\r\n$ long line\r\nbelow\033[4;3H\033[31m");
  terminal.clear(Terminal::Keep::line);
  CHECK(terminal.screen_text() == std::vector<std::string>{"$ long", " line", "", "", ""});
  CHECK(terminal.cursor().row == 1);
  CHECK(terminal.cursor().col == 2);
  CHECK(terminal.first_row() == terminal.screen_top());
  terminal.feed("X");
  CHECK(terminal.screen_text()[1] == " lXne");
}

TEST_CASE("reset is power-on, also in the middle of a sequence", "[terminal]") {
  Terminal terminal({20, 3}, {});
  terminal.feed("a\r\nb\r\nc\r\nd\033[?1049h\033[?2004h\033]2;t\007\033[31");
  terminal.reset();
  terminal.feed("mx");
  CHECK(terminal.screen_text()[0] == "mx");
  CHECK_FALSE(terminal.alt_screen());
  CHECK_FALSE(terminal.modes().bracketed_paste);
  CHECK(terminal.title() == "");
  CHECK(terminal.first_row() == terminal.screen_top());
}

TEST_CASE("a wide character has one style, whichever half a rectangle covers", "[terminal][screen]") {
  Terminal terminal({10, 2}, {});
  terminal.feed("\u4e2d\u4e2d\033[2*x\033[1;2;1;3;4$r");
  const auto cells = terminal.row_cells(terminal.screen_top());
  CHECK(cells[0].style == cells[1].style);
  CHECK(cells[1].style.underline == Underline::none);
  CHECK(cells[2].style.underline == Underline::single);
  CHECK(cells[3].style.underline == Underline::single);
}

}  // namespace
}  // namespace smartcli::terminal
