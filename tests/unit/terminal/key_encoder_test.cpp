#include "terminal/key_encoder.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace smartcli;
using terminal::encode_key;

namespace {

/// Bytes as a table shows them: `^[` for ESC, `\xNN` for other controls.
std::string spelled(const std::string& bytes) {
  static const char* const kHex = "0123456789abcdef";
  std::string out;
  for (const char byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    if (c == 0x1B) {
      out += "^[";
    } else if (c < 0x20 || c == 0x7F) {
      out += std::string("\\x") + kHex[c >> 4] + kHex[c & 15];
    } else {
      out += byte;
    }
  }
  return out;
}

/// The spelled bytes of a token, or the error's wire name.
std::string sent(const std::string& token, const Modes& modes = {}) {
  const auto key = parse_key(token);
  if (!key) return std::string(info(key.error().code).name);
  const auto bytes = encode_key(key.value(), modes);
  if (!bytes) return std::string(info(bytes.error().code).name);
  CHECK(bytes->size() >= 1);
  CHECK(bytes->size() <= 64);
  return spelled(bytes.value());
}

Modes application_cursor() {
  Modes modes;
  modes.application_cursor = true;
  return modes;
}

Modes application_keypad() {
  Modes modes;
  modes.application_keypad = true;
  return modes;
}

Modes other_keys(int level) {
  Modes modes;
  modes.modify_other_keys = level;
  return modes;
}

}  // namespace

// Left column of every row: what xterm 379 sends (US layout, Alt as ESC), unless it drops a modifier.
TEST_CASE("keys without modes are xterm's", "[keys][key_encoder]") {
  const auto [token, bytes] = GENERATE(table<std::string, std::string>({
      {"a", "a"},
      {"A", "A"},
      {"é", "é"},
      {"漢", "漢"},
      {"@", "@"},
      {"Space", " "},
      {"S-Space", " "},
      {"S-a", "A"},
      {"Shift+1", "!"},
      {"Shift+é", "É"},
      {"C-a", "\\x01"},
      {"C-A", "\\x01"},
      {"Ctrl+C", "\\x03"},
      {"^Z", "\\x1a"},
      {"C-i", "\\x09"},
      {"C-m", "\\x0d"},
      {"C-Space", "\\x00"},
      {"C-@", "\\x00"},
      {"C-`", "\\x00"},
      {"C-2", "\\x00"},
      {"C-3", "^["},
      {"C-4", "\\x1c"},
      {"C-5", "\\x1d"},
      {"C-6", "\\x1e"},
      {"C-7", "\\x1f"},
      {"C-8", "\\x7f"},
      {"C-[", "^["},
      {"C-\\", "\\x1c"},
      {"C-]", "\\x1d"},
      {"C-^", "\\x1e"},
      {"C-_", "\\x1f"},
      {"C-/", "\\x1f"},
      {"C-?", "\\x7f"},
      {"Ctrl+Shift+2", "\\x00"},
      {"Ctrl+Shift+-", "\\x1f"},
      {"M-b", "^[b"},
      {"M-B", "^[B"},
      {"Alt+B", "^[b"},
      {"Alt+Shift+B", "^[B"},
      {"M-é", "^[é"},
      {"M-<", "^[<"},
      {"M-Space", "^[ "},
      {"C-M-x", "^[\\x18"},
      {"C-M-Space", "^[\\x00"},
      {"Enter", "\\x0d"},
      {"M-Enter", "^[\\x0d"},
      {"Tab", "\\x09"},
      {"BackTab", "^[[Z"},
      {"S-Tab", "^[[Z"},
      {"M-Tab", "^[\\x09"},
      {"Escape", "^["},
      {"M-Escape", "^[^["},
      {"BSpace", "\\x7f"},
      {"C-BSpace", "\\x08"},
      {"M-BSpace", "^[\\x7f"},
      {"C-M-BSpace", "^[\\x08"},
      {"Up", "^[[A"},
      {"Down", "^[[B"},
      {"Right", "^[[C"},
      {"Left", "^[[D"},
      {"Home", "^[[H"},
      {"End", "^[[F"},
      {"KPBegin", "^[[E"},
      {"S-Up", "^[[1;2A"},
      {"M-Up", "^[[1;3A"},
      {"C-Right", "^[[1;5C"},
      {"Ctrl+Shift+ArrowLeft", "^[[1;6D"},
      {"C-M-S-Home", "^[[1;8H"},
      {"Insert", "^[[2~"},
      {"Delete", "^[[3~"},
      {"PageUp", "^[[5~"},
      {"PageDown", "^[[6~"},
      {"S-Delete", "^[[3;2~"},
      {"C-PageDown", "^[[6;5~"},
      {"F1", "^[OP"},
      {"F4", "^[OS"},
      {"F5", "^[[15~"},
      {"F6", "^[[17~"},
      {"F10", "^[[21~"},
      {"F11", "^[[23~"},
      {"F12", "^[[24~"},
      {"S-F1", "^[[1;2P"},
      {"C-F1", "^[[1;5P"},
      {"M-F5", "^[[15;3~"},
      {"F13", "^[[1;2P"},
      {"F16", "^[[1;2S"},
      {"F17", "^[[15;2~"},
      {"F24", "^[[24;2~"},
      {"S-F13", "^[[25;2~"},
      {"C-F13", "^[[25;5~"},
      {"M-F24", "^[[45;3~"},
      {"KP5", "5"},
      {"KP+", "+"},
      {"KP.", "."},
      {"KPEnter", "\\x0d"},
  }));
  CAPTURE(token);
  CHECK(sent(token) == bytes);
}

