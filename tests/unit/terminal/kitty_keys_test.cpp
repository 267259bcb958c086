// The kitty keyboard protocol under each of its 31 sets of flags, as "Comprehensive keyboard handling in
// terminals" has it. xterm has none, so here the document is the judge.

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/golden_table.hpp"
#include "terminal/key_encoder.hpp"

using namespace smartcli;
using terminal::encode_key;

namespace {

Modes kitty(int flags) {
  Modes modes;
  modes.kitty_flags = flags;
  return modes;
}

std::string sent(const Key& key, const Modes& modes) {
  const auto bytes = encode_key(key, modes);
  if (!bytes) return std::string(info(bytes.error().code).name);
  CHECK(bytes->size() <= 64);
  return spelled_bytes(*bytes);
}

std::string sent(const std::string& token, const Modes& modes) {
  return sent(parse_key(token).value(), modes);
}

/// A US keyboard's keys without those of the keypad, and a few that it has not.
std::vector<Key> keys() {
  std::vector<Key> out;
  for (int key = static_cast<int>(NamedKey::enter); key <= static_cast<int>(NamedKey::kp_begin); ++key)
    out.push_back({static_cast<NamedKey>(key), 0, 0});
  for (const char c : std::string("`1234567890-=[]\\;',./abcdefghijklmnopqrstuvwxyz"))
    out.push_back({NamedKey::none, static_cast<char32_t>(c), 0});
  for (const char32_t c : {U'é', U'ß', U'ж', U'中', U'€'}) out.push_back({NamedKey::none, c, 0});
  return out;
}

/// Calls `see` with each key under each of the 16 sets of modifiers.
template <class See>
void each_press(See see) {
  for (Key key : keys()) {
    for (unsigned modifiers = 0; modifiers < 16; ++modifiers) {
      key.modifiers = modifiers;
      see(key);
    }
  }
}

bool is_keypad(NamedKey key) {
  return key >= NamedKey::kp0 && key <= NamedKey::kp_equal;
}

/// The press types a character: Shift at most, and on the keypad nothing is held.
bool types(const Key& key) {
  if (key.named == NamedKey::kp_enter) return false;
  if (is_keypad(key.named)) return key.modifiers == 0;
  const bool is_text = key.named == NamedKey::none || key.named == NamedKey::space;
  const bool is_known = key.character != U'ß' && key.character != U'中' && key.character != U'€';
  return is_text && (key.modifiers == 0 || (key.modifiers == kShift && is_known));
}

bool stays_bytes(const Key& key) {
  return key.named == NamedKey::enter || key.named == NamedKey::tab || key.named == NamedKey::backspace;
}

/// Where the release begins; npos where there is none.
std::size_t release_at(const std::string& bytes) {
  return bytes.size() > 3 && bytes.compare(bytes.size() - 3, 2, ":3") == 0 ? bytes.rfind("^[[") : bytes.npos;
}

/// What an escape code says but for its event and text: `97:65;2u`, defaults spelled out.
std::string key_of(const std::string& code) {
  std::vector<std::string> fields(1);
  for (const char c : code.substr(3, code.size() - 4)) {
    if (c == ';') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  std::string modifiers = fields.size() > 1 ? fields[1].substr(0, fields[1].find(':')) : "";
  if (modifiers.empty()) modifiers = "1";
  return (fields[0].empty() ? "1" : fields[0]) + ';' + modifiers + code.back();
}

}  // namespace

TEST_CASE("the kitty keyboard protocol's flags encode as it says", "[keys][key_encoder][kitty]") {
  const auto [flags, token, bytes] = GENERATE(table<int, std::string, std::string>({
      // 1: disambiguate
      {1, "a", "a"},
      {1, "A", "A"},
      {1, "S-a", "A"},
      {1, "C-c", "^[[99;5u"},
      {1, "C-S-c", "^[[99;6u"},
      {1, "C-i", "^[[105;5u"},
      {1, "M-b", "^[[98;3u"},
      {1, "M-B", "^[[98;4u"},
      {1, "C-M-x", "^[[120;7u"},
      {1, "Super+k", "^[[107;9u"},
      {1, "C-é", "^[[233;5u"},
      {1, "C-Space", "^[[32;5u"},
      {1, "C-@", "^[[50;6u"},
      {1, "Space", "\\x20"},
      {1, "S-Space", "\\x20"},
      {1, "Enter", "\\x0d"},
      {1, "S-Enter", "^[[13;2u"},  // B207
      {1, "C-Enter", "^[[13;5u"},
      {1, "Tab", "\\x09"},
      {1, "S-Tab", "^[[9;2u"},
      {1, "BSpace", "\\x7f"},
      {1, "C-BSpace", "^[[127;5u"},
      {1, "Escape", "^[[27u"},
      {1, "M-Escape", "^[[27;3u"},
      {1, "Up", "^[[A"},
      {1, "C-Up", "^[[1;5A"},
      {1, "Super+Up", "^[[1;9A"},
      {1, "Home", "^[[H"},
      {1, "Delete", "^[[3~"},
      {1, "S-PageUp", "^[[5;2~"},
      {1, "F1", "^[[P"},
      {1, "F3", "^[[13~"},
      {1, "C-F3", "^[[13;5~"},
      {1, "F5", "^[[15~"},
      {1, "F13", "^[[57376u"},
      {1, "S-F24", "^[[57387;2u"},
      {1, "KP5", "5"},
      {1, "KPEnter", "^[[57414u"},
      {1, "C-KP+", "^[[57413;5u"},
      {1, "KPBegin", "^[[E"},
      {1, "S-€", "^[[8364;2u"},
      // 4: alternate keys
      {5, "C-S-c", "^[[99:67;6u"},
      {5, "C-c", "^[[99;5u"},
      {5, "C-@", "^[[50:64;6u"},
      // 8: all keys as escape codes
      {8, "a", "^[[97u"},
      {8, "A", "^[[97;2u"},
      {8, "Enter", "^[[13u"},
      {8, "Tab", "^[[9u"},
      {8, "BSpace", "^[[127u"},
      {8, "Space", "^[[32u"},
      {8, "Escape", "^[[27u"},
      {8, "KP5", "^[[57404u"},
      {8, "é", "^[[233u"},
      {12, "A", "^[[97:65;2u"},
      {12, "!", "^[[49:33;2u"},
      // 16: associated text, with 8
      {24, "a", "^[[97;;97u"},
      {24, "A", "^[[97;2;65u"},
      {24, "C-a", "^[[97;5u"},
      {24, "KP5", "^[[57404;;53u"},
      {24, "Enter", "^[[13u"},
      {24, "S-a", "^[[97;2;65u"},
      {24, "Space", "^[[32;;32u"},
      {24, "M-a", "^[[97;3u"},  // Alt+a types nothing
      {24, "Up", "^[[A"},
      {24, "F13", "^[[57376u"},
      {28, "A", "^[[97:65;2;65u"},
      {28, "!", "^[[49:33;2;33u"},
      {28, "S-é", "^[[233:201;2;201u"},
      {17, "a", "a"},  // 16 alone changes nothing
      {16, "C-c", "\\x03"},
      {16, "F13", "^[[57376u"},  // F13 has no legacy form
      {4, "Up", "^[[A"},
      {4, "F1", "^[OP"},
      {4, "C-c", "\\x03"},
      {4, "C-S-c", "^[[99:67;6u"},  // legacy would drop Shift
      {4, "Super+k", "^[[107;9u"},
      {4, "S-Enter", "^[[13;2u"},
      {4, "M-Enter", "^[\\x0d"},
      {4, "KPEnter", "\\x0d"},  // without 1 and 8 the keypad's keys are their equivalents
      {4, "C-KP5", "^[[53;5u"},
      {5, "C-KP5", "^[[57404;5u"},
      {1, "S-KP5", "^[[57404;2u"},
      {5, "S-Space", "\\x20"},
      {5, "M-S-Space", "^[[32;4u"},
      {5, "M-é", "^[[233;3u"},
      {5, "Ctrl+Shift+=", "^[[61:43;6u"},
      {5, "M-B", "^[[98:66;4u"},
      {5, "C-S-Left", "^[[1;6D"},
  }));
  CAPTURE(flags, token);
  CHECK(sent(token, kitty(flags)) == bytes);
}

TEST_CASE("under report-event-types the key is let go too", "[keys][key_encoder][kitty]") {
  const auto [flags, token, bytes] = GENERATE(table<int, std::string, std::string>({
      {2, "a", "a"},  // text has no events without 8
      {2, "A", "A"},
      {2, "Enter", "\\x0d"},
      {2, "C-c", "\\x03^[[99;5:3u"},
      {2, "Escape", "^[^[[27;1:3u"},
      {2, "Up", "^[[A^[[1;1:3A"},
      {2, "F1", "^[[P^[[1;1:3P"},
      {2, "F13", "^[[57376u^[[57376;1:3u"},
      {3, "C-c", "^[[99;5u^[[99;5:3u"},
      {3, "Escape", "^[[27u^[[27;1:3u"},
      {3, "Up", "^[[A^[[1;1:3A"},
      {3, "C-Up", "^[[1;5A^[[1;5:3A"},
      {3, "Delete", "^[[3~^[[3;1:3~"},
      {3, "F3", "^[[13~^[[13;1:3~"},
      {3, "KPEnter", "^[[57414u^[[57414;1:3u"},
      {3, "KP5", "5"},
      {3, "é", "\\xc3\\xa9"},
      {3, "Space", "\\x20"},
      {3, "Tab", "\\x09"},
      {3, "Backspace", "\\x7f"},
      {3, "S-Enter", "^[[13;2u"},  // as Enter, Tab and Backspace themselves
      {3, "C-Backspace", "^[[127;5u"},
      {7, "C-S-c", "^[[99:67;6u^[[99:67;6:3u"},
      {10, "a", "^[[97u^[[97;1:3u"},
      {10, "Enter", "^[[13u^[[13;1:3u"},
      {11, "Backspace", "^[[127u^[[127;1:3u"},
      {26, "a", "^[[97;;97u^[[97;1:3u"},  // what is let go types nothing
      {31, "A", "^[[97:65;2;65u^[[97:65;2:3u"},
      {31, "KP5", "^[[57404;;53u^[[57404;1:3u"},
      {31, "Up", "^[[A^[[1;1:3A"},
  }));
  CAPTURE(flags, token);
  CHECK(sent(token, kitty(flags)) == bytes);
}

TEST_CASE("every press has an encoding under every set of flags", "[keys][key_encoder][kitty]") {
  for (int flags = 1; flags < 32; ++flags) {
    each_press([&](const Key& key) {
      const auto bytes = encode_key(key, kitty(flags));
      if (bytes && !bytes->empty() && bytes->size() <= 64) return;
      FAIL(flags << ' ' << spell_key(key));
    });
  }
}

TEST_CASE("where keys are disambiguated no two presses are one, but for what types the same",
          "[keys][key_encoder][kitty]") {
  for (int flags = 1; flags < 32; ++flags) {
    if ((flags & 9) == 0) continue;
    std::map<std::string, Key> seen;
    each_press([&](const Key& key) {
      const auto [at, is_new] = seen.emplace(sent(key, kitty(flags)), key);
      const bool both_type = (flags & 8) == 0 && types(key) && types(at->second);
      if (!is_new && !both_type) FAIL(flags << ' ' << spell_key(key) << " is " << spell_key(at->second));
    });
  }
}

TEST_CASE("text stays text, and Enter, Tab and Backspace bytes, until all keys are reported",
          "[keys][key_encoder][kitty]") {
  for (int flags = 1; flags < 8; ++flags) {
    for (const int text_flag : {0, 16}) {
      each_press([&](const Key& key) {
        if (!types(key) && !(stays_bytes(key) && key.modifiers == 0)) return;
        if (sent(key, kitty(flags | text_flag)) != sent(key, {})) FAIL(flags << ' ' << spell_key(key));
      });
    }
  }
}

TEST_CASE("when all keys are reported every press is an escape code", "[keys][key_encoder][kitty]") {
  for (int flags = 8; flags < 32; ++flags) {
    if ((flags & 8) == 0) continue;
    each_press([&](const Key& key) {
      if (!sent(key, kitty(flags)).starts_with("^[[")) FAIL(flags << ' ' << spell_key(key));
    });
  }
}

TEST_CASE("a release repeats its press's key and modifiers, and comes only where asked for",
          "[keys][key_encoder][kitty]") {
  for (int flags = 1; flags < 32; ++flags) {
    each_press([&](const Key& key) {
      const std::string bytes = sent(key, kitty(flags));
      const std::string press = sent(key, kitty(flags & ~2));
      const auto release = release_at(bytes);
      const bool is_due = (flags & 2) != 0 && ((flags & 8) != 0 || (!types(key) && !stays_bytes(key)));
      INFO(flags << ' ' << spell_key(key) << ' ' << bytes);
      if ((release != bytes.npos) != is_due) FAIL("a release too many or too few");
      if (release == bytes.npos || (flags & 9) == 0) return;
      if (bytes.substr(0, release) != press || key_of(bytes.substr(release)) != key_of(press))
        FAIL("another key is let go than was pressed");
    });
  }
}

TEST_CASE("alternate keys change only presses with Shift, associated text only what types under 8",
          "[keys][key_encoder][kitty]") {
  for (int flags = 1; flags < 32; ++flags) {
    each_press([&](const Key& key) {
      INFO(flags << ' ' << spell_key(key));
      const std::string bytes = sent(key, kitty(flags));
      if ((flags & 4) != 0 && flags != 4) {
        const std::string without = sent(key, kitty(flags & ~4));
        if (bytes != without && (key.modifiers & kShift) == 0) FAIL("an alternate without Shift");
      }
      if ((flags & 16) != 0 && flags != 16) {
        const std::string without = sent(key, kitty(flags & ~16));
        if ((bytes != without) != ((flags & 8) != 0 && types(key))) FAIL("text where none is due, or none");
      }
    });
  }
}

TEST_CASE("without disambiguation legacy forms stay where they lose nothing", "[keys][key_encoder][kitty]") {
  for (const int flags : {4, 16, 20}) {
    each_press([&](const Key& key) {
      const std::string legacy = sent(key, {}), bytes = sent(key, kitty(flags));
      const bool is_f13_on = key.named >= NamedKey::f13 && key.named <= NamedKey::f24;
      if (legacy == "not_encodable" || is_f13_on ? !bytes.starts_with("^[[") : bytes != legacy)
        FAIL(flags << ' ' << spell_key(key) << ' ' << bytes);
    });
  }
}

TEST_CASE("kitty flags count before modifyOtherKeys and the application modes",
          "[keys][key_encoder][kitty]") {
  Modes modes = kitty(1);
  modes.modify_other_keys = 2;
  modes.application_cursor = true;
  modes.application_keypad = true;
  CHECK(sent("C-c", modes) == "^[[99;5u");
  CHECK(sent("Up", modes) == "^[[A");
  CHECK(sent("KP5", modes) == "5");
  CHECK(sent("Enter", modes) == "\\x0d");
}
