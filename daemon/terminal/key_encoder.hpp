#pragma once

#include <string>

#include "common/error.hpp"
#include "proto/keys.hpp"
#include "proto/types.hpp"

namespace smartcli::terminal {

/// Encodes one key press as the bytes a terminal would send.
/// @param key    from proto/keys.hpp, with modifiers
/// @param modes  modes in force: `application_cursor` picks SS3 over CSI for arrows, Home and End;
///               `application_keypad` the keypad's; `newline` makes CR LF of CR; kitty flags, or else
///               modifyOtherKeys, replace the encoding
/// @return       1 to 64 bytes for the PTY. Where the program asked for event types (kitty flag 2) the key is
///               let go too: a release follows the press, save after what arrives as text and after Enter,
///               Tab and Backspace (these have releases under flag 8 only). Modifier keys have no events of
///               their own, and there is no base layout key: that is the keyboard's, and here is none.
/// Errors: not_encodable if the combination has no encoding in these modes, which under kitty flags none
/// lacks; so is a key event without a character. Ref: xterm 379 as recorded in tests/golden/keys, else its
/// ctlseqs, "PC-Style Function Keys"; F13 to F24 alone as terminfo's xterm-256color has them; kitty's
/// "Comprehensive keyboard handling in terminals".
Result<std::string> encode_key(const Key& key, const Modes& modes);

}  // namespace smartcli::terminal
