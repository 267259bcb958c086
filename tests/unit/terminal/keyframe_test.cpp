#include <xxhash.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "invariants.hpp"
#include "support.hpp"

using namespace smartcli;
using namespace smartcli::terminal;

namespace {

/// A bit of everything that a terminal keeps.
Terminal busy() {
  Terminal terminal({20, 5}, {});
  for (int i = 0; i < 30; ++i)
    terminal.feed("\033[3" + std::to_string(i % 8) + "mline " + std::to_string(i) + " 中e\xcc\x81\r\n");
  terminal.feed("\033]8;;http://h/1\007link\033]8;;\007\033]2;title\007\033]7;file:///d\007\033]4;1;red\007");
  terminal.feed(
      "\033[22t\033[#{\033[?42h\033(K\033[2;4r\033[?69h\033[2;9s\0337\033[>5u\033[>4;2m\033[?2004h\033[5 q");
  terminal.feed(
      "\033[?1006h\033[?1003h\033[?2026h\033[1;4:3;58:2::1:2:3mx\033[?1049h\033[Halt\033[3g\033[1\"q");
  terminal.take_replies();
  terminal.take_events();
  return terminal;
}

Terminal loaded(std::string_view bytes) {
  auto terminal = Terminal::from_keyframe(bytes, {});
  REQUIRE(terminal.has_value());
  return std::move(*terminal);
}

}  // namespace

TEST_CASE("a keyframe holds all that goes on from it", "[terminal][keyframe]") {
  Terminal terminal = busy();
  Terminal again = loaded(terminal.keyframe(SIZE_MAX));
  CHECK(dump(again) == dump(terminal));
  const std::string_view more =
      "\033[?1049lback[]\0338\033[23t\033[#}y\033[<u\033[?u\033[?4m\033]4;1;?\007\033P$qm\033\\\tz\033[b\033["
      "?2026l\033[?7$p";
  terminal.feed(more);
  again.feed(more);
  CHECK(dump(again) == dump(terminal));
  CHECK(joined_replies(again) == joined_replies(terminal));
  CHECK(again.keyframe(SIZE_MAX) == terminal.keyframe(SIZE_MAX));
}

TEST_CASE("without its history a keyframe keeps ordinals and line numbers", "[terminal][keyframe]") {
  Terminal terminal({10, 3}, {});
  for (int i = 1; i <= 50; ++i) terminal.feed("line " + std::to_string(i) + "\r\n");
  Terminal again = loaded(terminal.keyframe(0));
  CHECK(again.screen_text() == terminal.screen_text());
  CHECK(again.screen_top() == terminal.screen_top());
  CHECK(again.first_row() == terminal.screen_top());
  CHECK(again.line_of_row(again.screen_top()) == terminal.line_of_row(terminal.screen_top()));
  Terminal some = loaded(terminal.keyframe(5));
  CHECK(some.first_row() == terminal.screen_top() - 5);
  CHECK(some.row_text(some.first_row()).text == terminal.row_text(some.first_row()).text);
  CHECK(some.line_of_row(some.first_row()) == terminal.line_of_row(some.first_row()));
}

TEST_CASE("within a sequence or a character there is no keyframe", "[terminal][keyframe]") {
  for (const char* half : {"\033", "\033[3", "\033]2;t", "\xc3", "\033P", "\033(", "\xf0\x9f"}) {
    Terminal terminal({10, 3}, {});
    terminal.feed(half);
    CHECK_FALSE(terminal.is_at_ground());
    CHECK(terminal.keyframe(0).empty());
  }
  Terminal terminal({10, 3}, {});
  terminal.feed("x\033[?2004h\xc3\xa9");
  CHECK(terminal.is_at_ground());
}

TEST_CASE("a keyframe of a screen of 80x24 is about the size of its text", "[terminal][keyframe]") {
  Terminal idle({80, 24}, {});
  idle.feed("$ ");
  CHECK(idle.keyframe(0).size() < 2048);
}

TEST_CASE("a cursor that was saved on a larger screen does not matter", "[terminal][keyframe]") {
  Terminal terminal({20, 10}, {});
  terminal.feed("\033[9;19H\0337\033[8;18Hx");
  terminal.resize({5, 3});
  Terminal again = loaded(terminal.keyframe(SIZE_MAX));
  terminal.feed("\0338y\xcc\x81");
  again.feed("\0338y\xcc\x81");
  CHECK(dump(again) == dump(terminal));
}

TEST_CASE("a damaged keyframe is an error, wherever it is damaged", "[terminal][keyframe]") {
  const std::string whole = busy().keyframe(SIZE_MAX);
  for (std::size_t cut = 0; cut < whole.size(); cut += 7)
    CHECK_FALSE(Terminal::from_keyframe(std::string_view(whole).substr(0, cut), {}).has_value());
  CHECK_FALSE(Terminal::from_keyframe(whole + "x", {}).has_value());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    const auto loaded = Terminal::from_keyframe(bad, {});
    REQUIRE_FALSE(loaded.has_value());
    const bool is_version = at >= 4 && at < 8;
    CHECK(loaded.error().code == (is_version ? ErrorCode::version_mismatch : ErrorCode::internal));
  }
}

TEST_CASE("a keyframe that was made up is refused or gives a sound terminal", "[terminal][keyframe]") {
  const std::string whole = busy().keyframe(SIZE_MAX);
  constexpr std::size_t kHead = 24, kHash = 16;
  int taken = 0;
  for (std::size_t at = kHead; at < whole.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bad = whole;
      bad[at] = static_cast<char>(bad[at] ^ change);
      const auto hash = XXH3_64bits(bad.data() + kHead, bad.size() - kHead);
      std::memcpy(bad.data() + kHash, &hash, sizeof hash);
      auto loaded = Terminal::from_keyframe(bad, {});
      if (!loaded) continue;
      ++taken;
      loaded->feed("\033[?1049l\033[2J\0338x\r\n\033#8");
      loaded->resize({7, 3});
      loaded->feed("\033[?1049h\033[5b中");
      const std::string broken = broken_invariant(*loaded);
      CAPTURE(at, change, broken);
      CHECK(broken.empty());
    }
  }
  CHECK(taken > 0);
}
