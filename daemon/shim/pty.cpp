#include "shim/pty.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>

#include "shim/sys.hpp"
#include "shim_abi/header.hpp"

namespace smartcli::shim {

int open_pty(int cols, int rows, Pty* pty, Fd* slave) {
  pty->master.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pty->master) return errno;
  const int master = pty->master.get();
  if (::grantpt(master) != 0 || ::unlockpt(master) != 0) return errno;
  // By descriptor, not by the slave's path: that could name another terminal in a foreign mount of devpts.
  slave->reset(::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!*slave) return errno;
  struct stat status {};
  if (::fstat(slave->get(), &status) != 0) return errno;
  const unsigned minor = ::minor(status.st_rdev);
  pty->device = status.st_rdev;
  pty->tty =
      static_cast<std::int32_t>((minor & 0xff) | ::major(status.st_rdev) << 8 | (minor & ~0xffu) << 12);
  if (int error = set_size(master, cols, rows, 0, 0)) return error;
  termios settings{};
  if (::tcgetattr(slave->get(), &settings) != 0) return errno;
  settings.c_iflag |= IUTF8;
  if (::tcsetattr(slave->get(), TCSANOW, &settings) != 0) return errno;
  set_nonblocking(master);
  return 0;
}

std::uint32_t line_flags(const termios& settings) {
  using namespace shim_abi;
  return ((settings.c_lflag & ICANON) ? std::uint32_t{kLineCanonical} : 0) |
         ((settings.c_lflag & ECHO) ? std::uint32_t{kLineEcho} : 0) |
         ((settings.c_iflag & ICRNL) ? std::uint32_t{kLineIcrnl} : 0) |
         ((settings.c_lflag & ISIG) ? std::uint32_t{kLineSignals} : 0) |
         ((settings.c_lflag & ECHOCTL) ? std::uint32_t{kLineEchoctl} : 0);
}

int set_size(int master, int cols, int rows, int pixel_width, int pixel_height) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(cols);
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_xpixel = static_cast<unsigned short>(pixel_width);
  size.ws_ypixel = static_cast<unsigned short>(pixel_height);
  return ::ioctl(master, TIOCSWINSZ, &size) == 0 ? 0 : errno;
}

}  // namespace smartcli::shim
