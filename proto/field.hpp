#pragma once

#include <cstdint>
#include <string_view>

#include "proto/limits.hpp"

namespace smartcli {

/// Who fills a request's field when the command line is used.
enum class FilledBy { user, client };

/// What a field declares about itself. Decoder, encoder, CLI options, schema and reference page all read
/// this.
struct Field {
  std::string_view name;          ///< wire name; the option is `--name`, `-` for `_`, without a final `_ms`
  std::string_view doc;           ///< one line, for help and reference
  const Limit* limit = nullptr;   ///< the limits row whose range bounds it, if any
  std::string_view metavar = {};  ///< in help: D, N, DIR, ...; empty: from the type
  std::string_view alias = {};    ///< more option names, comma-separated, with dashes: "-s,--session"
  FilledBy filled_by = FilledBy::user;
};

}  // namespace smartcli
