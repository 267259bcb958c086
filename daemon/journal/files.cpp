#include "journal/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>

#include "journal/journal.hpp"

namespace smartcli::journal {
namespace {

constexpr std::size_t kDigits = 8;  // at least: a longer number just grows

std::string_view suffix(Kind kind) {
  switch (kind) {
    case Kind::segment: return ".seg";
    case Kind::events: return ".events";
    case Kind::keyframe: break;
  }
  return ".keyframe";
}

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

}  // namespace

std::string path_of(const std::string& folder, Kind kind, std::uint64_t number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%08llu", static_cast<unsigned long long>(number));
  std::string path = folder;
  path += '/';
  path += digits;
  path += suffix(kind);
  return path;
}

std::optional<std::uint64_t> number_in(std::string_view name, Kind kind) {
  const std::string_view tail = suffix(kind);
  if (!name.ends_with(tail)) return std::nullopt;
  name.remove_suffix(tail.size());
  if (name.size() < kDigits || (name.size() > kDigits && name.front() == '0')) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  // A number whose offsets would not fit 64 bits is not one of ours.
  if (number >= ~0ull / shim_abi::kSegmentBytes) return std::nullopt;
  return number;
}

std::optional<std::vector<std::uint64_t>> numbers_in(const std::string& folder, Kind kind) {
  const std::unique_ptr<DIR, CloseDir> dir(::opendir(folder.c_str()));
  if (!dir) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  while (const dirent* entry = ::readdir(dir.get())) {
    if (const auto number = number_in(entry->d_name, kind)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Fd open_file(const std::string& path) {
  // O_NONBLOCK: a FIFO somebody put there must not hold the loop.
  return Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
}

std::int64_t read_at(int fd, std::span<char> into, std::uint64_t position) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n =
        ::pread(fd, into.data() + done, into.size() - done, static_cast<off_t>(position + done));
    if (n == 0) break;
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      return -1;
    }
  }
  return static_cast<std::int64_t>(done);
}

std::uint64_t size_of(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
}

namespace {

/// Names that a shim or the daemon gives: anything else in the folder is somebody's own.
bool is_ours(std::string_view name) {
  for (const std::string_view temporary : {".new", ".tmp"}) {
    if (name.ends_with(temporary)) name.remove_suffix(temporary.size());
  }
  if (name == shim_abi::kExitFile || name == "index") return true;
  return number_in(name, Kind::segment) || number_in(name, Kind::events) || number_in(name, Kind::keyframe);
}

}  // namespace

namespace {

void remove_files(const std::string& folder, std::string_view kept) {
  const Fd handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!handle) return;
  const int copy = ::fcntl(handle.get(), F_DUPFD_CLOEXEC, 0);
  const std::unique_ptr<DIR, CloseDir> dir(copy < 0 ? nullptr : ::fdopendir(copy));
  if (!dir) {
    if (copy >= 0) ::close(copy);
    return;
  }
  std::vector<std::string>
      names;  // first all, then delete: readdir may skip entries of a folder that changes
  while (const dirent* entry = ::readdir(dir.get())) {
    if (is_ours(entry->d_name) && kept != entry->d_name) names.emplace_back(entry->d_name);
  }
  for (const std::string& name : names) ::unlinkat(handle.get(), name.c_str(), 0);
}

}  // namespace

void remove(const std::string& folder) {
  remove_files(folder, {});
  ::rmdir(folder.c_str());  // fails, as it should, if something of somebody else's is left
}

void bury(const std::string& folder) {
  remove_files(folder, "index");
}

}  // namespace smartcli::journal
