#include "proto/keys.hpp"

#include <catch2/catch.hpp>
#include <cctype>
#include <map>
#include <set>
#include <string>

using namespace smartcli;
using enum NamedKey;

namespace {

Key character(char32_t c, unsigned modifiers = 0) {
  return {none, c, modifiers};
}
Key named(NamedKey key, unsigned modifiers = 0) {
  return {key, 0, modifiers};
}

}  // namespace

TEST_CASE("a key token in any usual spelling is one press", "[keys]") {
  const auto [token, key] = GENERATE(table<std::string, Key>({
      // Names, in any case.
      {"Enter", named(enter)},
      {"RETURN", named(enter)},
      {"cr", named(enter)},
      {"Tab", named(tab)},
      {"BSpace", named(backspace)},
      {"BackSpace", named(backspace)},
      {"DC", named(delete_)},
      {"Del", named(delete_)},
      {"IC", named(insert)},
      {"esc", named(escape)},
      {"Space", named(space)},
      {"ArrowUp", named(up)},
      {"PPage", named(page_up)},
      {"PgUp", named(page_up)},
      {"Page_Up", named(page_up)},
      {"page-down", named(page_down)},
      {"NPage", named(page_down)},
      {"PgDn", named(page_down)},
      {"f1", named(f1)},
      {"F24", named(f24)},
      {"KP0", named(kp0)},
      {"KP_9", named(kp9)},
      {"Numpad5", named(kp5)},
      {"KP/", named(kp_divide)},
      {"KP-", named(kp_subtract)},
      {"KP+", named(kp_add)},
      {"KP.", named(kp_decimal)},
      {"KPEnter", named(kp_enter)},
      {"BackTab", named(tab, kShift)},
      {"BTab", named(tab, kShift)},
      {"up", named(up)},
      {"ArrowDown", named(down)},
      {"arrowleft", named(left)},
      {"RightArrow", named(right)},
      {"HOME", named(home)},
      {"End", named(end)},
      {"pageup", named(page_up)},
      {"Insert", named(insert)},
      {"delete", named(delete_)},
      {"Escape", named(escape)},
      {"numpad_multiply", named(kp_multiply)},
      // A single character is itself.
      {"a", character('a')},
      {"A", character('A')},
      {"-", character('-')},
      {"+", character('+')},
      {"^", character('^')},
      {"<", character('<')},
      {"é", character(0xE9)},
      {"ß", character(0xDF)},
      {"Ж", character(0x416)},
      {"漢", character(0x6F22)},
      {"😀", character(0x1F600)},
      {" ", named(space)},
      {"\n", named(enter)},
      {"\t", named(tab)},
      {"\x1b", named(escape)},
      {"\x7f", named(backspace)},
      {"\x03", character('c', kCtrl)},
      {"\x1d", character(']', kCtrl)},
      {std::string(1, '\0'), named(space, kCtrl)},
      // tmux: the letter's case counts, except under Ctrl.
      {"C-x", character('x', kCtrl)},
      {"c-x", character('x', kCtrl)},
      {"C-X", character('x', kCtrl)},
      {"^X", character('x', kCtrl)},
      {"^x", character('x', kCtrl)},
      {"^[", character('[', kCtrl)},
      {"^?", character('?', kCtrl)},
      {"^^", character('^', kCtrl)},
      {"^@", character('@', kCtrl)},
      {"^_", character('_', kCtrl)},
      {"^]", character(']', kCtrl)},
      {"^\\", character('\\', kCtrl)},
      {"^M-x", character('x', kCtrl | kAlt)},
      {"^Left", named(left, kCtrl)},
      {"M-b", character('b', kAlt)},
      {"M-B", character('B', kAlt)},
      {"C-M-x", character('x', kCtrl | kAlt)},
      {"M-C-x", character('x', kCtrl | kAlt)},
      {"C-S-c", character('c', kCtrl | kShift)},
      {"C-M-S-x", character('x', kCtrl | kAlt | kShift)},
      {"C-M-Left", named(left, kCtrl | kAlt)},
      {"M-S-PPage", named(page_up, kAlt | kShift)},
      {"C-BSpace", named(backspace, kCtrl)},
      {"M-BTab", named(tab, kAlt | kShift)},
      {"S-DC", named(delete_, kShift)},
      {"M-IC", named(insert, kAlt)},
      {"C-KP0", named(kp0, kCtrl)},
      {"M-F24", named(f24, kAlt)},
      {"S-Tab", named(tab, kShift)},
      {"C-@", character('@', kCtrl)},
      {"C-Space", named(space, kCtrl)},
      {"C-[", character('[', kCtrl)},
      {"C-\\", character('\\', kCtrl)},
      {"C-]", character(']', kCtrl)},
      {"C-^", character('^', kCtrl)},
      {"C-_", character('_', kCtrl)},
      {"C--", character('-', kCtrl)},
      {"M--", character('-', kAlt)},
      {"M-é", character(0xE9, kAlt)},
      {"M-É", character(0xC9, kAlt)},
      {"C-中", character(0x4E2D, kCtrl)},
      // Playwright and VS Code: the letter is a key.
      {"ctrl+c", character('c', kCtrl)},
      {"Ctrl+C", character('c', kCtrl)},
      {"Control+c", character('c', kCtrl)},
      {"Alt+B", character('b', kAlt)},
      {"Alt+Shift+B", character('b', kAlt | kShift)},
      {"Option+b", character('b', kAlt)},
      {"Ctrl+Shift+ArrowLeft", named(left, kCtrl | kShift)},
      {"Shift+Tab", named(tab, kShift)},
      {"Alt+b", character('b', kAlt)},
      {"Shift+a", character('a', kShift)},
      {"Shift+A", character('a', kShift)},
      {"ctrl+shift+p", character('p', kCtrl | kShift)},
      {"Control+Shift+T", character('t', kCtrl | kShift)},
      {"CTRL+ALT+DELETE", named(delete_, kCtrl | kAlt)},
      {"alt+up", named(up, kAlt)},
      {"ctrl+[", character('[', kCtrl)},
      {"Ctrl+Space", named(space, kCtrl)},
      {"ctrl+@", character('@', kCtrl)},
      {"ctrl+pagedown", named(page_down, kCtrl)},
      {"Ctrl+Alt+Shift+Super+F1", named(f1, kCtrl | kAlt | kShift | kSuper)},
      {"cmd+shift+k", character('k', kSuper | kShift)},
      {"Meta+k", character('k', kSuper)},
      {"win+left", named(left, kSuper)},
      {"Super+k", character('k', kSuper)},
      {"Cmd+K", character('k', kSuper)},
      {"Ctrl++", character('+', kCtrl)},
      {"Ctrl+-", character('-', kCtrl)},
      {"Ctrl+KP+", named(kp_add, kCtrl)},
      {"Ctrl + C", character('c', kCtrl)},
      {"Ctrl-c", character('c', kCtrl)},
      {"Ctrl+M-x", character('x', kCtrl | kAlt)},
      {"Shift+F5", named(f5, kShift)},
      // vim
      {"<CR>", named(enter)},
      {"<C-w>", character('w', kCtrl)},
  }));
  CAPTURE(token);
  const auto parsed = parse_key(token);
  REQUIRE(parsed.has_value());
  CHECK(parsed.value() == key);
}

