#include "terminal/mouse_encoder.hpp"

#include "proto/keys.hpp"
#include "terminal/replies.hpp"
#include "terminal/utf8.hpp"

namespace smartcli::terminal {
namespace {

constexpr int kReleased = 3;  ///< any button, where the encoding cannot say which
constexpr int kMotion = 32;

int code_of(MouseButton button) {
  switch (button) {
    case MouseButton::left: return 0;
    case MouseButton::middle: return 1;
    case MouseButton::right: return 2;
    case MouseButton::none: return kReleased;
    case MouseButton::wheel_up: return 64;
    case MouseButton::wheel_down: return 65;
    case MouseButton::wheel_left: return 66;
    case MouseButton::wheel_right: return 67;
  }
  return kReleased;
}

bool is_wheel(MouseButton button) {
  return code_of(button) >= 64;
}

bool is_wanted(const MouseEvent& event, MouseMode mode) {
  switch (mode) {
    case MouseMode::off: return false;
    case MouseMode::x10: return event.action == MouseAction::press && !is_wheel(event.button);
    case MouseMode::click: return event.action != MouseAction::move;
    case MouseMode::drag: return event.action != MouseAction::move || event.button != MouseButton::none;
    case MouseMode::any: return true;
  }
  return false;
}

int modifier_bits(unsigned modifiers) {
  return (modifiers & kShift ? 4 : 0) | (modifiers & kAlt ? 8 : 0) | (modifiers & kCtrl ? 16 : 0);
}

Error too_far(const MouseEvent& event, int most) {
  return Error{ErrorCode::not_encodable, "column " + std::to_string(event.col + 1) + ", row " +
                                             std::to_string(event.row + 1) +
                                             ": the program's mouse encoding reaches to " +
                                             std::to_string(most) + " only; make the session smaller"};
}

}  // namespace

Result<std::string> encode_mouse(const MouseEvent& event, const Modes& modes) {
  if (modes.mouse == MouseMode::off) {
    return Error{ErrorCode::mouse_off,
                 "the program does not track the mouse; press keys instead (`smartcli send-keys`)"};
  }
  if (!is_wanted(event, modes.mouse)) return std::string();
  const bool is_release = event.action == MouseAction::release;
  // A wheel has no release; nobody sends one.
  if (is_release && is_wheel(event.button)) return std::string();
  int code = code_of(event.button);
  if (modes.mouse != MouseMode::x10) code |= modifier_bits(event.modifiers);
  if (event.action == MouseAction::move) code += kMotion;
  const int anonymous = is_release ? (code & ~kReleased) | kReleased : code;
  const std::string place = std::to_string(event.col + 1) + ";" + std::to_string(event.row + 1);
  switch (modes.mouse_encoding) {
    case MouseEncoding::sgr: return "\x1b[<" + std::to_string(code) + ";" + place + (is_release ? "m" : "M");
    case MouseEncoding::sgr_pixels:
      return "\x1b[<" + std::to_string(code) + ";" +
             std::to_string(event.col * kCellWidth + kCellWidth / 2 + 1) + ";" +
             std::to_string(event.row * kCellHeight + kCellHeight / 2 + 1) + (is_release ? "m" : "M");
    case MouseEncoding::urxvt: return "\x1b[" + std::to_string(anonymous + 32) + ";" + place + "M";
    case MouseEncoding::utf8: {
      constexpr int kMost = 2015;
      if (event.col >= kMost || event.row >= kMost) return too_far(event, kMost);
      std::string bytes = "\x1b[M";
      append_utf8(bytes, static_cast<char32_t>(anonymous + 32));
      append_utf8(bytes, static_cast<char32_t>(event.col + 33));
      append_utf8(bytes, static_cast<char32_t>(event.row + 33));
      return bytes;
    }
    case MouseEncoding::plain: break;
  }
  constexpr int kMost = 223;
  if (event.col >= kMost || event.row >= kMost) return too_far(event, kMost);
  return std::string("\x1b[M") + static_cast<char>(anonymous + 32) + static_cast<char>(event.col + 33) +
         static_cast<char>(event.row + 33);
}

}  // namespace smartcli::terminal
