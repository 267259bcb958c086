#include "shim/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "common/fd.hpp"

namespace smartcli::shim {

using namespace shim_abi;

namespace {

struct Failure {
  StartStage stage;
  int error;
};

constexpr int kStatus = 3;  // where the child keeps the pipe on which it tells of a failure

[[noreturn]] void fail(StartStage stage) {
  const Failure failure{stage, errno};
  (void)!::write(kStatus, &failure, sizeof failure);
  ::_exit(127);
}

void set_limit(decltype(RLIMIT_CORE) which, rlim_t soft, rlim_t hard) {
  rlimit now{};
  ::getrlimit(which, &now);
  rlimit wanted{soft, hard};
  if (::setrlimit(which, &wanted) == 0) return;
  // Without privilege the hard limit cannot grow; as much as it allows is better than nothing.
  wanted.rlim_max = wanted.rlim_max < now.rlim_max ? wanted.rlim_max : now.rlim_max;
  wanted.rlim_cur = wanted.rlim_cur < wanted.rlim_max ? wanted.rlim_cur : wanted.rlim_max;
  ::setrlimit(which, &wanted);
}

[[noreturn]] void become_program(const StartView& start, int slave, int status,
                                 const InheritedLimits& limits) {
  if (::setsid() < 0 || ::ioctl(slave, TIOCSCTTY, 0) != 0) {
    ::dup3(status, kStatus, O_CLOEXEC);
    fail(StartStage::pty);
  }
  for (int fd = 0; fd < 3; ++fd) ::dup2(slave, fd);
  if (status != kStatus) ::dup3(status, kStatus, O_CLOEXEC);
  ::syscall(SYS_close_range, kStatus + 1, ~0u, 0);

  // By system call: libc keeps 32 and 33 to itself, but a starter may have left them ignored.
  struct {
    void* handler;
    unsigned long flags;
    void* restorer;
    unsigned long mask;
  } by_default{};
  for (int number = 1; number < _NSIG; ++number) ::syscall(SYS_rt_sigaction, number, &by_default, nullptr, 8);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);

  const StartBlock& block = *start.block;
  set_limit(RLIMIT_FSIZE, limits.file_size.rlim_cur, limits.file_size.rlim_max);
  if (block.flags & kStartCore)
    set_limit(RLIMIT_CORE, block.core_soft, block.core_hard);
  else
    set_limit(RLIMIT_CORE, limits.core.rlim_cur, limits.core.rlim_max);
  if (block.nofile_soft != 0 || block.nofile_hard != 0)
    set_limit(RLIMIT_NOFILE, block.nofile_soft, block.nofile_hard);
  ::umask(static_cast<mode_t>(block.umask & 0777));

  const std::size_t pointers = std::size_t{block.argc} + block.envc + 2;
  void* memory =
      ::mmap(nullptr, pointers * sizeof(char*), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail(StartStage::fork);
  char** const argv = static_cast<char**>(memory);
  char** const envp = argv + block.argc + 1;
  char* at = const_cast<char*>(start.args);
  for (std::uint32_t i = 0; i < block.argc; ++i, at += ::strlen(at) + 1) argv[i] = at;
  for (std::uint32_t i = 0; i < block.envc; ++i, at += ::strlen(at) + 1) envp[i] = at;
  if (::chdir(start.cwd) != 0) fail(StartStage::chdir);
  ::execve(start.program, argv, envp);
  fail(StartStage::exec);
}

}  // namespace

Spawned spawn_program(const StartView& start, int slave, const InheritedLimits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {StartStage::fork, errno, -1};
  Fd reading(ends[0]), writing(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return {StartStage::fork, errno, -1};
  if (pid == 0) become_program(start, slave, writing.get(), limits);
  writing.reset();
  Failure failure{StartStage::running, 0};
  ssize_t n;
  do n = ::read(reading.get(), &failure, sizeof failure);
  while (n < 0 && errno == EINTR);
  if (n == 0) return {StartStage::running, 0, pid};
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return {failure.stage, failure.error, -1};
}

}  // namespace smartcli::shim
