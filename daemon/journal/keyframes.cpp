#include "journal/keyframes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "common/text.hpp"
#include "journal/files.hpp"
#include "journal/index.hpp"

namespace smartcli::journal {
namespace {

constexpr std::uint64_t kLargest = 64 << 20;  // a screen of 100 000 cells in styles of their own has a tenth

}  // namespace

Result<void> save_keyframe(const std::string& folder, std::uint64_t segment, std::string_view bytes) {
  const std::string path = path_of(folder, Kind::keyframe, segment), fresh = path + ".tmp";
  const auto fail = [&] {
    const int error = errno;
    ::unlink(fresh.c_str());
    return errno_error(ErrorCode::resource_exhausted, "cannot write " + text::quoted(path, 200), error);
  };
  const Fd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return fail();
  while (!bytes.empty()) {
    const auto n = ::write(fd.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail();
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) return fail();
  if (::access((folder + "/" + kIndexFile).c_str(), F_OK) != 0) {
    // The session was closed meanwhile.
    ::unlink(path.c_str());
    ::rmdir(folder.c_str());
    return {};
  }
  const auto kept = numbers_in(folder, Kind::segment);
  const auto all = numbers_in(folder, Kind::keyframe);
  if (!kept || kept->empty() || !all) return {};
  for (const auto number : *all) {
    if (number < kept->front()) ::unlink(path_of(folder, Kind::keyframe, number).c_str());
  }
  return {};
}

std::optional<std::string> load_keyframe(const std::string& folder, std::uint64_t segment) {
  const Fd fd = open_file(path_of(folder, Kind::keyframe, segment));
  if (!fd) return std::nullopt;
  const auto size = size_of(fd.get());
  if (size == 0 || size > kLargest) return std::nullopt;
  std::string bytes(size, '\0');
  const auto got = read_at(fd.get(), bytes, 0);
  if (got != static_cast<std::int64_t>(size)) return std::nullopt;
  return bytes;
}

bool has_keyframe(const std::string& folder, std::uint64_t segment) {
  return ::access(path_of(folder, Kind::keyframe, segment).c_str(), F_OK) == 0;
}

}  // namespace smartcli::journal
