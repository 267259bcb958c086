#pragma once

#include <string>
#include <string_view>

namespace smartcli::cli {

/// A method's name as typed: `wait_regex` is `wait-regex`, `daemon_stop` is `daemon stop`.
inline std::string command_name(std::string_view method) {
  std::string name(method);
  const bool two_words = name.starts_with("daemon_");
  for (auto& c : name) {
    if (c == '_') c = '-';
  }
  if (two_words) name[6] = ' ';
  return name;
}

}  // namespace smartcli::cli
