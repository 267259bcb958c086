#include "session/kept_lines.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "support/shown.hpp"

using namespace smartcli;
using namespace smartcli::session;
using terminal::Terminal;
using Texts = std::vector<std::string>;

namespace {

Terminal screen(std::string_view bytes, Size size = {20, 4}, std::size_t history = 1000) {
  Terminal terminal(size, {history, 1 << 20});
  terminal.feed(bytes);
  terminal.trim_history();
  return terminal;
}

std::string numbers(int from, int to) {
  std::string out;
  for (int i = from; i <= to; ++i) out += (i > from ? "\r\n" : "") + std::to_string(i);
  return out;
}

/// "ROW:text", rows from 1.
Texts all(Reading reading, std::size_t most = 1 << 20) {
  Texts out;
  while (auto line = reading.take(most)) out.push_back(std::to_string(line->number) + ":" + line->text);
  return out;
}
Texts page(const Terminal& terminal, std::uint64_t number, std::uint64_t rows, Wraps wraps = Wraps::joined) {
  return all(Reading(terminal, Reading::Page{number, rows}, wraps));
}
/// Numbers from 1.
Texts range(const Terminal& terminal, std::uint64_t from, std::uint64_t to, Wraps wraps = Wraps::joined) {
  return all(Reading(terminal, Reading::Range{from, to}, wraps));
}

struct Found {
  Texts hits;  ///< "ROW:text"
  std::vector<LineSearch::Hit> whole;
  std::uint64_t total = 0;
};
Found find(const Terminal& terminal, std::string_view pattern, Pattern::Options how = {},
           LineSearch::Options options = {}) {
  auto search = LineSearch::make(terminal, pattern, how, options);
  REQUIRE(search);
  Found found;
  while (!search->is_done()) {
    search->step(Deadline::min(), [&](LineSearch::Hit hit) {
      found.hits.push_back(std::to_string(hit.line.number) + ":" + hit.line.text);
      found.whole.push_back(std::move(hit));
      return true;
    });
  }
  found.total = search->total();
  return found;
}

}  // namespace

TEST_CASE("pages go from the newest to the oldest, blank rows at the end are dropped", "[kept_lines]") {
  const auto terminal = screen(numbers(1, 10) + "\r\n\r\n");
  CHECK(page(terminal, 0, 4) == Texts{"7:7", "8:8", "9:9", "10:10"});
  CHECK(page(terminal, 1, 4) == Texts{"3:3", "4:4", "5:5", "6:6"});
  CHECK(page(terminal, 2, 4) == Texts{"1:1", "2:2"});
  CHECK(page(terminal, 3, 4) == page(terminal, 2, 4));
  CHECK(page(terminal, UINT64_MAX, 4) == page(terminal, 2, 4));
  CHECK(page(terminal, 0, 100).size() == 10);
  const Reading reading(terminal, Reading::Page{9, 4}, Wraps::joined);
  CHECK(reading.page() == 2);
  CHECK(reading.pages() == 3);
  CHECK(reading.total() == 10);
}

TEST_CASE("lines are read by number, and ends are cut", "[kept_lines]") {
  const auto terminal = screen(numbers(1, 10));
  CHECK(range(terminal, 3, 5) == Texts{"3:3", "4:4", "5:5"});
  CHECK(range(terminal, 9, 1000) == Texts{"9:9", "10:10"});
  CHECK(range(terminal, 10, 10) == Texts{"10:10"});
  CHECK(range(terminal, 11, 20).empty());
  CHECK(range(terminal, 1, 10).size() == 10);
}

TEST_CASE("numbers stay valid while output grows, and rows past the cap are gone", "[kept_lines]") {
  auto terminal = screen(numbers(1, 10), {20, 4}, 20);
  CHECK(range(terminal, 7, 8) == Texts{"7:7", "8:8"});
  terminal.feed("\r\n" + numbers(11, 24));
  terminal.trim_history();
  CHECK(range(terminal, 7, 8) == Texts{"7:7", "8:8"});
  terminal.feed("\r\n" + numbers(25, 31));
  terminal.trim_history();
  CHECK(terminal.first_row() == 7);
  CHECK(range(terminal, 7, 8) == Texts{"8:8"});
  CHECK(range(terminal, 1, 3).empty());
  CHECK(find(terminal, "^7$").total == 0);
  CHECK(find(terminal, "^8$").hits == Texts{"8:8"});
  CHECK(Reading(terminal, Reading::Page{}, Wraps::joined).total() == 24);
}

