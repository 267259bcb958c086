#pragma once

#include <cstdint>
#include <string_view>

namespace smartcli {

struct Limit;  // proto/limits.hpp

/// What a field declares about itself. Decoder, encoder, CLI options, schema and reference page all read this.
struct Field {
  std::string_view name;            ///< wire name; the option is `--name` with `-` for `_`, `_ms` dropped
  std::string_view doc;             ///< one line, for help and reference
  const Limit* limit = nullptr;     ///< the limits row that bounds it, if any
  std::string_view metavar = {};    ///< in help: D, N, DIR, ...; empty: from the type
  std::string_view short_name = {}; ///< one-letter option, without the dash
};

}  // namespace smartcli
