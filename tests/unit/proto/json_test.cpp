#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "common/utf8.hpp"
#include "proto/codec.hpp"
#include "support/shown.hpp"

using namespace smartcli;

namespace {

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

}  // namespace

TEST_CASE("T47: nesting is taken to its limit and refused one past it", "[codec]") {
  CHECK(parse_json(nested(64), 64));
  const auto refused = parse_json(nested(65), 64);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::invalid_argument);
  CHECK(refused.error().message.find("64") != std::string::npos);
  std::string objects;
  for (int i = 0; i < 65; ++i) objects += "{\"a\":";
  CHECK_FALSE(parse_json(objects + "1" + std::string(65, '}'), 64));
  CHECK_FALSE(parse_json(std::string(100'000, '['), 64));
  CHECK_FALSE(parse_json(nested(1'000'000), 64));
}

TEST_CASE("T47: brackets and quotes inside strings do not nest", "[codec]") {
  CHECK(parse_json("\"" + std::string(1000, '[') + "\"", 8));
  CHECK(parse_json(R"({"a\"[[[[[[[[[[":"\\"})", 8));
  CHECK(parse_json(R"(["\\",["\""]])", 2));
  CHECK_FALSE(parse_json(R"(["\\",[["\""]]])", 2));
  // Closing brackets do not buy depth.
  CHECK_FALSE(parse_json(std::string(100, ']') + std::string(100, '['), 64));
}

TEST_CASE("T47, F26: what is no JSON is refused with a short message that may be shown", "[codec]") {
  const auto text = GENERATE(
      as<std::string>{}, "", " ", "{", "}", "{}x", "{}{}", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "NaN",
      "Infinity", "1e999", "-1e999", "01", "+1", ".5", "1.", "tru", "\"\n\"", "\"\x1b\"", "\"\\x\"",
      "\"\\ud800\"", "\"\\u12\"", "\xef\xbb\xbf{", "\"\xff\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\"", "// a\n1",
      std::string("\0", 1), std::string("{\"a\0\":1}", 8), "\x1b[31m", "\"" + std::string(1 << 20, 'x'));
  CAPTURE(text.substr(0, 100));
  const auto parsed = parse_json(text, 64);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code == ErrorCode::invalid_argument);
  const std::string& message = parsed.error().message;
  CAPTURE(message);
  CHECK(message.size() < 1000);
  CHECK(utf8::is_valid(message));
  CHECK(message.find("json.exception") == std::string::npos);
  for (const char c : message) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7F));
}

TEST_CASE("T47: a name given twice in one object is refused, at any depth", "[codec]") {
  CHECK_FALSE(parse_json(R"({"a":1,"a":2})", 64));
  CHECK_FALSE(parse_json(R"({"a":1,"\u0061":2})", 64));
  CHECK_FALSE(parse_json(R"([{"x":{"b":[{"c":1,"c":1}]}}])", 64));
  CHECK_FALSE(parse_json(R"({"a":{"b":1,"c":2},"a":{"b":1}})", 64));
  CHECK(parse_json(R"({"a":{"a":{"a":":"}},"b":[{"a":1},{"a":1}]})", 64));
}

TEST_CASE("T47: a million names and a string of megabytes are read or refused, and nothing else", "[codec]") {
  std::string many = "{";
  for (int i = 0; i < 200'000; ++i) many += "\"" + std::to_string(i) + "\":0,";
  many.back() = '}';
  const auto parsed = parse_json(many, 64);
  REQUIRE(parsed);
  CHECK(parsed->size() == 200'000);
  CHECK(parse_json("\"" + std::string(3 << 20, 'x') + "\"", 64));
}

TEST_CASE("T19: what is dumped is one line of UTF-8 without control characters, and means the same",
          "[codec]") {
  std::string all;
  for (char32_t c = 0; c < 0x180; ++c) utf8::append(all, c);
  all += "\xe2\x80\xa8\xf0\x9f\x98\x80\xc2\xa0";
  const nlohmann::json value{{all, {all, 1, nullptr}}};
  const std::string text = dump_json(value);
  CHECK(utf8::is_valid(text));
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(utf8::decode(rest).bytes)) {
    const char32_t c = utf8::decode(rest).code_point;
    CAPTURE(static_cast<unsigned>(c));
    CHECK((c >= 0x20 && (c < 0x7F || c > 0x9F)));
  }
  const auto back = parse_json(text, 64);
  REQUIRE(back);
  CHECK(*back == value);
}

TEST_CASE("T19: a string that is no UTF-8 is dumped with U+FFFD", "[codec]") {
  CHECK(dump_json(nlohmann::json("a\xff\xc2")) == "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
  CHECK(dump_json(nlohmann::json("\xc2\x80\x7f")) == "\"\\u0080\\u007f\"");
}