TEST_CASE("the application modes, newline mode and DECBKM change their keys only", "[keys][key_encoder]") {
  Modes newline;
  newline.newline = true;
  Modes backarrow;
  backarrow.backarrow_sends_bs = true;
  const auto [modes, token, bytes] = GENERATE_COPY(table<Modes, std::string, std::string>({
      {application_cursor(), "Up", "^[OA"},
      {application_cursor(), "Left", "^[OD"},
      {application_cursor(), "Home", "^[OH"},
      {application_cursor(), "End", "^[OF"},
      {application_cursor(), "KPBegin", "^[OE"},
      {application_cursor(), "C-Up", "^[[1;5A"},
      {application_cursor(), "Delete", "^[[3~"},
      {application_cursor(), "F1", "^[OP"},
      {application_cursor(), "KP8", "8"},
      {application_keypad(), "KP0", "^[Op"},
      {application_keypad(), "KP9", "^[Oy"},
      {application_keypad(), "KP/", "^[Oo"},
      {application_keypad(), "KP*", "^[Oj"},
      {application_keypad(), "KP-", "^[Om"},
      {application_keypad(), "KP+", "^[Ok"},
      {application_keypad(), "KP.", "^[On"},
      {application_keypad(), "KP=", "^[OX"},
      {application_keypad(), "KPEnter", "^[OM"},
      {application_keypad(), "Up", "^[[A"},
      {application_keypad(), "5", "5"},
      {newline, "Enter", "\\x0d\\x0a"},
      {newline, "M-Enter", "^[\\x0d\\x0a"},
      {newline, "KPEnter", "\\x0d\\x0a"},
      {newline, "C-m", "\\x0d\\x0a"},
      {newline, "C-M-m", "^[\\x0d\\x0a"},
      {application_keypad(), "C-KP0", "^[O5p"},
      {application_keypad(), "S-KP+", "^[O2k"},
      {application_keypad(), "C-M-S-KPEnter", "^[O8M"},
      {application_keypad(), "S-KP0", "not_encodable"},
      {application_keypad(), "Super+KP+", "not_encodable"},
      {backarrow, "BSpace", "\\x08"},
      {backarrow, "C-BSpace", "\\x7f"},
      {backarrow, "M-BSpace", "^[\\x08"},
  }));
  CAPTURE(token);
  CHECK(sent(token, modes) == bytes);
}

