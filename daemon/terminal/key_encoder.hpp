#pragma once

#include <string>

#include "common/error.hpp"
#include "proto/keys.hpp"
#include "proto/types.hpp"

namespace smartcli::terminal {

/// Encodes one key press as the bytes a terminal would send.
/// @param key    from proto/keys.hpp, with modifiers
/// @param modes  modes in force: `application_cursor` picks SS3 over CSI for arrows, Home and End;
///               `application_keypad` the keypad's; kitty flags and modifyOtherKeys replace the encoding
/// @return       1 to 32 bytes for the PTY
/// Errors: not_encodable if the combination has no encoding in these modes.
/// Ref: xterm ctlseqs, "PC-Style Function Keys" and "Alt and Meta Keys"; DECCKM in DEC STD 070; kitty
/// keyboard protocol.
Result<std::string> encode_key(const Key& key, const Modes& modes);

}  // namespace smartcli::terminal
