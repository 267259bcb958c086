#pragma once

#include <optional>
#include <string>
#include <string_view>

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

/// Encodes a character that is more than one code point and so no Key: a letter and its accents, an emoji
/// sequence, a flag.
/// @return  its UTF-8, or where kitty flags 8 and 16 are on the code points as text without a key; nothing if
///          `token` is anything else, as the screen joins code points to cells.
std::optional<std::string> encode_character(std::string_view token, const Modes& modes);

}  // namespace smartcli::terminal
