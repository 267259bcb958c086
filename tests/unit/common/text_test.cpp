#include "common/text.hpp"

#include <catch2/catch.hpp>

#include "common/utf8.hpp"
#include "support/shown.hpp"

using namespace smartcli;

namespace {

std::string utf8_of(char32_t c) {
  std::string text;
  utf8::append(text, c);
  return text;
}

/// Nothing in it moves a cursor, hides text or turns it round.
void check_inert(std::string_view text, bool one_line) {
  REQUIRE(utf8::is_valid(text));
  for (; !text.empty(); text.remove_prefix(utf8::decode(text).bytes)) {
    const char32_t c = utf8::decode(text).code_point;
    if (!one_line && (c == '\n' || c == '\t')) continue;
    CAPTURE(static_cast<unsigned>(c));
    CHECK(c >= 0x20);
    CHECK_FALSE((c >= 0x7F && c <= 0x9F));
  }
}

}  // namespace

TEST_CASE("T18: every control byte and every C1 character is shown, not sent", "[text]") {
  for (unsigned byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    const std::string text{'a', static_cast<char>(byte), 'z'};
    check_inert(text::inert(text), false);
    check_inert(text::inert_line(text), true);
  }
  for (char32_t c = 0; c < 0xA0; ++c) {
    check_inert(text::inert(utf8_of(c)), false);
    check_inert(text::inert_line(utf8_of(c)), true);
  }
}

TEST_CASE("T18: what a person must not be shown is spelled out", "[text]") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"plain text", "plain text"},
      {"\x1b]52;c;ZWNobw==\x07", "\\u{1b}]52;c;ZWNobw==\\u{7}"},
      {"\x1b]8;;http://x\x1b\\y", "\\u{1b}]8;;http://x\\u{1b}\\y"},
      {"a\rb", "a\\u{d}b"},
      {"a\bb", "a\\u{8}b"},
      {"a\x7f", "a\\u{7f}"},
      {"\xc2\x9b"
       "31m",
       "\\u{9b}31m"},  // CSI as a code point
      {"\x9b"
       "31m",
       "\xef\xbf\xbd"
       "31m"},  // and as a byte
      {"caf\xc3\xa9 \xe4\xb8\xad", "caf\xc3\xa9 \xe4\xb8\xad"},
      {"one\ntwo\tthree", "one\ntwo\tthree"},
      {std::string("a\0b", 3), "a\\u{0}b"},
      {"\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd"},
      {"\xe2\x82", "\xef\xbf\xbd"},
  }));
  CAPTURE(text);
  CHECK(text::inert(text) == expected);
}

TEST_CASE("T20: text that hides or turns round is spelled out", "[text]") {
  const auto c =
      GENERATE(as<char32_t>{},                                  //
               0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C,  // bidi marks and embeddings
               0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069,  // overrides and isolates
               0x2028, 0x2029,                                  // separators
               0x200B, 0x2060, 0x2063, 0x2064, 0x206A, 0x206F,  // of no width and no use on a screen
               0xFEFF, 0xFFF9, 0xFFFB,                          //
               0xE0000, 0xE0001, 0xE0041, 0xE007F);             // tags
  CAPTURE(static_cast<unsigned>(c));
  const std::string shown = text::inert("a" + utf8_of(c) + "b");
  CHECK(shown.starts_with("a\\u{"));
  CHECK(shown.ends_with("}b"));
  for (const char byte : shown) CHECK(static_cast<unsigned char>(byte) < 0x80);
}

TEST_CASE("joiners, variation selectors and combining marks are text", "[text]") {
  for (const char32_t c : {0x200D, 0x200C, 0xFE0F, 0x0301, 0xA0, 0xAD}) {
    CAPTURE(static_cast<unsigned>(c));
    const std::string text = "a" + utf8_of(c) + "b";
    CHECK(text::inert(text) == text);
  }
}

TEST_CASE("T23: one line stays one line", "[text]") {
  CHECK(text::inert_line("a\nERROR forged\tb") == "a\\u{a}ERROR forged\\u{9}b");
  CHECK(text::inert_line("a\xe2\x80\xa8"
                         "b") == "a\\u{2028}b");
}

TEST_CASE("a quoted text is one inert line, cut where it is long", "[text]") {
  CHECK(text::quoted("abc") == "'abc'");
  CHECK(text::quoted("") == "''");
  CHECK(text::quoted("a\nb") == "'a\\u{a}b'");
  CHECK(text::quoted("abcdef", 6) == "'abcdef'");
  CHECK(text::quoted("abcdefg", 6) == "'abcdef...'");
  // Counted in characters and never cut inside one.
  CHECK(text::quoted("\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad", 2) == "'\xe4\xb8\xad\xe4\xb8\xad...'");
  CHECK(text::quoted(std::string(1 << 20, '\x1b')).size() < 500);
}

