#include "shim/family.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "common/fd.hpp"
#include "shim/sys.hpp"

namespace smartcli::shim {

namespace {

ProcStat table[Family::kMost];  // apart from the object, so that its pages stay untouched until a `close`

Text<80> children_file(pid_t pid, pid_t thread) {
  Text<80> path;
  path.add("/proc/").add_number(static_cast<std::uint64_t>(pid)).add("/task/");
  path.add_number(static_cast<std::uint64_t>(thread)).add("/children");
  return path;
}

}  // namespace

const ProcStat* Family::begin() const {
  return table;
}
const ProcStat* Family::end() const {
  return table + count_;
}

bool Family::holds(pid_t pid) const {
  for (int i = 0; i < count_; ++i)
    if (table[i].pid == pid) return true;
  return false;
}

void Family::add(pid_t pid, const OwnPrograms& own) {
  if (count_ == kMost || pid == ::getpid()) return;
  ProcStat stat;
  if (!read_stat(pid, &stat) || stat.state == 'Z' || stat.state == 'X' || own.is_one(stat)) return;
  table[count_++] = stat;
}

void Family::add_thread_children(pid_t pid, pid_t thread, const OwnPrograms& own) {
  Fd file(::open(children_file(pid, thread).get(), O_RDONLY | O_CLOEXEC));
  if (!file) return;
  char text[512];
  std::int64_t number = 0;
  for (ssize_t n; (n = ::read(file.get(), text, sizeof text)) > 0;) {
    for (ssize_t i = 0; i < n; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        number = number * 10 + (text[i] - '0');
      } else if (number > 0) {
        add(static_cast<pid_t>(number), own);
        number = 0;
      }
    }
  }
  if (number > 0) add(static_cast<pid_t>(number), own);
}

void Family::add_children(pid_t pid, const OwnPrograms& own) {
  Text<48> tasks;
  tasks.add("/proc/").add_number(static_cast<std::uint64_t>(pid)).add("/task");
  for_each_number(tasks.get(), [&](pid_t thread) { add_thread_children(pid, thread, own); });
}

void Family::collect_by_parent(const OwnPrograms& own) {
  // Children usually have higher pids than their parents, so this needs a second round only where pids have
  // wrapped.
  for (int before = -1; before != count_;) {
    before = count_;
    for_each_number("/proc", [&](pid_t pid) {
      ProcStat stat;
      if (holds(pid) || !read_stat(pid, &stat)) return;
      if (stat.parent == ::getpid() || holds(stat.parent)) add(pid, own);
    });
  }
}

void Family::collect(const OwnPrograms& own) {
  count_ = 0;
  if (::access(children_file(::getpid(), ::getpid()).get(), R_OK) != 0) return collect_by_parent(own);
  add_children(::getpid(), own);
  for (int i = 0; i < count_; ++i) add_children(table[i].pid, own);
}

void Family::collect_by_tty(std::int32_t tty, const OwnPrograms& own) {
  count_ = 0;
  for_each_number("/proc", [&](pid_t pid) {
    ProcStat stat;
    if (read_stat(pid, &stat) && stat.tty == tty) add(pid, own);
  });
}

}  // namespace smartcli::shim
