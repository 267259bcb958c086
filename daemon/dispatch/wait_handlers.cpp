#include <charconv>

#include "common/text.hpp"
#include "dispatch/handlers.hpp"
#include "dispatch/screen_reply.hpp"

namespace smartcli::dispatch {
namespace {

constexpr int kRowsAbove = 200;  ///< SPEC section 4: what `--anywhere` sees above the screen

void explain(WaitReply& reply, const session::MatchCondition& condition) {
  if (condition.only_echo()) reply.why.emplace_back("the pattern matches only the echo of what was typed");
  if (condition.only_old())
    reply.why.emplace_back("the pattern matches only text from before the last input (--anywhere sees it)");
}

void explain_silence(WaitReply& reply, const session::Session& session, std::int64_t now_ms) {
  if (const auto last = session.last_output_ms(); last == 0) {
    reply.why.emplace_back("the program has written nothing yet");
  } else {
    reply.why.push_back("last output " + std::to_string(std::max<std::int64_t>(0, now_ms - last)) +
                        " ms ago");
  }
}

/// Errors: invalid_argument naming the field.
Result<std::uint64_t> parse_hash(std::string_view field, const std::string& text) {
  std::uint64_t hash = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (text.size() != 16 || status != std::errc{} || end != text.data() + text.size()) {
    return Error{ErrorCode::invalid_argument,
                 "'" + std::string(field) + "' must be 16 hex digits, as a reply's " + std::string(field) +
                     " has them, not " + text::quoted(text),
                 std::string(field)};
  }
  return hash;
}

std::optional<PatternMatch> shown_match(const session::MatchCondition& condition,
                                        const session::Session& session) {
  const auto& match = condition.match();
  if (!match) return std::nullopt;
  const auto top = static_cast<std::int64_t>(session.terminal().screen_top());
  return PatternMatch{match->text, static_cast<std::int64_t>(match->begin.row) - top + 1,
                      static_cast<std::int64_t>(match->begin.col) + 1, match->groups};
}

Result<session::Scope> scope_of(const PatternScope& asked, const session::Session& session,
                                const Call& call) {
  session::Scope scope;
  scope.anywhere = asked.anywhere;
  scope.fence = session.last_fence(call.client_id).offset;
  if (asked.after) {
    if (*asked.after < 0)
      return Error{ErrorCode::invalid_argument, "'after' must be a revision, 0 or more", "after"};
    scope.fence = session.offset_of(static_cast<std::uint64_t>(*asked.after));
  }
  return scope;
}

Result<session::MatchCondition> match_condition(const std::string& text, session::Scope scope) {
  auto pattern = Pattern::compile(text);
  if (!pattern) return pattern.error();
  return session::MatchCondition(std::move(*pattern), scope);
}

}  // namespace

Reply<std::shared_ptr<session::Session>> Handlers::to_wait_for(SessionName sid) {
  auto found = co_await table_.find(sid.text);
  if (!found) co_return found.error();
  if (auto admitted = admission.admit_wait(table_.waits()); !admitted) co_return admitted.error();
  co_return *found;
}

boost::asio::awaitable<void> Handlers::wait(std::shared_ptr<session::Session> session,
                                            std::shared_ptr<session::Condition> condition,
                                            session::Scope scope, std::optional<Millis> timeout,
                                            Detail detail, WaitReply& reply, Call call,
                                            std::function<void()> at_end) {
  const auto limit = std::chrono::milliseconds(timeout ? timeout->count : limits_[LimitId::wait_timeout_ms]);
  const auto outcome =
      co_await session->wait(condition, scope.fence, scope.anywhere ? kRowsAbove : 0, limit, call.cancel);
  // The screen first, as it was when the wait ended; facts take a moment.
  set_wait(reply, *session, outcome, detail);
  session->saw(call.client_id);
  at_end();
  if (outcome.reason == Reason::timeout) {
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.wall().time_since_epoch());
    explain_silence(reply, *session, now.count());
  }
  set_state(reply, (co_await session->facts()).state);
}

Reply<WaitRegex::Reply> Handlers::handle(WaitRegex::Request request, Call call) {
  auto found = co_await to_wait_for(request.sid);
  if (!found) co_return found.error();
  const auto session = *found;
  auto scope = scope_of(request, *session, call);
  if (!scope) co_return scope.error();
  auto made = match_condition(request.pattern, *scope);
  if (!made) co_return made.error();
  const auto condition = std::make_shared<session::MatchCondition>(std::move(*made));
  WaitRegex::Reply reply;
  co_await wait(session, condition, *scope, request.timeout_ms, request.detail, reply, call, [&] {
    reply.matched = reply.reason == Reason::marker;
    if (reply.matched) reply.match = shown_match(*condition, *session);
    if (reply.reason == Reason::timeout) explain(reply, *condition);
  });
  co_return reply;
}

