#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

// What /proc says about processes, and safe ways to act on it.

namespace smartcli::shim {

struct ProcStat {
  pid_t pid = 0;
  char name[16] = {};
  char state = '?';
  pid_t parent = 0, group = 0, session = 0;
  std::int32_t tty = 0;
  std::uint64_t start_ticks = 0;
};

/// Pure. @return false if the text is no /proc/PID/stat
bool parse_stat(const char* text, std::size_t bytes, ProcStat* stat);
bool read_stat(pid_t pid, ProcStat* stat);

/// Calls `visit(number)` for each numeric entry of a folder in /proc; without allocation.
template <class Visit>
bool for_each_number(const char* folder, Visit&& visit);

/// Signals the process only if it is still the one that `stat` describes (pids are recycled).
bool signal_exactly(const ProcStat& stat, int number);

/// Which executables are ours: the shim's own file, and smartcli's programs installed beside it.
class OwnPrograms {
 public:
  void learn();  ///< looks at /proc/self/exe
  bool is_one(const ProcStat& stat) const;

 private:
  std::uint64_t device_ = 0, inode_ = 0;
  char folder_[4096] = {};
  std::size_t folder_length_ = 0;
};

/// False of a process that is ending: it has given up its program, though it may not be a zombie yet.
bool has_program(pid_t pid);

/// Decimal digits only; -1 otherwise.
std::int64_t parse_number(const char* text);

namespace detail {
/// One getdents64 at a time into a buffer of the caller's.
class Folder {
 public:
  explicit Folder(const char* path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  bool is_open() const { return fd_ >= 0; }
  const char* next();

 private:
  int fd_;
  long have_ = 0, at_ = 0;
  alignas(8) char buffer_[2048];
};
}  // namespace detail

template <class Visit>
bool for_each_number(const char* path, Visit&& visit) {
  detail::Folder folder(path);
  if (!folder.is_open()) return false;
  while (const char* entry = folder.next()) {
    const std::int64_t number = parse_number(entry);
    if (number > 0) visit(static_cast<pid_t>(number));
  }
  return true;
}

}  // namespace smartcli::shim
