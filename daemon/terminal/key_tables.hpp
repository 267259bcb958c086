#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/utf8.hpp"
#include "proto/keys.hpp"

// What the key encoders share: the groups of keys, and what a key types.

namespace smartcli::terminal::key_tables {

using enum NamedKey;

inline constexpr std::string_view kEsc = "\x1b", kCsi = "\x1b[", kSs3 = "\x1bO";

/// A key of the cursor, editing or function group: `CSI number ~`, or a letter where `number` is 1.
struct FunctionKey {
  NamedKey key;
  int number;
  char final;
  bool ss3_plain = false;  ///< F1 to F4: SS3 whatever the modes, as long as nothing modifies them
};

inline constexpr FunctionKey kFunctionKeys[] = {
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

inline constexpr KeypadKey kKeypadKeys[] = {
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

/// A key that types: the character on its cap, the one it gives under its Shift, and the modifiers held.
struct TextKey {
  char32_t base = 0;
  char32_t character = 0;  ///< Shift applied
  unsigned modifiers = 0;  ///< with the Shift that `character` needs
  bool shift_was_asked = false;
};

/// Nothing where Shift was asked for and what it gives is not known.
std::optional<TextKey> text_key(const Key& key);

inline std::string as_utf8(char32_t c) {
  std::string out;
  utf8::append(out, c);
  return out;
}

/// xterm's parameter for a set of modifiers, which kitty's protocol has too.
inline std::string parameter(unsigned modifiers) {
  return std::to_string(modifiers + 1);
}

}  // namespace smartcli::terminal::key_tables
