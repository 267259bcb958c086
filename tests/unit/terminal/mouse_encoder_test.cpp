// What a program gets for each event in each mode and encoding, as xterm's ctlseqs have it.

#include "terminal/mouse_encoder.hpp"

#include <catch2/catch.hpp>

#include "proto/keys.hpp"
#include "support/shown.hpp"

using namespace smartcli;
using namespace smartcli::terminal;

namespace {

std::string bytes(MouseEvent event, MouseMode mode, MouseEncoding encoding) {
  Modes modes;
  modes.mouse = mode;
  modes.mouse_encoding = encoding;
  const auto encoded = encode_mouse(event, modes);
  if (!encoded) return std::string(info(encoded.error().code).name);
  return *encoded;
}

constexpr MouseEvent kPress{MouseAction::press, MouseButton::left, 0, 4, 9};
constexpr MouseEvent kRelease{MouseAction::release, MouseButton::right, 0, 4, 9};
constexpr MouseEvent kDrag{MouseAction::move, MouseButton::left, 0, 4, 9};
constexpr MouseEvent kMove{MouseAction::move, MouseButton::none, 0, 4, 9};
constexpr MouseEvent kWheel{MouseAction::press, MouseButton::wheel_down, 0, 4, 9};

}  // namespace

TEST_CASE("each encoding writes presses, releases, moves and the wheel", "[mouse]") {
  const auto [encoding, press, release, drag, move, wheel] =
      GENERATE(table<MouseEncoding, std::string, std::string, std::string, std::string, std::string>({
          {MouseEncoding::plain, "\x1b[M *%", "\x1b[M#*%", "\x1b[M@*%", "\x1b[MC*%", "\x1b[Ma*%"},
          {MouseEncoding::utf8, "\x1b[M *%", "\x1b[M#*%", "\x1b[M@*%", "\x1b[MC*%", "\x1b[Ma*%"},
          {MouseEncoding::sgr, "\x1b[<0;10;5M", "\x1b[<2;10;5m", "\x1b[<32;10;5M", "\x1b[<35;10;5M",
           "\x1b[<65;10;5M"},
          {MouseEncoding::urxvt, "\x1b[32;10;5M", "\x1b[35;10;5M", "\x1b[64;10;5M", "\x1b[67;10;5M",
           "\x1b[97;10;5M"},
      }));
  CAPTURE(static_cast<int>(encoding));
  CHECK(bytes(kPress, MouseMode::any, encoding) == press);
  CHECK(bytes(kRelease, MouseMode::any, encoding) == release);
  CHECK(bytes(kDrag, MouseMode::any, encoding) == drag);
  CHECK(bytes(kMove, MouseMode::any, encoding) == move);
  CHECK(bytes(kWheel, MouseMode::any, encoding) == wheel);
}

TEST_CASE("each mode leaves out what the program did not ask for", "[mouse]") {
  const auto sgr = [](const MouseEvent& event, MouseMode mode) {
    return bytes(event, mode, MouseEncoding::sgr) != "";
  };
  CHECK(sgr(kPress, MouseMode::x10));
  CHECK_FALSE(sgr(kRelease, MouseMode::x10));
  CHECK_FALSE(sgr(kDrag, MouseMode::x10));
  CHECK_FALSE(sgr(kWheel, MouseMode::x10));
  CHECK(sgr(kRelease, MouseMode::click));
  CHECK(sgr(kWheel, MouseMode::click));
  CHECK_FALSE(sgr(kDrag, MouseMode::click));
  CHECK(sgr(kDrag, MouseMode::drag));
  CHECK_FALSE(sgr(kMove, MouseMode::drag));
  CHECK(sgr(kMove, MouseMode::any));
  for (const auto& event : {kPress, kRelease, kDrag, kMove, kWheel})
    CHECK(bytes(event, MouseMode::off, MouseEncoding::sgr) == "mouse_off");
}

TEST_CASE("modifiers go along, but not in X10 mode", "[mouse]") {
  MouseEvent event = kPress;
  event.modifiers = kShift | kAlt | kCtrl;
  CHECK(bytes(event, MouseMode::click, MouseEncoding::sgr) == "\x1b[<28;10;5M");
  CHECK(bytes(event, MouseMode::x10, MouseEncoding::sgr) == "\x1b[<0;10;5M");
  event.button = MouseButton::wheel_up;
  CHECK(bytes(event, MouseMode::click, MouseEncoding::sgr) == "\x1b[<92;10;5M");
  event = kRelease;
  event.modifiers = kCtrl;
  CHECK(bytes(event, MouseMode::click, MouseEncoding::plain) == "\x1b[M3*%");
}

TEST_CASE("a place beyond the encoding is refused, the last one within is not", "[mouse]") {
  MouseEvent event = kPress;
  event.col = 222;
  CHECK(bytes(event, MouseMode::click, MouseEncoding::plain) == "\x1b[M \xff%");
  event.col = 223;
  CHECK(bytes(event, MouseMode::click, MouseEncoding::plain) == "not_encodable");
  CHECK(bytes(event, MouseMode::click, MouseEncoding::utf8) == "\x1b[M \xc4\x80%");
  CHECK(bytes(event, MouseMode::click, MouseEncoding::sgr) == "\x1b[<0;224;5M");
  event.col = 999;
  event.row = 499;
  CHECK(bytes(event, MouseMode::click, MouseEncoding::utf8).size() == 8);
}

TEST_CASE("in pixels a click is in the middle of its cell", "[mouse]") {
  CHECK(bytes(kPress, MouseMode::click, MouseEncoding::sgr_pixels) == "\x1b[<0;77;73M");
  CHECK(bytes(kRelease, MouseMode::click, MouseEncoding::sgr_pixels) == "\x1b[<2;77;73m");
}
