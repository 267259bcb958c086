#include <sys/wait.h>
#include <unistd.h>

#include "shim/shim.hpp"
#include "shim/sys.hpp"

namespace smartcli::shim {

using namespace shim_abi;

/// The program, and whoever was left to the shim as the nearest subreaper.
void Shim::reap() {
  int status = 0;
  pid_t pid;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (ending_.stage != Stage::none) ending_.look_at = now_;
    if (pid != child_) continue;
    child_ = -1;
    child_status_ = status;
    died_at_ = now_;
    died_realtime_ns_ = realtime_ns();
    died_offset_ = journal_.offset();
    pty_pause_until_ = 0;
    out_of_credit_ = false;
    give_up_input();
  }
}

/// Survivors keep the terminal open and go on writing, so the end of output may never come; what the program
/// itself wrote does come before it, or within the time.
void Shim::report_exit_when_due() {
  if (died_at_ == kNever) return;
  if (!exit_reported_ && (hung_up_ || now_ >= died_at_ + kExitReportMs)) report_exit();
  if (exit_reported_ && hung_up_ && !hung_up_told_) tell_hung_up();
}

void Shim::report_exit() {
  exit_reported_ = true;
  ExitEvent record{};
  record.head.type = EventType::exit;
  record.head.bytes = sizeof record;
  if (WIFEXITED(child_status_)) {
    record.kind = ExitKind::code;
    record.value = WEXITSTATUS(child_status_);
  } else if (WIFSIGNALED(child_status_)) {
    record.kind = ExitKind::signal;
    record.value = WTERMSIG(child_status_);
  } else {
    record.kind = ExitKind::unknown;
  }
  record.time_ns = died_realtime_ns_;
  journal_.event(&record.head, Weight::vital);
  journal_.exit_file(record);

  Header& h = files_.header();
  h.exit_value = record.value;
  h.exit_offset = journal_.offset();
  h.exit_realtime_ns = record.time_ns;
  h.exit_kind.store(static_cast<std::uint32_t>(record.kind), std::memory_order_relaxed);
  h.phase.store(static_cast<std::uint32_t>(Phase::ended), std::memory_order_release);
  publish();
  ExitedNotice notice{};
  notice.head = {MessageType::exited, 0, sizeof notice, 0};
  notice.kind = record.kind;
  notice.value = record.value;
  notice.offset = journal_.offset();
  peers_.send(peers_.owner(), &notice, sizeof notice);
  sync_in_background();
}

void Shim::tell_hung_up() {
  hung_up_told_ = true;
  MessageHead notice{MessageType::hung_up, 0, sizeof notice, 0};
  peers_.send(peers_.owner(), &notice, sizeof notice);
}

/// In a process of its own, for a slow disk may take seconds, and survivors and `close` should not wait for
/// it.
void Shim::sync_in_background() {
  const pid_t pid = ::fork();
  if (pid != 0) return;
  // None of these may outlive the shim on account of the disk.
  pty_.master.reset();
  ::close(files_.listener());
  for (Connection& peer : peers_) peer.socket.reset();
  journal_.sync();
  ::_exit(0);
}

}  // namespace smartcli::shim
