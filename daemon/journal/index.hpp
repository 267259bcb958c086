#pragma once

// The daemon's own file in a session's journal folder: what its header and events cannot say. Written whole,
// by rename.

#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "proto/types.hpp"

namespace smartcli::journal {

/// What is left of a session that the system ended.
struct Grave {
  EndReason reason = EndReason::idle;
  std::int64_t ended_ms = 0;  ///< Unix time
  std::optional<ExitState> exit;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"reason", "why it was ended"}, reason);
    v.required({"ended_ms", "Unix time"}, ended_ms);
    v.required({"exit", "of its program"}, exit);
  }
};

struct Index {
  std::int64_t schema_version = 1;
  SessionName sid;
  std::string stem;  ///< of the shim's files
  std::vector<Bytes> argv;
  Bytes cwd;
  std::int64_t started_ms = 0;  ///< Unix time
  std::int64_t cols = 80, rows = 24;
  std::int64_t scrollback = 10'000;
  bool detect_child_exit = true;
  std::int64_t idle_timeout_ms = 0;  ///< 0: off
  /// Set before the program is ended: a daemon that finds it with a live shim goes on with that.
  std::optional<Grave> grave;
  std::int64_t published_offset = 0;  ///< events of the program up to here were told to whoever listened

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"schema_version", "1"}, schema_version);
    v.required({"sid", "the session's name"}, sid);
    v.required({"stem", "of the shim's files"}, stem);
    v.required({"argv", "as executed"}, argv);
    v.required({"cwd", "directory it was started in"}, cwd);
    v.required({"started_ms", "Unix time"}, started_ms);
    v.required({"cols", "at the start"}, cols);
    v.required({"rows", "at the start"}, rows);
    v.required({"scrollback", "lines of history"}, scrollback);
    v.optional({"detect_child_exit", "waits end when the program does"}, detect_child_exit);
    v.optional({"idle_timeout_ms", "0: off"}, idle_timeout_ms);
    v.optional({"grave", "the system has ended it"}, grave);
    v.optional({"published_offset", "events up to here were told"}, published_offset);
  }
};

inline constexpr const char* kIndexFile = "index";

/// Errors: resource_exhausted with the errno's text.
Result<void> save(const std::string& folder, const Index& index);
/// Errors: internal, if it is missing, unreadable or no index.
Result<Index> load(const std::string& folder);
/// True if a shim has written there.
bool has_begun(const std::string& folder);
/// Folders (absolute) under `sessions_dir` that hold an index.
std::vector<std::string> find_folders(const std::string& sessions_dir);

}  // namespace smartcli::journal
