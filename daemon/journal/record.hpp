#pragma once

// One record of an events file: whether it is valid, and what it says. Pure.

#include <optional>
#include <span>

#include "journal/journal.hpp"

namespace smartcli::journal {

/// Longest possible record: `bytes` has 16 bits and counts in eights.
inline constexpr std::size_t kRecordBytes = 65528;

enum class Verdict {
  valid,
  partial,  ///< more bytes are needed to tell
  invalid,
};

struct Checked {
  Verdict verdict = Verdict::invalid;
  shim_abi::EventHead
      head{};  ///< when valid; when partial, `bytes` says how many are needed if the head is there
};

/// Judges the record that `bytes` begins with: length, checksum, and a body as long as its type asks for.
Checked check_record(std::span<const char> bytes);

/// What a valid record says; nothing for one without meaning to a reader (`first`, types of a newer shim).
std::optional<Event> decode_record(std::span<const char> record);

/// Whether a gap says that what follows it was lost up to `to`: such a record ends its file, and the next one
/// begins at `to`.
bool ends_file(const Event& event);

/// The body of a valid record of type `first`, of `exit`.
shim_abi::FirstEvent first_of(std::span<const char> record);
shim_abi::ExitEvent exit_of(std::span<const char> record);

}  // namespace smartcli::journal