TEST_CASE("an unknown key names the nearest known one", "[keys]") {
  const auto [token, suggestion] = GENERATE(table<std::string, std::string>({
      {"Entr", "did you mean 'Enter'?"},
      {"Retrun", "did you mean 'Return'?"},
      {"C-Entr", "did you mean 'C-Enter'?"},
      {"Ctrl+Shift+ArowLeft", "did you mean 'Ctrl+Shift+ArrowLeft'?"},
      {"Crtl+c", "did you mean 'Ctrl+c'?"},
      {"F25", "did you mean 'F2'?"},
      {"escpae", "did you mean 'Escape'?"},
  }));
  CAPTURE(token);
  const auto parsed = parse_key(token);
  REQUIRE_FALSE(parsed.has_value());
  CHECK(parsed.error().code == ErrorCode::invalid_argument);
  CHECK_THAT(parsed.error().message, Catch::Contains("'" + token + "'"));
  CHECK_THAT(parsed.error().message, Catch::Contains(suggestion));
}

TEST_CASE("what is no key is refused, never taken for another", "[keys]") {
  const auto token =
      GENERATE(values<std::string>({"", "hello", "C-", "Ctrl+", "C-C-x", "Ctrl+ab", "B-S", "D-C", "ab", "F0",
                                    "<>", "<a>", "M-", "S-", "NotARealKey", "-Up", "e\xCC\x81"}));
  CAPTURE(token);
  const auto parsed = parse_key(token);
  REQUIRE_FALSE(parsed.has_value());
  CHECK(parsed.error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a refused token is shown without control bytes and cut short", "[keys]") {
  const auto [token, part] = GENERATE(table<std::string, std::string>({
      {"ab\x1b[31m", "'ab\\u{1b}[31m'"},
      {"\xff\xfe", "'\uFFFD\uFFFD'"},
      {"\xed\xa0\x80", "'\uFFFD"},
      {"a\xc2\x9b", "'a\\u{9b}'"},
      {std::string(5000, 'x'), "xxx...'"},
  }));
  const auto parsed = parse_key(token);
  REQUIRE_FALSE(parsed.has_value());
  CHECK_THAT(parsed.error().message, Catch::Contains(part));
  CHECK(parsed.error().message.size() < 300);
  CHECK(parsed.error().message.find('\x1b') == std::string::npos);
}

TEST_CASE("the table's names are distinct, each group starts with its canonical one, and each parses",
          "[keys]") {
  std::set<std::string> seen;
  std::map<NamedKey, int> canonical;
  NamedKey last = none;
  for (const KeyName& row : key_names()) {
    CAPTURE(row.name);
    std::string folded(row.name);
    for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    CHECK(seen.insert(folded).second);
    CHECK(row.is_alias == (row.key == last));
    if (!row.is_alias) ++canonical[row.key];
    last = row.key;
    const auto parsed = parse_key(row.name);
    REQUIRE(parsed.has_value());
    CHECK(parsed.value() == named(row.key, row.modifiers));
    CHECK(parse_key(folded).value() == parsed.value());
  }
  for (int key = static_cast<int>(enter); key <= static_cast<int>(kp_begin); ++key) {
    CAPTURE(key);
    CHECK(canonical[static_cast<NamedKey>(key)] == 1);
  }
}

TEST_CASE("a press is spelled as it is parsed", "[keys]") {
  const auto [key, text] = GENERATE(table<Key, std::string>({
      {named(left, kCtrl | kShift), "Ctrl+Shift+Left"},
      {named(enter, kShift), "Shift+Enter"},
      {named(kp_subtract, kSuper), "Super+KPSubtract"},
      {character('c', kCtrl), "Ctrl+c"},
      {character('B', kAlt), "Alt+Shift+B"},
      {character(0xE9, kCtrl), "Ctrl+é"},
      {character('+', kCtrl), "Ctrl++"},
      {character('A'), "A"},
      {character(0x1F600), "😀"},
  }));
  CHECK(spell_key(key) == text);
  const auto parsed = parse_key(text);
  REQUIRE(parsed.has_value());
  CHECK(parse_key(spell_key(parsed.value())).value() == parsed.value());
}
