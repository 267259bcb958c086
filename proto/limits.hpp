#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/env.hpp"
#include "common/error.hpp"

namespace smartcli {

/// One row of THE limits table. Source: SPEC section 3.
struct Limit {
  std::string_view name;
  std::string_view variable;  ///< environment variable of the daemon that sets the value in force
  std::int64_t standard;      ///< the default
  std::int64_t least, most;   ///< range of the value, and of a request's field that names this row
  std::string_view unit;
  std::string_view reason;
};

/// The rows: identifier, variable, default, least, most, unit, reason.
// clang-format off
#define SMARTCLI_LIMITS(row) \
  row(sessions, "SMARTCLI_MAX_SESSIONS", 50, 1, 3000, "sessions", "live sessions; each is a shim, a program and a PTY") \
  row(ended, "SMARTCLI_MAX_ENDED", 200, 1, 10000, "sessions", "ended sessions kept; the oldest goes first") \
  row(sid_bytes, "SMARTCLI_MAX_SID_BYTES", 64, 1, 64, "characters", "a sid is a file name and a table's key") \
  row(cols, "SMARTCLI_COLS", 80, 1, 1000, "columns", "width of a new session") \
  row(rows, "SMARTCLI_ROWS", 24, 1, 500, "rows", "height of a new session") \
  row(cells, "SMARTCLI_MAX_CELLS", 100000, 1, 100000, "cells", "cols x rows: memory and time of one screen") \
  row(scrollback, "SMARTCLI_SCROLLBACK", 10000, 0, 1000000, "lines", "history kept above the screen") \
  row(history_bytes, "SMARTCLI_HISTORY_BYTES", 64 << 20, 1 << 20, 1 << 30, "bytes", "history of one session") \
  row(env_entries, "SMARTCLI_MAX_ENV", 256, 0, 256, "entries", "variables given with --env") \
  row(environment_bytes, "SMARTCLI_MAX_ENVIRONMENT_BYTES", 1 << 20, 4096, 1 << 20, "bytes", "the caller's environment, passed as it is") \
  row(argv_bytes, "SMARTCLI_MAX_ARGV_BYTES", 128 << 10, 4096, 128 << 10, "bytes", "arguments of a program") \
  row(line_bytes, "SMARTCLI_MAX_LINE_BYTES", 4 << 20, 64 << 10, 64 << 20, "bytes", "one request or reply") \
  row(json_depth, "SMARTCLI_MAX_JSON_DEPTH", 64, 8, 64, "levels", "nesting of a request") \
  row(json_values, "SMARTCLI_MAX_JSON_VALUES", 131072, 1000, 16 << 20, "values", "names and values of a request: the time that reading it takes from others") \
  row(clients, "SMARTCLI_MAX_CLIENTS", 256, 1, 4096, "connections", "descriptors and memory") \
  row(client_queue_bytes, "SMARTCLI_CLIENT_QUEUE_BYTES", 1 << 20, 64 << 10, 64 << 20, "bytes", "queued for one client that does not read; then its requests wait, and after 30 s it is dropped") \
  row(waits, "SMARTCLI_MAX_WAITS", 4096, 1, 65536, "waits", "waits in all at once") \
  row(pattern_bytes, "SMARTCLI_MAX_PATTERN_BYTES", 4096, 1, 4096, "bytes", "one pattern; RE2, 8 MiB of automaton") \
  row(patterns, "SMARTCLI_MAX_PATTERNS", 64, 1, 64, "patterns", "of one wait_any") \
  row(key_count, "SMARTCLI_MAX_KEY_COUNT", 1000, 1, 1000, "presses", "one key's repeat count") \
  row(wait_timeout_ms, "SMARTCLI_WAIT_TIMEOUT_MS", 30000, 0, 3600000, "ms", "a wait") \
  row(wait_exit_timeout_ms, "SMARTCLI_WAIT_EXIT_TIMEOUT_MS", 0, 0, 3600000, "ms", "wait_exit; 0 as the default: none") \
  row(quiet_ms, "SMARTCLI_QUIET_MS", 200, 0, 3600000, "ms", "a screen without change for so long is quiet") \
  row(input_timeout_ms, "SMARTCLI_INPUT_TIMEOUT_MS", 5000, 0, 3600000, "ms", "input into a full buffer") \
  row(grace_ms, "SMARTCLI_GRACE_MS", 2000, 0, 60000, "ms", "between TERM and KILL when a session is closed") \
  row(idle_timeout_ms, "SMARTCLI_IDLE_TIMEOUT_MS", 0, 0, 2592000000, "ms", "a session without request or output for so long is ended; 0: off, else from 1 min") \
  row(tombstones, "SMARTCLI_MAX_TOMBSTONES", 10000, 0, 100000, "tombstones", "what is left of sessions that the system ended; the oldest goes first") \
  row(tombstone_days, "SMARTCLI_TOMBSTONE_DAYS", 30, 1, 365, "days", "how long a tombstone stands") \
  row(reply_cells, "SMARTCLI_REPLY_CELLS", 16384, 1, 16384, "cells", "cells of a region in one reply") \
  row(read_rows, "SMARTCLI_READ_ROWS", 1000, 1, 1000, "rows", "one page of read; where none is asked for, the screen's height") \
  row(search_hits, "SMARTCLI_SEARCH_HITS", 100, 1, 10000, "hits", "hits in one reply of search") \
  row(search_context, "SMARTCLI_SEARCH_CONTEXT", 0, 0, 100, "lines", "shown before and after each hit of search") \
  row(text_bytes, "SMARTCLI_TEXT_BYTES", 4 << 10, 4 << 10, 4 << 10, "bytes", "title, link, working directory") \
  row(clipboard_bytes, "SMARTCLI_CLIPBOARD_BYTES", 100 << 10, 100 << 10, 100 << 10, "bytes", "what a program puts there") \
  row(terminal_reply_bytes, "SMARTCLI_TERMINAL_REPLY_BYTES", 64 << 10, 64 << 10, 64 << 10, "bytes", "the terminal's own answers queued; then dropped and counted") \
  row(journal_bytes, "SMARTCLI_JOURNAL_BYTES", 64LL << 20, 0, 4LL << 30, "bytes", "journal of one session; 0: its last two segments, else from 4 MiB")
// clang-format on

/// An idle timeout is off (0) or at least so long.
inline constexpr std::int64_t kLeastIdleMs = 60'000;

enum class LimitId {
#define SMARTCLI_ROW(id, variable, standard, least, most, unit, reason) id,
  SMARTCLI_LIMITS(SMARTCLI_ROW)
#undef SMARTCLI_ROW
};

inline constexpr Limit kLimits[] = {
#define SMARTCLI_ROW(id, variable, standard, least, most, unit, reason) \
  {#id, variable, standard, least, most, unit, reason},
    SMARTCLI_LIMITS(SMARTCLI_ROW)
#undef SMARTCLI_ROW
};

namespace limits {
/// The row of each limit, for a Field to name: `&limits::cols`.
#define SMARTCLI_ROW(id, variable, standard, least, most, unit, reason) \
  inline constexpr const Limit& id = kLimits[static_cast<int>(LimitId::id)];
SMARTCLI_LIMITS(SMARTCLI_ROW)
#undef SMARTCLI_ROW
}  // namespace limits

/// The values in force: the defaults, changed by the daemon's environment, read once at start.
class Limits {
 public:
  Limits();
  /// Errors: invalid_argument naming the variable, its value and the range.
  static Result<Limits> from(const Environment& env);
  std::int64_t operator[](LimitId id) const { return values_[static_cast<std::size_t>(id)]; }
  void set(LimitId id, std::int64_t value) { values_[static_cast<std::size_t>(id)] = value; }

 private:
  std::array<std::int64_t, std::size(kLimits)> values_;
};

/// The refusal of a request that goes past a row: names the row, its value and how to raise it.
Error over_limit(LimitId id, std::int64_t in_force, std::string_view what);

}  // namespace smartcli
