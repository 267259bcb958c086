#pragma once

#include <sys/types.h>

#include "shim/proc.hpp"

namespace smartcli::shim {

/// The shim's descendants: as a subreaper it stays the ancestor of all that its program ever starts. Our own
/// programs are left out with all below them: a daemon or shim that was started inside a session is not the
/// session's.
class Family {
 public:
  static constexpr int kMost = 512;  ///< more are found once some of these are gone

  /// Looks at /proc. Living ones only (no zombies).
  void collect(const OwnPrograms& own);
  /// All processes with this controlling terminal, wherever they descend from; a look at every process there
  /// is.
  void collect_by_tty(std::int32_t tty, const OwnPrograms& own);

  const ProcStat* begin() const;
  const ProcStat* end() const;

 private:
  void add_children(pid_t pid, const OwnPrograms& own);
  void add_thread_children(pid_t pid, pid_t thread, const OwnPrograms& own);
  void collect_by_parent(const OwnPrograms& own);
  void add(pid_t pid, const OwnPrograms& own);
  bool holds(pid_t pid) const;
  int count_ = 0;
};

}  // namespace smartcli::shim
