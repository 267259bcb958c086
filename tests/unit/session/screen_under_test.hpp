#pragma once

// A real terminal with what the session keeps beside it: the echo of what was typed, and the fence.

#include <string>
#include <string_view>
#include <vector>

#include "session/condition.hpp"
#include "session/echo.hpp"
#include "session/lines.hpp"
#include "support/shown.hpp"
#include "terminal/terminal.hpp"

namespace smartcli::test {

using Line = session::EchoTracker::LineMode;

/// The condition holds after it has looked at these.
inline bool sees(session::Condition& condition, const std::vector<session::Line>& lines, bool alt_screen) {
  condition.look(lines, alt_screen);
  return condition.holds();
}

/// All lines that are kept.
inline std::vector<session::Line> all_lines(const terminal::Terminal& terminal) {
  std::vector<session::Line> lines;
  const std::uint64_t end = terminal.screen_top() + static_cast<std::uint64_t>(terminal.size().rows);
  std::uint64_t given = 0;
  for (std::uint64_t row = terminal.first_row(); row < end; row = given) {
    lines.push_back(session::line_at(terminal, row, given));
    given = lines.back().last_row + 1;
  }
  return lines;
}

class ScreenUnderTest {
 public:
  explicit ScreenUnderTest(Size size = {80, 24}, std::size_t history = 1000)
      : terminal(size, {history, 1 << 20}) {}

  terminal::Terminal terminal;
  session::EchoTracker echo;
  session::LineFeed feed;
  std::uint64_t fence = 0;

  /// Output of the program.
  ScreenUnderTest& shows(std::string_view bytes) {
    terminal.feed(bytes);
    if (terminal.layout_epoch() != epoch_) {
      if (epoch_ != ~0ull) echo.forget_positions();
      epoch_ = terminal.layout_epoch();
    }
    return *this;
  }
  /// Input whose fence lies here, as a session does it when it comes to the input's event.
  ScreenUnderTest& typed(std::string_view bytes, Line line) {
    if (epoch_ == ~0ull) epoch_ = terminal.layout_epoch();
    const auto key = ++key_;
    echo.typed(key, bytes);
    fence = terminal.offset();
    echo.reached(key, session::cursor_position(terminal), line);
    return *this;
  }

  /// Lines with a change since the last call, their echo marked.
  std::vector<session::Line> changed() {
    auto lines = feed.changed(terminal);
    for (auto& line : lines) echo.mark(line);
    return lines;
  }
  /// All that is kept, likewise.
  std::vector<session::Line> all() {
    auto lines = all_lines(terminal);
    for (auto& line : lines) echo.mark(line);
    return lines;
  }
  /// Every line with text, its echo in brackets: "$ [ls]".
  std::vector<std::string> marked() {
    std::vector<std::string> out;
    for (const auto& line : all()) {
      std::string text;
      bool open = false;
      for (std::size_t i = 0; i < line.text.size(); ++i) {
        if (line.echo[i] != open) text += line.echo[i] ? '[' : ']';
        open = line.echo[i];
        text += line.text[i];
      }
      if (open) text += ']';
      while (!text.empty() && text.back() == ' ') text.pop_back();
      out.push_back(std::move(text));
    }
    while (!out.empty() && out.back().empty()) out.pop_back();
    return out;
  }
  /// The pattern matches something that counts.
  bool finds(std::string_view pattern, bool anywhere = false) {
    auto condition = condition_for(pattern, anywhere);
    return sees(condition, all(), terminal.alt_screen());
  }
  session::MatchCondition condition_for(std::string_view pattern, bool anywhere = false) const {
    auto compiled = Pattern::compile(pattern);
    REQUIRE(compiled);
    return {std::move(*compiled), {fence, anywhere}};
  }

 private:
  std::uint64_t key_ = 0;
  std::uint64_t epoch_ = ~0ull;
};

}  // namespace smartcli::test
