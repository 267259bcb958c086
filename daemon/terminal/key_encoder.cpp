#include "terminal/key_encoder.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/text.hpp"
#include "common/utf8.hpp"

// Judge: xterm 379's own bytes for each key under each set of modifiers and each modifyOtherKeys, US layout,
// Alt as ESC. One rule goes beyond it: where xterm drops a modifier (Shift+Enter is Enter there, Ctrl+é is
// é), the press has no encoding, since the program would get another one than was asked for.

namespace smartcli::terminal {
namespace {

using enum NamedKey;

constexpr std::string_view kEsc = "\x1b", kCsi = "\x1b[", kSs3 = "\x1bO";

/// Kitty keyboard protocol's progressive enhancements.
enum KittyFlag : std::int64_t {
  kDisambiguate = 1,
  kEventTypes = 2,
  kAlternates = 4,
  kReportAll = 8,
  kText = 16
};

/// A key of the cursor, editing or function group: `CSI number ~`, or a letter where `number` is 1.
struct FunctionKey {
  NamedKey key;
  int number;
  char final;
  bool ss3_plain = false;  ///< F1 to F4: SS3 whatever the modes, as long as nothing modifies them
};

constexpr FunctionKey kFunctionKeys[] = {
    {up, 1, 'A'},        {down, 1, 'B'},     {right, 1, 'C'},    {left, 1, 'D'},     {kp_begin, 1, 'E'},
    {end, 1, 'F'},       {home, 1, 'H'},     {insert, 2, '~'},   {delete_, 3, '~'},  {page_up, 5, '~'},
    {page_down, 6, '~'}, {f1, 1, 'P', true}, {f2, 1, 'Q', true}, {f3, 1, 'R', true}, {f4, 1, 'S', true},
    {f5, 15, '~'},       {f6, 17, '~'},      {f7, 18, '~'},      {f8, 19, '~'},      {f9, 20, '~'},
    {f10, 21, '~'},      {f11, 23, '~'},     {f12, 24, '~'},
};

/// Keypad: what it types, and its SS3 letter under DECKPAM. Its kitty number is 57399 plus the place here.
struct KeypadKey {
  NamedKey key;
  char text;
  char ss3;
};

constexpr int kKittyKeypad = 57399, kKittyF13 = 57376;
constexpr KeypadKey kKeypadKeys[] = {
    {kp0, '0', 'p'},         {kp1, '1', 'q'},         {kp2, '2', 'r'},        {kp3, '3', 's'},
    {kp4, '4', 't'},         {kp5, '5', 'u'},         {kp6, '6', 'v'},        {kp7, '7', 'w'},
    {kp8, '8', 'x'},         {kp9, '9', 'y'},         {kp_decimal, '.', 'n'}, {kp_divide, '/', 'o'},
    {kp_multiply, '*', 'j'}, {kp_subtract, '-', 'm'}, {kp_add, '+', 'k'},     {kp_enter, '\r', 'M'},
    {kp_equal, '=', 'X'},
};

template <class Table>
auto find_row(const Table& table, NamedKey key) -> decltype(&table[0]) {
  for (const auto& row : table) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

// The same places of a US keyboard, without and with Shift.
constexpr std::string_view kUnshifted = "`1234567890-=[]\\;',./", kShifted = "~!@#$%^&*()_+{}|:\"<>?";

/// Upper and lower case where they stand at a fixed distance: the letters that keyboards have keys for.
struct CaseRange {
  char32_t first, last;  ///< lower case
  char32_t distance;     ///< to upper case, downwards
};
constexpr CaseRange kCases[] = {{'a', 'z', 32},     {0xE0, 0xF6, 32},   {0xF8, 0xFE, 32},  {0x3B1, 0x3C1, 32},
                                {0x3C3, 0x3C9, 32}, {0x430, 0x44F, 32}, {0x450, 0x45F, 80}};

/// What the key of `c` gives under Shift; nothing where that depends on the keyboard.
std::optional<char32_t> shifted(char32_t c) {
  if (c == ' ') return c;
  if (c < 0x80) {
    if (const auto at = kUnshifted.find(static_cast<char>(c)); at != std::string_view::npos)
      return kShifted[at];
  }
  for (const CaseRange& range : kCases) {
    if (c >= range.first && c <= range.last) return c - range.distance;
  }
  return std::nullopt;
}

/// The unshifted character of the key that gives `c` under Shift; nothing if `c` needs no Shift.
std::optional<char32_t> unshifted(char32_t c) {
  if (c < 0x80) {
    if (const auto at = kShifted.find(static_cast<char>(c)); at != std::string_view::npos)
      return kUnshifted[at];
  }
  for (const CaseRange& range : kCases) {
    if (c + range.distance >= range.first && c + range.distance <= range.last) return c + range.distance;
  }
  return std::nullopt;
}

bool is_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string as_utf8(char32_t c) {
  std::string out;
  utf8::append(out, c);
  return out;
}

/// A key that types: the character on its cap, the one it gives under its Shift, and the modifiers held.
struct TextKey {
  char32_t base = 0;
  char32_t character = 0;  ///< Shift applied
  unsigned modifiers = 0;  ///< with the Shift that `character` needs
  bool shift_was_asked = false;
};

/// Nothing where Shift was asked for and what it gives is not known.
std::optional<TextKey> text_key(const Key& key) {
  const char32_t c = key.named == space ? U' ' : key.character;
  TextKey out{c, c, key.modifiers, (key.modifiers & kShift) != 0};
  if (const auto base = unshifted(c)) {
    out.base = *base;
    out.modifiers |= kShift;
  } else if (out.shift_was_asked) {
    const auto upper = shifted(c);
    if (!upper) return std::nullopt;
    out.character = *upper;
  }
  return out;
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

std::string parameter(unsigned modifiers) {
  return std::to_string(modifiers + 1);
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

std::optional<std::string> legacy_text(const TextKey& key) {
  if ((key.modifiers & kSuper) != 0) return std::nullopt;
  if ((key.modifiers & kCtrl) == 0) return with_alt(key.modifiers, as_utf8(key.character));
  const auto code = control_code(key.character);
  // C0 has no case: Ctrl+Shift+C would arrive as Ctrl+C.
  const bool shift_is_lost = key.shift_was_asked && (is_letter(key.character) || key.character == ' ');
  if (!code || shift_is_lost) return std::nullopt;
  return with_alt(key.modifiers, std::string(1, *code));
}

/// `CSI number ; modifiers final`, what does not count left out.
std::string csi(int number, unsigned modifiers, char final) {
  std::string out(kCsi);
  if (number != 1 || modifiers != 0) out += std::to_string(number);
  if (modifiers != 0) out += ';' + parameter(modifiers);
  return out + final;
}

std::optional<std::string> legacy_function_key(const FunctionKey& row, unsigned modifiers,
                                               const Modes& modes) {
  if ((modifiers & kSuper) != 0) return std::nullopt;
  const bool follows_decckm = row.number == 1 && !row.ss3_plain && modes.application_cursor;
  if (modifiers == 0 && (row.ss3_plain || follows_decckm)) return std::string(kSs3) + row.final;
  return csi(row.number, modifiers, row.final);
}

std::optional<std::string> legacy_keypad(const KeypadKey& row, unsigned modifiers, const Modes& modes) {
  if (modifiers != 0) return std::nullopt;
  if (modes.application_keypad) return std::string(kSs3) + row.ss3;
  if (row.key == kp_enter && modes.newline) return "\r\n";
  return std::string(1, row.text);
}

std::optional<NamedKey> twelve_below(NamedKey key) {
  if (key < f13 || key > f24) return std::nullopt;
  return static_cast<NamedKey>(static_cast<int>(key) - 12);
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
  if (modes.modify_other_keys < 2)
    return legacy ? legacy : other_keys(text ? text->modifiers : key.modifiers, *code);
  if (key.named == tab && key.modifiers == kShift) return legacy;
  if (key.named == backspace && key.modifiers == kCtrl) return legacy;
  if (text && key.modifiers == kShift) {
    // xterm escapes shifted letters and the symbols of their ASCII columns, and types the others.
    const bool is_escaped = *code == ' ' || (*code >= 0x40 && *code < 0x80);
    return is_escaped ? other_keys(kShift, *code) : as_utf8(*code);
  }
  return key.modifiers == 0 ? legacy : other_keys(text ? text->modifiers : key.modifiers, *code);
}

/// `CSI number : alternate ; modifiers ; text u`, what is 0 left out.
std::string kitty_u(char32_t number, char32_t alternate, unsigned modifiers, char32_t text) {
  const auto decimal = [](char32_t c) { return std::to_string(static_cast<std::uint32_t>(c)); };
  std::string out(kCsi);
  out += decimal(number);
  if (alternate != 0) out += ':' + decimal(alternate);
  if (modifiers != 0 || text != 0) out += ';';
  if (modifiers != 0) out += parameter(modifiers);
  if (text != 0) out += ';' + decimal(text);
  return out + 'u';
}

std::optional<char32_t> kitty_number(NamedKey key) {
  switch (key) {
    case enter: return U'\r';
    case tab: return U'\t';
    case escape: return U'\x1b';
    case backspace: return U'\x7f';
    default: break;
  }
  if (key >= f13 && key <= f24) return kKittyF13 + static_cast<int>(key) - static_cast<int>(f13);
  return std::nullopt;
}

/// A press under the kitty protocol; only presses are sent, so report-event-types adds no field. Nothing
/// where the flags in force leave the key as it was.
std::optional<std::string> kitty(const Key& key, const std::optional<TextKey>& text, std::int64_t flags) {
  const bool reports_all = (flags & kReportAll) != 0;
  const bool reports_text = reports_all && (flags & kText) != 0;
  const bool disambiguates = reports_all || (flags & kDisambiguate) != 0;
  if (!disambiguates && (flags & kEventTypes) == 0) return std::nullopt;
  constexpr unsigned kNoText = kCtrl | kAlt | kSuper;
  const bool types = (key.modifiers & kNoText) == 0;

  if (const KeypadKey* row = find_row(kKeypadKeys, key.named)) {
    const bool is_text = row->key != kp_enter && types;
    if (is_text && !reports_all) return std::string(1, row->text);
    return kitty_u(kKittyKeypad + static_cast<char32_t>(row - kKeypadKeys), 0, key.modifiers,
                   is_text && reports_text ? static_cast<char32_t>(row->text) : 0);
  }
  if (const FunctionKey* row = find_row(kFunctionKeys, key.named)) {
    // `CSI R` would be a cursor position report.
    return row->key == f3 ? csi(13, key.modifiers, '~') : csi(row->number, key.modifiers, row->final);
  }
  if (const auto number = kitty_number(key.named)) {
    // A shell must stay usable after a program that did not take its flags back.
    const bool is_exempt = key.named == enter || key.named == tab || key.named == backspace;
    if (key.modifiers == 0 && ((is_exempt && !reports_all) || !disambiguates)) return std::nullopt;
    return kitty_u(*number, 0, key.modifiers, 0);
  }
  if (!text) {
    // Shift on a key whose shifted character is not known here: told as it is, with no text.
    if (!disambiguates) return std::nullopt;
    return kitty_u(key.character, 0, key.modifiers, 0);
  }
  if (types && !reports_all) return as_utf8(text->character);
  if (!disambiguates) return std::nullopt;
  const bool has_alternate = (flags & kAlternates) != 0 && text->base != text->character;
  return kitty_u(text->base, has_alternate ? text->character : 0, text->modifiers,
                 types && reports_text ? text->character : 0);
}

std::optional<std::string> legacy(const Key& key, const std::optional<TextKey>& text, const Modes& modes) {
  if (text) return legacy_text(*text);
  if (const auto base = twelve_below(key.named)) {
    // xterm-256color's kf13 and on: Shift on the key twelve below, so Shift itself is taken.
    if ((key.modifiers & kShift) != 0) return std::nullopt;
    return legacy_function_key(*find_row(kFunctionKeys, *base), key.modifiers | kShift, modes);
  }
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
  if (const auto bytes = kitty(key, text, modes.kitty_flags)) return *bytes;
  // Text that nothing modifies is itself, also where its key would need Shift.
  std::optional<std::string> bytes = legacy(key, text, modes);
  if (modes.modify_other_keys > 0 && modes.kitty_flags == 0) bytes = with_other_keys(key, text, bytes, modes);
  if (!bytes) return not_encodable(key);
  return *bytes;
}

}  // namespace smartcli::terminal
