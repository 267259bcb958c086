#pragma once

#include <string>

namespace smartcli {

/// Leaves the terminal, session and folder of whoever started us. The caller's process goes on in a child;
/// the parent waits until the child reports, then exits: 0 after `ready`, else with the reported status, its
/// text on stderr.
class Detached {
 public:
  /// Closes every inherited descriptor above 2, forks, setsid, chdir /, standard streams to /dev/null,
  /// signals to their defaults. Returns in the child only.
  static Detached fork_away();
  /// Stays in the foreground: `ready` and `fail` write to stderr.
  static Detached in_foreground();

  void ready();
  [[noreturn]] void fail(int status, const std::string& message);

 private:
  explicit Detached(int pipe) : pipe_(pipe) {}
  int pipe_;
};

}  // namespace smartcli
