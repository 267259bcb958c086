#pragma once

#include <boost/system/result.hpp>
#include <string>
#include <string_view>

namespace smartcli {

/// THE error table: code, wire name, CLI exit status, number on the wire, meaning. A new error is a row here.
/// The enumerator is spelled like its wire name. Source: SPEC section 2.
// clang-format off
#define SMARTCLI_ERRORS(row)                                                                              \
  row(session_exists, 1, -32001, "a session of that name is there already")                               \
  row(session_exited, 1, -32002, "the session's program has ended")                                       \
  row(mouse_off, 1, -32003, "the program did not ask for the mouse")                                      \
  row(nothing_to_scroll, 1, -32004, "the program neither tracks the wheel nor shows a full screen")       \
  row(draft_present, 1, -32005, "an unsent line of another client stands at the prompt")                  \
  row(not_at_prompt, 1, -32006, "the session does not wait for a command")                                \
  row(echo_is_on, 1, -32007, "a secret would be shown")                                                   \
  row(input_stalled, 1, -32008, "the program does not read its input")                                    \
  row(line_too_long, 1, -32009, "the kernel would cut the line")                                          \
  row(invalid_argument, 2, -32602, "a request that cannot be meant so")                                   \
  row(unknown_method, 2, -32601, "no method of that name")                                                \
  row(invalid_pattern, 2, -32010, "a pattern that RE2 does not take")                                     \
  row(not_encodable, 2, -32011, "a key with no encoding in the terminal's modes")                         \
  row(session_not_found, 3, -32012, "no session of that name")                                            \
  row(session_gone, 3, -32013, "the session was ended by the system")                                     \
  row(daemon_unreachable, 4, -32014, "no daemon answers")                                                 \
  row(version_mismatch, 4, -32015, "client and daemon speak no common protocol version")                  \
  row(limit_exceeded, 4, -32016, "a row of the limits table is reached")                                  \
  row(policy_denied, 4, -32017, "refused by policy")                                                      \
  row(sandbox_unavailable, 4, -32018, "the sandbox asked for cannot be made")                             \
  row(resource_exhausted, 4, -32019, "the system has no more of something")                               \
  row(internal, 5, -32603, "a bug of ours")                                                               \
  row(spawn_failed, 125, -32020, "the program could not be started")                                      \
  row(not_executable, 126, -32021, "the program is not executable")                                       \
  row(program_not_found, 127, -32022, "no such program")
// clang-format on

enum class ErrorCode {
#define SMARTCLI_ROW(name, exit, number, meaning) name,
  SMARTCLI_ERRORS(SMARTCLI_ROW)
#undef SMARTCLI_ROW
};

struct ErrorInfo {
  ErrorCode code;
  std::string_view name;     ///< as on the wire
  int exit_status;           ///< of the CLI
  int number;                ///< JSON-RPC's integer code
  std::string_view meaning;  ///< one line for the reference
};

inline constexpr ErrorInfo kErrors[] = {
#define SMARTCLI_ROW(name, exit, number, meaning) {ErrorCode::name, #name, exit, number, meaning},
    SMARTCLI_ERRORS(SMARTCLI_ROW)
#undef SMARTCLI_ROW
};

/// The table's row of a code.
constexpr const ErrorInfo& info(ErrorCode code) {
  return kErrors[static_cast<int>(code)];
}

/// An expected failure. `message` says what was wrong, the bound and the next step in one or two sentences;
/// `detail` holds what a program may want apart from it (an errno's text, a JSON path), or nothing.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string detail = {};
};

template <class T>
using Result = boost::system::result<T, Error>;

/// Thrown only by `Result::value()` on a failure nobody looked at: a bug of ours.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& where);

/// "`NAME`: what (errno text)" as an Error of the given code.
Error errno_error(ErrorCode code, std::string_view what, int errno_value);

}  // namespace smartcli
