// Sessions run with TERM=xterm-256color: what its terminfo entry says of a key is what the key sends
// (tests/golden/keys/terminfo.txt, as tests/oracle/record_keys.py wrote it down).

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "support/golden_table.hpp"
#include "terminal/key_encoder.hpp"

using namespace smartcli;

namespace {

/// What the entry's names mean; kf1 to kf63 and the extended `kUP5` go by rule.
const std::map<std::string, std::string> kTokens = {
    {"kcuu1", "Up"},        {"kcud1", "Down"},       {"kcub1", "Left"},       {"kcuf1", "Right"},
    {"khome", "Home"},      {"kend", "End"},         {"kich1", "Insert"},     {"kdch1", "Delete"},
    {"kpp", "PageUp"},      {"knp", "PageDown"},     {"kbs", "Backspace"},    {"kcbt", "BackTab"},
    {"kbeg", "Begin"},      {"kent", "KPEnter"},     {"kri", "S-Up"},         {"kind", "S-Down"},
    {"kLFT", "S-Left"},     {"kRIT", "S-Right"},     {"kHOM", "S-Home"},      {"kEND", "S-End"},
    {"kIC", "S-Insert"},    {"kDC", "S-Delete"},     {"kPRV", "S-PageUp"},    {"kNXT", "S-PageDown"},
    {"kUP", "S-Up"},        {"kDN", "S-Down"},       {"ka1", "KP7"},          {"ka2", "KP8"},
    {"ka3", "KP9"},         {"kb1", "KP4"},          {"kb2", "KP5"},          {"kb3", "KP6"},
    {"kc1", "KP1"},         {"kc2", "KP2"},          {"kc3", "KP3"},          {"kp5", "Begin"},
    {"kpADD", "KPAdd"},     {"kpSUB", "KPSubtract"}, {"kpMUL", "KPMultiply"}, {"kpDIV", "KPDivide"},
    {"kpDOT", "KPDecimal"}, {"kpZRO", "KP0"}};

/// Empty where the capability is no key of ours.
std::string token_of(const std::string& name) {
  if (const auto found = kTokens.find(name); found != kTokens.end()) return found->second;
  if (name.starts_with("kf")) {
    static const char* const kGroups[] = {"", "S-", "C-", "C-S-", "M-", "M-S-"};
    const int number = std::stoi(name.substr(2)) - 1;
    return std::string(kGroups[number / 12]) + 'F' + std::to_string(number % 12 + 1);
  }
  // kUP5: the key of kUP with xterm's modifier parameter 5.
  static const char* const kParameters[] = {"", "", "S-", "M-", "M-S-", "C-", "C-S-", "C-M-", "C-M-S-"};
  const auto base = kTokens.find(name.substr(0, name.size() - 1));
  const int parameter = name.back() - '0';
  if (base == kTokens.end() || parameter < 2 || parameter > 8) return {};
  return kParameters[parameter] + base->second.substr(2);
}

}  // namespace

TEST_CASE("every key of the terminfo entry is what the key sends", "[keys][key_encoder]") {
  Modes smkx;
  smkx.application_cursor = smkx.application_keypad = true;
  int compared = 0;
  const auto sections = read_golden_table(SMARTCLI_KEYS "/terminfo.txt");
  for (const auto& row : sections.at(0).rows) {
    const std::string& name = row.at(0);
    CAPTURE(name);
    if (name == "kmous" || name == "kpCMA") continue;  // no key; no US keyboard's key
    const std::string token = token_of(name);
    REQUIRE(token != "");
    const auto bytes = terminal::encode_key(parse_key(token).value(), smkx);
    REQUIRE(bytes.has_value());
    CHECK(spelled_bytes(*bytes) == row.at(1));
    ++compared;
    if (!name.starts_with("kf1") && !name.starts_with("kf2")) continue;
    // F13 to F24 have the names kf13 to kf24.
    const std::string plain = 'F' + name.substr(2);
    if (const auto key = parse_key(plain)) CHECK(terminal::encode_key(*key, smkx).value() == *bytes);
  }
  CHECK(compared == 155);
}
