#include "policy/admission.hpp"

#include "common/text.hpp"

namespace smartcli::policy {
namespace {

bool is_variable_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!word) return false;
  }
  return true;
}

Error invalid(std::string message, std::string detail = {}) {
  return Error{ErrorCode::invalid_argument, std::move(message), std::move(detail)};
}

bool has_nul(const Bytes& bytes) {
  return bytes.data.find('\0') != std::string::npos;
}

/// What is asked of the program to start, of `spawn` and `restart` alike.
template <class Request>
Result<void> check_program(const Request& request, const Limits& limits) {
  std::size_t argv_bytes = 0;
  if constexpr (requires { request.shell_command; }) {
    if (request.shell_command && has_nul(*request.shell_command))
      return invalid("'shell_command' holds a NUL byte");
    if (request.shell_command) argv_bytes += request.shell_command->data.size();
  }
  for (const auto& argument : request.argv) {
    if (has_nul(argument)) return invalid("an argument holds a NUL byte: no program can be given one");
    argv_bytes += argument.data.size() + 1;
  }
  if (!request.argv.empty() && request.argv[0].data.empty()) return invalid("the program's name is empty");
  if (static_cast<std::int64_t>(argv_bytes) > limits[LimitId::argv_bytes]) {
    return over_limit(LimitId::argv_bytes, limits[LimitId::argv_bytes],
                      "the arguments have " + std::to_string(argv_bytes) + " bytes");
  }
  if (static_cast<std::int64_t>(request.env.size()) > limits[LimitId::env_entries]) {
    return over_limit(LimitId::env_entries, limits[LimitId::env_entries],
                      std::to_string(request.env.size()) + " variables were given");
  }
  for (const auto& entry : request.env) {
    const auto equals = entry.data.find('=');
    const std::string name = entry.data.substr(0, equals);
    if (equals == std::string::npos || has_nul(entry)) {
      return invalid("--env " + text::quoted(name) + ": write NAME=VALUE, without NUL bytes");
    }
    if (!is_variable_name(name)) {
      return invalid("--env " + text::quoted(name) +
                     ": a name is letters, digits and _, not starting with a digit");
    }
    if (name.starts_with("SMARTCLI_"))
      return invalid("--env " + name + ": names that begin with SMARTCLI_ are reserved");
  }
  if (request.environment) {
    std::size_t bytes = 0;
    for (const auto& entry : *request.environment) {
      if (has_nul(entry)) return invalid("'environment' holds a NUL byte");
      bytes += entry.data.size() + 1;
    }
    if (static_cast<std::int64_t>(bytes) > limits[LimitId::environment_bytes]) {
      return over_limit(LimitId::environment_bytes, limits[LimitId::environment_bytes],
                        "the environment has " + std::to_string(bytes) + " bytes");
    }
  }
  if (request.cwd && (request.cwd->data.empty() || has_nul(*request.cwd)))
    return invalid("'cwd' is empty or holds a NUL byte");
  if (request.umask && (*request.umask < 0 || *request.umask > 0777))
    return invalid("'umask' must be from 0 to 511 (0777)", "umask");
  return {};
}

}  // namespace

Result<void> Admission::admit(const Spawn::Request& request) const {
  const auto cells = limits_[LimitId::cells];
  const auto cols = request.cols.value_or(limits_[LimitId::cols]);
  const auto rows = request.rows.value_or(limits_[LimitId::rows]);
  if (cols * rows > cells) {
    return over_limit(LimitId::cells, cells,
                      std::to_string(cols) + " x " + std::to_string(rows) + " is too large a screen");
  }
  if (request.sid && static_cast<std::int64_t>(request.sid->text.size()) > limits_[LimitId::sid_bytes]) {
    return over_limit(LimitId::sid_bytes, limits_[LimitId::sid_bytes],
                      "the session's name has " + std::to_string(request.sid->text.size()) + " characters");
  }
  if (request.idle_timeout_ms && request.idle_timeout_ms->count > 0 &&
      request.idle_timeout_ms->count < kLeastIdleMs) {
    return invalid("'idle_timeout_ms' must be 0 (off), or from " + std::to_string(kLeastIdleMs) +
                       " (1 min) to " + std::to_string(limits::idle_timeout_ms.most) + " ms",
                   "idle_timeout_ms");
  }
  return check_program(request, limits_);
}

Result<void> Admission::admit(const Restart::Request& request) const {
  return check_program(request, limits_);
}

