#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace smartcli {

/// Modifier bits, as xterm's parameter minus one has them.
enum Modifier : unsigned { kShift = 1, kAlt = 2, kCtrl = 4, kSuper = 8 };

// A row a group.
// clang-format off
enum class NamedKey {
  none,  ///< `character` counts
  enter, tab, backspace, escape, space, insert, delete_, up, down, left, right, home, end, page_up, page_down,
  f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24,
  kp0, kp1, kp2, kp3, kp4, kp5, kp6, kp7, kp8, kp9,
  kp_decimal, kp_divide, kp_multiply, kp_subtract, kp_add, kp_enter, kp_equal, kp_begin,
};
// clang-format on

/// One key press.
struct Key {
  NamedKey named = NamedKey::none;
  char32_t character = 0;  ///< where `named` is none; an upper-case letter implies Shift
  unsigned modifiers = 0;  ///< Modifier bits
  friend bool operator==(const Key&, const Key&) = default;
};

/// A key token in any of the spellings of SPEC section 5 (`C-x`, `^X`, `M-B`, `Ctrl+Shift+ArrowLeft`,
/// `Enter`, `F5`, `é`). A single character is itself, a control character the key that sends it. `C- M- S- ^`
/// leave a letter's case alone, except under Ctrl, which has none (`C-C` is `C-c`; say `C-S-c`); after `Ctrl+
/// Alt+ Shift+ Super+` the letter is a key (`Alt+B` is `M-b`). Names take any case, and `_`, `-` or a blank
/// between their words.
/// A character of several code points is no Key: terminal::encode_character types it.
/// Errors: invalid_argument naming the token and the nearest known name.
Result<Key> parse_key(std::string_view token);

/// The press as a person would write it: `Ctrl+Shift+Left`, `Alt+Shift+B`, `é`. `parse_key` takes it for the
/// same press.
std::string spell_key(const Key& key);

/// Every accepted key name with the key it means, canonical spelling first in each group: for help and
/// completion.
struct KeyName {
  std::string_view name;
  NamedKey key;
  bool is_alias;
  unsigned modifiers = 0;  ///< that the name brings along: `BackTab` is Shift+Tab
};
const std::vector<KeyName>& key_names();

}  // namespace smartcli
