#include "proto/keys.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "common/text.hpp"
#include "common/utf8.hpp"

namespace smartcli {
namespace {

using enum NamedKey;

/// THE table. Aliases follow their canonical spelling; lookup ignores case and `_`, `-`, blanks (`Page_Up`,
/// `KP_0`). Sources: tmux(1) "KEY BINDINGS", Playwright and the web's `KeyboardEvent.key` and `.code`, X
/// keysyms, terminfo.
constexpr KeyName kNames[] = {
    {"Enter", enter, false},
    {"Return", enter, true},
    {"Ret", enter, true},
    {"CR", enter, true},
    {"Tab", tab, false},
    {"BackTab", tab, true, kShift},
    {"BTab", tab, true, kShift},
    {"Backspace", backspace, false},
    {"BSpace", backspace, true},
    {"BS", backspace, true},
    {"Escape", escape, false},
    {"Esc", escape, true},
    {"Space", space, false},
    {"Spacebar", space, true},
    {"Spc", space, true},
    {"Insert", insert, false},
    {"Ins", insert, true},
    {"IC", insert, true},
    {"Delete", delete_, false},
    {"Del", delete_, true},
    {"DC", delete_, true},
    {"Up", up, false},
    {"ArrowUp", up, true},
    {"UpArrow", up, true},
    {"Down", down, false},
    {"ArrowDown", down, true},
    {"DownArrow", down, true},
    {"Left", left, false},
    {"ArrowLeft", left, true},
    {"LeftArrow", left, true},
    {"Right", right, false},
    {"ArrowRight", right, true},
    {"RightArrow", right, true},
    {"Home", home, false},
    {"End", end, false},
    {"PageUp", page_up, false},
    {"PgUp", page_up, true},
    {"PPage", page_up, true},
    {"Prior", page_up, true},
    {"PageDown", page_down, false},
    {"PgDown", page_down, true},
    {"PgDn", page_down, true},
    {"NPage", page_down, true},
    {"Next", page_down, true},
    {"F1", f1, false},
    {"F2", f2, false},
    {"F3", f3, false},
    {"F4", f4, false},
    {"F5", f5, false},
    {"F6", f6, false},
    {"F7", f7, false},
    {"F8", f8, false},
    {"F9", f9, false},
    {"F10", f10, false},
    {"F11", f11, false},
    {"F12", f12, false},
    {"F13", f13, false},
    {"F14", f14, false},
    {"F15", f15, false},
    {"F16", f16, false},
    {"F17", f17, false},
    {"F18", f18, false},
    {"F19", f19, false},
    {"F20", f20, false},
    {"F21", f21, false},
    {"F22", f22, false},
    {"F23", f23, false},
    {"F24", f24, false},
    {"KP0", kp0, false},
    {"Numpad0", kp0, true},
    {"KP1", kp1, false},
    {"Numpad1", kp1, true},
    {"KP2", kp2, false},
    {"Numpad2", kp2, true},
    {"KP3", kp3, false},
    {"Numpad3", kp3, true},
    {"KP4", kp4, false},
    {"Numpad4", kp4, true},
    {"KP5", kp5, false},
    {"Numpad5", kp5, true},
    {"KP6", kp6, false},
    {"Numpad6", kp6, true},
    {"KP7", kp7, false},
    {"Numpad7", kp7, true},
    {"KP8", kp8, false},
    {"Numpad8", kp8, true},
    {"KP9", kp9, false},
    {"Numpad9", kp9, true},
    {"KPDecimal", kp_decimal, false},
    {"NumpadDecimal", kp_decimal, true},
    {"KP.", kp_decimal, true},
    {"KPDivide", kp_divide, false},
    {"NumpadDivide", kp_divide, true},
    {"KP/", kp_divide, true},
    {"KPMultiply", kp_multiply, false},
    {"NumpadMultiply", kp_multiply, true},
    {"KP*", kp_multiply, true},
    {"KPSubtract", kp_subtract, false},
    {"NumpadSubtract", kp_subtract, true},
    {"KP-", kp_subtract, true},
    {"KPAdd", kp_add, false},
    {"NumpadAdd", kp_add, true},
    {"KP+", kp_add, true},
    {"KPEnter", kp_enter, false},
    {"NumpadEnter", kp_enter, true},
    {"KPEqual", kp_equal, false},
    {"NumpadEqual", kp_equal, true},
    {"KP=", kp_equal, true},
    {"KPBegin", kp_begin, false},
    {"Begin", kp_begin, true},
};

/// How a modifier's prefix treats the letter that follows it.
enum class Letter { as_typed, is_a_key };

struct ModifierName {
  std::string_view name;
  unsigned bit;
  Letter letter;
};

/// Single letters are tmux's (`A-` vim's) and take only `-`; words take `+` and `-`.
constexpr ModifierName kModifiers[] = {
    {"Ctrl", kCtrl, Letter::is_a_key},    {"Alt", kAlt, Letter::is_a_key},
    {"Shift", kShift, Letter::is_a_key},  {"Super", kSuper, Letter::is_a_key},
    {"Control", kCtrl, Letter::is_a_key}, {"Option", kAlt, Letter::is_a_key},
    {"Opt", kAlt, Letter::is_a_key},      {"Meta", kSuper, Letter::is_a_key},
    {"Cmd", kSuper, Letter::is_a_key},    {"Command", kSuper, Letter::is_a_key},
    {"Win", kSuper, Letter::is_a_key},    {"C", kCtrl, Letter::as_typed},
    {"M", kAlt, Letter::as_typed},        {"A", kAlt, Letter::as_typed},
    {"S", kShift, Letter::as_typed},
};

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
constexpr bool is_ascii_upper(char32_t c) {
  return c >= 'A' && c <= 'Z';
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string folded(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

/// The name of `table` nearest to `word` whatever its case, single letters left out; nothing where none is
/// near.
template <class Table>
std::optional<std::string_view> nearest(std::string_view word, const Table& table) {
  std::vector<std::string> known;
  for (const auto& row : table) {
    if (row.name.size() > 1) known.push_back(folded(row.name));
  }
  const auto best = text::nearest(folded(word), known);
  if (!best) return std::nullopt;
  return std::find_if(std::begin(table), std::end(table),
                      [&](const auto& row) { return folded(row.name) == *best; })
      ->name;
}

const KeyName* find_name(std::string_view word) {
  for (const KeyName& row : kNames) {
    if (equal_ignoring_case(word, row.name)) return &row;
  }
  // `B-S` is no backspace: only what looks like two words is put together.
  const auto gap = word.find_first_of("_- ");
  if (gap == std::string_view::npos || gap < 2 || gap + 1 == word.size()) return nullptr;
  std::string squeezed(word);
  std::erase_if(squeezed, [](char c) { return c == '_' || c == '-' || c == ' '; });
  for (const KeyName& row : kNames) {
    if (equal_ignoring_case(squeezed, row.name)) return &row;
  }
  return nullptr;
}

struct Prefix {
  unsigned bit = 0;
  Letter letter = Letter::as_typed;
  std::size_t bytes = 0;
};

/// The modifier at the front of `text`, where something is left after it.
std::optional<Prefix> modifier_prefix(std::string_view text) {
  if (text.size() > 1 && text[0] == '^') return Prefix{kCtrl, Letter::as_typed, 1};
  // A separator at the very end belongs to the key: `C--`, `Ctrl++`.
  const auto separator = text.find_first_of("+-", 1);
  if (separator == std::string_view::npos || separator + 1 == text.size()) return std::nullopt;
  const std::string_view word = trim(text.substr(0, separator));
  for (const ModifierName& row : kModifiers) {
    if (!equal_ignoring_case(word, row.name)) continue;
    if (row.letter == Letter::as_typed && text[separator] == '+') continue;
    return Prefix{row.bit, row.letter, separator + 1};
  }
  return std::nullopt;
}

/// The key that sends a control character, so that a token of one byte is itself here too.
Key key_of_control(char32_t c) {
  switch (c) {
    case '\r':
    case '\n': return {enter};
    case '\t': return {tab};
    case 0x1B: return {escape};
    case '\b':
    case 0x7F: return {backspace};
    case 0: return {space, 0, kCtrl};
    default: break;
  }
  const char32_t shifted = c + 0x40;
  return {none, is_ascii_upper(shifted) ? shifted + 32 : shifted, kCtrl};
}

Error unknown_key(std::string_view token, std::string_view prefix, std::string_view rest) {
  std::string message = "unknown key " + text::quoted(token) + ": ";
  std::optional<std::string> suggestion;
  if (const auto name = nearest(rest, kNames)) {
    suggestion = std::string(prefix) + std::string(*name);
  } else if (const auto separator = rest.find_first_of("+-", 1);
             separator != std::string_view::npos && separator + 1 < rest.size()) {
    if (const auto modifier = nearest(trim(rest.substr(0, separator)), kModifiers)) {
      suggestion = std::string(prefix) + std::string(*modifier) + std::string(rest.substr(separator));
    }
  }
  if (suggestion) message += "did you mean " + text::quoted(*suggestion) + "? ";
  message +=
      "`smartcli help keys` lists the names; text is typed by `send-text`, or by `send-keys --literal`";
  return {ErrorCode::invalid_argument, std::move(message)};
}

Result<Key> parse_plain(std::string_view token) {
  Key key;
  bool letter_is_key = false;
  std::string_view rest = token;
  while (const auto prefix = modifier_prefix(rest)) {
    if ((key.modifiers & prefix->bit) != 0) break;
    key.modifiers |= prefix->bit;
    letter_is_key |= prefix->letter == Letter::is_a_key;
    rest.remove_prefix(prefix->bytes);
    // `Ctrl + C` as people write it; a blank alone is the space bar.
    if (const auto trimmed = trim(rest); !trimmed.empty()) rest = trimmed;
  }
  if (const auto one = utf8::decode(rest); one.valid && one.bytes == rest.size()) {
    const char32_t c = one.code_point;
    if (c < 0x20 || c == 0x7F) {
      Key control = key_of_control(c);
      control.modifiers |= key.modifiers;
      return control;
    }
    if (c == ' ') {
      key.named = space;
      return key;
    }
    const bool has_no_case = letter_is_key || (key.modifiers & kCtrl) != 0;
    key.character = has_no_case && is_ascii_upper(c) ? c + 32 : c;
    return key;
  }
  if (const KeyName* row = find_name(rest)) {
    key.named = row->key;
    key.modifiers |= row->modifiers;
    return key;
  }
  return unknown_key(token, token.substr(0, static_cast<std::size_t>(rest.data() - token.data())), rest);
}

}  // namespace

const std::vector<KeyName>& key_names() {
  static const std::vector<KeyName> names(std::begin(kNames), std::end(kNames));
  return names;
}

Result<Key> parse_key(std::string_view token) {
  if (token.empty())
    return Error{ErrorCode::invalid_argument, "an empty key: name one, such as 'Enter' or 'C-c'"};
  // vim's and kakoune's `<C-x>`, `<CR>`: only where what they hold is a key by name or modifier.
  if (token.size() > 3 && token.front() == '<' && token.back() == '>') {
    if (const auto inner = parse_plain(token.substr(1, token.size() - 2))) return inner;
  }
  return parse_plain(token);
}

std::string spell_key(const Key& key) {
  std::string out;
  const bool needs_shift = key.modifiers != 0 && is_ascii_upper(key.character);
  if ((key.modifiers & kCtrl) != 0) out += "Ctrl+";
  if ((key.modifiers & kAlt) != 0) out += "Alt+";
  if ((key.modifiers & kShift) != 0 || needs_shift) out += "Shift+";
  if ((key.modifiers & kSuper) != 0) out += "Super+";
  if (key.named == none) {
    utf8::append(out, key.character);
  } else {
    const auto row = std::find_if(std::begin(kNames), std::end(kNames), [&](const KeyName& name) {
      return name.key == key.named && !name.is_alias;
    });
    out += row != std::end(kNames) ? row->name : "?";
  }
  return out;
}

}  // namespace smartcli
