// Every event in every mode and encoding, against what a real xterm sent
// (tests/golden/keys/xterm_379_mouse.txt, recorded by tests/oracle/record_keys.py).

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "proto/keys.hpp"
#include "support/golden_table.hpp"
#include "terminal/mouse_encoder.hpp"
#include "terminal/replies.hpp"

using namespace smartcli;
using namespace smartcli::terminal;

namespace {

const std::map<std::string, MouseMode> kModes = {
    {"x10", MouseMode::x10}, {"click", MouseMode::click}, {"drag", MouseMode::drag}, {"any", MouseMode::any}};
const std::map<std::string, MouseEncoding> kEncodings = {{"plain", MouseEncoding::plain},
                                                         {"utf8", MouseEncoding::utf8},
                                                         {"sgr", MouseEncoding::sgr},
                                                         {"urxvt", MouseEncoding::urxvt},
                                                         {"sgr_pixels", MouseEncoding::sgr_pixels}};
const std::map<std::string, MouseAction> kActions = {
    {"press", MouseAction::press}, {"release", MouseAction::release}, {"move", MouseAction::move}};
const std::map<std::string, MouseButton> kButtons = {{"none", MouseButton::none},
                                                     {"left", MouseButton::left},
                                                     {"middle", MouseButton::middle},
                                                     {"right", MouseButton::right},
                                                     {"wheel_up", MouseButton::wheel_up},
                                                     {"wheel_down", MouseButton::wheel_down},
                                                     {"wheel_left", MouseButton::wheel_left},
                                                     {"wheel_right", MouseButton::wheel_right}};

std::string in_the_middle(int col, int row, int width, int height) {
  return ';' + std::to_string(col * width + width / 2 + 1) + ';' +
         std::to_string(row * height + height / 2 + 1);
}

std::string ours(const MouseEvent& event, const Modes& modes) {
  const auto bytes = encode_mouse(event, modes);
  return bytes ? spelled_bytes(*bytes) : std::string(info(bytes.error().code).name);
}

/// xterm tells a tick of the wheel when its button is let go: press and release are compared as one turn. It
/// lets go of buttons 6 and 7 as of any other, which we do not, and keeps Shift and these for itself.
bool is_wheel(const std::string& button) {
  return button.starts_with("wheel");
}
bool is_sideways(const std::string& button) {
  return button == "wheel_left" || button == "wheel_right";
}

}  // namespace

TEST_CASE("every mouse event in every mode and encoding is what xterm sends", "[mouse]") {
  int width = 0, height = 0, compared = 0, refused = 0;
  for (const GoldenSection& section : read_golden_table(SMARTCLI_KEYS "/xterm_379_mouse.txt")) {
    if (section.name.empty()) {
      width = std::stoi(section.rows.at(0).at(1));
      height = std::stoi(section.rows.at(0).at(2));
      continue;
    }
    const auto space = section.name.find(' ');
    Modes modes;
    modes.mouse = kModes.at(section.name.substr(0, space));
    modes.mouse_encoding = kEncodings.at(section.name.substr(space + 1));
    for (auto row = section.rows.begin(); row != section.rows.end(); ++row) {
      const std::string& button = row->at(1);
      MouseEvent event{kActions.at(row->at(0)), kButtons.at(button), 0, std::stoi(row->at(3)),
                       std::stoi(row->at(2))};
      for (unsigned modifiers = 0; modifiers < 8; ++modifiers) {
        event.modifiers = modifiers;
        std::string theirs = row->at(4 + modifiers);
        if (is_wheel(button)) {
          if (event.action == MouseAction::release) {
            CHECK(ours(event, modes) == "-");
            continue;
          }
          if (is_sideways(button) && (modifiers & kShift) != 0) continue;
          if (!is_sideways(button)) theirs = (row + 1)->at(4 + modifiers);
        }
        if (modes.mouse_encoding == MouseEncoding::sgr_pixels && theirs != "-") {
          const std::string place = in_the_middle(event.col, event.row, width, height);
          REQUIRE(theirs.find(place) != std::string::npos);
          theirs.replace(theirs.find(place), place.size(),
                         in_the_middle(event.col, event.row, kCellWidth, kCellHeight));
        }
        CAPTURE(section.name, row->at(0), button, event.col, event.row, modifiers);
        ++compared;
        // xterm sends NUL for what is beyond: no place at all (B087).
        const bool is_beyond = (modes.mouse_encoding == MouseEncoding::plain && event.col >= 223) ||
                               (modes.mouse_encoding == MouseEncoding::utf8 && event.col >= 2015);
        refused += is_beyond ? 1 : 0;
        CHECK(ours(event, modes) == (is_beyond ? "not_encodable" : theirs));
      }
    }
  }
  CHECK(compared == 3360);
  CHECK(refused == 160);
}
