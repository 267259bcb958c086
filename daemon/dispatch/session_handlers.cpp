#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "common/signals.hpp"
#include "common/text.hpp"
#include "dispatch/handlers.hpp"
#include "dispatch/screen_reply.hpp"
#include "session/program.hpp"

extern char** environ;

namespace smartcli::dispatch {
namespace {

std::vector<std::string> own_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

std::vector<std::string> strings(const std::vector<Bytes>& values) {
  std::vector<std::string> out;
  out.reserve(values.size());
  for (const auto& value : values) out.push_back(value.data);
  return out;
}

Result<void> check_directory(const std::string& path) {
  struct stat st {};
  if (path[0] != '/') {
    return Error{ErrorCode::invalid_argument,
                 "the working directory " + text::quoted(path, 200) + " is not absolute"};
  }
  if (::stat(path.c_str(), &st) != 0) {
    return errno_error(ErrorCode::invalid_argument, "the working directory " + text::quoted(path, 200),
                       errno);
  }
  if (!S_ISDIR(st.st_mode)) {
    return Error{ErrorCode::invalid_argument,
                 "the working directory " + text::quoted(path, 200) + " is not a directory"};
  }
  return {};
}

}  // namespace

Reply<Spawn::Reply> Handlers::handle(Spawn::Request request, Call) {
  session::NewSession wanted;
  if (request.sid) wanted.sid = request.sid->text;
  auto base = request.environment ? strings(*request.environment) : own_environment();
  if (request.clean_env) base = session::clean_environment(std::move(base));
  wanted.env = session::program_environment(std::move(base), strings(request.env));
  wanted.cwd = request.cwd ? request.cwd->data : session::value_of(wanted.env, "HOME");
  if (wanted.cwd.empty()) wanted.cwd = "/";
  if (auto checked = check_directory(wanted.cwd); !checked) co_return checked.error();
  auto command =
      session::command_of(strings(request.argv),
                          request.shell_command ? std::optional(request.shell_command->data) : std::nullopt,
                          request.login, wanted.env);
  if (!command) co_return command.error();
  wanted.argv = std::move(command->argv);
  auto program = session::find_program(command->file, wanted.env, wanted.cwd);
  if (!program) co_return program.error();
  wanted.program = std::move(*program);
  wanted.cols = static_cast<int>(request.cols.value_or(limits_[LimitId::cols]));
  wanted.rows = static_cast<int>(request.rows.value_or(limits_[LimitId::rows]));
  wanted.scrollback = request.scrollback.value_or(limits_[LimitId::scrollback]);
  wanted.detect_child_exit = request.detect_child_exit;
  wanted.evict = request.evict;
  wanted.idle_timeout_ms =
      request.idle_timeout_ms ? request.idle_timeout_ms->count : limits_[LimitId::idle_timeout_ms];
  wanted.umask = static_cast<unsigned>(request.umask.value_or(077));
  auto spawned = co_await table_.spawn(std::move(wanted));
  if (!spawned) co_return spawned.error();
  const auto& session = **spawned;
  Spawn::Reply reply;
  reply.sid = session.index().sid;
  reply.pid = session.child_pid();
  reply.argv = session.index().argv;
  reply.cols = session.index().cols;
  reply.rows = session.index().rows;
  reply.cwd = session.index().cwd;
  reply.started = timestamp(session.index().started_ms);
  co_return reply;
}

Reply<List::Reply> Handlers::handle(List::Request request, Call) {
  co_await table_.until_adopted();
  List::Reply reply;
  auto sessions = table_.all();
  if (request.live) std::erase_if(sessions, [](const auto& session) { return !session->alive(); });
  // All shims are asked at once; each answers in its own time.
  struct Asked {
    session::StateFacts facts;
    bool done = false;
  };
  auto asked = std::make_shared<std::vector<Asked>>(sessions.size());
  auto left = std::make_shared<std::size_t>(sessions.size());
  const auto executor = co_await boost::asio::this_coro::executor;
  auto all_done = std::make_shared<boost::asio::steady_timer>(executor, std::chrono::seconds(1));
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (sessions[i]->is_flooding()) {  // `running`, as for one that does not answer
      --*left;
      continue;
    }
    boost::asio::co_spawn(executor, sessions[i]->facts(),
                          [asked, left, all_done, i](std::exception_ptr failure, session::StateFacts facts) {
                            if (!failure) (*asked)[i] = {std::move(facts), true};
                            if (--*left == 0) all_done->cancel();
                          });
  }
  if (*left > 0) {
    boost::system::error_code ignored;
    co_await all_done->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const auto& session = *sessions[i];
    SessionRow row;
    row.sid = session.index().sid;
    row.state = (*asked)[i].done ? (*asked)[i].facts.state : State::running;
    if (session.alive()) row.pid = session.child_pid();
    row.argv = session.index().argv;
    row.cols = session.size().cols;
    row.rows = session.size().rows;
    row.cwd = session.index().cwd;
    row.started = timestamp(session.index().started_ms);
    row.last_output = timestamp(session.last_output_ms());
    set_exit(row, session);
    reply.sessions.push_back(std::move(row));
  }
  if (request.live) co_return reply;
  for (const auto& index : table_.tombstones()) {
    Tombstone row;
    row.sid = index.sid;
    row.reason = index.grave->reason;
    row.ended = timestamp(index.grave->ended_ms);
    row.expires = timestamp(index.grave->ended_ms + table_.tombstone_time().count());
    row.exit = index.grave->exit;
    reply.tombstones.push_back(std::move(row));
  }
  co_return reply;
}

