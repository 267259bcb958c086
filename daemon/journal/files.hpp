#pragma once

// The files of one journal folder: names, opening, whole reads.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/fd.hpp"

namespace smartcli::journal {

enum class Kind { segment, events, keyframe };

/// "00000012.seg" in `folder`.
std::string path_of(const std::string& folder, Kind kind, std::uint64_t number);

/// The number in such a name; nothing for any other name.
std::optional<std::uint64_t> number_in(std::string_view name, Kind kind);

/// Numbers of the folder's files of one kind, ascending. Nothing, with errno set, for a folder that cannot be
/// read.
std::optional<std::vector<std::uint64_t>> numbers_in(const std::string& folder, Kind kind);

/// Read-only, never through a symbolic link; errno is set on failure.
Fd open_file(const std::string& path);

/// Reads at `position` until `into` is full or the file ends. Count, or -1 with errno set.
std::int64_t read_at(int fd, std::span<char> into, std::uint64_t position);

/// Size of an open file, 0 if that cannot be told.
std::uint64_t size_of(int fd);

}  // namespace smartcli::journal
