#include "dispatch/handlers.hpp"
#include "dispatch/screen_reply.hpp"

namespace smartcli::dispatch {
namespace {

constexpr int kRowsAbove = 200;  ///< SPEC section 4: what `--anywhere` sees above the screen

std::vector<std::string> explain(const session::MatchCondition& condition, const session::Session& session,
                                 std::int64_t now_ms) {
  std::vector<std::string> why;
  if (condition.only_echo()) why.emplace_back("the pattern matches only the echo of what was typed");
  if (condition.only_old())
    why.emplace_back("the pattern matches only text from before the last input (--anywhere sees it)");
  if (const auto last = session.last_output_ms(); last == 0) {
    why.emplace_back("the program has written nothing yet");
  } else {
    why.push_back("last output " + std::to_string(std::max<std::int64_t>(0, now_ms - last)) + " ms ago");
  }
  return why;
}

}  // namespace

Reply<WaitRegex::Reply> Handlers::handle(WaitRegex::Request request, Call call) {
  auto pattern = Pattern::compile(request.pattern);
  if (!pattern) co_return pattern.error();
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  if (auto admitted = admission.admit_wait(table_.waits()); !admitted) co_return admitted.error();
  const auto session = *found;
  session::Scope scope;
  scope.anywhere = request.anywhere;
  scope.fence = session->last_fence(call.client_id).offset;
  if (request.after) {
    if (*request.after < 0)
      co_return Error{ErrorCode::invalid_argument, "'after' must be a revision, 0 or more"};
    scope.fence = session->offset_of(static_cast<std::uint64_t>(*request.after));
  }
  auto condition = std::make_shared<session::MatchCondition>(std::move(*pattern), scope);
  const auto timeout = std::chrono::milliseconds(request.timeout_ms ? request.timeout_ms->count
                                                                    : limits_[LimitId::wait_timeout_ms]);
  const auto outcome =
      co_await session->wait(condition, scope.fence, request.anywhere ? kRowsAbove : 0, timeout, call.cancel);
  // The screen first, as it was when the wait ended; facts take a moment.
  WaitRegex::Reply reply;
  set_wait(reply, *session, State::running, outcome, request.detail);
  reply.matched = outcome.reason == Reason::marker;
  reply.exited = outcome.reason == Reason::exited;
  if (const auto& match = condition->match(); match && reply.matched) {
    const auto top = static_cast<std::int64_t>(session->terminal().screen_top());
    reply.match = PatternMatch{match->text, static_cast<std::int64_t>(match->begin.row) - top + 1,
                               static_cast<std::int64_t>(match->begin.col) + 1, match->groups};
  }
  if (outcome.reason == Reason::timeout) {
    const auto now =
        std::chrono::duration_cast<std::chrono::milliseconds>(clock_.wall().time_since_epoch()).count();
    reply.why = explain(*condition, *session, now);
  }
  set_state(reply, (co_await session->facts()).state);
  co_return reply;
}

Reply<WaitExit::Reply> Handlers::handle(WaitExit::Request request, Call call) {
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  if (auto admitted = admission.admit_wait(table_.waits()); !admitted) co_return admitted.error();
  const auto session = *found;
  std::optional<std::chrono::milliseconds> timeout;
  if (request.timeout_ms) {
    timeout = std::chrono::milliseconds(request.timeout_ms->count);
  } else if (limits_[LimitId::wait_exit_timeout_ms] > 0) {
    timeout = std::chrono::milliseconds(limits_[LimitId::wait_exit_timeout_ms]);
  }
  const auto outcome =
      co_await session->wait(std::make_shared<session::EndCondition>(), 0, 0, timeout, call.cancel);
  WaitExit::Reply reply;
  set_wait(reply, *session, State::running, outcome, request.detail);
  reply.exited = outcome.reason == Reason::exited;
  set_state(reply, (co_await session->facts()).state);
  co_return reply;
}

}  // namespace smartcli::dispatch
