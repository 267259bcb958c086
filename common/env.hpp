#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace smartcli {

/// The environment as an argument.
class Environment {
 public:
  virtual ~Environment() = default;
  /// The variable's value; nothing if it is unset. An empty value is returned as it is.
  virtual std::optional<std::string> get(std::string_view name) const = 0;
  /// As `get`, but an empty value counts as unset, as XDG and most users mean it.
  std::optional<std::string> get_nonempty(std::string_view name) const {
    auto value = get(name);
    if (value && value->empty()) value.reset();
    return value;
  }
};

class SystemEnvironment final : public Environment {
 public:
  std::optional<std::string> get(std::string_view name) const override;
};

class MapEnvironment final : public Environment {
 public:
  explicit MapEnvironment(std::map<std::string, std::string, std::less<>> values)
      : values_(std::move(values)) {}
  std::optional<std::string> get(std::string_view name) const override {
    auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace smartcli
