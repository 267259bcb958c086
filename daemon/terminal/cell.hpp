#pragma once

#include <cstdint>

namespace smartcli::terminal {

/// What a cell shows: a code point, or the id of a grapheme of several, with the flags below. Zero is a cell
/// that was never written or was erased; a written blank is U+0020.
using Content = std::uint32_t;
using StyleId = std::uint32_t;

inline constexpr Content kBlank = 0;
inline constexpr Content kGrapheme = 1u << 31;  ///< the value is an id of the GraphemeTable
inline constexpr Content kWide = 1u << 30;      ///< takes this cell and the next, which holds kTail
inline constexpr Content kTail = 1u << 29;      ///< second half of a wide character; nothing else in it
inline constexpr Content kValue = (1u << 21) - 1;

/// Code points that one cell keeps at most; more marks are dropped.
inline constexpr std::size_t kMaxCluster = 16;

/// Stamps are 32 bits of a 64-bit offset. Their age (bytes of output since) is exact up to this; older ones
/// are kept at least this old by a sweep each 2^30 bytes, so that an age never wraps round to look young.
inline constexpr std::uint32_t kOldAge = 1u << 31;

}  // namespace smartcli::terminal
