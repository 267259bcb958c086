#pragma once

#include <string>

namespace smartcli::client {

struct Started {
  int status = 4;  ///< of smartclid's launcher: 0 it serves, 9 another daemon holds the lock, else it failed
  std::string message;  ///< what it said
};

/// Runs the daemon's launcher and waits for it: it exits once the daemon serves its socket (or cannot).
Started start_daemon(const std::string& program);

/// What `PROGRAM --version` prints, without its last newline; empty if it does not run.
std::string version_of(const std::string& program);

}  // namespace smartcli::client
