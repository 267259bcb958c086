#include "session/echo.hpp"

#include <catch2/catch.hpp>

#include "unit/session/screen_under_test.hpp"

using namespace smartcli;
using test::Line;
using test::ScreenUnderTest;
using Marked = std::vector<std::string>;

TEST_CASE("the kernel's echo of a line is echo, its output is not", "[echo]") {
  ScreenUnderTest screen;
  screen.shows("$ ").typed("echo hi\r", Line::canonical).shows("echo hi\r\nhi\r\n$ ");
  CHECK(screen.marked() == Marked{"$ [echo hi]", "hi", "$"});
  CHECK(screen.finds("^hi$"));
  CHECK(screen.finds("\\$ $"));
  CHECK_FALSE(screen.finds("echo"));
}

TEST_CASE("readline draws what was typed at its prompt: echo too", "[echo]") {
  ScreenUnderTest screen;
  screen.shows("\x1b[?2004h>>> ").typed("print(6*7)", Line::raw).shows("print(6*7)");
  screen.typed("\r", Line::raw).shows("\r\n\x1b[?2004l\r42\r\n\x1b[?2004h>>> ");
  CHECK(screen.marked() == Marked{">>> [print(6*7)]", "42", ">>>"});
  CHECK(screen.finds("^42$"));
  CHECK_FALSE(screen.finds("6\\*7"));
}

TEST_CASE("a line editor that draws a letter, goes back and draws it again echoes", "[echo]") {
  ScreenUnderTest screen;
  screen.shows("% ").typed("echo x\r", Line::raw).shows("e\bec\b\bechecho x\r\n");
  // Whatever was drawn on the way, what stands there at the end is what was typed or a part of its drawing.
  ScreenUnderTest zsh;
  zsh.shows("% ").typed("echo x", Line::raw).shows("e\becho x");
  CHECK(zsh.marked() == Marked{"% [echo x]"});
}

TEST_CASE("type-ahead is shown twice, by the kernel and again at the prompt: both are echo", "[echo]") {
  SECTION("bash") {
    ScreenUnderTest screen;
    screen.shows("$ ").typed("sleep 1\r", Line::canonical).shows("sleep 1\r\n");
    screen.typed("echo READY\r", Line::canonical).shows("echo READY\r\n");
    screen.shows("$ echo READY\r\n");
    CHECK(screen.marked() == Marked{"$ [sleep 1]", "[echo READY]", "$ [echo READY]"});
    CHECK_FALSE(screen.finds("READY"));
    screen.shows("READY\r\n$ ");
    CHECK(screen.finds("READY"));
  }
  SECTION("python") {
    ScreenUnderTest screen;
    screen.typed("print('done')\r", Line::canonical)
        .shows("print('done')\r\nPython 3.11\r\n>>> print('done')\r\n");
    CHECK(screen.marked() == Marked{"[print('done')]", "Python 3.11", ">>> [print('done')]"});
    CHECK_FALSE(screen.finds("done"));
    screen.shows("done\r\n>>> ");
    CHECK(screen.finds("^done$"));
  }
  SECTION("typed before the terminal was raw, shown by the line editor only") {
    ScreenUnderTest screen;
    screen.typed("echo READY\r", Line::raw).shows("\x1b[?2004huser@host:~$ echo READY\r\n");
    CHECK(screen.marked() == Marked{"user@host:~$ [echo READY]"});
  }
}

TEST_CASE("what cat writes back at column 1 is output", "[echo]") {
  ScreenUnderTest screen;
  screen.typed("hello\r", Line::canonical).shows("hello\r\nhello\r\n");
  CHECK(screen.marked() == Marked{"[hello]", "hello"});
  CHECK(screen.finds("^hello$"));
  // And the same line a second time.
  screen.typed("hello\r", Line::canonical);
  CHECK_FALSE(screen.finds("hello"));
  screen.shows("hello\r\n");
  CHECK_FALSE(screen.finds("hello"));
  screen.shows("hello\r\n");
  CHECK(screen.finds("hello"));
}