TEST_CASE("a blank screen has no line", "[kept_lines]") {
  for (const Size size : {Size{80, 24}, Size{1, 1}}) {
    const auto terminal = screen("", size);
    CHECK(page(terminal, 0, 24).empty());
    CHECK(page(terminal, 5, 24).empty());
    CHECK(range(terminal, 1, 100).empty());
    CHECK(find(terminal, "").total == 0);
    const Reading reading(terminal, Reading::Page{}, Wraps::joined);
    CHECK(reading.total() == 0);
    CHECK(reading.pages() == 1);
  }
}

TEST_CASE("a screen of one cell still has lines", "[kept_lines]") {
  const auto terminal = screen("abc\r\nd", {1, 1});
  CHECK(page(terminal, 0, 1) == Texts{"2:d"});
  CHECK(page(terminal, 1, 1) == Texts{"1:abc"});
  CHECK(range(terminal, 1, 4) == Texts{"1:abc", "2:d"});
  CHECK(range(terminal, 1, 4, Wraps::as_shown) == Texts{"1:a", "1:b", "1:c", "2:d"});
  CHECK(find(terminal, "b").hits == Texts{"1:abc"});
}

TEST_CASE("B190 B193 a line that wrapped is one line, unless it is wanted as shown", "[kept_lines]") {
  const auto terminal = screen("the quick brown fox jumps over it\r\nend", {20, 4});
  CHECK(page(terminal, 0, 4) == Texts{"1:the quick brown fox jumps over it", "2:end"});
  CHECK(page(terminal, 0, 4, Wraps::as_shown) == Texts{"1:the quick brown fox", "1:jumps over it", "2:end"});
  CHECK(find(terminal, "fox jumps").hits == Texts{"1:the quick brown fox jumps over it"});
}

TEST_CASE("a line that wraps over a page's edge is whole on the page that it ends on", "[kept_lines]") {
  const auto terminal = screen("one\r\nabcdefghijklmno\r\ntwo\r\nthree", {5, 3});
  // Rows: one / abcde / fghij / klmno / two / three
  CHECK(page(terminal, 0, 3) == Texts{"2:abcdefghijklmno", "3:two", "4:three"});
  CHECK(page(terminal, 1, 3) == Texts{"1:one"});
  CHECK(page(terminal, 0, 2) == Texts{"3:two", "4:three"});
  CHECK(page(terminal, 1, 2) == Texts{"2:abcdefghijklmno"});
  CHECK(page(terminal, 2, 2) == Texts{"1:one"});
  CHECK(range(terminal, 2, 2) == Texts{"2:abcdefghijklmno"});
  CHECK(range(terminal, 2, 2, Wraps::as_shown) == Texts{"2:abcde", "2:fghij", "2:klmno"});
  CHECK(range(terminal, 1, 2) == Texts{"1:one", "2:abcdefghijklmno"});
  CHECK(range(terminal, 3, 3) == Texts{"3:two"});
}

