#include "common/pattern.hpp"

#include <catch2/catch.hpp>
#include <chrono>

#include "common/utf8.hpp"
#include "support/shown.hpp"

using namespace smartcli;

namespace {

Pattern compiled(std::string_view text, Pattern::Options options = {}) {
  auto pattern = Pattern::compile(text, options);
  REQUIRE(pattern);
  return std::move(*pattern);
}

}  // namespace

TEST_CASE("a match is the leftmost one from a place on, with its groups", "[pattern]") {
  const Pattern pattern = compiled("(a)(b)?");
  Pattern::Match match;
  REQUIRE(pattern.find("xxabxa", 0, match));
  CHECK(match.begin == 2);
  CHECK(match.end == 4);
  CHECK(match.groups == std::vector<std::string>{"a", "b"});
  REQUIRE(pattern.find("xxabxa", 3, match));
  CHECK(match.begin == 5);
  CHECK(match.end == 6);
  CHECK(match.groups == std::vector<std::string>{"a", ""});
  CHECK_FALSE(pattern.find("xxabxa", 6, match));
  CHECK_FALSE(pattern.find("xxabxa", 7, match));
  CHECK(pattern.text() == "(a)(b)?");
}

TEST_CASE("the ends of a line are its own, wherever the search starts", "[pattern]") {
  Pattern::Match match;
  const Pattern starts = compiled("^a");
  CHECK(starts.find("aa", 0, match));
  CHECK_FALSE(starts.find("aa", 1, match));
  const Pattern ends = compiled(">>> $");
  CHECK(ends.matches(">>> "));
  CHECK_FALSE(ends.matches(">>> x"));
  const Pattern word = compiled("\\bb");
  CHECK_FALSE(word.find("ab", 1, match));
}

TEST_CASE("a pattern may be literal, and blind to letter case", "[pattern]") {
  CHECK(compiled("a+(", {.literal = true}).matches("xa+(x"));
  CHECK_FALSE(compiled("a+(", {.literal = true}).matches("aa"));
  CHECK(compiled("READY", {.ignore_case = true}).matches("ready"));
  CHECK_FALSE(compiled("READY").matches("ready"));
  CHECK(compiled("\xc3\xa9.\xe4\xb8\xad").matches("\xc3\xa9\xf0\x9f\x98\x80\xe4\xb8\xad"));
}

TEST_CASE("what RE2 does not take is refused, and look-around is named", "[pattern]") {
  const auto [text, hint] = GENERATE(table<std::string, bool>({
      {"(", false},
      {"[a", false},
      {"a**", false},
      {"*a", false},
      {"a{1001}", false},
      {"\xff", false},
      {"(?=a)b", true},
      {"(?!a)b", true},
      {"(?<=a)b", true},
      {"(?<!a)b", true},
      {"(a)\\1", true},
      {"(?>a)", true},
  }));
  CAPTURE(text);
  const auto pattern = Pattern::compile(text);
  REQUIRE_FALSE(pattern);
  CHECK(pattern.error().code == ErrorCode::invalid_pattern);
  CHECK((pattern.error().message.find("no look-around") != std::string::npos) == hint);
  CHECK(utf8::is_valid(pattern.error().message));
  CHECK(utf8::is_valid(pattern.error().detail));
}

TEST_CASE("a refused pattern is shown harmless", "[pattern]") {
  const auto pattern = Pattern::compile("(\x1b]0;x\x07\n");
  REQUIRE_FALSE(pattern);
  for (const char c : pattern.error().message) CHECK(static_cast<unsigned char>(c) >= 0x20);
}

TEST_CASE("a pattern of 4096 bytes is taken, one more is refused with the limit", "[pattern]") {
  CHECK(Pattern::compile(std::string(4096, 'a')));
  const auto refused = Pattern::compile(std::string(4097, 'a'));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::invalid_pattern);
  CHECK(refused.error().message.find("4097") != std::string::npos);
  CHECK(refused.error().message.find("4096") != std::string::npos);
}

