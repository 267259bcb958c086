// Every key, under every set of modifiers and in every mode, against what a real xterm sent
// (tests/golden/keys/xterm_379.txt, recorded by tests/oracle/record_keys.py).

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "support/golden_table.hpp"
#include "terminal/key_encoder.hpp"

using namespace smartcli;
using terminal::encode_key;

namespace {

using Row = std::vector<std::string>;  // bytes by modifier bits
using Rows = std::map<std::string, Row>;

const std::map<std::string, Rows>& recorded() {
  static const std::map<std::string, Rows> sections = [] {
    std::map<std::string, Rows> out;
    for (const GoldenSection& section : read_golden_table(SMARTCLI_KEYS "/xterm_379.txt")) {
      if (section.name.empty()) continue;
      Rows& rows = out[section.name] = out[section.base];
      for (const Row& words : section.rows) rows[words.at(0)] = Row(words.begin() + 1, words.end());
    }
    return out;
  }();
  return sections;
}

Modes modes_of(const std::string& section) {
  Modes modes;
  const auto has = [&](const char* word) { return section.find(word) != section.npos; };
  modes.application_cursor = has("application_cursor");
  modes.application_keypad = has("application_keypad");
  modes.newline = has("newline");
  modes.backarrow_sends_bs = has("backarrow");
  if (has("other_keys=1")) modes.modify_other_keys = 1;
  if (has("other_keys=2")) modes.modify_other_keys = 2;
  return modes;
}

/// The key of a row: what the keypad is without NumLock are the keys that it stands for.
std::string token_of(const std::string& row) {
  static const std::map<std::string, std::string> without_num_lock = {
      {"KP0/off", "Insert"}, {"KP1/off", "End"},    {"KP2/off", "Down"},        {"KP3/off", "PageDown"},
      {"KP4/off", "Left"},   {"KP5/off", "Begin"},  {"KP6/off", "Right"},       {"KP7/off", "Home"},
      {"KP8/off", "Up"},     {"KP9/off", "PageUp"}, {"KPDecimal/off", "Delete"}};
  if (const auto found = without_num_lock.find(row); found != without_num_lock.end()) return found->second;
  return row.substr(0, row.find("/off"));
}

const char* const kSets[] = {"", "S-", "M-", "M-S-", "C-", "C-S-", "C-M-", "C-M-S-"};

/// xterm sends for `modifiers` what it sends for fewer of them: the program cannot know that they were held.
bool drops_a_modifier(const Row& row, unsigned modifiers) {
  for (unsigned fewer = 0; fewer < modifiers; ++fewer) {
    if ((fewer & ~modifiers) == 0 && row[fewer] == row[modifiers]) return true;
  }
  return false;
}

std::string ours(const std::string& row, unsigned modifiers, const Modes& modes) {
  Key key = parse_key(token_of(row)).value();
  key.modifiers |= modifiers;
  const auto bytes = encode_key(key, modes);
  return bytes ? spelled_bytes(*bytes) : std::string(info(bytes.error().code).name);
}

const std::string kRefused = "not_encodable";

/// Why a press may differ from what xterm sends; nothing where it may not.
std::string reason_to_differ(const std::string& section, const std::string& name, unsigned modifiers,
                             const std::string& bytes) {
  const Rows& rows = recorded().at(section);
  const Row& row = rows.at(name);
  const std::string& theirs = row[modifiers];
  if (bytes == kRefused && drops_a_modifier(row, modifiers)) return "xterm drops a modifier";
  if (section.starts_with("other_keys=1")) {
    // With Alt sent as ESC, xterm leaves it out of this form; sent as the eighth bit, it does not.
    const bool drops =
        drops_a_modifier(row, modifiers) || ((modifiers & kAlt) != 0 && theirs.starts_with("^[[27;"));
    std::string level_2 = section;
    level_2[level_2.find('1')] = '2';
    if (drops && bytes == recorded().at(level_2).at(name)[modifiers])
      return "level 2's form where xterm drops a modifier";
  }
  if (name.starts_with("KP") && (modifiers & kShift) != 0 && bytes == kRefused &&
      rows.contains(name + "/off") && rows.at(name + "/off")[modifiers] == theirs)
    return "Shift makes another key of the keypad's";
  if (modifiers == 0 && name.size() == 3 && name[0] == 'F' && name >= "F13") {
    const Row& below = rows.at('F' + std::to_string(std::stoi(name.substr(1)) - 12));
    if (bytes == below[kShift]) return "terminfo's kf13 to kf24";
  }
  if ((name == "ß" || name == "中") && (modifiers & kShift) != 0 && bytes == kRefused)
    return "what Shift makes of it is the keyboard's";
  if ((name == "ж" || name == "中") && theirs == "-" && bytes.starts_with("^[[27;"))
    return "xterm sends nothing beyond Latin-1, its documented form can";
  return {};
}

/// The keys, by set of modifiers, that a section refuses.
std::string refused(const std::string& section) {
  std::string out;
  const Modes modes = modes_of(section);
  for (unsigned modifiers = 0; modifiers < 8; ++modifiers) {
    std::string keys;
    for (const auto& [name, row] : recorded().at(section)) {
      if (!name.ends_with("/off") && ours(name, modifiers, modes) == kRefused) keys += ' ' + name;
    }
    if (!keys.empty()) out += std::string(kSets[modifiers]) + keys + '\n';
  }
  return out;
}

}  // namespace

