#include <signal.h>
#include <string.h>

#include <cerrno>

#include "shim/shim.hpp"
#include "shim/sys.hpp"

// `close` and `restart`: hang up, TERM, KILL, by steps of the loop.

namespace smartcli::shim {

using namespace shim_abi;

namespace {

constexpr std::int64_t kLookMs = 50;          // between two looks at who is left, besides each SIGCHLD
constexpr std::int64_t kHangUpMs = 250;       // for a program to end on the hang-up, before TERM
constexpr std::int64_t kUnkillableMs = 1000;  // after KILL; longer only in an uninterruptible sleep
constexpr int kSurvivors = 64;

struct CloseMessage {
  CloseReply reply;
  CloseSurvivor survivors[kSurvivors];
};

CloseMessage answer_to_close;

}  // namespace

void Shim::set_asker(Connection* asker, const MessageHead* head) {
  ending_.has_asker = asker != nullptr;
  ending_.asker_age = asker ? asker->age : 0;
  ending_.tag = head ? head->tag : 0;
}

/// Null once that connection is gone, even if its place in the table has a new one.
Connection* Shim::asker() {
  if (!ending_.has_asker) return nullptr;
  for (Connection& peer : peers_)
    if (peer.socket && peer.age == ending_.asker_age) return &peer;
  return nullptr;
}

void Shim::begin_ending(Connection* peer, const MessageHead* head, std::uint32_t grace_ms, bool tree,
                        bool restart, Fd block) {
  if (ending_.stage != Stage::none) {
    if (restart) return answer(*peer, *head, Status::busy);
    if (Connection* before = asker()) {
      const MessageHead earlier{MessageType::close, 0, 0, ending_.tag};
      if (ending_.restart)
        answer_restart(Status::cancelled, StartStage::running, 0);
      else
        answer(*before, earlier, Status::cancelled);
    }
    if (peer && !peer->socket) peer = nullptr;
    ending_.restart = false;
    ending_.tree = ending_.tree || tree;
    if (now_ + grace_ms < ending_.kill_at) ending_.kill_at = now_ + grace_ms;
    if (ending_.terminate_at > ending_.kill_at) ending_.terminate_at = ending_.kill_at;
    ending_.give_up_at = ending_.kill_at + kUnkillableMs;
    ending_.look_at = now_;
    return set_asker(peer, head);
  }
  if (restart && block) {
    MappedStart mapped;
    if (const int error = mapped.map(block.get())) {
      set_asker(peer, head);
      return answer_restart(Status::failed, StartStage::invalid, error);
    }
  }
  give_up_input();
  ending_.stage = Stage::hang_up;
  ending_.restart = restart;
  ending_.tree = tree;
  ending_.survivors = 0;
  ending_.block = static_cast<Fd&&>(block);
  set_asker(peer, head);
  const std::int64_t grace = grace_ms;
  ending_.terminate_at = now_ + (grace / 4 < kHangUpMs ? grace / 4 : kHangUpMs);
  ending_.kill_at = now_ + grace;
  ending_.give_up_at = ending_.kill_at + kUnkillableMs;
  family_.collect(own_);
  signal_targets(true);
  ending_.look_at = now_ + (grace < kLookMs ? grace : kLookMs);
}

bool Shim::is_target(const ProcStat& process) const {
  return process.session == session_ || (process.tty != 0 && process.tty == pty_.tty);
}

/// @return whether anybody is left that has to go. One that is about to end by itself (a step of another
/// shim's start, say, whose kind can no longer be told) has no program any more, and is nobody to report.
bool Shim::signal_targets(bool stage_is_new) {
  static constexpr int kSignals[] = {0, SIGHUP, SIGTERM, SIGKILL};
  const int number = kSignals[static_cast<int>(ending_.stage)];
  bool any = false;
  for (const ProcStat& process : family_) {
    const bool target = is_target(process);
    if (!target && !ending_.tree) continue;
    any = true;
    if (!target && has_program(process.pid)) name_survivor(process, true);
    if (!stage_is_new && ending_.stage != Stage::kill) continue;
    signal_exactly(process, number);
    if (number != SIGKILL) signal_exactly(process, SIGCONT);  // a stopped one cannot act on it
  }
  return any;
}

void Shim::name_survivor(const ProcStat& process, bool ended) {
  for (int i = 0; i < ending_.survivors; ++i)
    if (answer_to_close.survivors[i].pid == process.pid) return;
  if (ending_.survivors == kSurvivors) return;
  CloseSurvivor& survivor = answer_to_close.survivors[ending_.survivors++];
  survivor = {};
  survivor.pid = process.pid;
  ::memcpy(survivor.name, process.name, sizeof survivor.name);
  survivor.ended = ended;
}

void Shim::step_ending() {
  if (ending_.stage == Stage::none || now_ < ending_.look_at) return;
  Stage stage = ending_.stage;
  if (stage == Stage::hang_up && now_ >= ending_.terminate_at) stage = Stage::terminate;
  if (now_ >= ending_.kill_at && ending_.stage != Stage::hang_up) stage = Stage::kill;
  const bool is_new = stage != ending_.stage;
  ending_.stage = stage;
  family_.collect(own_);
  bool anybody = signal_targets(is_new) || child_ >= 0;
  if (!anybody) {
    // A child of one that died during the look may have come to us behind its back.
    family_.collect(own_);
    anybody = signal_targets(is_new);
  }
  if (!anybody && !hung_up_) {
    drain_last_output();
    if (!hung_up_) {
      // Somebody holds the terminal. Usually one that left by setsid, or a program of ours; a look at all
      // processes tells whether it is one that took it as its controlling terminal.
      family_.collect_by_tty(pty_.tty, own_);
      anybody = signal_targets(is_new);
    }
  }
  if (anybody && now_ < ending_.give_up_at) {
    ending_.look_at = now_ + kLookMs;
    for (const std::int64_t at : {ending_.terminate_at, ending_.kill_at})
      if (at > now_ && at < ending_.look_at) ending_.look_at = at;
    return;
  }
  drain_last_output();
  if (died_at_ != kNever && !exit_reported_) report_exit();
  if (ending_.restart)
    finish_restart();
  else
    finish_close();
}

void Shim::finish_close() {
  family_.collect(own_);
  for (const ProcStat& process : family_) name_survivor(process, false);
  Header& h = files_.header();
  h.phase.store(static_cast<std::uint32_t>(Phase::closed), std::memory_order_release);
  publish();
  files_.remove();
  if (Connection* peer = asker()) {
    MessageHead head{MessageType::close, 0, 0, ending_.tag};
    CloseReply& reply = answer_to_close.reply;
    reply = {};
    reply.reply = reply_to(head, Status::ok);
    reply.survivors = static_cast<std::uint32_t>(ending_.survivors);
    const std::size_t bytes = offsetof(CloseMessage, survivors) +
                              sizeof(CloseSurvivor) * static_cast<std::size_t>(ending_.survivors);
    reply.reply.head.bytes = static_cast<std::uint32_t>(bytes);
    peers_.send(peer, &answer_to_close, bytes);
  }
  done_ = true;
}

void Shim::answer_restart(Status status, StartStage stage, int error) {
  Connection* peer = asker();
  if (!peer) return;
  const MessageHead head{MessageType::restart, 0, 0, ending_.tag};
  RestartReply reply{};
  reply.reply = reply_to(head, status, error);
  reply.reply.head.bytes = sizeof reply;
  reply.stage = static_cast<std::uint32_t>(stage);
  reply.child_pid = child_;
  const int master = pty_.master.get();
  peers_.send(peer, &reply, sizeof reply, &master, status == Status::ok ? 1 : 0);
}

void Shim::finish_restart() {
  ending_.stage = Stage::none;
  const bool is_given = static_cast<bool>(ending_.block);
  Fd block = is_given ? static_cast<Fd&&>(ending_.block) : Fd(block_.release());
  MappedStart mapped;
  Pty fresh;
  int error = mapped.map(block.get());
  Spawned spawned{StartStage::invalid, error, -1};
  const int cols = !error && is_given ? mapped.view().block->cols : files_.header().cols;
  const int rows = !error && is_given ? mapped.view().block->rows : files_.header().rows;
  if (!error) spawned = start_program(mapped.view(), cols, rows, &fresh);
  if (spawned.stage == StartStage::running || !block_) block_ = static_cast<Fd&&>(block);
  if (spawned.stage != StartStage::running)
    return answer_restart(Status::failed, spawned.stage, spawned.error);

  pty_ = static_cast<Pty&&>(fresh);
  journal_.remove_exit_file();
  died_at_ = kNever;
  exit_reported_ = hung_up_ = hung_up_told_ = without_slave_ = out_of_credit_ = false;
  pty_pause_until_ = pty_pause_ms_ = 0;
  line_.reset();

  Header& h = files_.header();
  RestartEvent record{};
  record.head.type = EventType::restart;
  record.head.bytes = sizeof record;
  record.pid = spawned.pid;
  record.cols = static_cast<std::uint16_t>(cols);
  record.rows = static_cast<std::uint16_t>(rows);
  journal_.event(&record.head, Weight::vital);
  // After the event: if a segment begins with it, its FirstEvent counts what was before.
  h.restarts.fetch_add(1, std::memory_order_relaxed);
  count_step();
  h.hung_up.store(0, std::memory_order_relaxed);
  h.exit_kind.store(static_cast<std::uint32_t>(ExitKind::none), std::memory_order_relaxed);
  h.exit_value = 0;
  h.exit_offset = 0;
  h.exit_realtime_ns = 0;
  enter_program(spawned.pid, cols, rows);
  publish();
  answer_restart(Status::ok, StartStage::running, 0);
}

}  // namespace smartcli::shim