TEST_CASE("a press whose modifier would be lost has no encoding", "[keys][key_encoder]") {
  const auto token = GENERATE(values<std::string>(
      {"S-Enter",  "C-Enter",   "C-Tab", "M-S-Tab",   "S-BSpace", "C-Escape",  "S-Escape",
       "C-S-c",    "C-S-Space", "C-1",   "C-9",       "C-0",      "C-=",       "C-;",
       "C-,",      "C-.",       "C--",   "C-é",       "C-M-é",    "Super+k",   "Super+Up",
       "Super+F1", "S-€",       "S-KP5", "C-KPEnter", "M-KP5",    "Super+Tab", "Super+F13"}));
  CAPTURE(token);
  CHECK(sent(token) == "not_encodable");
}

TEST_CASE("a press without an encoding is named and the way out told", "[keys][key_encoder]") {
  const auto [token, part] = GENERATE(table<std::string, std::string>({
      {"S-Enter", "Shift+Enter has no encoding"},
      {"S-Enter", "Alt+Enter"},
      {"Super+k", "needs the kitty keyboard protocol, else"},
      {"S-KP5", "needs the kitty keyboard protocol, else"},
      {"C-é", "Ctrl+é has no encoding"},
      {"C-é", "or modifyOtherKeys"},
      {"S-€", "send that character itself"},
  }));
  const auto bytes = encode_key(parse_key(token).value(), {});
  REQUIRE_FALSE(bytes.has_value());
  CHECK_THAT(bytes.error().message, Catch::Contains(part));
}

TEST_CASE("modifyOtherKeys 1 escapes what has no bytes of its own", "[keys][key_encoder]") {
  const auto [token, bytes] = GENERATE(table<std::string, std::string>({
      {"a", "a"},
      {"S-a", "A"},
      {"C-a", "\\x01"},
      {"C-2", "\\x00"},
      {"C-[", "^["},
      {"C-/", "\\x1f"},
      {"M-a", "^[a"},
      {"C-M-a", "^[\\x01"},
      {"C-1", "^[[27;5;49~"},
      {"C-9", "^[[27;5;57~"},
      {"C-=", "^[[27;5;61~"},
      {"C-;", "^[[27;5;59~"},
      {"Ctrl+Shift+1", "^[[27;6;33~"},
      {"C-M-1", "^[[27;7;49~"},
      {"C-?", "^[[27;6;63~"},
      {"C-S-/", "^[[27;6;63~"},
      {"C-é", "^[[27;5;233~"},
      {"Ctrl+Shift+É", "^[[27;6;201~"},
      {"C-S-a", "^[[27;6;65~"},
      {"Enter", "\\x0d"},
      {"S-Enter", "^[[27;2;13~"},
      {"C-Enter", "^[[27;5;13~"},
      {"C-S-Enter", "^[[27;6;13~"},
      {"M-Enter", "^[\\x0d"},
      {"C-Tab", "^[[27;5;9~"},
      {"S-Tab", "^[[Z"},
      {"M-Tab", "^[\\x09"},
      {"M-Escape", "^[^["},
      {"BSpace", "\\x7f"},
      {"C-BSpace", "\\x08"},
      {"C-Up", "^[[1;5A"},
      {"C-F5", "^[[15;5~"},
      {"S-KP5", "not_encodable"},
      {"Super+k", "not_encodable"},
  }));
  CAPTURE(token);
  CHECK(sent(token, other_keys(1)) == bytes);
}

