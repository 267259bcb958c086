#pragma once

#include "proto/types.hpp"
#include "session/session.hpp"

namespace smartcli::dispatch {

/// The screen's rows joined by newlines, trailing empty rows dropped.
std::string screen_text(const terminal::Terminal& terminal);
/// 16 hex digits.
std::string hash_text(std::uint64_t hash);
/// The structured screen.
Screen full_screen(const session::Session& session, State state);
/// Working directory: the kernel's word for the program where it can be had, else as the program reported it.
std::string working_directory(const session::Session& session);

/// Fills `exit` and `exit_reason`, fields that many replies have.
template <class R>
void set_exit(R& reply, const session::Session& session) {
  const auto& ending = session.ending();
  if (!ending) return;
  reply.exit = ending->exit;
  if (!ending->exit) reply.exit_reason = ending->reason;
}

/// What all waits reply: SPEC section 4, "Common fields".
template <class R>
void set_wait(R& reply, const session::Session& session, State state, const session::Outcome& outcome,
              Detail detail) {
  reply.reason = outcome.reason;
  reply.alive = session.alive();
  set_exit(reply, session);
  reply.state = state;
  reply.revision = static_cast<std::int64_t>(session.revision());
  reply.hash = hash_text(session.terminal().text_hash());
  reply.visual_hash = hash_text(session.terminal().visual_hash());
  reply.elapsed_ms = outcome.elapsed.count();
  reply.text = screen_text(session.terminal());
  if (detail == Detail::full) reply.screen = full_screen(session, state);
}

template <class R>
void set_state(R& reply, State state) {
  reply.state = state;
  if (reply.screen) reply.screen->state = state;
}

}  // namespace smartcli::dispatch
