#pragma once

#include <string>

#include "common/error.hpp"
#include "proto/types.hpp"

namespace smartcli::terminal {

enum class MouseButton { none, left, middle, right, wheel_up, wheel_down, wheel_left, wheel_right };
enum class MouseAction { press, release, move };

/// One thing that a hand does with a mouse.
struct MouseEvent {
  MouseAction action = MouseAction::press;
  MouseButton button = MouseButton::left;  ///< of a move: the one held down, or none
  unsigned modifiers = 0;                  ///< Modifier bits; Super has no place in any encoding
  int row = 0, col = 0;                    ///< the cell, from 0
};

/// Encodes one mouse event as the bytes a terminal would send.
/// @param modes  modes in force: `mouse` says which events are wanted, `mouse_encoding` how they are written
/// @return       the bytes for the PTY; none where the program tracks the mouse but not this: a release or a
///               wheel in X10 mode (9), a move in modes 9 and 1000, one without a button in mode 1002. Under
///               1016 the position is the middle of the cell, in pixels of `kCellWidth` x `kCellHeight`.
/// Errors: mouse_off if the program tracks no mouse; not_encodable if the place is beyond what the encoding
/// can say (column or row 223 in the plain one, 2015 under 1005). Ref: xterm ctlseqs, "Mouse Tracking";
/// button.c of xterm for what the modes leave out.
Result<std::string> encode_mouse(const MouseEvent& event, const Modes& modes);

}  // namespace smartcli::terminal