TEST_CASE("every key in every mode is what xterm sends, or differs for a reason", "[keys][key_encoder]") {
  std::map<std::string, int> counts;
  int compared = 0;
  for (const auto& [section, rows] : recorded()) {
    for (const auto& [name, row] : rows) {
      REQUIRE(row.size() == 8);
      for (unsigned modifiers = 0; modifiers < 8; ++modifiers) {
        const std::string bytes = ours(name, modifiers, modes_of(section));
        ++compared;
        if (bytes == row[modifiers]) continue;
        const std::string reason = reason_to_differ(section, name, modifiers, bytes);
        CAPTURE(section, kSets[modifiers], name, row[modifiers], bytes);
        CHECK(reason != "");
        ++counts[reason];
      }
    }
  }
  CHECK(compared == 13 * 124 * 8);  // modes, keys, sets of modifiers
  for (const auto& [reason, count] : counts) UNSCOPED_INFO(count << ' ' << reason);
  CHECK(counts.size() == 6);
}

// Where xterm drops a modifier the press is refused: the program would read another key than was asked for.
TEST_CASE("what is refused is what would arrive as another key", "[keys][key_encoder]") {
  const std::string letters = " a b c d e f g h i j k l m n o p q r s t u v w x y z";
  const std::string halves = " KP0 KP1 KP2 KP3 KP4 KP5 KP6 KP7 KP8 KP9";  // another key under Shift
  const std::string keypad = halves + " KPAdd KPDecimal KPDivide KPEnter KPEqual KPMultiply KPSubtract";
  const std::string no_c0 = " ' , - . 0 1 9 ; =";                  // Ctrl changes nothing
  const std::string no_c0_shifted = " ' , . 0 1 3 4 5 7 8 9 ; =";  // nor on these caps' upper row
  const std::string beyond = " ß é ж 中";
  CHECK(refused("legacy") ==
        "S- Backspace Enter Escape" + keypad + " ß 中\n" +            //
            "M-" + keypad + '\n' +                                    //
            "M-S- Backspace Enter Escape" + keypad + " Tab ß 中\n" +  //
            "C-" + no_c0 + " Enter Escape" + keypad + " Tab" + beyond + '\n' + "C-S-" + no_c0_shifted +
            " Backspace Enter Escape" + keypad + " Space Tab" + letters + beyond + '\n' +  //
            "C-M-" + no_c0 + " Enter Escape" + keypad + " Tab" + beyond + '\n' + "C-M-S-" + no_c0_shifted +
            " Backspace Enter Escape" + keypad + " Space Tab" + letters + beyond + '\n');
  // DECPAM gives the keypad modifiers, modifyOtherKeys all but the keypad.
  CHECK(refused("application_keypad").find("KPAdd") == std::string::npos);
  CHECK(refused("application_keypad").find("C-" + no_c0 + " Enter Escape Tab" + beyond) != std::string::npos);
  const std::string unknown_caps = " ß 中";
  for (const char* level : {"other_keys=1", "other_keys=2"}) {
    CHECK(refused(level) == "S-" + keypad + unknown_caps + "\nM-" + keypad + "\nM-S-" + keypad +
                                unknown_caps + "\nC-" + keypad + "\nC-S-" + keypad + unknown_caps + "\nC-M-" +
                                keypad + "\nC-M-S-" + keypad + unknown_caps + '\n');
  }
  CHECK(refused("other_keys=2 application_cursor application_keypad").find("KPAdd") == std::string::npos);
}
