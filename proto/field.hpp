#pragma once

#include <cstdint>
#include <string_view>

#include "proto/limits.hpp"

namespace smartcli {

/// Where a request's field stands.
enum class Place {
  both,          ///< on the wire, and an option or argument of the command
  wire,          ///< on the wire only; the command line fills it itself
  command_line,  ///< an option that the client acts on; never sent
};

/// What a field declares about itself. Decoder, encoder, CLI options, schema and reference page all read
/// this.
struct Field {
  std::string_view name;          ///< wire name; the option is `--name`, `-` for `_`, without a final `_ms`
  std::string_view doc;           ///< one line, for help and reference
  const Limit* limit = nullptr;   ///< the limits row whose range bounds it, if any
  std::string_view metavar = {};  ///< in help; completion knows SID, KEY, SIGNAL, DIR, FILE; empty: by type
  std::string_view alias = {};    ///< more option names, comma-separated, with dashes: "-s,--session"
  Place place = Place::both;
  /// What holds where an optional field is left out, in words. Empty: the value it starts with, else the
  /// default of its limit.
  std::string_view without = {};
};

}  // namespace smartcli
