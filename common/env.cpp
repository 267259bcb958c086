#include "common/env.hpp"

#include <cstdlib>

namespace smartcli {

std::optional<std::string> SystemEnvironment::get(std::string_view name) const {
  const char* value = std::getenv(std::string(name).c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace smartcli
