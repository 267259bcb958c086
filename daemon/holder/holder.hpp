#pragma once

// The daemon's end of a shim. One Holder a session; all calls on the loop's thread.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "common/fd.hpp"
#include "shim_abi/events.hpp"
#include "shim_abi/header.hpp"
#include "shim_abi/messages.hpp"

namespace smartcli::holder {

using shim_abi::RequestId;

struct InputRequest {
  RequestId id{};
  std::uint32_t step = 0;
  std::uint32_t flags = 0;  ///< shim_abi::InputFlags
  shim_abi::WriteCondition condition = shim_abi::WriteCondition::none;
  std::string data;  ///< 1 to shim_abi::kInputBytes bytes
};

struct InputResult {
  shim_abi::Status status = shim_abi::Status::ok;  ///< ok, repeated, condition, line_too_long, ended, busy
  std::uint64_t offset = 0;                        ///< of the fence
  std::uint64_t revision = 0;                      ///< the fence
  std::uint32_t accepted = 0;                      ///< bytes the terminal took
  std::uint32_t line_flags = 0;
};

struct Facts {
  std::int32_t foreground_group = -1;
  std::uint32_t line_flags = 0;
  std::uint32_t input_pending = 0;
  std::vector<shim_abi::ProcessFacts> processes;
};

struct CloseResult {
  std::vector<shim_abi::CloseSurvivor> survivors;
};

/// Told of what a shim says by itself. Never called from inside a Holder call of the listener's own. What
/// happened before `listen` (an exit while no daemon was there, a lost shim) is told once after it.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void
  on_output() = 0;  ///< header's write_offset or events grew past what `arm_output` named; once for each call
  virtual void on_exited() = 0;   ///< the exit is in the header
  virtual void on_hung_up() = 0;  ///< no output can follow (but for a `restart`)
  virtual void on_journal_health() = 0;
  virtual void on_lost() = 0;  ///< the shim is gone (its pidfd says so) though it was not closed
};

/// All a shim needs to start a program.
struct StartSpec {
  std::string shim_path;    ///< absolute
  std::string runtime_dir;  ///< absolute, checked
  std::string journal_dir;  ///< absolute; exists, 0700
  std::string
      stem;  ///< of the files `STEM.hdr`, `STEM.sock` in the runtime folder: 32 hex digits of `session`
  std::uint8_t session[16]{};
  std::string program;  ///< absolute path, or relative to `cwd` if it holds a `/`
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< "NAME=value"
  std::string cwd;
  int cols = 80, rows = 24;
  unsigned umask = 077;
  std::uint64_t nofile_soft = 0, nofile_hard = 0;
  std::uint64_t journal_cap = 64 << 20;
  std::optional<std::pair<std::uint64_t, std::uint64_t>>
      core;  ///< RLIMIT_CORE of the program, soft and hard; else as the daemon's
};

class Holder {
 public:
  virtual ~Holder() = default;
  virtual void listen(Listener* listener) = 0;  ///< null to stop
  virtual shim_abi::Header& header() = 0;       ///< mapped
  virtual int spool() const = 0;                ///< memfd, see shim_abi/messages.hpp
  virtual int master() const = 0;               ///< duplicate of the PTY master; -1 once dropped
  virtual void drop_master() = 0;

  /// Asks for one `on_output` when the header moves past `seen_offset` / `seen_events`; comes (posted) at
  /// once if it already has.
  virtual void arm_output(std::uint64_t seen_offset, std::uint64_t seen_events) = 0;
  /// Lets the shim read the PTY up to this output offset. Only grows.
  virtual void grant(std::uint64_t offset) = 0;

  /// Types. Returns when all is taken by the terminal, or was refused, or `stall` passed with the buffer
  /// full: then the rest is taken back and `accepted` says how far it got. One at a time: `busy` while
  /// another is under way. A repeat (same id and step) of one that is still under way waits for its end.
  /// Errors: session_gone (the shim is gone, or the connection to it broke), resource_exhausted (no answer;
  /// whether it was typed is in the message, and a repeat is safe), internal.
  virtual boost::asio::awaitable<Result<InputResult>> input(InputRequest request,
                                                            std::chrono::milliseconds stall) = 0;
  /// A terminal's own reply: written once whatever happens; `drop` only takes its key.
  virtual void terminal_reply(std::uint64_t key_offset, std::uint32_t key_index, std::string bytes,
                              bool drop) = 0;
  /// The same, but never typed into a canonical terminal. Returns ok, stale (that key was taken before) or
  /// ended; or, with nothing written and the key not taken, condition (it is canonical now) or busy (its
  /// buffer is full, input or replies are queued): then hold the reply and ask again later, or drop it.
  virtual boost::asio::awaitable<Result<shim_abi::Status>> terminal_reply_if_raw(std::uint64_t key_offset,
                                                                                 std::uint32_t key_index,
                                                                                 std::string bytes) = 0;

  // Each returns when the shim has answered. Errors: session_gone, session_exited (the program has ended),
  // version_mismatch (an older shim), resource_exhausted (failed: errno's text; or no answer), internal.
  virtual boost::asio::awaitable<Result<std::uint64_t>> resize(int cols,
                                                               int rows) = 0;  ///< revision after it
  /// Revision after it. `keep_line`: not the logical line that the cursor is in; an older shim clears all.
  virtual boost::asio::awaitable<Result<std::uint64_t>> clear(bool keep_line) = 0;
  virtual boost::asio::awaitable<Result<void>> signal(int number, shim_abi::SignalTarget target) = 0;
  virtual boost::asio::awaitable<Result<Facts>> facts() = 0;
  virtual boost::asio::awaitable<Result<CloseResult>> close(std::chrono::milliseconds grace, bool tree) = 0;
  virtual boost::asio::awaitable<Result<void>> set_journal_cap(std::uint64_t bytes) = 0;
  /// Ends the program and starts it again, or what `spec` says (its folders, stem, session and cap do not
  /// count). `master` is another one afterwards. Returns the revision after it. Errors: as above and those of
  /// `start`; the session then stays as after its program's end.
  virtual boost::asio::awaitable<Result<std::uint64_t>> restart(std::chrono::milliseconds grace,
                                                                std::optional<StartSpec> spec) = 0;
};

/// Starts a shim (posix_spawn) and its program; returns once the program was executed, already the shim's
/// owner. Errors: program_not_found, not_executable, spawn_failed (naming the program and the reason),
/// resource_exhausted.
boost::asio::awaitable<Result<std::unique_ptr<Holder>>> start(boost::asio::any_io_executor executor,
                                                              StartSpec spec);

/// Takes over a live shim found as `STEM.hdr` and `STEM.sock`. Never blocks the loop: a shim that does not
/// answer within `timeout` is an error, and is left alone. Errors: session_gone (no live shim of that start
/// time), version_mismatch, resource_exhausted (no answer in time).
boost::asio::awaitable<Result<std::unique_ptr<Holder>>> adopt(boost::asio::any_io_executor executor,
                                                              std::string runtime_dir, std::string stem,
                                                              std::chrono::milliseconds timeout);

/// Stems of all header files in the runtime folder; no check of life.
std::vector<std::string> find_shims(const std::string& runtime_dir);

}  // namespace smartcli::holder