Result<void> Admission::admit(const Resize::Request& request) const {
  if (!request.cols && !request.rows) return invalid("give cols, rows or both (`--cols N --rows N`)");
  return {};
}

Result<void> Admission::admit(const Close::Request& request) const {
  if (request.all == request.sid.has_value()) {
    return invalid(request.all ? "give a session or --all, not both" : "give a session (-s SID) or --all");
  }
  return {};
}

Result<void> Admission::admit(const Snapshot::Request& request) const {
  if (request.since && *request.since < 0)
    return Error{ErrorCode::invalid_argument, "'since' must be a revision, 0 or more", "since"};
  if (!request.region) return {};
  if (request.since) return invalid("give 'region' or 'since', not both");
  const auto& region = *request.region;
  if (region.row < 1 || region.col < 1 || region.rows < 1 || region.cols < 1) {
    return Error{ErrorCode::invalid_argument,
                 "'region': row and col count from 1, and it has at least one row and one column", "region"};
  }
  return {};
}

Result<void> Admission::admit(const Read::Request& request) const {
  const bool by_number = request.start || request.end;
  if (by_number && (request.page || request.rows)) {
    return invalid("give 'page' and 'rows', or 'start' and 'end', not both");
  }
  for (const auto& [name, value] :
       {std::pair{"page", request.page}, std::pair{"start", request.start}, std::pair{"end", request.end}}) {
    if (value && *value < 0) {
      return Error{
          ErrorCode::invalid_argument,
          "'" + std::string(name) + "' must not be negative: " +
              (name == std::string_view("page") ? "page 0 is the newest, 1 the one before it"
                                                : "the first line ever is 1; --page counts from the end"),
          name};
    }
  }
  if (request.start && request.end && *request.start > *request.end) {
    return invalid("'start' is " + std::to_string(*request.start) + ", past 'end', " +
                   std::to_string(*request.end));
  }
  if (const auto most = limits_[LimitId::read_rows]; request.rows && *request.rows > most) {
    return over_limit(LimitId::read_rows, most, std::to_string(*request.rows) + " rows were asked for");
  }
  return {};
}

Result<void> Admission::admit(const Search::Request& request) const {
  if (request.skip < 0)
    return Error{ErrorCode::invalid_argument, "'skip' must be a number of hits, 0 or more", "skip"};
  return admit_pattern(request.pattern);
}

Result<void> Admission::admit_cells(std::int64_t cells) const {
  const auto most = limits_[LimitId::reply_cells];
  if (cells > most)
    return over_limit(LimitId::reply_cells, most, "the region has " + std::to_string(cells) + " cells");
  return {};
}

Result<void> Admission::admit(const SendKeys::Request& request) const {
  if (request.keys.empty()) return invalid("'keys' is empty: name at least one key");
  if (request.count > limits_[LimitId::key_count]) {
    return over_limit(LimitId::key_count, limits_[LimitId::key_count],
                      std::to_string(request.count) + " presses were asked for");
  }
  return admit_id(request.request_id);
}

Result<void> Admission::admit(const WaitAny::Request& request) const {
  if (request.patterns.empty()) return invalid("'patterns' is empty: name at least one");
  const auto most = limits_[LimitId::patterns];
  if (static_cast<std::int64_t>(request.patterns.size()) > most) {
    return over_limit(LimitId::patterns, most,
                      std::to_string(request.patterns.size()) + " patterns were given");
  }
  for (const auto& pattern : request.patterns) {
    if (auto admitted = admit_pattern(pattern); !admitted) return admitted;
  }
  return {};
}

Result<void> Admission::admit_pattern(const std::string& pattern) const {
  if (static_cast<std::int64_t>(pattern.size()) > limits_[LimitId::pattern_bytes]) {
    return over_limit(LimitId::pattern_bytes, limits_[LimitId::pattern_bytes],
                      "the pattern has " + std::to_string(pattern.size()) + " bytes");
  }
  return {};
}

Result<void> Admission::admit_id(const std::optional<std::string>& id) const {
  if (id && (id->empty() || id->size() > 64))
    return invalid("'request_id' must have 1 to 64 characters", "request_id");
  return {};
}

Result<void> Admission::admit_wait(std::size_t waits) const {
  const auto cap = limits_[LimitId::waits];
  if (static_cast<std::int64_t>(waits) >= cap)
    return over_limit(LimitId::waits, cap, "too many waits at once");
  return {};
}

}  // namespace smartcli::policy