Reply<Status::Reply> Handlers::handle(Status::Request request, Call call) {
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  const auto session = *found;
  co_await session->settle_frame();
  const auto facts = co_await session->facts();
  const auto& terminal = session->terminal();
  Status::Reply reply;
  reply.sid = session->index().sid;
  reply.alive = session->alive();
  reply.state = facts.state;
  set_exit(reply, *session);
  if (session->alive()) reply.pid = session->child_pid();
  reply.argv = session->index().argv;
  reply.title = terminal.title();
  reply.cwd.data = working_directory(*session);
  reply.foreground = facts.foreground;
  reply.cols = terminal.size().cols;
  reply.rows = terminal.size().rows;
  reply.alt_screen = terminal.alt_screen();
  reply.modes = terminal.modes();
  reply.revision = static_cast<std::int64_t>(session->revision());
  reply.offset = static_cast<std::int64_t>(session->offset());
  reply.fence = static_cast<std::int64_t>(session->last_fence(call.client_id).revision);
  reply.hash = hash_text(terminal.text_hash());
  reply.visual_hash = hash_text(terminal.visual_hash());
  reply.started = timestamp(session->index().started_ms);
  reply.last_output = timestamp(session->last_output_ms());
  reply.counters = session->counters();
  co_return reply;
}

Reply<Alive::Reply> Handlers::handle(Alive::Request request, Call) {
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  Alive::Reply reply;
  reply.alive = (*found)->alive();
  set_exit(reply, **found);
  co_return reply;
}

Reply<Signal::Reply> Handlers::handle(Signal::Request request, Call) {
  const auto number = parse_signal(request.signal);
  if (!number) co_return number.error();
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  const auto target =
      request.to == SignalTo::child ? shim_abi::SignalTarget::child : shim_abi::SignalTarget::foreground;
  auto sent = co_await (*found)->signal(*number, target);
  if (!sent) co_return sent.error();
  co_return Signal::Reply{signal_name(*number), *number, request.to};
}

Reply<Resize::Reply> Handlers::handle(Resize::Request request, Call) {
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  const auto session = *found;
  co_await session->settle_frame();
  const auto now = session->terminal().size();
  const auto cols = request.cols.value_or(now.cols);
  const auto rows = request.rows.value_or(now.rows);
  if (cols * rows > limits_[LimitId::cells]) {
    co_return over_limit(LimitId::cells, limits_[LimitId::cells],
                         std::to_string(cols) + " x " + std::to_string(rows) + " is too large a screen");
  }
  auto resized = co_await session->resize(static_cast<int>(cols), static_cast<int>(rows));
  if (!resized) co_return resized.error();
  co_return Resize::Reply{cols, rows, static_cast<std::int64_t>(*resized)};
}

Reply<Clear::Reply> Handlers::handle(Clear::Request request, Call) {
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  auto cleared = co_await (*found)->clear();
  if (!cleared) co_return cleared.error();
  co_return Clear::Reply{static_cast<std::int64_t>(*cleared)};
}

