#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "shim/shim.hpp"
#include "shim/sys.hpp"

namespace smartcli::shim {

using namespace shim_abi;

namespace {

constexpr std::uint32_t kTermGraceMs = 2000;
constexpr std::int64_t kListenerPauseMs = 1000;

enum Place { kSignals, kListener, kCredit, kPty, kPeers, kPlaces = kPeers + kConnections };

}  // namespace

void Shim::loop() {
  now_ = monotonic_ms();
  restore_at_ = now_ + kRebindMs;
  while (!done_) poll_once();
}

std::int64_t Shim::next_deadline() const {
  std::int64_t next = restore_at_;
  const auto consider = [&next](bool counts, std::int64_t at) {
    if (counts && at < next) next = at;
  };
  consider(ending_.stage != Stage::none, ending_.look_at);
  consider(died_at_ != kNever && !exit_reported_, died_at_ + kExitReportMs);
  consider(!hung_up_ && pty_pause_until_ > now_, pty_pause_until_);
  consider(listener_pause_until_ > now_, listener_pause_until_);
  consider(out_of_credit_ && !away_, out_of_credit_since_ + kStuckDaemonMs);
  consider(true, journal_.retry_at());
  consider(true, trim_at_);
  return next;
}

void Shim::poll_once() {
  look_at_credit();
  const bool pty_open = !hung_up_ && now_ >= pty_pause_until_;
  const bool want_read = pty_open && !out_of_credit_;
  const bool want_write = pty_open && has_queued();

  pollfd set[kPlaces];
  set[kSignals] = {signals_.get(), POLLIN, 0};
  set[kListener] = {now_ >= listener_pause_until_ ? files_.listener() : -1, POLLIN, 0};
  set[kCredit] = {credit_event_.get(), POLLIN, 0};
  set[kPty] = {want_read || want_write ? pty_.master.get() : -1,
               static_cast<short>((want_read ? POLLIN : 0) | (want_write ? POLLOUT : 0)), 0};
  // Remembered by age: a connection may be dropped and its place taken while this round is worked through.
  std::uint32_t ages[kConnections];
  for (int i = 0; i < kConnections; ++i) {
    const Connection& peer = peers_.begin()[i];
    set[kPeers + i] = {peer.socket ? peer.socket.get() : -1, POLLIN, 0};
    ages[i] = peer.age;
  }

  const std::int64_t deadline = next_deadline();
  const int timeout = deadline <= now_ ? 0 : static_cast<int>(deadline - now_);
  const int ready = ::poll(set, kPlaces, timeout);
  now_ = monotonic_ms();
  if (ready > 0) {
    if (set[kSignals].revents) on_signal();
    for (int i = 0; i < kConnections && !done_; ++i) {
      Connection& peer = peers_.begin()[i];
      if (set[kPeers + i].revents && peer.socket && peer.age == ages[i]) on_connection(peer);
    }
    if (set[kCredit].revents) {
      std::uint64_t count;
      (void)!::read(credit_event_.get(), &count, sizeof count);
    }
    if (set[kPty].revents && !hung_up_) {
      if ((set[kPty].revents & POLLOUT) && has_queued()) write_input();
      if (want_read && (set[kPty].revents & (POLLIN | POLLHUP | POLLERR)))
        read_output();
      else if (set[kPty].revents & (POLLHUP | POLLERR))
        pause_pty();  // nobody has it open, and poll would say so again at once
    }
    if (set[kListener].revents && !peers_.accept_all(files_.listener()))
      listener_pause_until_ = now_ + kListenerPauseMs;
  }
  run_timers();
}

void Shim::run_timers() {
  if (!peers_.owner() && files_.header().owner_pid.load(std::memory_order_relaxed) != 0)
    files_.header().owner_pid.store(0, std::memory_order_relaxed);
  if (out_of_credit_ && !away_ && now_ >= out_of_credit_since_ + kStuckDaemonMs) {
    look_at_credit();
    if (out_of_credit_) {
      away_ = true;
      out_of_credit_ = false;
    }
  }
  report_exit_when_due();
  step_ending();
  if (journal_.is_degraded() && now_ >= journal_.retry_at()) {
    journal_.retry(now_);
    publish();
  }
  if (now_ >= trim_at_) {
    trim_read_buffer();
    trim_at_ = kNever;
  }
  if (now_ >= restore_at_) {
    files_.restore();
    restore_at_ = now_ + kRebindMs;
  }
}

void Shim::on_signal() {
  signalfd_siginfo info;
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGCHLD)
      reap();
    else if (info.ssi_signo == SIGTERM)
      begin_ending(nullptr, nullptr, kTermGraceMs, false, false, Fd());
  }
}

}  // namespace smartcli::shim
