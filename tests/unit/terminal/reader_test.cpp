// The contract with waits and snapshots: stamps, change marks, ordinals, hashes, highlights, events.

#include <catch2/catch.hpp>

#include "support.hpp"
#include "terminal/screen.hpp"

namespace smartcli::terminal {
namespace {

TEST_CASE("a stamp is the offset just past the character's last byte", "[terminal][stamps]") {
  Terminal terminal({20, 3}, {});
  terminal.feed("ab\033[3Cc\u4e2de\u0301");
  const RowText row = terminal.row_text(terminal.screen_top());
  CHECK(row.text == "ab   c\u4e2de\u0301");
  CHECK(row.stamps[0] == 1);
  CHECK(row.stamps[1] == 2);
  CHECK(row.stamps[2] == 0);  // never written
  CHECK(row.stamps[5] == 7);
  CHECK(row.stamps[6] == 10);
  CHECK(row.stamps[9] == 13);  // the mark belongs to the character
}

TEST_CASE("a history row gives its newest stamp for all", "[terminal][stamps]") {
  Terminal terminal({20, 1}, {});
  terminal.feed("abc\033[1Gx\r\n");
  const RowText row = terminal.row_text(terminal.first_row());
  CHECK(row.text == "xbc");
  CHECK(row.stamps == std::vector<std::uint32_t>{8, 8, 8});
}

TEST_CASE("newer than a fence is told over the wrap of 32 bits", "[terminal][stamps]") {
  const std::uint64_t start = (std::uint64_t{1} << 32) - 3;
  Terminal terminal({20, 3}, {});
  terminal.feed("old");
  terminal.set_offset(start);
  CHECK(terminal.offset() == start);
  terminal.feed("\r\nabcdef");
  const RowText old = terminal.row_text(terminal.screen_top());
  const RowText row = terminal.row_text(terminal.screen_top() + 1);
  CHECK_FALSE(is_written_after(old.stamps[0], start, terminal.offset()));
  const std::uint64_t fence = start + 2 + 3;
  for (int i = 0; i < 6; ++i)
    CHECK(is_written_after(row.stamps[static_cast<std::size_t>(i)], fence, terminal.offset()) == (i >= 3));
}

TEST_CASE("what is 2 GiB old stays old for ever", "[terminal][stamps]") {
  Screen screen(10, 2);
  screen.print('x', 1);
  constexpr std::uint64_t kStep = std::uint64_t{1} << 30;
  for (std::uint64_t offset = kStep; offset <= 9 * kStep; offset += kStep) {
    screen.at(offset);
    screen.clamp_stamps();
    const std::uint32_t stamp = screen.grid().row(0).stamp[0];
    CAPTURE(offset / kStep);
    CHECK(is_written_after(stamp, 0, offset) == (offset <= 2 * kStep));
    // Right up to the next sweep.
    CHECK_FALSE(is_written_after(stamp, offset, offset + kStep - 1));
  }
}

TEST_CASE("rows tell when they changed", "[terminal][touched]") {
  Terminal terminal({10, 3}, {});
  terminal.feed("one\r\ntwo\r\nthree");
  CHECK(terminal.row_touched(0) == 3);
  CHECK(terminal.row_touched(1) == 8);
  const auto at = [&] { return terminal.offset(); };
  SECTION("an erase") {
    terminal.feed("\033[1;1H\033[K");
    CHECK(terminal.row_touched(0) == at());
    CHECK(terminal.row_touched(1) == 8);
  }
  SECTION("a scroll touches all, but changes only what is new") {
    terminal.feed("\n");
    for (int r = 0; r < 3; ++r) CHECK(terminal.row_touched(r) == at());
    CHECK(terminal.row_changed(0) == 8);
    CHECK(terminal.row_changed(2) == at());
  }
  SECTION("a switch of screens") {
    const auto epoch = terminal.layout_epoch();
    terminal.feed("\033[?1049h");
    CHECK(terminal.row_touched(1) == at());
    CHECK(terminal.layout_epoch() != epoch);
  }
  SECTION("a region's scroll leaves the other rows") {
    terminal.feed("\033[2;3r\033[3;1H\n");
    CHECK(terminal.row_touched(0) == 3);
    CHECK(terminal.row_touched(2) == at());
  }
}

TEST_CASE("equal screens have equal hashes, however they were made", "[terminal][hash]") {
  Terminal a({20, 4}, {}), b({20, 4}, {});
  a.feed("\033[31mred\033[m and\r\nmore");
  b.feed("\033[44mx\033[m\033[2;1Hmore\033[1;1H\033[38;5;1mred\033[m\033[1;4H and\033[2;5H");
  CHECK(a.text_hash() == b.text_hash());
  CHECK(a.visual_hash() == b.visual_hash());
  SECTION("text") {
    b.feed("!");
    CHECK(a.text_hash() != b.text_hash());
  }
  SECTION("a written blank looks like none") {
    b.feed(" \010");
    CHECK(a.visual_hash() == b.visual_hash());
  }
  SECTION("style only") {
    b.feed("\033[1;1H\033[1mred\033[m\033[2;5H");
    CHECK(a.text_hash() == b.text_hash());
    CHECK(a.visual_hash() != b.visual_hash());
  }
  SECTION("cursor only") {
    b.feed("\033[?25l");
    CHECK(a.text_hash() == b.text_hash());
    CHECK(a.visual_hash() != b.visual_hash());
  }
}

TEST_CASE("hashes are the same in any run", "[terminal][hash]") {
  Terminal terminal({3, 2}, {});
  terminal.feed("ab");
  CHECK(terminal.text_hash() == 0xea45e6fa7e074514u);
}

TEST_CASE("what is shown inverse is a highlighted span", "[terminal][highlight][B066]") {
  Terminal terminal({20, 3}, {});
  terminal.feed("a \033[7m\u8bbex \033[27m b\r\n\033[7msel\033[m");
  const auto spans = terminal.highlighted();
  REQUIRE(spans.size() == 2);
  CHECK(spans[0].row == 1);
  CHECK(spans[0].col == 3);
  CHECK(spans[0].cols == 4);
  CHECK(spans[0].text == "\u8bbex ");
  CHECK(spans[1].text == "sel");
}

TEST_CASE("marks, titles and directories are events with their offsets", "[terminal][events]") {
  Terminal terminal({20, 3}, {});
  terminal.feed(
      "\033]133;A\007$ \033]133;D;0;aid=n;ps=0\033\\\033]633;A\007\033]7;file://h/d\007\033]2;t\007\007");
  const auto events = terminal.take_events();
  REQUIRE(events.size() == 6);
  CHECK(events[0].kind == EventKind::mark);
  CHECK(events[0].text == "A");
  CHECK(events[0].offset == 8);
  CHECK(events[1].text == "D;0;aid=n;ps=0");
  CHECK(events[2].text == "633;A");
  CHECK(events[3].kind == EventKind::cwd);
  CHECK(terminal.cwd() == "file://h/d");
  CHECK(events[4].kind == EventKind::title);
  CHECK(events[5].kind == EventKind::bell);
  terminal.feed("\033]9;9;C:\\x\007\033]1337;CurrentDir=/y\007");
  CHECK(terminal.cwd() == "/y");
  terminal.feed("\033]633;P;Cwd=/z\007");
  CHECK(terminal.cwd() == "/z");
}

TEST_CASE("a mode that stays as it was is no event", "[terminal][events]") {
  Terminal terminal({20, 3}, {});
  terminal.feed("\033[?2004l\033[?25l");
  CHECK(terminal.take_events().empty());
  terminal.feed("\033[?2004h\033[?1049h");
  const auto events = terminal.take_events();
  REQUIRE(events.size() == 2);
  CHECK(events[0].kind == EventKind::modes);
  CHECK(events[1].kind == EventKind::alt_screen);
}

}  // namespace
}  // namespace smartcli::terminal
