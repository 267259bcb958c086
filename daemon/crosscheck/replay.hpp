#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/error.hpp"

namespace smartcli::crosscheck {

/// One row that the two screens show otherwise; or, with row 0, the cursor.
struct Difference {
  int row = 0;  ///< from 1
  std::string ours, theirs;
};

struct Opinion {
  std::uint64_t from = 0, to = 0;  ///< offsets of the output that was replayed
  std::uint64_t dropped = 0;       ///< bytes behind the journal's valid prefix
  int cols = 0, rows = 0;
  std::vector<Difference> differences;
};

/// A session's journal, as far as it is whole, through our screen and through libtsm's: what each shows in
/// the end. Errors: invalid_argument (no journal in that folder), internal (unreadable).
Result<Opinion> replay(const std::string& folder);

}  // namespace smartcli::crosscheck
