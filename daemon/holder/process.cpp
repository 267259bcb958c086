#include "holder/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "shim_abi/header.hpp"

namespace smartcli::holder {
namespace {

/// A small file of /proc, as much of it as fits.
std::string_view read_small(const char* path, char* into, std::size_t size) {
  const Fd file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return {};
  const ssize_t n = ::read(file.get(), into, size);
  return n > 0 ? std::string_view(into, static_cast<std::size_t>(n)) : std::string_view{};
}

}  // namespace

std::optional<std::uint64_t> start_ticks(pid_t pid) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  char buffer[1024];
  std::string_view text = read_small(path, buffer, sizeof buffer);
  // The name in field 2 may hold blanks and brackets: count from its last bracket, where field 3 follows.
  const auto name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= text.size()) return std::nullopt;
  text.remove_prefix(name_end + 2);
  if (text.front() == 'Z' || text.front() == 'X') return std::nullopt;
  for (int field = 3; field < 22; ++field) {
    const auto blank = text.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    text.remove_prefix(blank + 1);
  }
  std::uint64_t ticks = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ticks);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return ticks;
}

std::uint64_t boot_id_hash() {
  constexpr std::size_t kIdCharacters = 36;
  char buffer[64];
  const std::string_view id = read_small("/proc/sys/kernel/random/boot_id", buffer, sizeof buffer);
  return id.size() >= kIdCharacters ? shim_abi::fnv1a(id.data(), kIdCharacters) : 0;
}

Result<Fd> open_process(pid_t pid, std::uint64_t ticks) {
  const Error gone{ErrorCode::session_gone,
                   "the session's shim (process " + std::to_string(pid) + ") has ended"};
  if (pid <= 0) return gone;
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));  // close-on-exec from birth
  if (!pidfd) {
    if (errno == ESRCH) return gone;
    return errno_error(ErrorCode::resource_exhausted, "cannot watch the session's shim", errno);
  }
  // The descriptor first: whatever it names now, it names for ever, and the start time says whether that is
  // the one.
  const auto now = start_ticks(pid);
  if (!now || *now != ticks || has_ended(pidfd.get())) return gone;
  return pidfd;
}

bool has_ended(int pidfd) {
  pollfd entry{pidfd, POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

}  // namespace smartcli::holder