TEST_CASE("a line without end comes in pieces, the same wherever one begins to read", "[kept_lines]") {
  std::string line;
  for (int i = 0; i < 3000; ++i) line += static_cast<char>('a' + i % 26);
  const auto terminal = screen("x\r\n" + line + "\r\nend", {1, 5}, 100'000);
  const auto pieces = range(terminal, 1, 100'000);
  std::string whole;
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) whole += pieces[i].substr(pieces[i].find(':') + 1);
  CHECK(whole.substr(0, 3000) == line);
  CHECK(range(terminal, 2, 2) == Texts(pieces.begin() + 1, pieces.end() - 1));
  CHECK(range(terminal, 3, 3) == Texts{"3:end"});
  std::string paged;
  for (std::uint64_t n = Reading(terminal, Reading::Page{0, 7}, Wraps::joined).pages(); n-- > 0;) {
    for (const auto& text : page(terminal, n, 7)) paged += text.substr(text.find(':') + 1);
  }
  CHECK(paged == "x" + line + "end");
}

TEST_CASE("the alternate screen stands below history, and nothing goes on in it", "[kept_lines]") {
  auto terminal = screen("a\r\nb\r\nabcdefghijklmnop", {5, 3});
  terminal.feed("\033[?1049h\033[Hfull\r\nscreen");
  const auto lines = range(terminal, 1, 100);
  CHECK(lines.front() == "1:a");
  CHECK(lines[2] == "3:abcde");
  CHECK(lines[3] == "4:full");
  CHECK(find(terminal, "efull").total == 0);
  CHECK(find(terminal, "^full$").total == 1);
  CHECK(page(terminal, 0, 3).back().ends_with("n"));
}

TEST_CASE("a reading and a search go on with the next line after a resize renumbered the rows",
          "[kept_lines]") {
  std::string text;
  for (int i = 1; i <= 60; ++i)
    text += (i > 1 ? "\r\n" : "") + std::to_string(i) + std::string(i % 4 ? 0 : 30, '.');
  auto terminal = screen(text, {20, 4});
  Reading reading(terminal, Reading::Range{5, 50}, Wraps::joined);
  auto search = LineSearch::make(terminal, "^\\d*7$", {}, {});
  REQUIRE(search);
  std::vector<std::uint64_t> numbers, hits;
  const auto on_hit = [&hits](LineSearch::Hit hit) {
    hits.push_back(hit.line.number);
    return true;
  };
  for (const int cols : {20, 7, 90, 3, 20}) {
    terminal.resize({cols, 4});
    search->step(Deadline::min(), on_hit);
    for (int i = 0; i < 9; ++i) {
      const auto line = reading.take(1000);
      REQUIRE(line);
      numbers.push_back(line->number);
      CHECK(line->text.starts_with(std::to_string(line->number)));
    }
  }
  CHECK(numbers.size() == 45);
  for (std::size_t i = 0; i < numbers.size(); ++i) CHECK(numbers[i] == i + 5);
  while (!search->is_done()) search->step(Deadline::min(), on_hit);
  CHECK(hits == std::vector<std::uint64_t>{7, 17, 27, 37, 47, 57});
}

TEST_CASE("wide characters are whole in every line", "[kept_lines]") {
  const auto terminal = screen("a\u4e2d\u6587\u5b57x", {4, 3});
  CHECK(page(terminal, 0, 3) == Texts{"1:a\u4e2d\u6587\u5b57x"});
  CHECK(find(terminal, "\u6587\u5b57").total == 1);
  auto hit = find(terminal, "\u6587", {}, {.text_bytes = 7}).whole.at(0);
  CHECK(hit.line.is_clipped);
  CHECK(hit.match == "\u6587");
  CHECK(hit.line.text.find("\u6587") != std::string::npos);
}

TEST_CASE("a long line is clipped at a character", "[kept_lines]") {
  const auto terminal = screen("ab\u4e2d\u6587", {20, 2});
  Reading reading(terminal, Reading::Page{}, Wraps::joined);
  const auto line = reading.take(4);
  REQUIRE(line);
  CHECK(line->text == "ab");
  CHECK(line->is_clipped);
}

TEST_CASE("search counts all hits, and gives those that are wanted", "[kept_lines]") {
  const auto terminal = screen(numbers(1, 100));
  const auto found = find(terminal, "^\\d*7$", {}, {.limit = 3, .skip = 2, .context = 1});
  CHECK(found.total == 10);
  CHECK(found.hits == Texts{"27:27", "37:37", "47:47"});
  REQUIRE(found.whole.at(0).before.size() == 1);
  CHECK(found.whole[0].before[0].text == "26");
  CHECK(found.whole[0].after.at(0).text == "28");
  CHECK(find(terminal, "^1$", {}, {.context = 5}).whole.at(0).before.empty());
  CHECK(find(terminal, "^100$", {}, {.context = 5}).whole.at(0).after.empty());
  CHECK(find(terminal, "^100$", {}, {.context = 5}).whole.at(0).before.size() == 5);
  CHECK(find(terminal, ".", {true, false, false}).total == 0);
  CHECK(find(terminal, "", {}, {.limit = 5}).total == 100);
}

TEST_CASE("search takes text as it is, and letters in either case", "[kept_lines]") {
  const auto terminal = screen("a[0] (x)\r\nA[0] (X)\r\n  trailing   ");
  CHECK(find(terminal, "a[0]", {true, false, false}).hits == Texts{"1:a[0] (x)"});
  CHECK(find(terminal, "a[0]", {true, true, false}).total == 2);
  CHECK(find(terminal, "(x)$", {false, true, false}).total == 0);
  CHECK(find(terminal, "\\(x\\)$", {false, true, false}).total == 2);
  CHECK(find(terminal, "trailing$").total == 1);
  auto bad = LineSearch::make(terminal, "(", {}, {});
  REQUIRE_FALSE(bad);
  CHECK(bad.error().code == ErrorCode::invalid_pattern);
  CHECK(bad.error().message.find("(?m)") == std::string::npos);
}

TEST_CASE("many lines looked at at once give what each line by itself gives", "[kept_lines]") {
  std::mt19937 random(7);
  std::string bytes;
  for (int i = 0; i < 3000; ++i) {
    for (auto n = random() % 30; n-- > 0;) bytes += "ab\tAB c"[random() % 7];
    bytes += "\r\n";
  }
  const auto terminal = screen(bytes, {12, 5}, 100'000);
  const auto pattern =
      GENERATE(as<std::string>{}, "^a", "a$", "^$", "a.*b", "[^x]", "\\ba\\b", "b\\s*a", "a\\z", "\\Aa",
               "(?-m)^b", "(?s)a.b", "(?i)^AB", "a\\n", "c{3}", "(a)(b)", "^ ", " $");
  CAPTURE(pattern);
  const auto compiled = Pattern::compile(pattern);
  REQUIRE(compiled);
  Texts expected;
  Reading reading(terminal, Reading::Range{}, Wraps::joined);
  while (auto line = reading.take(1 << 20)) {
    if (compiled->matches(line->text)) expected.push_back(std::to_string(line->number) + ":" + line->text);
  }
  const auto found = find(terminal, pattern, {}, {.limit = 100'000});
  CHECK(found.total == expected.size());
  CHECK(found.hits == expected);
}

TEST_CASE("output that comes between two steps does not disturb a search", "[kept_lines]") {
  auto terminal = screen("", {20, 5}, 2000);
  std::string bytes;
  for (int i = 1; i <= 2000; ++i) bytes += "line number " + std::to_string(i) + "\r\n";
  terminal.feed(bytes);
  auto search = LineSearch::make(terminal, "number", {}, {.limit = 10'000});
  REQUIRE(search);
  std::uint64_t last = 0;
  bool in_order = true;
  while (!search->is_done()) {
    search->step(Deadline::min(), [&](const LineSearch::Hit& hit) {
      in_order = in_order && (last == 0 || hit.line.row > last);
      last = hit.line.row;
      return true;
    });
    terminal.feed("more\r\nand more\r\n");
    terminal.trim_history();
    if (search->total() == 500) terminal.resize({10, 3});
    if (search->total() == 700) terminal.clear();
  }
  CHECK(in_order);
  CHECK(search->total() >= 500);
}

TEST_CASE("a match in a long line is shown with what is around it", "[kept_lines]") {
  const auto terminal = screen(std::string(3000, 'x') + "needle" + std::string(3000, 'y'), {100, 5});
  const auto hit = find(terminal, "needle", {}, {.text_bytes = 100}).whole.at(0);
  CHECK(hit.line.is_clipped);
  CHECK(hit.line.text.size() == 100);
  CHECK(hit.line.text.find("xneedley") != std::string::npos);
  CHECK(hit.match == "needle");
  const auto all_of_it = find(terminal, ".*", {}, {.text_bytes = 100}).whole.at(0);
  CHECK(all_of_it.match == std::string(100, 'x'));
}
