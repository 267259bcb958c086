#include "terminal/key_encoder.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/text.hpp"
#include "common/utf8.hpp"
#include "terminal/cell.hpp"
#include "terminal/key_tables.hpp"
#include "terminal/kitty_keys.hpp"
#include "terminal/width.hpp"

// Judge: xterm 379's own bytes for each key under each set of modifiers in each mode, US layout, Alt as ESC
// (tests/golden/keys). One rule goes beyond it: where xterm drops a modifier (Shift+Enter is Enter there,
// Ctrl+é is é), the press has no encoding, since the program would get another one than was asked for; under
// modifyOtherKeys 1 it has the one of level 2, which such a program reads too.

namespace smartcli::terminal {
namespace {

using namespace key_tables;

bool is_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The C0 code that xterm sends for Ctrl and a character: letters and their ASCII column, and VT220's digits.
std::optional<char> control_code(char32_t c) {
  if (is_letter(c)) return static_cast<char>(c & 0x1FU);
  switch (c) {
    case ' ':
    case '@':
    case '`':
    case '2': return '\0';
    case '[':
    case '{':
    case '3': return '\x1b';
    case '\\':
    case '|':
    case '4': return '\x1c';
    case ']':
    case '}':
    case '5': return '\x1d';
    case '^':
    case '~':
    case '6': return '\x1e';
    case '_':
    case '/':
    case '7': return '\x1f';
    case '?':
    case '8': return '\x7f';
    default: return std::nullopt;
  }
}

std::string with_alt(unsigned modifiers, std::string bytes) {
  return (modifiers & kAlt) != 0 ? std::string(kEsc) + bytes : bytes;
}

/// The keys that stand for one C0 code; nothing where a modifier would be lost.
std::optional<std::string> legacy_control_key(const Key& key, const Modes& modes) {
  const unsigned others = key.modifiers & ~static_cast<unsigned>(kAlt);
  switch (key.named) {
    case enter:
      if (others != 0) return std::nullopt;
      return with_alt(key.modifiers, modes.newline ? "\r\n" : "\r");
    case tab:
      if (key.modifiers == kShift) return std::string(kCsi) + "Z";
      if (others != 0) return std::nullopt;
      return with_alt(key.modifiers, "\t");
    case escape:
      if (others != 0) return std::nullopt;
      return with_alt(key.modifiers, std::string(kEsc));
    case backspace:
      if ((others & ~static_cast<unsigned>(kCtrl)) != 0) return std::nullopt;
      return with_alt(key.modifiers, modes.backarrow_sends_bs != ((others & kCtrl) != 0) ? "\b" : "\x7f");
    default: return std::nullopt;
  }
}

std::optional<std::string> legacy_text(const TextKey& key, const Modes& modes) {
  if ((key.modifiers & kSuper) != 0) return std::nullopt;
  if ((key.modifiers & kCtrl) == 0) return with_alt(key.modifiers, as_utf8(key.character));
  const auto code = control_code(key.character);
  // C0 has no case: Ctrl+Shift+C would arrive as Ctrl+C.
  const bool shift_is_lost = key.shift_was_asked && (is_letter(key.character) || key.character == ' ');
  if (!code || shift_is_lost) return std::nullopt;
  // LNM is the terminal's, whatever made the CR.
  if (*code == '\r' && modes.newline) return with_alt(key.modifiers, "\r\n");
  return with_alt(key.modifiers, std::string(1, *code));
}

/// `CSI number ; modifiers final`, what does not count left out.
std::string csi(int number, unsigned modifiers, char final) {
  std::string out(kCsi);
  if (number != 1 || modifiers != 0) out += std::to_string(number);
  if (modifiers != 0) out += ';' + parameter(modifiers);
  return out + final;
}

std::optional<NamedKey> twelve_below(NamedKey key) {
  if (key < f13 || key > f24) return std::nullopt;
  return static_cast<NamedKey>(static_cast<int>(key) - 12);
}

std::optional<std::string> legacy_function_key(const FunctionKey& row, unsigned modifiers,
                                               const Modes& modes) {
  if ((modifiers & kSuper) != 0) return std::nullopt;
  if (const auto below = twelve_below(row.key); below && modifiers == 0) {
    // xterm-256color's kf13 to kf24 are Shift and the key twelve below; xterm's own keys of that name send
    // what is in no terminfo entry, so that is left for what has no other form.
    return legacy_function_key(*find_row(kFunctionKeys, *below), kShift, modes);
  }
  const bool follows_decckm = row.number == 1 && !row.ss3_plain && modes.application_cursor;
  if (modifiers == 0 && (row.ss3_plain || follows_decckm)) return std::string(kSs3) + row.final;
  return csi(row.number, modifiers, row.final);
}

std::optional<std::string> legacy_keypad(const KeypadKey& row, unsigned modifiers, const Modes& modes) {
  if (modes.application_keypad) {
    // Shift turns what NumLock made of a key back: Shift+KP7 would arrive as Shift+Home.
    const bool has_other_half = row.key <= kp_decimal;
    if ((modifiers & kSuper) != 0 || (has_other_half && (modifiers & kShift) != 0)) return std::nullopt;
    return std::string(kSs3) + (modifiers != 0 ? parameter(modifiers) : "") + row.ss3;
  }
  if (modifiers != 0) return std::nullopt;
  if (row.key == kp_enter && modes.newline) return "\r\n";
  return std::string(1, row.text);
}

std::string other_keys(unsigned modifiers, char32_t code) {
  return std::string(kCsi) + "27;" + parameter(modifiers) + ';' +
         std::to_string(static_cast<std::uint32_t>(code)) + '~';
}

/// The code that modifyOtherKeys gives a key that types or stands for a C0 code; nothing for the other
/// groups.
std::optional<char32_t> other_keys_code(const Key& key, const std::optional<TextKey>& text,
                                        const Modes& modes) {
  switch (key.named) {
    case enter: return U'\r';
    case tab: return U'\t';
    case escape: return U'\x1b';
    case backspace: return modes.backarrow_sends_bs != ((key.modifiers & kCtrl) != 0) ? U'\b' : U'\x7f';
    default: return text ? std::optional(text->character) : std::nullopt;
  }
}

/// modifyOtherKeys: 1 for what has no bytes of its own otherwise, 2 also for what has them, save the plain
/// ones.
std::optional<std::string> with_other_keys(const Key& key, const std::optional<TextKey>& text,
                                           const std::optional<std::string>& legacy, const Modes& modes) {
  const auto code = other_keys_code(key, text, modes);
  if (!code || (key.modifiers & kSuper) != 0) return legacy;
  if (modes.modify_other_keys < 2) {
    // Ctrl+? is the one with bytes of its own that level 1 escapes all the same.
    const bool is_escaped = !legacy || (*code == '?' && (key.modifiers & kCtrl) != 0);
    return is_escaped ? other_keys(text ? text->modifiers : key.modifiers, *code) : legacy;
  }
  if (key.named == tab && key.modifiers == kShift) return legacy;
  if (key.named == backspace && key.modifiers == kCtrl) return legacy;
  if (text && key.modifiers == kShift) {
    // xterm escapes shifted letters and the symbols of their ASCII columns, and types the others.
    const bool is_escaped = *code == ' ' || (*code >= 0x40 && *code < 0x80);
    return is_escaped ? other_keys(kShift, *code) : as_utf8(*code);
  }
  return key.modifiers == 0 ? legacy : other_keys(text ? text->modifiers : key.modifiers, *code);
}

std::optional<std::string> legacy(const Key& key, const std::optional<TextKey>& text, const Modes& modes) {
  if (text) return legacy_text(*text, modes);
  if (const FunctionKey* row = find_row(kFunctionKeys, key.named))
    return legacy_function_key(*row, key.modifiers, modes);
  if (const KeypadKey* row = find_row(kKeypadKeys, key.named))
    return legacy_keypad(*row, key.modifiers, modes);
  return legacy_control_key(key, modes);
}

Error not_encodable(const Key& key) {
  std::string message =
      text::inert_line(spell_key(key)) + " has no encoding in the modes that the program has set";
  // modifyOtherKeys reaches what types or stands for a C0 code: the keys up to `space`.
  const bool only_kitty = (key.modifiers & kSuper) != 0 || key.named > space;
  if (key.named == none && (key.modifiers & (kCtrl | kSuper)) == 0) {
    message += ": what Shift makes of it depends on the keyboard; send that character itself";
  } else {
    message += ": it needs the kitty keyboard protocol";
    if (!only_kitty) message += " or modifyOtherKeys";
    message += ", else it would arrive as another key";
  }
  if (key.named == enter) message += "; Alt+Enter has one";
  return {ErrorCode::not_encodable, std::move(message)};
}

/// `c` belongs to the character that `text` begins, as the screen has it.
bool joins(const std::u32string& text, char32_t c) {
  const auto properties = char_properties(c);
  if ((properties & kDropped) != 0) return false;
  if ((properties & kWidthMask) == 0) return true;
  const auto first = char_properties(text.front());
  const bool after_joiner = text.back() == U'\u200d';
  if ((properties & kRegional) != 0) return text.size() == 1 && (first & kRegional) != 0;
  if ((first & kPictograph) == 0) return false;
  return (properties & kSkinTone) != 0 ? !after_joiner : (properties & kPictograph) != 0 && after_joiner;
}

bool is_character(char32_t c) {
  return c != 0 && c <= 0x10FFFF && (c < 0xD800 || c >= 0xE000);
}

}  // namespace

Result<std::string> encode_key(const Key& key, const Modes& modes) {
  const bool types = key.named == none || key.named == space;
  if (key.named == none && !is_character(key.character)) {
    return Error{ErrorCode::not_encodable,
                 "a key event without a character: give one code point or a key's name"};
  }
  const std::optional<TextKey> text = types ? text_key(key) : std::nullopt;
  // Text that nothing modifies is itself, also where its key would need Shift.
  std::optional<std::string> bytes = legacy(key, text, modes);
  if (modes.kitty_flags != 0) return encode_kitty(key, text, bytes, modes.kitty_flags);
  if (modes.modify_other_keys > 0) bytes = with_other_keys(key, text, bytes, modes);
  if (!bytes) return not_encodable(key);
  return *bytes;
}

std::optional<std::string> encode_character(std::string_view token, const Modes& modes) {
  std::u32string text;
  for (std::string_view rest = token; !rest.empty();) {
    const auto next = utf8::decode(rest);
    if (!next.valid || next.code_point < 0x20 || next.code_point == 0x7F) return std::nullopt;
    if (!text.empty() && !joins(text, next.code_point)) return std::nullopt;
    if (text.size() == kMaxCluster) return std::nullopt;
    text += next.code_point;
    rest.remove_prefix(next.bytes);
  }
  if (text.size() < 2) return std::nullopt;
  constexpr std::int64_t kTextOnly = kReportAll | kText;
  if ((modes.kitty_flags & kTextOnly) != kTextOnly) return std::string(token);
  std::string out = std::string(kCsi) + "0;";
  char separator = ';';
  for (const char32_t c : text) {
    out += separator + std::to_string(static_cast<std::uint32_t>(c));
    separator = ':';
  }
  return out + 'u';
}

}  // namespace smartcli::terminal
