#include "shim/facts.hpp"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/fd.hpp"
#include "shim/family.hpp"
#include "shim/sys.hpp"

namespace smartcli::shim {

using namespace shim_abi;

namespace {

constexpr int kThreads = 16;  // looked at, of one process
constexpr std::uint64_t kPolled = 64;

using Path = Text<96>;

Path process_path(pid_t pid, const char* what) {
  Path path;
  path.add("/proc/").add_number(static_cast<std::uint64_t>(pid)).add(what);
  return path;
}

struct Call {
  long number = -1;  // -1: in user space
  std::uint64_t arguments[6] = {};
};

bool parse_call(const char* text, Call* call) {
  if (::strncmp(text, "running", 7) == 0) return true;
  const bool negative = *text == '-';
  if (negative) ++text;
  if (*text < '0' || *text > '9') return false;
  long number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + (*text - '0');
  call->number = negative ? -1 : number;
  for (std::uint64_t& argument : call->arguments) {
    while (*text == ' ') ++text;
    if (text[0] != '0' || text[1] != 'x') break;
    for (text += 2;; ++text) {
      const char c = *text;
      if (c >= '0' && c <= '9')
        argument = argument << 4 | static_cast<std::uint64_t>(c - '0');
      else if (c >= 'a' && c <= 'f')
        argument = argument << 4 | static_cast<std::uint64_t>(c - 'a' + 10);
      else
        break;
    }
  }
  return true;
}

/// Looks through one process's eyes.
class Waiting {
 public:
  Waiting(const Pty& pty, const ProcStat& process) : pty_(pty), process_(process) {}

  /// As in ProcessFacts.
  std::uint8_t on_terminal(const Call& call) const {
    const std::uint64_t* argument = call.arguments;
    switch (call.number) {
      case SYS_read:
      case SYS_readv: return is_terminal(argument[0]) ? 1 : 0;
#ifdef SYS_poll
      case SYS_poll:
#endif
      case SYS_ppoll: return in_poll(argument[0], argument[1]);
#ifdef SYS_select
      case SYS_select:
#endif
      case SYS_pselect6: return in_select(argument[0], argument[1]);
#ifdef SYS_epoll_wait
      case SYS_epoll_wait:
#endif
      case SYS_epoll_pwait:
      case SYS_epoll_pwait2: return in_epoll(argument[0]);
      default: return 0;
    }
  }

 private:
  bool is_terminal(std::uint64_t fd) const {
    Path path = process_path(process_.pid, "/fd/");
    path.add_number(fd & 0xffffffff);
    struct stat status {};
    if (::stat(path.get(), &status) != 0 || !S_ISCHR(status.st_mode)) return false;
    // /dev/tty is whatever controls the process.
    return status.st_rdev == pty_.device || (status.st_rdev == makedev(5, 0) && process_.tty == pty_.tty);
  }

  std::uint8_t among(int terminals, int all) const {
    return terminals == 0 ? 0 : terminals == all ? 2 : 3;
  }

  bool read_memory(std::uint64_t address, void* into, std::size_t bytes) const {
    Fd memory(::open(process_path(process_.pid, "/mem").get(), O_RDONLY | O_CLOEXEC));
    return memory &&
           ::pread(memory.get(), into, bytes, static_cast<off_t>(address)) == static_cast<ssize_t>(bytes);
  }

  std::uint8_t in_poll(std::uint64_t address, std::uint64_t count) const {
    pollfd entries[kPolled];
    if (count == 0 || count > kPolled || !read_memory(address, entries, count * sizeof(pollfd))) return 0;
    int terminals = 0, all = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (entries[i].fd < 0 || entries[i].events == 0) continue;
      ++all;
      if ((entries[i].events & POLLIN) && is_terminal(static_cast<std::uint64_t>(entries[i].fd))) ++terminals;
    }
    return among(terminals, all);
  }

  std::uint8_t in_select(std::uint64_t count, std::uint64_t address) const {
    constexpr std::size_t kWord = 8 * sizeof(std::uint64_t);
    std::uint64_t words[FD_SETSIZE / kWord] = {};
    if (address == 0 || count == 0 || count > FD_SETSIZE) return 0;
    if (!read_memory(address, words, (count + kWord - 1) / kWord * sizeof words[0])) return 0;
    int terminals = 0, all = 0;
    for (std::uint64_t fd = 0; fd < count; ++fd) {
      if (!(words[fd / kWord] >> (fd % kWord) & 1)) continue;
      ++all;
      if (is_terminal(fd)) ++terminals;
    }
    return among(terminals, all);
  }

  std::uint8_t in_epoll(std::uint64_t epoll) const {
    char text[4096];
    Path path = process_path(process_.pid, "/fdinfo/");
    path.add_number(epoll & 0xffffffff);
    if (read_small(path.get(), text, sizeof text) <= 0) return 0;
    int terminals = 0, all = 0;
    for (const char* line = ::strstr(text, "tfd:"); line; line = ::strstr(line, "tfd:")) {
      line += 4;
      while (*line == ' ') ++line;
      std::uint64_t fd = 0;
      for (; *line >= '0' && *line <= '9'; ++line) fd = fd * 10 + static_cast<std::uint64_t>(*line - '0');
      ++all;
      if (is_terminal(fd)) ++terminals;
    }
    return among(terminals, all);
  }

  const Pty& pty_;
  const ProcStat& process_;
};

void describe(const Pty& pty, const ProcStat& process, ProcessFacts* facts) {
  *facts = {};
  facts->pid = process.pid;
  facts->group = process.group;
  facts->state = process.state;
  facts->syscall = -1;
  ::memcpy(facts->name, process.name, sizeof facts->name);
  const Waiting waiting(pty, process);
  int looked_at = 0;
  // The main thread speaks for the process unless another one waits for the terminal.
  for_each_number(process_path(process.pid, "/task").get(), [&](pid_t thread) {
    if (++looked_at > kThreads || (facts->on_terminal != 0 && thread != process.pid)) return;
    Path path = process_path(process.pid, "/task/");
    path.add_number(static_cast<std::uint64_t>(thread)).add("/syscall");
    char text[256];
    Call call;
    if (read_small(path.get(), text, sizeof text) <= 0 || !parse_call(text, &call)) return;
    const std::uint8_t on_terminal = waiting.on_terminal(call);
    if (thread == process.pid || on_terminal != 0) {
      facts->syscall_known = 1;
      facts->syscall = static_cast<std::int32_t>(call.number);
      facts->on_terminal = on_terminal;
    }
  });
}

}  // namespace

void gather_facts(const Pty& pty, bool has_slave, const OwnPrograms& own, FactsReply* reply) {
  Facts& facts = reply->facts;
  facts = {};
  facts.foreground_group = -1;
  pid_t group = -1;
  if (::ioctl(pty.master.get(), TIOCGPGRP, &group) == 0 && group > 0) facts.foreground_group = group;
  termios settings{};
  if (::tcgetattr(pty.master.get(), &settings) == 0) facts.line_flags = line_flags(settings);
  if (has_slave) {
    Fd slave(::ioctl(pty.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    int pending = 0;
    if (slave && ::ioctl(slave.get(), FIONREAD, &pending) == 0 && pending > 0)
      facts.input_pending = static_cast<std::uint32_t>(pending);
  }
  if (group <= 0) return;
  static Family family;
  family.collect(own);
  for (const ProcStat& process : family)
    if (process.group == group && facts.processes < kFactsProcesses)
      describe(pty, process, &reply->processes[facts.processes++]);
}

}  // namespace smartcli::shim
