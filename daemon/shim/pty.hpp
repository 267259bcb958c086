#pragma once

#include <sys/types.h>
#include <termios.h>

#include <cstdint>

#include "common/fd.hpp"

namespace smartcli::shim {

struct Pty {
  Fd master;             ///< nonblocking
  std::int32_t tty = 0;  ///< the slave's device as field 7 of /proc/PID/stat spells it
  dev_t device = 0;      ///< the slave's st_rdev
};

/// Opens a PTY of that size with IUTF8 set, and its slave. @return 0 or errno
int open_pty(int cols, int rows, Pty* pty, Fd* slave);

/// shim_abi::LineFlags
std::uint32_t line_flags(const termios& settings);

int set_size(int master, int cols, int rows, int pixel_width, int pixel_height);

}  // namespace smartcli::shim