TEST_CASE("trailing blanks are trimmed, nothing else", "[text]") {
  CHECK(text::trim_right("a b  ") == "a b");
  CHECK(text::trim_right("   ") == "");
  CHECK(text::trim_right("") == "");
  CHECK(text::trim_right(" a\t") == " a\t");
}

TEST_CASE("the nearest known word is found, and none where none is near", "[text]") {
  const std::vector<std::string> known{"spawn", "snapshot", "send_text", "send_line", "list", "wait_regex"};
  CHECK(text::nearest("spwan", known) == "spawn");  // two letters swapped are one step
  CHECK(text::nearest("sapwn", known) == "spawn");
  CHECK(text::nearest("snapshit", known) == "snapshot");
  CHECK(text::nearest("send_lime", known) == "send_line");
  CHECK(text::nearest("lsit", known) == "list");
  CHECK_FALSE(text::nearest("frobnicate", known));
  CHECK_FALSE(text::nearest("", {}));
  CHECK_FALSE(text::nearest(std::string(100'000, 'a'), known));
  CHECK(text::did_you_mean("lists", known) == ": did you mean 'list'?");
  CHECK(text::did_you_mean("zzz", known).empty());
}

TEST_CASE("a duration is read in every form", "[text]") {
  const auto [spelled, millis] = GENERATE(table<std::string, std::int64_t>({
      {"0", 0},
      {"500ms", 500},
      {"30s", 30'000},
      {"30", 30'000},
      {"1.5", 1'500},
      {".5s", 500},
      {"0.2s", 200},
      {"5m", 300'000},
      {"1h", 3'600'000},
      {"2d", 172'800'000},
      {"0.5ms", 1},
      {"1e3ms", 1'000},
  }));
  CAPTURE(spelled);
  const auto read = text::parse_millis(spelled);
  REQUIRE(read);
  CHECK(*read == millis);
}

TEST_CASE("what is no duration is refused with the forms that are", "[text]") {
  const auto spelled =
      GENERATE(as<std::string>{}, "", " ", "s", "ms", "-1", "-1s", "5 s", "5x", "5M", "1s2", "1h30m", "nan",
               "inf", "infinity", "1e400", "1e30d", "0x10", "+5", "5s\n", "\x1b[31m", " 5");
  CAPTURE(spelled);
  const auto read = text::parse_millis(spelled);
  REQUIRE_FALSE(read);
  CHECK(read.error().code == ErrorCode::invalid_argument);
  CHECK(read.error().message.find("500ms") != std::string::npos);
  check_inert(read.error().message, true);
}

TEST_CASE("bytes survive base64 and back", "[text]") {
  CHECK(text::base64("") == "");
  CHECK(text::base64("f") == "Zg==");
  CHECK(text::base64("fo") == "Zm8=");
  CHECK(text::base64("foo") == "Zm9v");
  CHECK(text::base64("foobar") == "Zm9vYmFy");
  std::string all;
  for (int i = 0; i < 256; ++i) {
    all += static_cast<char>(i);
    const auto back = text::from_base64(text::base64(all));
    REQUIRE(back);
    CHECK(*back == all);
  }
}

TEST_CASE("what is no base64 is refused", "[text]") {
  const auto spelled =
      GENERATE(as<std::string>{}, "Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Z=g=", "Zm9v\n", "Zm9-",
               "Zm 9", "Zg=a", "\xff\xff\xff\xff");
  CAPTURE(spelled);
  const auto read = text::from_base64(spelled);
  REQUIRE_FALSE(read);
  CHECK(read.error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a command line is shown as a shell would need it", "[text]") {
  const std::vector<std::string> words{"sh", "-c", "echo 'a b'; exit", "", "plain/path-1.txt"};
  CHECK(text::shell_words(words) == "sh -c 'echo '\\''a b'\\''; exit' '' plain/path-1.txt");
}

TEST_CASE("T18: of all sequences SGR alone stays, whole", "[text]") {
  CHECK(text::inert_sgr("a\x1b[0;1;31mred\x1b[0m b") == "a\x1b[0;1;31mred\x1b[0m b");
  CHECK(text::inert_sgr("\x1b[4:3;58;2;1;2;3mx\x1b[m") == "\x1b[4:3;58;2;1;2;3mx\x1b[m");
  const auto [given, shown] = GENERATE(table<std::string, std::string>({
      {"\x1b[2J", "\\u{1b}[2J"},
      {"\x1b[31", "\\u{1b}[31"},
      {"\x1b[?31m", "\\u{1b}[?31m"},
      {"\x1b[3 1m", "\\u{1b}[3 1m"},
      {"\x1b[>4m", "\\u{1b}[>4m"},
      {"\x1b\x1b[1m", "\\u{1b}\x1b[1m"},
      {"\x1b]0;t\x07", "\\u{1b}]0;t\\u{7}"},
      {"\x1b", "\\u{1b}"},
      {"\x1b[1m\x9b", "\x1b[1m\xef\xbf\xbd"},
  }));
  CHECK(text::inert_sgr(given) == shown);
}
