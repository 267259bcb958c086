#pragma once

#include <cstdlib>
#include <string_view>

#include "common/error.hpp"
#include "common/utf8.hpp"

namespace smartcli::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Valid UTF-8 in which nothing moves a cursor.
inline void require_plain(std::string_view text) {
  while (!text.empty()) {
    const auto one = utf8::decode(text);
    require(one.valid && one.code_point >= 0x20 && (one.code_point < 0x7F || one.code_point > 0x9F));
    text.remove_prefix(one.bytes);
  }
}

/// It says something, may be shown, and does not grow with what it is about.
inline void require_bounded(const Error& error) {
  require(!error.message.empty() && error.message.size() < 4000 && error.detail.size() < 2000);
  require_plain(error.message);
}

}  // namespace smartcli::fuzz
