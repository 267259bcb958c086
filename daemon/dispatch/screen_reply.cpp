#include "dispatch/screen_reply.hpp"

#include <unistd.h>

#include <climits>
#include <cstdio>

#include "common/utf8.hpp"

namespace smartcli::dispatch {

std::string screen_text(const terminal::Terminal& terminal) {
  auto lines = terminal.screen_text();
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  std::string text;
  for (const auto& line : lines) {
    if (&line != &lines.front()) text += '\n';
    text += line;
  }
  return text;
}

std::string hash_text(std::uint64_t hash) {
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
  return hex;
}

std::string working_directory(const session::Session& session) {
  if (session.alive() && session.child_pid() > 0) {
    char path[PATH_MAX];
    const auto n =
        ::readlink(("/proc/" + std::to_string(session.child_pid()) + "/cwd").c_str(), path, sizeof path);
    if (n > 0) return std::string(path, static_cast<std::size_t>(n));
  }
  if (!session.terminal().cwd().empty()) return session.terminal().cwd();
  return session.index().cwd.data;
}

Cursor shown_cursor(const terminal::Terminal& terminal) {
  const auto cursor = terminal.cursor();
  return {cursor.row + 1, cursor.col + 1, cursor.visible, cursor.shape, cursor.blink};
}

Screen full_screen(const session::Session& session, State state) {
  const auto& terminal = session.terminal();
  Screen screen;
  screen.cols = terminal.size().cols;
  screen.rows = terminal.size().rows;
  screen.lines = terminal.screen_text();
  screen.text = screen_text(terminal);
  screen.cursor = shown_cursor(terminal);
  screen.alt_screen = terminal.alt_screen();
  screen.title = terminal.title();
  screen.cwd = working_directory(session);
  screen.state = state;
  screen.alive = session.alive();
  set_exit(screen, session);
  screen.modes = terminal.modes();
  screen.highlighted = terminal.highlighted();
  screen.revision = static_cast<std::int64_t>(session.revision());
  screen.offset = static_cast<std::int64_t>(session.offset());
  screen.hash = hash_text(terminal.text_hash());
  screen.visual_hash = hash_text(terminal.visual_hash());
  screen.counters = session.counters();
  return screen;
}

void set_wait(WaitReply& reply, const session::Session& session, const session::Outcome& outcome,
              Detail detail) {
  reply.reason = outcome.reason;
  reply.alive = session.alive();
  reply.exited = outcome.reason == Reason::exited;
  set_exit(reply, session);
  reply.revision = static_cast<std::int64_t>(session.revision());
  reply.hash = hash_text(session.terminal().text_hash());
  reply.visual_hash = hash_text(session.terminal().visual_hash());
  reply.elapsed_ms = outcome.elapsed.count();
  reply.text = screen_text(session.terminal());
  if (detail == Detail::full) reply.screen = full_screen(session, State::running);
}

}  // namespace smartcli::dispatch