TEST_CASE("with echo off the program's first words are not taken for the echo", "[echo]") {
  ScreenUnderTest screen;
  screen.shows("Password: ").typed("hunter2\r", Line::canonical).shows("\r\nwrong\r\n");
  CHECK(screen.marked() == Marked{"Password:", "wrong"});
  CHECK(screen.finds("wrong"));
}

TEST_CASE("with the kernel's echo off all that is shown is output, but for a line editor's second showing",
          "[echo]") {
  SECTION("cat") {
    ScreenUnderTest screen;
    screen.typed("hello\r", Line::silent).shows("hello\r\n");
    CHECK(screen.marked() == Marked{"hello"});
    CHECK(screen.finds("^hello$"));
  }
  SECTION("a line editor that starts later") {
    ScreenUnderTest screen;
    screen.typed("echo READY\r", Line::silent).shows("\x1b[?2004huser@host:~$ echo READY\r\n");
    CHECK(screen.marked() == Marked{"user@host:~$ [echo READY]"});
  }
}

TEST_CASE("a word repeated after other words is no echo", "[echo]") {
  ScreenUnderTest screen;
  screen.shows("name? ").typed("bob\r", Line::canonical).shows("bob\r\ngot bob\r\n");
  CHECK(screen.marked() == Marked{"name? [bob]", "got bob"});
  CHECK(screen.finds("got bob"));
  CHECK(screen.finds("bob"));
}

TEST_CASE("an answer that repeats a line is no echo, the prompt of a line editor is", "[echo]") {
  const auto [before, is_echo] = GENERATE(table<std::string, bool>({
      {"You said: ", false},
      {"x = ", false},
      {"- ", false},
      {"you said '", false},
      {"got ", false},
      {"$ ", true},
      {"root@host:~# ", true},
      {"% ", true},
      {">>> ", true},
      {"(gdb) ", true},
      {"(Pdb) ", true},
      {"In [1]: ", true},
      {"\xe2\x9d\xaf ", true},
  }));
  CAPTURE(before);
  ScreenUnderTest screen;
  screen.typed("hello\r", Line::canonical).shows("hello\r\n" + before + "hello\r\n");
  CHECK(screen.marked() == Marked{"[hello]", before + (is_echo ? "[hello]" : "hello")});
  CHECK(screen.finds("hello") == !is_echo);
}

TEST_CASE("a word that the output holds in the middle of a line is no echo", "[echo]") {
  ScreenUnderTest screen;
  screen.shows("$ ").typed("x\r", Line::canonical).shows("x\r\n> x: not found\r\n");
  CHECK(screen.marked() == Marked{"$ [x]", "> x: not found"});
}

TEST_CASE("several lines in one go are echo, each on its row", "[echo]") {
  SECTION("echoed by the kernel at once") {
    ScreenUnderTest screen;
    screen.typed("one\rtwo\rthree\r", Line::canonical)
        .shows("one\r\ntwo\r\nthree\r\none\r\ntwo\r\nthree\r\n");
    CHECK(screen.marked() == Marked{"[one]", "[two]", "[three]", "one", "two", "three"});
  }
  SECTION("drawn by a shell, each after its prompt") {
    ScreenUnderTest screen;
    screen.shows("$ ").typed("cd /\rpwd\r", Line::raw).shows("cd /\r\n$ pwd\r\n/\r\n$ ");
    CHECK(screen.marked() == Marked{"$ [cd /]", "$ [pwd]", "/", "$"});
  }
}

TEST_CASE("echo that wraps is echo to its end", "[echo]") {
  ScreenUnderTest screen({10, 5});
  screen.shows("$ ")
      .typed("echo abcdefghijkl\r", Line::canonical)
      .shows("echo abcdefghijkl\r\nabcdefghijkl\r\n");
  CHECK(screen.marked() == Marked{"$ [echo abcdefghijkl]", "abcdefghijkl"});
  CHECK_FALSE(screen.finds("echo"));
  CHECK(screen.finds("^abcdefghijkl$"));
}

