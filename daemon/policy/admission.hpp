#pragma once

#include "common/error.hpp"
#include "proto/limits.hpp"
#include "proto/registry.hpp"

namespace smartcli::policy {

/// The one place that says no to a well-formed request: sizes and shapes past a row of the limits table.
/// Pure.
class Admission {
 public:
  explicit Admission(const Limits& limits) : limits_(limits) {}

  template <class Request>
  Result<void> admit(const Request&) const {
    return {};
  }
  /// Errors: limit_exceeded (naming the row), invalid_argument (NUL bytes, bad variable names),
  /// policy_denied.
  Result<void> admit(const Restart::Request& request) const;
  Result<void> admit(const Spawn::Request& request) const;
  Result<void> admit(const Resize::Request& request) const;
  Result<void> admit(const Close::Request& request) const;
  Result<void> admit(const Snapshot::Request& request) const;
  Result<void> admit(const Read::Request& request) const;
  Result<void> admit(const Search::Request& request) const;
  Result<void> admit(const SendText::Request& request) const { return admit_id(request.request_id); }
  Result<void> admit(const SendLine::Request& request) const { return admit_id(request.request_id); }
  Result<void> admit(const SendKeys::Request& request) const;
  Result<void> admit(const WaitRegex::Request& request) const { return admit_pattern(request.pattern); }
  Result<void> admit(const WaitAny::Request& request) const;
  Result<void> admit(const WaitGone::Request& request) const { return admit_pattern(request.pattern); }
  Result<void> admit(const WaitReady::Request& request) const {
    return request.marker ? admit_pattern(*request.marker) : Result<void>();
  }

  /// @param cells  of a region, as far as it is on the screen
  Result<void> admit_cells(std::int64_t cells) const;
  /// @param waits  now under way
  Result<void> admit_wait(std::size_t waits) const;

 private:
  Result<void> admit_pattern(const std::string& pattern) const;
  Result<void> admit_id(const std::optional<std::string>& id) const;
  const Limits& limits_;
};

}  // namespace smartcli::policy