TEST_CASE("a pattern whose automaton would grow past 8 MiB is refused, not built", "[pattern]") {
  for (const char* text :
       {"((a{1,100}){1,100}){1,100}", "(\\pL{1000}){1000}", "((((x{30}){30}){30}){30}){30}"}) {
    CAPTURE(text);
    const auto pattern = Pattern::compile(text);
    REQUIRE_FALSE(pattern);
    CHECK(pattern.error().code == ErrorCode::invalid_pattern);
  }
}

TEST_CASE("B136, T46: a nested pattern costs time in proportion to the text", "[pattern]") {
  // A backtracking engine would need 2^40 steps for the first one; the bound is wide, for a busy machine.
  const auto started = std::chrono::steady_clock::now();
  for (const char* text : {"(a+)+$", "^(a+)+$", "(a|aa)+$", "(.*)*x", "(a?){200}a{200}", "(x+x+)+y"}) {
    const Pattern pattern = compiled(text);
    CHECK_FALSE(pattern.matches(std::string(40, 'b') + "!"));
    (void)pattern.matches(std::string(40, 'a') + "!");
    (void)pattern.matches(std::string(100'000, 'a') + "!");
    Pattern::Match match;
    (void)pattern.find(std::string(100'000, 'x') + "!", 0, match);
  }
  CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(20));
}

namespace {

std::vector<int> which(const std::vector<std::string>& texts, std::string_view lines,
                       Pattern::Options options = {}) {
  std::vector<Pattern> patterns;
  for (const auto& text : texts) patterns.push_back(*Pattern::compile(text, options));
  std::vector<const Pattern*> all;
  for (const auto& pattern : patterns) all.push_back(&pattern);
  const PatternSet set(all);
  const auto found = set.which(lines);
  REQUIRE(found);
  CHECK(set.may_match(lines) == !found->empty());
  return *found;
}

}  // namespace

TEST_CASE("a set tells which of its patterns match a line of several", "[pattern]") {
  using All = std::vector<int>;
  CHECK(which({"^b$", "a", "c$", "^$", "x"}, "ab\nb\nbc\n") == All{0, 1, 2});
  CHECK(which({"^b$", "a"}, "xb\nbx\n") == All{});
  CHECK(which({"a.b"}, "a\nb\n") == All{});  // a line ends at its newline
  CHECK(which({"B"}, "b\n") == All{});
  CHECK(which({"B"}, "b\n", {false, true}) == All{0});
  CHECK(which({"(.", "a"}, "x(.\n", {true, false}) == All{0});
  CHECK(which({}, "x\n") == All{});
  CHECK(which({"(?i)DONE", "(?:x|y)z", "(?P<n>q)"}, "done\nyz\nq\n") == All{0, 1, 2});
}

TEST_CASE("a set says which patterns joined lines would mislead", "[pattern]") {
  const auto takes = [](const char* text) { return PatternSet::takes(compiled(text)); };
  for (const char* text : {"a", "^a$", "\\$ $", "(?i)a", "(?:a)", "(?P<x>a)", "\\\\A", "[(?-]", "a-b"}) {
    CAPTURE(text);
    CHECK((takes(text) || std::string_view(text) == "[(?-]"));
  }
  for (const char* text : {"\\Aa", "a\\z", "(?-m)^a", "(?i-s:a)", "\\Qa\\E"}) {
    CAPTURE(text);
    CHECK_FALSE(takes(text));
  }
}

TEST_CASE("with multi_line, ^ and $ are the ends of every line", "[pattern]") {
  const auto pattern = Pattern::compile("^b$", {false, false, true});
  REQUIRE(pattern);
  CHECK(pattern->begin_of("a\nb\nc", 0) == 2u);
  CHECK(pattern->begin_of("a\nb\nc", 2) == 2u);
  CHECK_FALSE(pattern->begin_of("a\nb\nc", 3));
  CHECK_FALSE(pattern->begin_of("a\nb\nc", 9));
  CHECK_FALSE(Pattern::compile("^b$")->begin_of("a\nb\nc", 0));
}
