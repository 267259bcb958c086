#include "common/utf8.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace smartcli;

namespace {

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> all;
  while (!text.empty()) {
    const auto one = utf8::decode(text);
    REQUIRE(one.bytes >= 1);
    REQUIRE(one.bytes <= text.size());
    all.push_back(one.code_point);
    text.remove_prefix(one.bytes);
  }
  return all;
}

}  // namespace

TEST_CASE("each code point survives being written and read", "[utf8]") {
  const auto c = GENERATE(as<char32_t>{}, 0x0, 0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF,
                          0x10000, 0x1F600, 0x10FFFF);
  std::string text;
  utf8::append(text, c);
  const auto one = utf8::decode(text);
  CAPTURE(static_cast<unsigned>(c));
  CHECK(one.valid);
  CHECK(one.code_point == c);
  CHECK(one.bytes == text.size());
  CHECK(utf8::is_valid(text));
  CHECK(utf8::to_valid(text) == text);
  CHECK(utf8::length(text) == 1);
}

TEST_CASE("what is no code point is written as U+FFFD", "[utf8]") {
  const auto c = GENERATE(as<char32_t>{}, 0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF);
  std::string text;
  utf8::append(text, c);
  CHECK(text == "\xEF\xBF\xBD");
}

TEST_CASE("malformed UTF-8 gives one U+FFFD for each maximal part, as in the WHATWG's decoder", "[utf8]") {
  const auto [bytes, expected] = GENERATE(table<std::string, std::vector<char32_t>>({
      {"\x80", {0xFFFD}},
      {"\xC0\xAF", {0xFFFD, 0xFFFD}},
      {"\xC1\xBF", {0xFFFD, 0xFFFD}},
      {"\xE0\x80\xAF", {0xFFFD, 0xFFFD, 0xFFFD}},
      {"\xE0\xA0", {0xFFFD}},
      {"\xE2\x82", {0xFFFD}},
      {"\xE2\x82\x41", {0xFFFD, 0x41}},
      {"\xED\xA0\x80", {0xFFFD, 0xFFFD, 0xFFFD}},
      {"\xF0\x80\x80\xAF", {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD}},
      {"\xF0\x9F\x98", {0xFFFD}},
      {"\xF0\x9F\x41", {0xFFFD, 0x41}},
      {"\xF4\x90\x80\x80", {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD}},
      {"\xF5\x80", {0xFFFD, 0xFFFD}},
      {"\xFE\xFF", {0xFFFD, 0xFFFD}},
      // The Unicode Standard's example, section 3.9.
      {"\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64",
       {0x61, 0xFFFD, 0xFFFD, 0xFFFD, 0x62, 0xFFFD, 0x63, 0xFFFD, 0xFFFD, 0x64}},
  }));
  CAPTURE(bytes);
  CHECK(code_points(bytes) == expected);
  CHECK_FALSE(utf8::is_valid(bytes));
  CHECK(utf8::length(bytes) == expected.size());
  const std::string repaired = utf8::to_valid(bytes);
  CHECK(utf8::is_valid(repaired));
  CHECK(code_points(repaired) == expected);
}

TEST_CASE("a NUL is a character like any other, and nothing is no character", "[utf8]") {
  CHECK(utf8::is_valid(std::string_view("\0a", 2)));
  CHECK(utf8::length(std::string_view("\0a", 2)) == 2);
  CHECK(utf8::is_valid(""));
  CHECK(utf8::decode("").bytes == 0);
}

TEST_CASE("text cut anywhere is repaired on both sides, and whole again where it was whole", "[utf8]") {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    CAPTURE(cut);
    const std::string left = text.substr(0, cut), right = text.substr(cut);
    CHECK(utf8::is_valid(utf8::to_valid(left)));
    CHECK(utf8::is_valid(utf8::to_valid(right)));
    const bool at_boundary = cut == text.size() || (static_cast<unsigned char>(text[cut]) & 0xC0) != 0x80;
    CHECK((utf8::is_valid(left) && utf8::is_valid(right)) == at_boundary);
  }
}
