#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "shim/shim.hpp"
#include "shim/sys.hpp"

namespace smartcli::shim {

using namespace shim_abi;

namespace {

constexpr std::size_t kBufferBytes = 64 << 10;
constexpr std::int64_t kTrimMs = 1000;
constexpr std::int64_t kFirstPauseMs = 50, kLastPauseMs = 1000;

alignas(4096) char buffer[kBufferBytes];

}  // namespace

void Shim::publish() {
  journal_.publish();
  Header& h = files_.header();
  if (h.output_armed.exchange(0) != 0) {
    const std::uint64_t one = 1;
    (void)!::write(output_event_.get(), &one, sizeof one);
  }
  if (journal_.is_degraded() != tell_health_) tell_journal_health();
}

void Shim::tell_journal_health() {
  tell_health_ = journal_.is_degraded();
  JournalNotice notice{};
  notice.head = {MessageType::journal, 0, sizeof notice, 0};
  notice.health = tell_health_ ? JournalHealth::degraded : JournalHealth::ok;
  notice.errno_value = tell_health_ ? journal_.error() : 0;
  peers_.send(peers_.owner(), &notice, sizeof notice);
}

/// How much may be read from the PTY now.
std::uint64_t Shim::readable_bytes() {
  look_at_credit();
  if (away_) return kBufferBytes;
  std::uint64_t credit = last_credit_;
  // What the program wrote before it died is in the terminal's buffer, and comes before the exit, credit or
  // not.
  if (died_at_ != kNever && !exit_reported_ && credit < died_offset_ + kDrainBytes)
    credit = died_offset_ + kDrainBytes;
  return credit > journal_.offset() ? credit - journal_.offset() : 0;
}

void Shim::look_at_credit() {
  if (!peers_.owner()) {
    away_ = true;
    out_of_credit_ = false;
    return;
  }
  const std::uint64_t credit = files_.header().credit.load();
  if (credit == last_credit_) return;
  last_credit_ = credit;
  away_ = false;
  out_of_credit_ = false;
}

Shim::Gathered Shim::gather(std::uint64_t most) {
  if (most > kBufferBytes) most = kBufferBytes;
  std::size_t have = 0;
  Gathered result = Gathered::nothing;
  while (have < most) {
    const ssize_t n = ::read(pty_.master.get(), buffer + have, static_cast<std::size_t>(most) - have);
    if (n > 0) {
      have += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || errno != EAGAIN) result = Gathered::hung_up;
    break;
  }
  if (have > 0) {
    journal_.output(buffer, have);
    publish();
    pty_pause_ms_ = 0;
    without_slave_ = false;
    if (have > 4096) trim_at_ = now_ + kTrimMs;
    if (result == Gathered::nothing) result = Gathered::some;
  }
  return result;
}

void Shim::read_output() {
  const std::uint64_t most = readable_bytes();
  if (most > 0) {
    if (gather(most) == Gathered::hung_up) on_end_of_output();
    return;
  }
  // Bytes wait. The flag first, then another look: the daemon does it the other way round.
  files_.header().credit_wanted.store(1);
  if (readable_bytes() > 0) return;
  if (!out_of_credit_) out_of_credit_since_ = now_;
  out_of_credit_ = true;
}

void Shim::drain_before_write() {
  if (!hung_up_ && gather(kDrainBytes) == Gathered::hung_up) on_end_of_output();
}

/// EIO: no slave is open. While the program lives it may open its terminal again (it is still the session's),
/// so the PTY is looked at now and then; poll cannot tell, for it reports a hang-up all the time.
void Shim::on_end_of_output() {
  if (child_ < 0) {
    hung_up_ = true;
    files_.header().hung_up.store(1, std::memory_order_release);
    return;
  }
  without_slave_ = true;
  pause_pty();
}

void Shim::pause_pty() {
  pty_pause_ms_ = pty_pause_ms_ == 0                 ? kFirstPauseMs
                  : pty_pause_ms_ * 2 < kLastPauseMs ? pty_pause_ms_ * 2
                                                     : kLastPauseMs;
  pty_pause_until_ = now_ + pty_pause_ms_;
}

/// What processes that are gone by now have written; bounded, for others may still write.
void Shim::drain_last_output() {
  for (int i = 0; i < 16 && !hung_up_; ++i) {
    const std::uint64_t before = journal_.offset();
    const Gathered result = gather(kBufferBytes);
    if (result == Gathered::hung_up) return on_end_of_output();
    if (journal_.offset() - before < kBufferBytes) return;
  }
}

void trim_read_buffer() {
  ::madvise(buffer, sizeof buffer, MADV_DONTNEED);
}

}  // namespace smartcli::shim
