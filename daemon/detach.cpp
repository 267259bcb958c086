#include "detach.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "common/text.hpp"

namespace smartcli {
namespace {

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP) ::signal(number, SIG_DFL);
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGHUP, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// What the child reports: one byte of status, then text.
[[noreturn]] void wait_for_report(int pipe, pid_t child) {
  std::string report;
  char block[512];
  for (;;) {
    const auto n = ::read(pipe, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    report.append(block, static_cast<std::size_t>(n));
    if (report[0] == 0) ::_exit(0);
  }
  if (report.empty()) {
    int status = 0;
    ::waitpid(child, &status, 0);
    const std::string message = WIFSIGNALED(status)
                                    ? "smartclid: killed by signal " + std::to_string(WTERMSIG(status)) + "\n"
                                    : "smartclid: ended before it was ready\n";
    (void)!::write(2, message.data(), message.size());
    ::_exit(4);
  }
  const std::string message = report.substr(1) + "\n";
  (void)!::write(2, message.data(), message.size());
  ::_exit(report[0]);
}

}  // namespace

Detached Detached::fork_away() {
  ::close_range(3, ~0U, 0);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    std::perror("smartclid: pipe");
    ::_exit(4);
  }
  const pid_t child = ::fork();
  if (child < 0) {
    std::perror("smartclid: fork");
    ::_exit(4);
  }
  if (child > 0) {
    ::close(ends[1]);
    wait_for_report(ends[0], child);
  }
  ::close(ends[0]);
  ::setsid();
  if (::chdir("/") != 0) ::_exit(4);
  ::umask(077);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  if (null > 2) ::close(null);
  reset_signals();
  return Detached(ends[1]);
}

Detached Detached::in_foreground() {
  reset_signals();
  ::umask(077);
  return Detached(-1);
}

void Detached::ready() {
  if (pipe_ < 0) return;
  const char byte = 0;
  (void)!::write(pipe_, &byte, 1);
  ::close(pipe_);
  pipe_ = -1;
}

void Detached::fail(int status, const std::string& message) {
  const std::string line = text::inert_line("smartclid: " + message);
  if (pipe_ >= 0) {
    const std::string report = static_cast<char>(status) + line;
    (void)!::write(pipe_, report.data(), report.size());
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  ::_exit(status);
}

}  // namespace smartcli
