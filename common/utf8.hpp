#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace smartcli::utf8 {

/// One decoded code point and the bytes it took. Malformed input gives U+FFFD for each maximal part (WHATWG).
struct Decoded {
  char32_t code_point;
  std::size_t bytes;  ///< at least 1 where input is left
  bool valid;
};
Decoded decode(std::string_view text);

void append(std::string& out, char32_t code_point);
bool is_valid(std::string_view text);
/// Malformed parts replaced by U+FFFD.
std::string to_valid(std::string_view text);
/// Number of code points.
std::size_t length(std::string_view text);

}  // namespace smartcli::utf8
