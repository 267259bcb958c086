#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/paths.hpp"
#include "proto/limits.hpp"
#include "session/session.hpp"

namespace smartcli::session {

/// A program to start, all checked and resolved.
struct NewProgram {
  std::string program;
  std::vector<std::string> argv, env;
  std::string cwd;
  unsigned umask = 077;
};

/// What `spawn` needs.
struct NewSession : NewProgram {
  std::string sid;  ///< empty: made from the program's name
  int cols = 80, rows = 24;
  std::int64_t scrollback = 10'000;
  bool detect_child_exit = true;
  std::int64_t idle_timeout_ms = 0;  ///< 0: off
  bool evict = false;                ///< at the cap, the session least recently used makes room
};

/// All sessions of this daemon, by sid.
class SessionTable {
 public:
  struct Setup {
    boost::asio::any_io_executor executor;
    paths::Paths paths;
    std::string shim_path;
    const Limits* limits = nullptr;
    const Clock* clock = nullptr;
    std::uint64_t nofile_soft = 0, nofile_hard = 0;  ///< what programs get back
  };
  explicit SessionTable(Setup setup)
      : setup_(std::move(setup)),
        pump_(setup_.executor, std::thread::hardware_concurrency()),
        idle_timer_(setup_.executor) {}

  /// Takes over what an earlier daemon left: every journal folder becomes a session again, live or ended.
  Awaitable<void> adopt_all();
  /// Returns at once where everything is adopted.
  Awaitable<void> until_adopted();

  /// Errors: session_exists, limit_exceeded, program_not_found, not_executable, spawn_failed,
  /// resource_exhausted.
  Awaitable<Result<std::shared_ptr<Session>>> spawn(NewSession wanted);
  /// Ends the program and starts it again, or another, at that size. Errors: as `Session::restart`,
  /// limit_exceeded.
  Awaitable<Result<std::uint64_t>> restart(std::shared_ptr<Session> session, std::optional<NewProgram> wanted,
                                           Size size, std::chrono::milliseconds grace);
  /// Somebody asks for a session by name: that counts as use. Errors: session_not_found, with the nearest
  /// name, session_gone, with the reason and the time, if the system has ended it.
  Awaitable<Result<std::shared_ptr<Session>>> find(std::string sid);
  /// Ends the program, ends the waits (CLOSED), deletes the journal, forgets the sid.
  Awaitable<Result<holder::CloseResult>> close(std::shared_ptr<Session> session,
                                               std::chrono::milliseconds grace, bool tree);
  /// Takes a tombstone away: the name is free. False if there is none.
  bool forget_tombstone(const std::string& sid);
  /// Oldest first.
  std::vector<journal::Index> tombstones();
  std::chrono::milliseconds tombstone_time() const;
  /// Oldest first.
  std::vector<std::shared_ptr<Session>> all() const;
  std::size_t live() const;
  std::size_t waits() const;
  /// Every wait replies CANCELLED.
  void end_all_waits();
  /// The daemon goes: shims and journals stay.
  void detach_all();

 private:
  Awaitable<void> adopt_one(std::string folder);
  /// A shim that lives and did not answer, or whose name was cleaned away, is asked again until it answers or
  /// is known dead.
  Awaitable<void> adopt_later(std::shared_ptr<Session> session);
  Session::Setup setup_of(journal::Index index, std::string folder);
  /// Of a program, for a shim: its folders and name are still to be set.
  holder::StartSpec spec_of(NewProgram program, const std::string& sid, Size size) const;
  Awaitable<Result<std::uint64_t>> resize(std::shared_ptr<Session> session, Size size);
  std::string make_sid(const std::string& program);

  // retire.cpp
  /// Ends a session for a reason of the system's; what is left is a tombstone.
  Awaitable<void> retire(std::shared_ptr<Session> session, EndReason reason);
  void retire_later(std::shared_ptr<Session> session, EndReason reason);
  void bury(const journal::Index& index, const std::string& folder);
  /// Past the cap of ended sessions the oldest goes.
  void forget_oldest_ended();
  /// Tombstones past their time, and past their number.
  void clear_tombstones();
  /// Ends what is idle, and sets the timer for what will be.
  void watch_idle();
  std::chrono::milliseconds idle_timeout(const Session& session) const;
  Error gone(const journal::Index& index) const;

  static constexpr std::size_t kFilesWaiting = 64;
  Setup setup_;
  Worker files_{kFilesWaiting};
  Pump pump_;
  std::map<std::string, std::shared_ptr<Session>> sessions_;
  struct Tomb {
    journal::Index index;
    std::string folder;
  };
  std::map<std::string, Tomb> tombs_;
  std::set<const Session*> retiring_;
  boost::asio::steady_timer idle_timer_;
  std::map<std::string, int> starting_;        ///< names taken by a spawn that is under way
  std::map<std::string, std::uint64_t> made_;  ///< last number given to each program's name
  bool adopted_ = false;
  std::vector<boost::asio::steady_timer*> waiting_;
  std::size_t adopting_ = 0;
};

}  // namespace smartcli::session
