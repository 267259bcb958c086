#pragma once

#include <termios.h>

#include "shim/child.hpp"
#include "shim/connections.hpp"
#include "shim/family.hpp"
#include "shim/header_file.hpp"
#include "shim/journal_writer.hpp"
#include "shim/line_limit.hpp"
#include "shim/pty.hpp"
#include "shim/sys.hpp"
#include "shim_abi/messages.hpp"
#include "shim_abi/start.hpp"

namespace smartcli::shim {

/// Gives the pages of a buffer back that a burst has touched: there may be a thousand quiet shims.
void trim_read_buffer();

/// One session: its PTY, its program, its journal and the peers. One thread, one loop, no allocation.
class Shim {
 public:
  /// Runs the session to its end. @return the process's exit status
  int run(Fd start_block, Fd pair);

 private:
  // start.cpp
  shim_abi::StartReport start();
  Spawned start_program(const StartView& start, int cols, int rows, Pty* pty);
  void enter_program(pid_t pid, int cols, int rows);

  // loop.cpp
  void loop();
  void poll_once();
  std::int64_t next_deadline() const;
  void run_timers();
  void on_signal();

  // output.cpp: from the PTY to the journal
  enum class Gathered { nothing, some, hung_up };
  std::uint64_t readable_bytes();
  Gathered gather(std::uint64_t most);
  void read_output();
  void drain_before_write();
  void publish();
  void on_end_of_output();
  void pause_pty();
  void drain_last_output();
  void look_at_credit();
  void tell_journal_health();

  // input.cpp: from the peers to the PTY
  void handle_input(Connection& asker, const shim_abi::Input& message);
  void handle_cancel(Connection& asker, const shim_abi::CancelInput& message);
  void handle_terminal_reply(Connection& asker, const shim_abi::TerminalReply& message);
  const shim_abi::Mark* find_mark(const shim_abi::RequestId& id, std::uint32_t step);
  shim_abi::Mark& pending_mark();
  void write_input();
  bool write_replies(std::size_t most);
  void finish_input(shim_abi::MarkState state, shim_abi::Status status);
  void give_up_input();
  bool has_queued() const { return input_.active || reply_count_ > 0; }

  // handlers.cpp: the other messages
  void on_connection(Connection& peer);
  void handle(Connection& peer, const shim_abi::MessageHead& head, Fd descriptor);
  void handle_hello(Connection& peer, const shim_abi::Hello& message);
  void handle_resize(Connection& peer, const shim_abi::Resize& message);
  void handle_clear(Connection& peer, const shim_abi::Clear& message);
  void handle_signal(Connection& peer, const shim_abi::Signal& message);
  void handle_facts(Connection& peer, const shim_abi::MessageHead& head);
  shim_abi::Reply reply_to(const shim_abi::MessageHead& head, shim_abi::Status status, int error = 0) const;
  void answer(Connection& peer, const shim_abi::MessageHead& head, shim_abi::Status status, int error = 0);
  std::uint64_t revision() const;
  void count_step();

  // exit.cpp: the program's end
  void reap();
  void report_exit_when_due();
  void report_exit();
  void tell_hung_up();
  void sync_in_background();

  // ending.cpp: close and restart
  void begin_ending(Connection* asker, const shim_abi::MessageHead* head, std::uint32_t grace_ms, bool tree,
                    bool restart, Fd block);
  void step_ending();
  bool signal_targets(bool stage_is_new);
  void finish_close();
  void finish_restart();
  bool is_target(const ProcStat& process) const;
  void name_survivor(const ProcStat& process, bool ended);
  void set_asker(Connection* asker, const shim_abi::MessageHead* head);
  Connection* asker();
  void answer_restart(shim_abi::Status status, shim_abi::StartStage stage, int error);

  Fd block_;  // the start block's memfd, for `restart`
  InheritedLimits limits_;
  RuntimeFiles files_;
  JournalWriter journal_;
  Connections peers_;
  Pty pty_;
  OwnPrograms own_;
  Family family_;
  Fd spool_, output_event_, credit_event_, signals_;
  std::int64_t now_ = 0;  // monotonic ms, of this round of the loop
  bool done_ = false;

  pid_t child_ = -1;  // -1: reaped
  pid_t session_ = -1;
  int child_status_ = 0;
  std::int64_t died_at_ = kNever, died_realtime_ns_ = 0;
  std::uint64_t died_offset_ = 0;
  bool exit_reported_ = false;

  bool hung_up_ = false;  // nothing can follow any more
  bool hung_up_told_ = false;
  bool without_slave_ = false;        // EIO, though a living program could open its terminal again
  std::int64_t pty_pause_until_ = 0;  // the PTY is left alone until then
  std::int64_t pty_pause_ms_ = 0;
  bool away_ = true;  // no daemon that gives credit
  bool out_of_credit_ = false;
  std::uint64_t last_credit_ = 0;
  std::int64_t out_of_credit_since_ = 0;
  std::int64_t trim_at_ = INT64_MAX;
  std::int64_t restore_at_ = 0;
  std::int64_t listener_pause_until_ = 0;

  struct PendingInput {
    bool active = false;
    bool secret = false;
    bool first_write = false;  // its request is not answered yet
    std::uint64_t tag = 0, mark = 0;
    std::uint32_t bytes = 0, accepted = 0;
  } input_;
  LineLimit line_;
  std::size_t reply_begin_ = 0, reply_count_ = 0;
  std::size_t replies_ahead_ = 0;  // of the pending input

  enum class Stage { none, hang_up, terminate, kill };
  struct Ending {
    Stage stage = Stage::none;
    bool tree = false, restart = false;
    std::uint32_t asker_age = 0;
    bool has_asker = false;
    std::uint64_t tag = 0;
    std::int64_t terminate_at = 0, kill_at = 0, give_up_at = 0, look_at = 0;
    int survivors = 0;
    Fd block;
  } ending_;
  bool tell_health_ = false;
};

}  // namespace smartcli::shim
