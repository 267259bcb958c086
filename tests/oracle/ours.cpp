// Engines for tests/oracle: our terminal core and libtsm. One JSON request a line on standard input:
//   {"engine": "smartcli"|"libtsm", "cols": N, "rows": N, "steps": [{"feed": BASE64} | {"resize": [COLS,
//   ROWS]} | {"look": true}]}
// one answer a line: {"looks": [{"rows": [...], "cursor": "R;C", "alt": bool}]}; the cursor as CPR tells it.

#include <iostream>
#include <nlohmann/json.hpp>

#include "../unit/terminal/support.hpp"
#include "crosscheck/second_screen.hpp"

using nlohmann::json;
using smartcli::Size;

namespace {

std::string trimmed(std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

json look_at(smartcli::terminal::Terminal& terminal) {
  terminal.take_replies();
  terminal.feed("\x18\033[6n");
  std::string cursor = smartcli::terminal::joined_replies(terminal);
  cursor = cursor.substr(2, cursor.size() - 3);
  json rows = json::array();
  for (const auto& line : terminal.screen_text()) rows.push_back(trimmed(line));
  return {{"rows", rows}, {"cursor", cursor}, {"alt", terminal.alt_screen()}};
}

json look_at(const smartcli::crosscheck::SecondScreen& screen) {
  json rows = json::array();
  for (const auto& line : screen.lines()) rows.push_back(trimmed(line));
  return {
      {"rows", rows},
      {"cursor", std::to_string(screen.cursor_row() + 1) + ";" + std::to_string(screen.cursor_col() + 1)}};
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const json request = json::parse(line);
    const int cols = request["cols"], rows = request["rows"];
    const bool is_ours = request["engine"] == "smartcli";
    smartcli::terminal::Terminal ours({cols, rows}, {});
    smartcli::crosscheck::SecondScreen theirs(is_ours ? 2 : cols, is_ours ? 2 : rows);
    json looks = json::array();
    for (const auto& step : request["steps"]) {
      if (step.contains("feed")) {
        const std::string bytes = smartcli::terminal::decode_base64(step["feed"].get<std::string>());
        is_ours ? ours.feed(bytes) : theirs.feed(bytes);
      } else if (step.contains("resize")) {
        const int c = step["resize"][0], r = step["resize"][1];
        is_ours ? ours.resize({c, r}) : theirs.resize(c, r);
      } else {
        looks.push_back(is_ours ? look_at(ours) : look_at(theirs));
      }
    }
    std::cout << json{{"looks", looks}}.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
  }
}
