#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "shim/shim.hpp"
#include "shim/sys.hpp"

namespace smartcli::shim {

using namespace shim_abi;

namespace {

StartReport failed(StartStage stage, int error) {
  StartReport report{};
  report.stage = stage;
  report.errno_value = error;
  report.abi_major = kAbiMajor;
  report.abi_minor = kAbiMinor;
  return report;
}

/// What protects the shim and is not for the program: see child.cpp, which undoes it.
void settle_process(InheritedLimits* limits) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // The start block holds the program's environment: no core, and no look into our memory or descriptors.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::getrlimit(RLIMIT_CORE, &limits->core);
  ::getrlimit(RLIMIT_FSIZE, &limits->file_size);
  const rlimit no_core{0, limits->core.rlim_max};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const rlimit any_size{limits->file_size.rlim_max, limits->file_size.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &any_size);
  ::umask(077);
  (void)!::chdir("/");

  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
  ::sigaction(SIGXFSZ, &ignore, nullptr);
  // An inherited SIG_IGN would let the kernel reap the program and throw its status away.
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &by_default, nullptr);
  sigset_t all;
  ::sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) ::sigdelset(&all, fault);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

int Shim::run(Fd start_block, Fd pair) {
  block_ = static_cast<Fd&&>(start_block);
  settle_process(&limits_);
  own_.learn();
  set_nonblocking(pair.get());
  const StartReport report = start();
  (void)!::send(pair.get(), &report, sizeof report, MSG_NOSIGNAL);
  if (report.stage != StartStage::running) return 1;
  peers_.add(static_cast<Fd&&>(pair));
  loop();
  return 0;
}

StartReport Shim::start() {
  MappedStart mapped;
  if (int error = mapped.map(block_.get())) return failed(StartStage::invalid, error);
  const StartView& start = mapped.view();

  sigset_t watched;
  ::sigemptyset(&watched);
  ::sigaddset(&watched, SIGCHLD);
  ::sigaddset(&watched, SIGTERM);
  signals_.reset(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  output_event_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  credit_event_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  spool_.reset(::memfd_create("spool", MFD_CLOEXEC));
  if (!signals_ || !output_event_ || !credit_event_ || !spool_ ||
      ::ftruncate(spool_.get(), kSpoolBytes + kSpoolEventBytes) != 0)
    return failed(StartStage::runtime, errno);

  if (int error = files_.create(start)) return failed(StartStage::runtime, error);
  if (int error = journal_.open(start.journal, spool_.get(), &files_.header(), start.block->journal_cap)) {
    if (error != EEXIST) journal_.remove();
    files_.remove();
    return failed(StartStage::journal, error);
  }
  if (int error = files_.bind_socket()) {
    journal_.remove();
    files_.remove();
    return failed(StartStage::socket, error);
  }
  const Spawned spawned = start_program(start, start.block->cols, start.block->rows, &pty_);
  int error = spawned.error;
  StartStage stage = spawned.stage;
  if (stage == StartStage::running) {
    enter_program(spawned.pid, start.block->cols, start.block->rows);
    if ((error = files_.publish_header())) {
      ::kill(spawned.pid, SIGKILL);
      stage = StartStage::runtime;
    }
  }
  if (stage != StartStage::running) {
    journal_.remove();
    files_.remove();
    return failed(stage, error);
  }
  StartReport report = failed(StartStage::running, 0);
  report.shim_pid = ::getpid();
  report.child_pid = spawned.pid;
  return report;
}

Spawned Shim::start_program(const StartView& start, int cols, int rows, Pty* pty) {
  Fd slave;
  if (int error = open_pty(cols, rows, pty, &slave)) return {StartStage::pty, error, -1};
  return spawn_program(start, slave.get(), limits_);
}

void Shim::enter_program(pid_t pid, int cols, int rows) {
  Header& h = files_.header();
  ProcStat stat;
  child_ = session_ = pid;
  h.child_pid = pid;
  h.child_start_ticks = read_stat(pid, &stat) ? stat.start_ticks : 0;
  h.started_realtime_ns = realtime_ns();
  h.cols = static_cast<std::uint16_t>(cols);
  h.rows = static_cast<std::uint16_t>(rows);
  h.phase.store(static_cast<std::uint32_t>(Phase::running), std::memory_order_release);
}

}  // namespace smartcli::shim
