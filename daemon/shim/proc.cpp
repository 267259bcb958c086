#include "shim/proc.hpp"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "common/fd.hpp"
#include "shim/sys.hpp"

namespace smartcli::shim {

std::int64_t parse_number(const char* text) {
  std::int64_t value = 0;
  if (!*text) return -1;
  for (; *text; ++text) {
    if (*text < '0' || *text > '9' || value > INT32_MAX) return -1;
    value = value * 10 + (*text - '0');
  }
  return value;
}

bool parse_stat(const char* text, std::size_t bytes, ProcStat* stat) {
  const char* const end = text + bytes;
  // The name is the program's to choose and may hold parentheses and spaces: it ends at the last ')'.
  const char* open = static_cast<const char*>(::memchr(text, '(', bytes));
  const char* close = static_cast<const char*>(::memrchr(text, ')', bytes));
  if (!open || !close || close < open || end - close < 4) return false;
  std::uint32_t pid = 0;
  for (const char* c = text; c < open && *c >= '0' && *c <= '9'; ++c)
    pid = pid * 10 + static_cast<std::uint32_t>(*c - '0');
  stat->pid = static_cast<pid_t>(pid);
  const std::size_t length = static_cast<std::size_t>(close - open - 1);
  ::memset(stat->name, 0, sizeof stat->name);
  ::memcpy(stat->name, open + 1, length < sizeof stat->name - 1 ? length : sizeof stat->name - 1);
  stat->state = close[2];
  std::int64_t fields[20] = {};  // from field 4 on
  int count = 0;
  const char* at = close + 3;
  while (at < end && count < 19) {
    while (at < end && *at == ' ') ++at;
    if (at == end) break;
    const bool negative = *at == '-';
    if (negative) ++at;
    std::uint64_t value = 0;
    if (at == end || *at < '0' || *at > '9') break;
    for (; at < end && *at >= '0' && *at <= '9'; ++at)
      value = value * 10 + static_cast<std::uint64_t>(*at - '0');
    fields[count++] = static_cast<std::int64_t>(negative ? 0 - value : value);
  }
  if (count < 19) return false;
  stat->parent = static_cast<pid_t>(fields[0]);
  stat->group = static_cast<pid_t>(fields[1]);
  stat->session = static_cast<pid_t>(fields[2]);
  stat->tty = static_cast<std::int32_t>(fields[3]);
  stat->start_ticks = static_cast<std::uint64_t>(fields[18]);
  return true;
}

bool read_stat(pid_t pid, ProcStat* stat) {
  char text[1024];
  Text<48> path;
  path.add("/proc/").add_number(static_cast<std::uint64_t>(pid)).add("/stat");
  const std::ptrdiff_t bytes = read_small(path.get(), text, sizeof text);
  return bytes > 0 && parse_stat(text, static_cast<std::size_t>(bytes), stat);
}

bool signal_exactly(const ProcStat& stat, int number) {
  Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, stat.pid, 0)));
  if (!handle) return false;
  ProcStat now;
  if (!read_stat(stat.pid, &now) || now.start_ticks != stat.start_ticks) return false;
  return ::syscall(SYS_pidfd_send_signal, handle.get(), number, nullptr, 0) == 0;
}

void OwnPrograms::learn() {
  struct stat status {};
  if (::stat("/proc/self/exe", &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  const ssize_t n = ::readlink("/proc/self/exe", folder_, sizeof folder_ - 1);
  folder_length_ = 0;
  for (ssize_t i = 0; i < n; ++i)
    if (folder_[i] == '/') folder_length_ = static_cast<std::size_t>(i);
  folder_[folder_length_] = 0;
}

bool has_program(pid_t pid) {
  Text<48> path;
  path.add("/proc/").add_number(static_cast<std::uint64_t>(pid)).add("/exe");
  struct stat status {};
  return ::stat(path.get(), &status) == 0 || errno != ENOENT;
}

bool OwnPrograms::is_one(const ProcStat& stat) const {
  static const char* const kNames[] = {"smartcli-shim", "smartclid", "smartcli", "smartcli-render",
                                       "smartcli-crosscheck"};
  Text<48> path;
  path.add("/proc/").add_number(static_cast<std::uint64_t>(stat.pid)).add("/exe");
  struct stat status {};
  if (::stat(path.get(), &status) != 0) {
    // Our programs forbid to be looked into; so may others, hence the name too.
    if (errno != EACCES && errno != EPERM) return false;
    for (const char* name : kNames)
      if (::strncmp(stat.name, name, sizeof stat.name - 1) == 0) return true;
    return false;
  }
  if (status.st_dev == device_ && status.st_ino == inode_) return true;
  char target[4096];
  ssize_t n = ::readlink(path.get(), target, sizeof target - 1);
  if (n <= 0) return false;
  target[n] = 0;
  constexpr char kDeleted[] = " (deleted)";  // an upgraded program still is ours
  constexpr ssize_t kDeletedLength = sizeof kDeleted - 1;
  if (n > kDeletedLength && same_text(target + n - kDeletedLength, kDeleted)) target[n -= kDeletedLength] = 0;
  char* const slash = ::strrchr(target, '/');
  if (!slash) return false;
  *slash = 0;
  bool named = false;
  for (const char* name : kNames) named = named || same_text(slash + 1, name);
  if (!named) return false;
  if (same_text(target, folder_)) return true;
  // The shim may stand in PREFIX/libexec (or a folder in it) and the rest in PREFIX/bin.
  const char* const libexec = ::strstr(folder_, "/libexec");
  return libexec && ::strncmp(target, folder_, static_cast<std::size_t>(libexec - folder_)) == 0 &&
         same_text(target + (libexec - folder_), "/bin");
}

namespace detail {

Folder::Folder(const char* path) : fd_(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

Folder::~Folder() {
  if (fd_ >= 0) ::close(fd_);
}

const char* Folder::next() {
  struct Entry {
    std::uint64_t inode, offset;
    std::uint16_t bytes;
    unsigned char type;
    char name[1];
  };
  if (at_ >= have_) {
    have_ = ::syscall(SYS_getdents64, fd_, buffer_, sizeof buffer_);
    at_ = 0;
    if (have_ <= 0) return nullptr;
  }
  const auto* entry = reinterpret_cast<const Entry*>(buffer_ + at_);
  at_ += entry->bytes;
  return buffer_ + (reinterpret_cast<const char*>(entry) - buffer_) + offsetof(Entry, name);
}

}  // namespace detail

}  // namespace smartcli::shim
