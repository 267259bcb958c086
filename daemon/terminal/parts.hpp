#pragma once

#include <string_view>

namespace smartcli::terminal {

/// Takes the part up to `;` off the front.
inline std::string_view take_part(std::string_view& text) {
  const std::size_t end = text.find(';');
  const std::string_view part = text.substr(0, end);
  text = end == text.npos ? std::string_view() : text.substr(end + 1);
  return part;
}

}  // namespace smartcli::terminal
