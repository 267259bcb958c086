#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "proto/keys.hpp"
#include "terminal/key_tables.hpp"

namespace smartcli::terminal {

/// Flags of the kitty keyboard protocol ("progressive enhancements").
enum KittyFlag : std::int64_t {
  kDisambiguate = 1,
  kEventTypes = 2,
  kAlternates = 4,
  kReportAll = 8,
  kText = 16
};

/// A press under the kitty protocol and, where event types are reported, the release that follows it: some
/// programs act on it, and none that asked for events can miss that it comes.
/// @param text    what the key types, if it does
/// @param legacy  its bytes without the protocol, if there are any
/// @param flags   those in force, not 0
/// Ref: kitty's "Comprehensive keyboard handling in terminals".
std::string encode_kitty(const Key& key, const std::optional<key_tables::TextKey>& text,
                         const std::optional<std::string>& legacy, std::int64_t flags);

}  // namespace smartcli::terminal
