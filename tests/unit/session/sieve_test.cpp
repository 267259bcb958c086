#include "session/sieve.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <random>

#include "unit/session/screen_under_test.hpp"

using namespace smartcli;
using test::ScreenUnderTest;

namespace {

std::unique_ptr<session::MatchCondition> waits_for(std::string_view pattern) {
  auto compiled = Pattern::compile(pattern);
  REQUIRE(compiled);
  return std::make_unique<session::MatchCondition>(std::move(*compiled), session::Scope{0, true});
}

std::string random_output(std::mt19937& random) {
  static const std::vector<std::string> kPieces{
      "done",   "$ ",     ">>> ",      "\r\n",         "\r\n", "\r\n", "  ",        "42",
      "err: x", "\x1b[K", "\x1b[3;5H", "\xe4\xb8\xad", "x",    "ab",   "\t",        "\n",
      "é",      "done",   "never 1",   "\x1b[1;1H",    "\b",   "\r",   "0123456789"};
  std::string text;
  for (int n = std::uniform_int_distribution<>(1, 400)(random); n > 0; --n)
    text += kPieces[std::uniform_int_distribution<std::size_t>(0, kPieces.size() - 1)(random)];
  return text;
}

}  // namespace

TEST_CASE("a sieve names each condition that may have found something, however many there are", "[sieve]") {
  session::Sieve sieve;
  std::vector<std::unique_ptr<session::MatchCondition>> all;
  for (int i = 0; i < 500; ++i) {
    all.push_back(waits_for("never " + std::to_string(i) + "$"));
    sieve.add(*all.back());
  }
  CHECK(sieve.size() == 500);
  CHECK(sieve.candidates("y\ny\n")->empty());
  CHECK_FALSE(sieve.may_match("y\ny\n"));
  const auto found = sieve.candidates("y\nnever 3\nnever 499\nnever 9!\n");
  REQUIRE(found);
  CHECK(std::vector<const session::Condition*>(found->begin(), found->end()).size() == 2);
  CHECK(std::count(found->begin(), found->end(), all[3].get()) == 1);
  CHECK(std::count(found->begin(), found->end(), all[499].get()) == 1);
  for (int i = 0; i < 500; i += 2) sieve.remove(*all[static_cast<std::size_t>(i)]);
  CHECK(sieve.size() == 250);
  CHECK(sieve.candidates("never 4\n")->empty());
  CHECK(sieve.candidates("never 3\n")->size() == 1);
  for (int i = 1; i < 500; i += 2) sieve.remove(*all[static_cast<std::size_t>(i)]);
  CHECK(sieve.size() == 0);
  CHECK(sieve.candidates("never 3\n")->empty());
}

TEST_CASE("a pattern that joined lines would mislead makes the sieve step aside", "[sieve]") {
  for (const char* text : {"\\Adone", "done\\z", "(?-m)^done", "(?i-s:x)", "\\Qa\\E"}) {
    CAPTURE(text);
    session::Sieve sieve;
    const auto condition = waits_for(text);
    sieve.add(*condition);
    CHECK_FALSE(sieve.candidates("x\n"));
    CHECK(sieve.may_match("x\n"));
    sieve.remove(*condition);
    CHECK(sieve.candidates("x\n"));
  }
}

TEST_CASE("through the sieve a wait finds exactly what it finds line by line", "[sieve]") {
  std::mt19937 random(7);
  const std::vector<std::string> patterns{"done",      "^done$",      "\\$ $",      ">>>$",  "^$",  "42\\b",
                                          "[a-z]+: x", "789$",        "(ab|x)+ +$", "中x?$", "é.$", "\\s$",
                                          "^ +",       "never [0-9]", "9012\\d*",   "x$"};
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    ScreenUnderTest screen(
        {std::uniform_int_distribution<>(1, 30)(random), std::uniform_int_distribution<>(1, 8)(random)});
    screen.shows(random_output(random));
    (void)screen.feed.changed(screen.terminal);
    screen.fence = screen.terminal.offset();
    screen.shows(random_output(random));
    const auto texts = screen.feed.changed_texts(screen.terminal);
    const auto all = screen.feed.changed(screen.terminal);
    REQUIRE(texts.places.size() == all.size());
    for (const auto& text : patterns) {
      CAPTURE(text);
      auto exact = screen.condition_for(text);
      exact.look(all, false);
      auto sieved = screen.condition_for(text);
      session::Sieve sieve;
      sieve.add(sieved);
      std::vector<std::size_t> wanted;
      texts.find([&](std::string_view part) { return sieve.may_match(part); }, wanted);
      std::vector<session::Line> lines;
      for (const auto n : wanted) {
        REQUIRE((lines.empty() || lines.back().first_row < texts.places[n].first_row));
        lines.push_back(
            session::line_at(screen.terminal, texts.places[n].first_row, texts.places[n].not_before));
      }
      sieved.look(lines, false);
      REQUIRE(sieved.holds() == exact.holds());
      CHECK(sieved.only_old() == exact.only_old());
      if (exact.holds()) {
        CHECK(sieved.match()->text == exact.match()->text);
        CHECK(sieved.match()->begin == exact.match()->begin);
        CHECK(sieve.candidates(texts.text)->size() == 1);
      }
    }
  }
}
