#pragma once

// One `handle` per method of the registry. Rows and columns turn from 0-based to 1-based here.

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "common/clock.hpp"
#include "common/paths.hpp"
#include "dispatch/stream.hpp"
#include "policy/admission.hpp"
#include "proto/registry.hpp"
#include "session/meeting.hpp"
#include "session/session_table.hpp"

namespace smartcli::dispatch {

template <class T>
using Reply = boost::asio::awaitable<Result<T>>;

/// What a handler knows of who asks.
struct Call {
  std::string client_id;
  std::shared_ptr<session::Cancellation> cancel;
  std::shared_ptr<Stream> stream;                           ///< for an answer that comes in pieces
  std::function<bool(const std::string& id)> cancel_other;  ///< ends another request of the same connection
};

/// The daemon itself, as handlers see it.
struct DaemonControl {
  std::string started;  ///< RFC 3339
  std::function<std::size_t()> clients;
  std::function<void(bool restart)> stop;  ///< after the reply is on its way
  std::function<bool()> is_restarting;     ///< another daemon follows
  std::string crosscheck;                  ///< path of smartcli-crosscheck
};

class Handlers {
 public:
  Handlers(session::SessionTable& table, const Limits& limits, const Clock& clock, const paths::Paths& paths,
           DaemonControl control)
      : admission(limits),
        table_(table),
        limits_(limits),
        clock_(clock),
        paths_(paths),
        control_(std::move(control)) {}

  Reply<Spawn::Reply> handle(Spawn::Request request, Call call);
  Reply<List::Reply> handle(List::Request request, Call call);
  Reply<Status::Reply> handle(Status::Request request, Call call);
  Reply<Snapshot::Reply> handle(Snapshot::Request request, Call call);
  Reply<Read::Reply> handle(Read::Request request, Call call);
  Reply<Search::Reply> handle(Search::Request request, Call call);
  Reply<InputReply> handle(SendText::Request request, Call call);
  Reply<InputReply> handle(SendLine::Request request, Call call);
  Reply<InputReply> handle(SendKeys::Request request, Call call);
  Reply<WaitRegex::Reply> handle(WaitRegex::Request request, Call call);
  Reply<WaitAny::Reply> handle(WaitAny::Request request, Call call);
  Reply<WaitGone::Reply> handle(WaitGone::Request request, Call call);
  Reply<WaitChange::Reply> handle(WaitChange::Request request, Call call);
  Reply<WaitChange::Reply> handle(WaitVisualChange::Request request, Call call);
  Reply<WaitReady::Reply> handle(WaitReady::Request request, Call call);
  Reply<WaitReply> handle(WaitExit::Request request, Call call);
  Reply<Alive::Reply> handle(Alive::Request request, Call call);
  Reply<Signal::Reply> handle(Signal::Request request, Call call);
  Reply<Resize::Reply> handle(Resize::Request request, Call call);
  Reply<Clear::Reply> handle(Clear::Request request, Call call);
  Reply<Restart::Reply> handle(Restart::Request request, Call call);
  Reply<Close::Reply> handle(Close::Request request, Call call);
  Reply<Version::Reply> handle(Version::Request request, Call call);
  Reply<ShowLimits::Reply> handle(ShowLimits::Request request, Call call);
  Reply<DaemonStatus::Reply> handle(DaemonStatus::Request request, Call call);
  Reply<DaemonStop::Reply> handle(DaemonStop::Request request, Call call);
  Reply<Doctor::Reply> handle(Doctor::Request request, Call call);
  Reply<Cancel::Reply> handle(Cancel::Request request, Call call);

  bool is_restarting() const { return control_.is_restarting(); }

  policy::Admission admission;

 private:
  /// The session to wait for, if one more wait may be. Errors: session_not_found, limit_exceeded.
  Reply<std::shared_ptr<session::Session>> to_wait_for(SessionName sid);
  /// A wait from its start to its reply. `at_end` adds to the reply what only this wait knows, while the
  /// screen is the one that the reply shows.
  boost::asio::awaitable<void> wait(std::shared_ptr<session::Session> session,
                                    std::shared_ptr<session::Condition> condition, session::Scope scope,
                                    std::optional<Millis> timeout, Detail detail, WaitReply& reply, Call call,
                                    std::function<void()> at_end);
  Reply<WaitChange::Reply> change(SessionName sid, session::ChangeCondition::Of of,
                                  std::optional<std::uint64_t> from, std::optional<Millis> timeout,
                                  Detail detail, Call call);
  boost::asio::awaitable<Result<InputReply>> type(SessionName sid, std::string text, bool enter,
                                                  std::optional<Millis> timeout,
                                                  std::optional<std::string> request_id, Call call);

  session::SessionTable& table_;
  const Limits& limits_;
  const Clock& clock_;
  const paths::Paths& paths_;
  DaemonControl control_;
};

/// RFC 3339 in UTC with milliseconds; empty for 0.
std::string timestamp(std::int64_t unix_ms);
/// The version of this build.
std::string_view version();

}  // namespace smartcli::dispatch
