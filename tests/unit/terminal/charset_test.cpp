// Character sets and colours that programs set: right answers taken from xterm 379.

#include <catch2/catch.hpp>

#include "support.hpp"
#include "terminal/palette.hpp"

using namespace smartcli::terminal;
using smartcli::Size;

namespace {

std::string first_row(std::string_view bytes) {
  Terminal terminal({80, 4}, {});
  terminal.feed(bytes);
  return terminal.screen_text()[0];
}

}  // namespace

TEST_CASE("with DECNRCM each national set has its letters", "[terminal][charsets]") {
  const auto c = GENERATE(table<std::string, std::string>(
      {{"A", "£@[\\]^_`{|}~"}, {"4", "£¾ĳ½|^_`¨ƒ¼´"},  {"5", "#@ÄÖÅÜ_éäöåü"},  {"C", "#@ÄÖÅÜ_éäöåü"},
       {"R", "£à°ç§^_`éùè¨"},  {"f", "£à°ç§^_`éùè¨"},  {"9", "#àâçêî_ôéùèû"},  {"Q", "#àâçêî_ôéùèû"},
       {"K", "#§ÄÖÜ^_`äöüß"},  {"Y", "£§°çé^_ùàòèì"},  {"6", "#ÄÆØÅÜ_äæøåü"},  {"E", "#ÄÆØÅÜ_äæøåü"},
       {"`", "#ÄÆØÅÜ_äæøåü"},  {"%6", "#@ÃÇÕ^_`ãçõ~"}, {"Z", "£§¡Ñ¿^_`°ñç~"},  {"7", "#ÉÄÖÅÜ_éäöåü"},
       {"H", "#ÉÄÖÅÜ_éäöåü"},  {"=", "ùàéçêîèôäöüû"},  {"B", "#@[\\]^_`{|}~"}, {"%3", "#@[\\]^_`{|}~"}}));
  CAPTURE(std::get<0>(c));
  CHECK(first_row("\033[?42h\033(" + std::get<0>(c) + "#@[\\]^_`{|}~") == std::get<1>(c));
}

TEST_CASE("without DECNRCM national sets are ASCII, and A is Latin-1", "[terminal][charsets]") {
  CHECK(first_row("\033(K[]\033(%6[]\033(Z[]") == "[][][]");
  CHECK(first_row("\033(Aabc#[]") == "áâã£ÛÝ");
  CHECK(first_row("\033(<[]a\033(%5[]a\033(>[]a") == "ÛŸáÛŸá⊃∪α");
}

TEST_CASE("a set stays when DECNRCM changes, and after a name that nobody knows", "[terminal][charsets]") {
  CHECK(first_row("\033[?42h\033(K[\033[?42l[\033(J[\033(U[\033(\"?[") == "ÄÄÄÄÄ");
  CHECK(first_row("\033[?42h\033(K[\033[!p[") == "Ä[");
}

TEST_CASE("each of G0 to G3 holds a set of its own", "[terminal][charsets]") {
  CHECK(first_row("\033[?42h\033*K\033N[[\033+0\033Oqq\033n[[\033oqq\017q") == "Ä[─qÄÄ──q");
}

TEST_CASE("DECNRCM is reported and outlives DECSTR", "[terminal][charsets]") {
  Terminal terminal({20, 2}, {});
  terminal.feed("\033[?42$p\033[?42h\033[!p\033[?42$p");
  CHECK(joined_replies(terminal) == "\033[?42;2$y\033[?42;1$y");
}

TEST_CASE("a colour that was set is the one reported", "[terminal][colours]") {
  const auto c = GENERATE(table<std::string, std::string>(
      {{"\033]4;1;#123456\007\033]4;1;?\007", "\033]4;1;rgb:1212/3434/5656\007"},
       {"\033]4;1;red;2;?\007\033]4;1;?;3;?\007",
        "\033]4;2;rgb:0000/cdcd/0000\007\033]4;1;rgb:ffff/0000/0000\007\033]4;3;rgb:cdcd/cdcd/0000\007"},
       {"\033]4;1;red;2;red\007\033]104;1\007\033]4;1;?;2;?\007",
        "\033]4;1;rgb:cdcd/0000/0000\007\033]4;2;rgb:ffff/0000/0000\007"},
       {"\033]4;1;red;2;red\007\033]104\007\033]4;2;?\007", "\033]4;2;rgb:0000/cdcd/0000\007"},
       {"\033]4;999;red;1;?\007", ""},
       {"\033]4;1;nosuch\007\033]4;1;?\007", "\033]4;1;rgb:cdcd/0000/0000\007"},
       {"\033]11;rgb:1/22/333\033\\\033]11;?\033\\", "\033]11;rgb:1111/2222/3333\033\\"},
       {"\033]12;orange\007\033]12;?\007", "\033]12;rgb:ffff/a5a5/0000\007"},
       {"\033]12;orange\007\033]112\007\033]12;?\007", "\033]12;rgb:e5e5/e5e5/e5e5\007"},
       {"\033]10;red;blue;green\007\033]110;111\007\033]111\007\033]10;?;?;?\007",
        "\033]10;rgb:ffff/0000/0000\007\033]11;rgb:0000/0000/0000\007\033]12;rgb:0000/ffff/0000\007"}}));
  Terminal terminal({20, 2}, {});
  terminal.feed(std::get<0>(c));
  CHECK(joined_replies(terminal) == std::get<1>(c));
}

TEST_CASE("RIS takes the palette back and leaves the screen's colours", "[terminal][colours]") {
  Terminal terminal({20, 2}, {});
  terminal.feed("\033]4;1;red\007\033]11;red\007\033c\033]4;1;?\007\033]11;?\007");
  CHECK(joined_replies(terminal) == "\033]4;1;rgb:cdcd/0000/0000\007\033]11;rgb:ffff/0000/0000\007");
  terminal.reset();
  terminal.feed("\033]11;?\007");
  CHECK(joined_replies(terminal) == "\033]11;rgb:0000/0000/0000\007");
}

TEST_CASE("colours are spelled as XParseColor takes them", "[terminal][colours]") {
  CHECK(parse_colour("#abc") == 0xa0b0c0u);
  CHECK(parse_colour("#aabbccdde") == 0xaabcddu);
  CHECK(parse_colour("#aaaabbbbcccc") == 0xaabbccu);
  CHECK(parse_colour("rgb:f/80/0000") == 0xff8000u);
  CHECK(parse_colour("rgb:fff/800/001") == 0xff8000u);
  CHECK(parse_colour("LightBlue") == 0xadd8e6u);
  CHECK(parse_colour("light blue") == 0xadd8e6u);
  CHECK(parse_colour("gray50") == 0x7f7f7fu);
  for (const char* bad : {"", "#", "#12", "#1234567", "#xyz", "rgb:", "rgb:1/2", "rgb:1/2/3/4",
                          "rgb:12345/1/1", "rgb:/1/1", "rgbi:1/1/1", "no such colour", "redd"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_colour(bad));
  }
}
