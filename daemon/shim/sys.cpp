#include "shim/sys.hpp"

#include <fcntl.h>
#include <string.h>
#include <time.h>

#include <cerrno>

#include "common/fd.hpp"

namespace smartcli::shim {

std::int64_t monotonic_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1'000'000;
}

std::int64_t realtime_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

std::ptrdiff_t read_small(const char* path, char* into, std::size_t capacity) {
  Fd file(::open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) return -1;
  std::size_t have = 0;
  while (have + 1 < capacity) {
    const ssize_t n = ::read(file.get(), into + have, capacity - 1 - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  into[have] = 0;
  return static_cast<std::ptrdiff_t>(have);
}

int write_at(int fd, const void* data, std::size_t bytes, std::uint64_t offset) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::pwrite(fd, from, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ENOSPC;
    from += n;
    bytes -= static_cast<std::size_t>(n);
    offset += static_cast<std::uint64_t>(n);
  }
  return 0;
}

int read_at(int fd, void* data, std::size_t bytes, std::uint64_t offset) {
  char* into = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::pread(fd, into, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;
    into += n;
    bytes -= static_cast<std::size_t>(n);
    offset += static_cast<std::uint64_t>(n);
  }
  return 0;
}

void set_nonblocking(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

bool same_text(const char* a, const char* b) {
  return ::strcmp(a, b) == 0;
}

}  // namespace smartcli::shim
