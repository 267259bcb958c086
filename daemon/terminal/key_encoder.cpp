#include "terminal/key_encoder.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/text.hpp"
#include "common/utf8.hpp"
#include "terminal/cell.hpp"
#include "terminal/width.hpp"

// Judge: xterm 379's own bytes for each key under each set of modifiers in each mode, US layout, Alt as ESC
// (tests/golden/keys). One rule goes beyond it: where xterm drops a modifier (Shift+Enter is Enter there,
// Ctrl+é is é), the press has no encoding, since the program would get another one than was asked for; under
// modifyOtherKeys 1 it has the one of level 2, which such a program reads too.

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
    {f10, 21, '~'},      {f11, 23, '~'},     {f12, 24, '~'},     {f13, 25, '~'},     {f14, 26, '~'},
    {f15, 28, '~'},      {f16, 29, '~'},     {f17, 31, '~'},     {f18, 32, '~'},     {f19, 33, '~'},
    {f20, 34, '~'},      {f21, 42, '~'},     {f22, 43, '~'},     {f23, 44, '~'},     {f24, 45, '~'},
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

/// A key event of the kitty protocol: `CSI number:alternate ; modifiers:event ; text final`.
struct KittyKey {
  char32_t number = 0;
  char final = 'u';
  char32_t alternate = 0;  ///< the shifted key, where it is another
  unsigned modifiers = 0;
  char32_t text = 0;
};

enum class KittyEvent { press = 1, release = 3 };

/// What is 0, or a default that nothing follows, is left out.
std::string written(const KittyKey& key, KittyEvent event) {
  const auto decimal = [](char32_t c) { return std::to_string(static_cast<std::uint32_t>(c)); };
  const bool is_release = event == KittyEvent::release;
  const char32_t text = is_release ? 0 : key.text;
  const bool has_second = key.modifiers != 0 || is_release;
  std::string out(kCsi);
  if (key.number != 1 || has_second) out += decimal(key.number);
  if (key.alternate != 0) out += ':' + decimal(key.alternate);
  if (has_second || text != 0) out += ';';
  if (has_second) out += parameter(key.modifiers);
  if (is_release) out += ':' + std::to_string(static_cast<int>(event));
  if (text != 0) out += ';' + decimal(text);
  return out + key.final;
}

/// The control keys that stay bytes: a shell must be usable after a program that did not take its flags back.
bool stays_legacy(NamedKey key) {
  return key == enter || key == tab || key == backspace;
}

/// The character that a press types; nothing where Ctrl, Alt or Super is held, or on the keypad any modifier.
std::optional<char32_t> typed_character(const Key& key, const std::optional<TextKey>& text) {
  if (const KeypadKey* row = find_row(kKeypadKeys, key.named)) {
    if (row->key == kp_enter || key.modifiers != 0) return std::nullopt;
    return static_cast<char32_t>(row->text);
  }
  if (!text || (key.modifiers & (kCtrl | kAlt | kSuper)) != 0) return std::nullopt;
  return text->character;
}

KittyKey kitty_key(const Key& key, const std::optional<TextKey>& text, std::int64_t flags) {
  KittyKey out;
  out.modifiers = key.modifiers;
  if ((flags & kReportAll) != 0 && (flags & kText) != 0) out.text = typed_character(key, text).value_or(0);
  if (const KeypadKey* row = find_row(kKeypadKeys, key.named)) {
    // Without disambiguation the keypad's keys are reported as their equivalents.
    const bool is_itself = (flags & (kDisambiguate | kReportAll)) != 0;
    out.number = is_itself ? kKittyKeypad + static_cast<char32_t>(row - kKeypadKeys)
                           : static_cast<char32_t>(row->text);
  } else if (key.named == f3) {
    out.number = 13;  // `CSI R` would be a cursor position report
    out.final = '~';
  } else if (key.named >= f13 && key.named <= f24) {
    out.number = kKittyF13 + static_cast<char32_t>(key.named) - static_cast<char32_t>(f13);
  } else if (const FunctionKey* function = find_row(kFunctionKeys, key.named)) {
    out.number = static_cast<char32_t>(function->number);
    out.final = function->final;
  } else if (text) {
    out.number = text->base;
    out.modifiers = text->modifiers;
    if ((flags & kAlternates) != 0 && text->base != text->character) out.alternate = text->character;
  } else {
    switch (key.named) {
      case enter: out.number = U'\r'; break;
      case tab: out.number = U'\t'; break;
      case escape: out.number = U'\x1b'; break;
      case backspace: out.number = U'\x7f'; break;
      // Shift on a key whose shifted character is not known here: told as it is, with no text.
      default: out.number = key.character; break;
    }
  }
  return out;
}

/// A press under the kitty protocol and, where event types are reported, the release that follows it: some
/// programs act on it, and none that asked for events can miss that it comes.
std::string kitty(const Key& key, const std::optional<TextKey>& text,
                  const std::optional<std::string>& legacy, std::int64_t flags) {
  const bool reports_all = (flags & kReportAll) != 0, has_events = (flags & kEventTypes) != 0;
  const auto typed = typed_character(key, text);
  const KittyKey event = kitty_key(key, text, flags);
  std::string press = written(event, KittyEvent::press);
  if (reports_all) return has_events ? press + written(event, KittyEvent::release) : press;

  const bool has_form_of_its_own = find_row(kFunctionKeys, key.named) != nullptr;
  if (typed) {
    press = as_utf8(*typed);
  } else if ((flags & kDisambiguate) == 0) {
    // Legacy where that loses nothing. F13 and on have no legacy form in the protocol; with event types the
    // others need CSI, which takes the event that SS3 has no place for.
    const bool is_csi = has_form_of_its_own && (has_events || key.named >= f13);
    if (legacy && !is_csi) press = *legacy;
  } else if (key.modifiers == 0 && stays_legacy(key.named)) {
    press = legacy.value_or(press);
  }
  // What types sends text alone, and the keys that stay bytes have no releases.
  const bool has_release = has_events && !typed && !stays_legacy(key.named);
  return has_release ? press + written(event, KittyEvent::release) : press;
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
  if (modes.kitty_flags != 0) return kitty(key, text, bytes, modes.kitty_flags);
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
