// smartcli-shim: the parent of one session's program, and the only reader and writer of its terminal. See
// shim_abi/start.hpp for how it is started.

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "shim/shim.hpp"

namespace {

using smartcli::Fd;

/// Leaves the starter: in the end this process is neither its child nor a session leader, which could get a
/// controlling terminal by opening one. The middle process is waited for here, so that nobody has to reap it.
bool detach() {
  const pid_t middle = ::fork();
  if (middle < 0) return false;
  if (middle > 0) {
    while (::waitpid(middle, nullptr, 0) < 0 && errno == EINTR) {
    }
    ::_exit(0);
  }
  ::setsid();
  const pid_t last = ::fork();
  if (last != 0) ::_exit(last < 0 ? 1 : 0);
  return true;
}

}  // namespace

int main() {
  ::syscall(SYS_close_range, 3, ~0u, 0);
  if (!detach()) return 1;
  Fd block(::fcntl(0, F_DUPFD_CLOEXEC, 3)), pair(::fcntl(1, F_DUPFD_CLOEXEC, 3));
  if (!block || !pair) return 1;
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return 1;
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  ::close(null);
  static smartcli::shim::Shim shim;
  const int status = shim.run(static_cast<Fd&&>(block), static_cast<Fd&&>(pair));
  ::_exit(status);
}