Reply<WaitAny::Reply> Handlers::handle(WaitAny::Request request, Call call) {
  auto found = co_await to_wait_for(request.sid);
  if (!found) co_return found.error();
  const auto session = *found;
  auto scope = scope_of(request, *session, call);
  if (!scope) co_return scope.error();
  std::vector<session::MatchCondition> patterns;
  for (const auto& text : request.patterns) {
    auto made = match_condition(text, *scope);
    if (!made) co_return made.error();
    patterns.push_back(std::move(*made));
  }
  const auto condition = std::make_shared<session::AnyCondition>(std::move(patterns));
  WaitAny::Reply reply;
  co_await wait(session, condition, *scope, request.timeout_ms, request.detail, reply, call, [&] {
    reply.matched = reply.reason == Reason::marker;
    if (const auto index = condition->index(); reply.matched && index) {
      reply.index = static_cast<std::int64_t>(*index);
      reply.match = shown_match(condition->matches()[*index], *session);
    }
    if (reply.reason != Reason::timeout) return;
    for (const auto& pattern : condition->matches()) {
      if (reply.why.empty()) explain(reply, pattern);
    }
  });
  co_return reply;
}

Reply<WaitGone::Reply> Handlers::handle(WaitGone::Request request, Call call) {
  auto found = co_await to_wait_for(request.sid);
  if (!found) co_return found.error();
  auto pattern = Pattern::compile(request.pattern);
  if (!pattern) co_return pattern.error();
  const auto condition = std::make_shared<session::GoneCondition>(std::move(*pattern));
  WaitGone::Reply reply;
  co_await wait(*found, condition, {}, request.timeout_ms, request.detail, reply, call,
                [&] { reply.gone = reply.reason == Reason::gone; });
  co_return reply;
}

Reply<WaitChange::Reply> Handlers::change(SessionName sid, session::ChangeCondition::Of of,
                                          std::optional<std::uint64_t> from, std::optional<Millis> timeout,
                                          Detail detail, Call call) {
  auto found = co_await to_wait_for(sid);
  if (!found) co_return found.error();
  const auto session = *found;
  co_await session->settle_frame();
  if (!from) {
    session->catch_up();
    const auto seen = session->last_seen(call.client_id);
    from = of == session::ChangeCondition::Of::text ? seen.text_hash : seen.visual_hash;
  }
  const auto condition = std::make_shared<session::ChangeCondition>(of, *from);
  WaitChange::Reply reply;
  co_await wait(session, condition, {}, timeout, detail, reply, call,
                [&] { reply.changed = reply.reason == Reason::changed; });
  co_return reply;
}

Reply<WaitChange::Reply> Handlers::handle(WaitChange::Request request, Call call) {
  std::optional<std::uint64_t> from;
  if (request.hash) {
    auto hash = parse_hash("hash", *request.hash);
    if (!hash) co_return hash.error();
    from = *hash;
  }
  co_return co_await change(request.sid, session::ChangeCondition::Of::text, from, request.timeout_ms,
                            request.detail, call);
}

Reply<WaitChange::Reply> Handlers::handle(WaitVisualChange::Request request, Call call) {
  std::optional<std::uint64_t> from;
  if (request.visual_hash) {
    auto hash = parse_hash("visual_hash", *request.visual_hash);
    if (!hash) co_return hash.error();
    from = *hash;
  }
  co_return co_await change(request.sid, session::ChangeCondition::Of::all, from, request.timeout_ms,
                            request.detail, call);
}

Reply<WaitReady::Reply> Handlers::handle(WaitReady::Request request, Call call) {
  auto found = co_await to_wait_for(request.sid);
  if (!found) co_return found.error();
  const auto session = *found;
  session::Scope scope;
  scope.fence = session->last_fence(call.client_id).offset;
  std::optional<session::MatchCondition> marker;
  if (request.marker) {
    auto made = match_condition(*request.marker, scope);
    if (!made) co_return made.error();
    marker.emplace(std::move(*made));
  }
  const auto quiet =
      std::chrono::milliseconds(request.quiet_ms ? request.quiet_ms->count : limits_[LimitId::quiet_ms]);
  const auto condition = std::make_shared<session::ReadyCondition>(std::move(marker), quiet);
  WaitReady::Reply reply;
  co_await wait(session, condition, scope, request.timeout_ms, request.detail, reply, call, [&] {
    reply.ready = reply.reason == Reason::marker || reply.reason == Reason::stable;
    if (reply.reason == Reason::timeout && condition->marker()) explain(reply, *condition->marker());
  });
  co_return reply;
}

Reply<WaitReply> Handlers::handle(WaitExit::Request request, Call call) {
  auto found = co_await to_wait_for(request.sid);
  if (!found) co_return found.error();
  const auto session = *found;
  std::optional<std::chrono::milliseconds> timeout;
  if (request.timeout_ms) {
    timeout = std::chrono::milliseconds(request.timeout_ms->count);
  } else if (limits_[LimitId::wait_exit_timeout_ms] > 0) {
    timeout = std::chrono::milliseconds(limits_[LimitId::wait_exit_timeout_ms]);
  }
  const auto outcome =
      co_await session->wait(std::make_shared<session::EndCondition>(), 0, 0, timeout, call.cancel);
  WaitReply reply;
  set_wait(reply, *session, outcome, request.detail);
  session->saw(call.client_id);
  set_state(reply, (co_await session->facts()).state);
  co_return reply;
}

}  // namespace smartcli::dispatch