TEST_CASE("modifyOtherKeys 2 escapes all that is modified", "[keys][key_encoder]") {
  const auto [token, bytes] = GENERATE(table<std::string, std::string>({
      {"a", "a"},
      {"A", "A"},  // text that nothing modifies is itself
      {"@", "@"},
      {"S-a", "^[[27;2;65~"},
      {"S-1", "!"},
      {"S-2", "^[[27;2;64~"},
      {"S-[", "^[[27;2;123~"},
      {"S-;", ":"},
      {"S-Space", "^[[27;2;32~"},
      {"S-é", "É"},
      {"C-a", "^[[27;5;97~"},
      {"C-S-a", "^[[27;6;65~"},
      {"C-@", "^[[27;6;64~"},
      {"C-^", "^[[27;6;94~"},
      {"C-Space", "^[[27;5;32~"},
      {"M-a", "^[[27;3;97~"},
      {"M-A", "^[[27;4;65~"},
      {"Alt+A", "^[[27;3;97~"},
      {"C-M-a", "^[[27;7;97~"},
      {"C-M-S-a", "^[[27;8;65~"},
      {"C-1", "^[[27;5;49~"},
      {"M-1", "^[[27;3;49~"},
      {"C-/", "^[[27;5;47~"},
      {"C-é", "^[[27;5;233~"},
      {"M-S-é", "^[[27;4;201~"},
      {"Enter", "\\x0d"},
      {"S-Enter", "^[[27;2;13~"},
      {"Tab", "\\x09"},
      {"S-Tab", "^[[Z"},
      {"M-Tab", "^[[27;3;9~"},
      {"C-S-Tab", "^[[27;6;9~"},
      {"BSpace", "\\x7f"},
      {"S-BSpace", "^[[27;2;127~"},
      {"M-BSpace", "^[[27;3;127~"},
      {"C-BSpace", "\\x08"},
      {"C-S-BSpace", "^[[27;6;8~"},
      {"C-M-BSpace", "^[[27;7;8~"},
      {"Escape", "^["},
      {"S-Escape", "^[[27;2;27~"},
      {"M-Escape", "^[[27;3;27~"},
      {"Delete", "^[[3~"},
      {"C-Delete", "^[[3;5~"},
      {"F13", "^[[1;2P"},
      {"KP5", "5"},
      {"Super+k", "not_encodable"},
  }));
  CAPTURE(token);
  CHECK(sent(token, other_keys(2)) == bytes);
}

TEST_CASE("a key event that holds no character is refused", "[keys][key_encoder]") {
  for (const char32_t c : {U'\0', char32_t{0xD800}, char32_t{0x110000}}) {
    const auto bytes = encode_key(Key{NamedKey::none, c, 0}, {});
    REQUIRE_FALSE(bytes.has_value());
    CHECK(bytes.error().code == ErrorCode::not_encodable);
  }
}

TEST_CASE("a character of several code points is typed, and nothing else is taken for one",
          "[keys][key_encoder]") {
  Modes reports_text;
  reports_text.kitty_flags = 24;
  const auto [token, code_points] = GENERATE(table<std::string, std::string>({
      {"e\u0301", "101:769"},
      {"\U0001F469\u200D\U0001F4BB", "128105:8205:128187"},
      {"\U0001F44D\U0001F3FD", "128077:127997"},
      {"\U0001F1EB\U0001F1F7", "127467:127479"},
      {"\u2764\uFE0F", "10084:65039"},
      {"1\uFE0F\u20E3", "49:65039:8419"},
      {"\u1112\u1161\u11AB", "4370:4449:4523"},
  }));
  CAPTURE(token);
  CHECK(terminal::encode_character(token, {}) == token);
  CHECK(terminal::encode_character(token, reports_text) == "\x1b[0;;" + code_points + "u");
  for (const char* other : {"", "a", "ab", "日本", "Enter", "a\u200B", "\x1b\u0301", "\xff\u0301",
                            "\U0001F1EB\U0001F1F7\U0001F1EB", "\U0001F469\U0001F4BB"}) {
    CAPTURE(other);
    CHECK(terminal::encode_character(other, {}) == std::nullopt);
  }
  std::string stacked = "e";
  for (int i = 0; i < 16; ++i) stacked += "\u0301";
  CHECK(terminal::encode_character(stacked, {}) == std::nullopt);
}
