#include "dispatch/handlers.hpp"
#include "dispatch/screen_reply.hpp"

namespace smartcli::dispatch {

Reply<Snapshot::Reply> Handlers::handle(Snapshot::Request request, Call call) {
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  const auto session = *found;
  // Facts first: nothing may come between the settled frame and the look at it.
  State state = State::running;
  if (request.detail == Detail::full) state = (co_await session->facts()).state;
  co_await session->settle_frame();
  session->saw(call.client_id);
  Snapshot::Reply reply;
  if (request.detail == Detail::full) reply.screen = full_screen(*session, state);
  reply.text = screen_text(session->terminal());
  reply.revision = static_cast<std::int64_t>(session->revision());
  reply.hash = hash_text(session->terminal().text_hash());
  reply.visual_hash = hash_text(session->terminal().visual_hash());
  co_return reply;
}

}  // namespace smartcli::dispatch
