#pragma once

#include <string_view>

#include "common/env.hpp"
#include "common/error.hpp"

namespace smartcli {

/// THE table of failpoints, for tests of what must not happen: name, what it does. In every build and inert
/// without `SMARTCLI_FAILPOINTS=NAME:ARGUMENT[,NAME:ARGUMENT...]` in the daemon's environment when it starts.
/// A new one is a row here and an `is_hit` at its place.
// clang-format off
#define SMARTCLI_FAILPOINTS(row) \
  row(dispatch_throw, "dispatch.throw", "the handler of the method ARGUMENT throws") \
  row(idle_hurry, "idle.hurry", "the idle timeout of the session ARGUMENT passes a thousand times faster")
// clang-format on

enum class Failpoint {
#define SMARTCLI_ROW(id, name, meaning) id,
  SMARTCLI_FAILPOINTS(SMARTCLI_ROW)
#undef SMARTCLI_ROW
};

class Failpoints {
 public:
  /// Errors: invalid_argument naming the failpoint that is none: a test that tests nothing is worse than
  /// none.
  static Result<Failpoints> from(const Environment& env);
  bool is_hit(Failpoint point, std::string_view argument) const;

 private:
  std::string spec_;
};

/// The daemon's own, set once at start: they are asked for in places that have nothing else in common.
Failpoints& failpoints();

}  // namespace smartcli
