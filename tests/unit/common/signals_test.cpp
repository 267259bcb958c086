#include "common/signals.hpp"

#include <catch2/catch.hpp>
#include <csignal>

#include "support/shown.hpp"

using namespace smartcli;

TEST_CASE("a signal is known by its name in any spelling, and by its number", "[signals]") {
  for (const char* text : {"TERM", "SIGTERM", "term", "sigterm", "SigTerm", "15"}) {
    CAPTURE(text);
    CHECK(*parse_signal(text) == SIGTERM);
  }
  CHECK(*parse_signal("KILL") == SIGKILL);
  CHECK(*parse_signal("RTMIN+3") == SIGRTMIN + 3);
  CHECK(*parse_signal("64") == 64);
}

TEST_CASE("what is no signal is refused with the nearest one", "[signals]") {
  for (const char* text : {"", "0", "65", "-1", "SIG", "15x", "TREM", "99999999999", "\x1b[2J"}) {
    CAPTURE(text);
    const auto refused = parse_signal(text);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid_argument);
    CHECK(refused.error().message.find('\x1b') == std::string::npos);
  }
  CHECK(parse_signal("TREM").error().message.find("'TERM'") != std::string::npos);
}

TEST_CASE("each signal's name means it again", "[signals]") {
  for (int number = 1; number <= SIGRTMAX; ++number) {
    CAPTURE(number, signal_name(number));
    CHECK(*parse_signal(signal_name(number)) == number);
  }
  CHECK(signal_name(9) == "KILL");
}