Reply<Restart::Reply> Handlers::handle(Restart::Request request, Call) {
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  const auto session = *found;
  const auto now = session->size();
  const auto cols = request.cols.value_or(now.cols), rows = request.rows.value_or(now.rows);
  if (cols * rows > limits_[LimitId::cells]) {
    co_return over_limit(LimitId::cells, limits_[LimitId::cells],
                         std::to_string(cols) + " x " + std::to_string(rows) + " is too large a screen");
  }
  std::optional<session::NewProgram> wanted;
  if (!request.argv.empty() || request.cwd || !request.env.empty()) {
    wanted.emplace();
    wanted->env = session::program_environment(
        request.environment ? strings(*request.environment) : own_environment(), strings(request.env));
    wanted->cwd = request.cwd ? request.cwd->data : session->index().cwd.data;
    if (auto checked = check_directory(wanted->cwd); !checked) co_return checked.error();
    wanted->argv = strings(request.argv.empty() ? session->index().argv : request.argv);
    // A login shell's name begins with a dash that its file does not have.
    const bool is_login = request.argv.empty() && wanted->argv[0].starts_with('-');
    auto program = session::find_program(wanted->argv[0].substr(is_login ? 1 : 0), wanted->env, wanted->cwd);
    if (!program) co_return program.error();
    wanted->program = std::move(*program);
    wanted->umask = static_cast<unsigned>(request.umask.value_or(077));
  }
  const auto grace =
      std::chrono::milliseconds(request.grace_ms ? request.grace_ms->count : limits_[LimitId::grace_ms]);
  auto restarted = co_await table_.restart(session, std::move(wanted), Size{cols, rows}, grace);
  if (!restarted) co_return restarted.error();
  const auto& index = session->index();
  Restart::Reply reply;
  reply.sid = index.sid;
  reply.pid = session->child_pid();
  reply.argv = index.argv;
  reply.cols = session->size().cols;
  reply.rows = session->size().rows;
  reply.cwd = index.cwd;
  reply.started = timestamp(index.started_ms);
  reply.revision = static_cast<std::int64_t>(*restarted);
  co_return reply;
}

Reply<Close::Reply> Handlers::handle(Close::Request request, Call) {
  const auto grace =
      std::chrono::milliseconds(request.grace_ms ? request.grace_ms->count : limits_[LimitId::grace_ms]);
  Close::Reply reply;
  std::vector<std::shared_ptr<session::Session>> sessions;
  if (request.all) {
    co_await table_.until_adopted();
    sessions = table_.all();
    for (const auto& index : table_.tombstones()) reply.closed += table_.forget_tombstone(index.sid.text);
  } else {
    co_await table_.until_adopted();
    if (table_.forget_tombstone(request.sid->text)) {
      reply.closed = 1;
      reply.exit_reason = "the system had ended it before";
      co_return reply;
    }
    auto found = co_await table_.find(request.sid->text);
    if (!found) co_return found.error();
    sessions.push_back(*found);
  }
  // All at once: each may take its whole grace.
  const auto executor = co_await boost::asio::this_coro::executor;
  auto left = std::make_shared<std::size_t>(sessions.size());
  auto failure = std::make_shared<std::optional<Error>>();
  auto survivors = std::make_shared<std::vector<Survivor>>();
  auto all_done =
      std::make_shared<boost::asio::steady_timer>(executor, boost::asio::steady_timer::time_point::max());
  for (const auto& session : sessions) {
    boost::asio::co_spawn(
        executor, table_.close(session, grace, request.tree),
        [left, failure, survivors, all_done](std::exception_ptr thrown, Result<holder::CloseResult> closed) {
          if (thrown) {
            *failure = Error{ErrorCode::internal, "closing failed"};
          } else if (!closed) {
            *failure = closed.error();
          } else {
            for (const auto& survivor : closed->survivors) {
              if (survivor.ended != 0) continue;
              survivors->push_back(
                  {survivor.pid, std::string(survivor.name, ::strnlen(survivor.name, sizeof survivor.name))});
            }
          }
          if (--*left == 0) all_done->cancel();
        });
  }
  if (*left > 0) {
    boost::system::error_code ignored;
    co_await all_done->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }
  if (*failure) co_return **failure;
  reply.closed += static_cast<std::int64_t>(sessions.size());
  reply.survivors = std::move(*survivors);
  if (!request.all) {
    set_exit(reply, *sessions[0]);
    reply.text = screen_text(sessions[0]->terminal());
  }
  co_return reply;
}

}  // namespace smartcli::dispatch
