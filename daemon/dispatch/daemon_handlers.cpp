#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "dispatch/handlers.hpp"

namespace smartcli::dispatch {

std::string timestamp(std::int64_t unix_ms) {
  if (unix_ms == 0) return {};
  const std::time_t seconds = unix_ms / 1000;
  struct tm utc {};
  ::gmtime_r(&seconds, &utc);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900, utc.tm_mon + 1,
                utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, static_cast<int>(unix_ms % 1000));
  return text;
}

std::string_view version() {
  return SMARTCLI_VERSION;
}

Reply<Version::Reply> Handlers::handle(Version::Request, Call) {
  Version::Reply reply;
  reply.daemon = version();
  co_return reply;
}

Reply<ShowLimits::Reply> Handlers::handle(ShowLimits::Request, Call) {
  ShowLimits::Reply reply;
  for (std::size_t i = 0; i < std::size(kLimits); ++i) {
    const auto& row = kLimits[i];
    LimitRow shown;
    shown.name = row.name;
    shown.variable = row.variable;
    shown.unit = row.unit;
    shown.reason = row.reason;
    shown.value = limits_[static_cast<LimitId>(i)];
    shown.standard = row.standard;
    shown.least = row.least;
    shown.most = row.most;
    reply.limits.push_back(std::move(shown));
  }
  co_return reply;
}

Reply<DaemonStatus::Reply> Handlers::handle(DaemonStatus::Request, Call) {
  co_await table_.until_adopted();
  DaemonStatus::Reply reply;
  reply.pid = ::getpid();
  reply.version = version();
  reply.socket = paths_.socket;
  reply.state_dir = paths_.state_dir;
  reply.log = paths_.log;
  reply.started = control_.started;
  reply.sessions_live = static_cast<std::int64_t>(table_.live());
  reply.sessions_ended = static_cast<std::int64_t>(table_.all().size()) - reply.sessions_live;
  reply.clients = static_cast<std::int64_t>(control_.clients());
  reply.waits = static_cast<std::int64_t>(table_.waits());
  co_return reply;
}

Reply<DaemonStop::Reply> Handlers::handle(DaemonStop::Request request, Call call) {
  DaemonStop::Reply reply;
  reply.pid = ::getpid();
  co_await table_.until_adopted();
  if (request.end_sessions) {
    Close::Request close;
    close.all = true;
    auto closed = co_await handle(std::move(close), call);
    if (!closed) co_return closed.error();
    reply.closed = closed->closed;
  }
  reply.kept = static_cast<std::int64_t>(table_.live());
  control_.stop(request.restart);
  co_return reply;
}

Reply<Cancel::Reply> Handlers::handle(Cancel::Request request, Call call) {
  Cancel::Reply reply;
  reply.found = call.cancel_other(request.id.text);
  co_return reply;
}

}  // namespace smartcli::dispatch
