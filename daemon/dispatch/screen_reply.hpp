#pragma once

#include "proto/methods/wait.hpp"
#include "proto/types.hpp"
#include "session/session.hpp"

namespace smartcli::dispatch {

/// The screen's rows joined by newlines, trailing empty rows dropped.
std::string screen_text(const terminal::Terminal& terminal);
/// 16 hex digits.
std::string hash_text(std::uint64_t hash);
/// The cursor, counted from 1.
Cursor shown_cursor(const terminal::Terminal& terminal);
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

/// What all waits reply, but the state word: that takes a moment, and the screen is the one of now.
void set_wait(WaitReply& reply, const session::Session& session, const session::Outcome& outcome,
              Detail detail);

template <class R>
void set_state(R& reply, State state) {
  reply.state = state;
  if (reply.screen) reply.screen->state = state;
}

}  // namespace smartcli::dispatch
