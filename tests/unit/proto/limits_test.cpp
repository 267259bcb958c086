#include "proto/limits.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "support/shown.hpp"

using namespace smartcli;

namespace {

Result<Limits> with(const Limit& row, const std::string& value) {
  std::map<std::string, std::string, std::less<>> values{{std::string(row.variable), value}};
  return Limits::from(MapEnvironment(std::move(values)));
}

}  // namespace

TEST_CASE("every limit has a name and a variable of its own, and a default inside its range", "[limits]") {
  std::set<std::string_view> names, variables;
  for (const Limit& row : kLimits) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(variables.insert(row.variable).second);
    CHECK(row.variable.starts_with("SMARTCLI_"));
    CHECK(row.least <= row.standard);
    CHECK(row.standard <= row.most);
    CHECK_FALSE(row.unit.empty());
    CHECK_FALSE(row.reason.empty());
  }
  CHECK(limits::cols.name == "cols");
  CHECK(limits::journal_bytes.variable == "SMARTCLI_JOURNAL_BYTES");
}

TEST_CASE("the environment sets a limit anywhere in its range", "[limits]") {
  const Limits standard;
  for (std::size_t i = 0; i < std::size(kLimits); ++i) {
    const Limit& row = kLimits[i];
    const auto id = static_cast<LimitId>(i);
    CAPTURE(row.name);
    CHECK(standard[id] == row.standard);
    for (const auto value : {row.least, row.most}) {
      const auto limits = with(row, std::to_string(value));
      REQUIRE(limits);
      CHECK((*limits)[id] == value);
    }
    const auto unset = with(row, "");
    REQUIRE(unset);
    CHECK((*unset)[id] == row.standard);
  }
}

TEST_CASE("a value past the range, or no number, is refused with the variable and the range", "[limits]") {
  for (const Limit& row : kLimits) {
    for (const std::string& value :
         {std::to_string(row.least - 1), std::to_string(row.most + 1), std::string("x"), std::string("1x"),
          std::string(" 1"), std::string("+1"), std::string("0x10"), std::string("1.5"),
          std::string("99999999999999999999"), std::string("\x1b[31m")}) {
      CAPTURE(row.name, value);
      const auto limits = with(row, value);
      REQUIRE_FALSE(limits);
      const std::string& message = limits.error().message;
      CHECK(limits.error().code == ErrorCode::invalid_argument);
      CHECK(message.find(row.variable) != std::string::npos);
      CHECK(message.find(std::to_string(row.least)) != std::string::npos);
      CHECK(message.find(std::to_string(row.most)) != std::string::npos);
      CHECK(message.find('\x1b') == std::string::npos);
    }
  }
}

TEST_CASE("a refusal names the row, the value in force, and how to raise it", "[limits]") {
  const Error error = over_limit(LimitId::sessions, 7, "7 sessions run");
  CHECK(error.code == ErrorCode::limit_exceeded);
  CHECK(error.detail == "sessions");
  for (const char* part : {"7 sessions run", "'sessions'", "7", "SMARTCLI_MAX_SESSIONS", "3000"}) {
    CHECK(error.message.find(part) != std::string::npos);
  }
}
