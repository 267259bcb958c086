#include "dispatch/dispatch.hpp"

#include <stdexcept>
#include <vector>

#include "common/failpoint.hpp"
#include "common/log.hpp"
#include "common/text.hpp"
#include "proto/codec.hpp"

namespace smartcli::dispatch {
namespace {

using Serve = boost::asio::awaitable<std::string> (*)(Handlers&, RequestFrame, Call);

template <class M>
boost::asio::awaitable<std::string> serve(Handlers& handlers, RequestFrame frame, Call call) {
  auto request = decode<typename M::Request>(*frame.params, UnknownFields::refuse);
  if (!request) co_return error_line(frame.id, request.error());
  frame.params.reset();
  if (auto admitted = handlers.admission.admit(*request); !admitted)
    co_return error_line(frame.id, admitted.error());
  const auto cancel = call.cancel;
  auto reply = co_await handlers.handle(std::move(*request), std::move(call));
  if constexpr (requires { reply->reason == Reason::cancelled; }) {
    // The client goes on with its wait at the daemon that follows.
    if (reply && reply->reason == Reason::cancelled && handlers.is_restarting() &&
        !(cancel && cancel->fired()))
      co_return error_line(frame.id, Error{ErrorCode::daemon_unreachable,
                                           "the daemon is restarted; ask the next one", "restart"});
  }
  if (!reply) co_return error_line(frame.id, reply.error());
  co_return reply_line_of(frame.id, *reply);
}

struct Entry {
  std::string_view name;
  Serve serve;
};

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all;
    for_each_method([&all]<class M>() { all.push_back({M::info.name, &serve<M>}); });
    return all;
  }();
  return entries;
}

}  // namespace

boost::asio::awaitable<std::string> dispatch(Handlers& handlers, RequestFrame request, Call call) {
  for (const auto& entry : table()) {
    if (entry.name != request.method) continue;
    const std::string id = request.id;
    std::string failure;
    try {
      if (failpoints().is_hit(Failpoint::dispatch_throw, entry.name)) throw std::runtime_error("a failpoint");
      co_return co_await entry.serve(handlers, std::move(request), std::move(call));
    } catch (const std::exception& thrown) {
      failure = thrown.what();
    }
    log::error(std::string(entry.name) + ": " + failure);
    co_return error_line(
        id, Error{ErrorCode::internal, "a bug of ours in '" + std::string(entry.name) + "': " + failure +
                                           "; the log has it, please report it"});
  }
  std::vector<std::string> names;
  for (const auto& entry : table()) names.emplace_back(entry.name);
  co_return error_line(
      request.id, Error{ErrorCode::unknown_method, "no method " + text::quoted(request.method) +
                                                       text::did_you_mean(request.method, names) +
                                                       " (this daemon is " + std::string(version()) + ")"});
}

}  // namespace smartcli::dispatch