TEST_CASE("echo that begins at the right edge begins on the next row", "[echo]") {
  ScreenUnderTest screen({10, 5});
  screen.shows("123456789>").typed("abc\r", Line::canonical).shows("abc\r\nout\r\n");
  CHECK(screen.marked() == Marked{"123456789>[abc]", "out"});
}

TEST_CASE("echo that scrolled its row up is echo still", "[echo]") {
  ScreenUnderTest screen({20, 3});
  screen.shows("a\r\nb\r\n$ ").typed("one\rtwo\r", Line::canonical).shows("one\r\ntwo\r\nout\r\n$ ");
  CHECK(screen.marked() == Marked{"a", "b", "$ [one]", "[two]", "out", "$"});
}

TEST_CASE("the kernel spells control characters and moves for tabs", "[echo]") {
  SECTION("a control character") {
    ScreenUnderTest screen;
    screen.shows("> ")
        .typed(
            "a\x01"
            "b\x1b[A\r",
            Line::canonical)
        .shows("a^Ab^[[A\r\nout\r\n");
    CHECK(screen.marked() == Marked{"> [a^Ab^[[A]", "out"});
  }
  SECTION("a tab") {
    ScreenUnderTest screen;
    screen.shows("> ").typed("a\tb\r", Line::canonical).shows("a\tb\r\nout\r\n");
    CHECK(screen.marked() == Marked{"> [a     b]", "out"});
  }
  SECTION("an interrupt") {
    ScreenUnderTest screen;
    screen.shows("busy ").typed("\x03", Line::canonical).shows("^C\r\n$ ");
    CHECK(screen.marked() == Marked{"busy [^C]", "$"});
  }
}

TEST_CASE("wide and accented text is echo too", "[echo]") {
  ScreenUnderTest screen;
  screen.shows("> ")
      .typed("caf\xc3\xa9 \xe4\xb8\xad\r", Line::canonical)
      .shows("caf\xc3\xa9 \xe4\xb8\xad\r\nout\r\n");
  CHECK(screen.marked() == Marked{"> [caf\xc3\xa9 \xe4\xb8\xad]", "out"});
}

TEST_CASE("keys one by one are echo, and their line shown again at a prompt is", "[echo]") {
  ScreenUnderTest screen;
  screen.shows("busy\r\n");
  for (const char* key : {"l", "s"}) screen.typed(key, Line::canonical).shows(key);
  screen.typed("\r", Line::canonical).shows("\r\n$ ls\r\nfile\r\n$ ");
  CHECK(screen.marked() == Marked{"busy", "[ls]", "$ [ls]", "file", "$"});
}

TEST_CASE("output that overwrites the echo is output", "[echo]") {
  ScreenUnderTest screen;
  screen.shows("> ").typed("abc\r", Line::canonical).shows("abc\r\x1b[Kxyz 100%\r\n");
  CHECK(screen.marked() == Marked{"xyz 100%"});
}

TEST_CASE("after a reflow nothing is taken for echo by its old place", "[echo]") {
  ScreenUnderTest screen({20, 5});
  screen.shows("> ").typed("abc\r", Line::canonical).shows("abc\r\nabc\r\n");
  screen.terminal.resize({10, 5});
  screen.shows("");
  screen.echo.forget_positions();
  CHECK(screen.finds("abc"));
}

TEST_CASE("input that nobody ever comes to marks nothing, and is bounded", "[echo]") {
  session::EchoTracker echo;
  for (std::uint64_t key = 1; key < 10'000; ++key) echo.typed(key, std::string(1000, 'x'));
  echo.typed(10'000, std::string(1 << 20, 'y') + "\r");
  terminal::Terminal terminal({80, 24}, {});
  terminal.feed("$ " + std::string(1000, 'x'));
  for (auto& line : test::all_lines(terminal)) {
    echo.mark(line);
    for (const bool is_echo : line.echo) CHECK_FALSE(is_echo);
  }
}
