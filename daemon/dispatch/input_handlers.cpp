#include <sys/random.h>

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/text.hpp"
#include "dispatch/handlers.hpp"
#include "proto/keys.hpp"
#include "terminal/key_encoder.hpp"

namespace smartcli::dispatch {
namespace {

/// A client's id for a request, squeezed into the 16 bytes that a shim remembers; a fresh one where none was
/// given.
shim_abi::RequestId request_id(const std::optional<std::string>& given) {
  shim_abi::RequestId id{};
  if (given) {
    const auto hash = XXH3_128bits(given->data(), given->size());
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&hash.low64), 8, id.bytes);
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&hash.high64), 8, id.bytes + 8);
  } else {
    static std::uint64_t counter = 0;
    static const std::uint64_t base = [] {
      std::uint64_t value = 0;
      return ::getrandom(&value, sizeof value, 0) == sizeof value ? value : 1;
    }();
    const std::uint64_t next = ++counter;
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&base), 8, id.bytes);
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&next), 8, id.bytes + 8);
  }
  return id;
}

/// A newline in text is Enter; CR LF is one Enter.
std::string as_typed(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i] == '\n' ? '\r' : text[i];
  }
  return out;
}

}  // namespace

Reply<InputReply> Handlers::type(SessionName sid, std::string text, bool enter, std::optional<Millis> timeout,
                                 std::optional<std::string> id, Call call) {
  auto found = co_await table_.find(sid.text);
  if (!found) co_return found.error();
  session::Typing typing;
  typing.text = std::move(text);
  typing.ends_with_enter = enter;
  typing.id = request_id(id);
  typing.stall = std::chrono::milliseconds(timeout ? timeout->count : limits_[LimitId::input_timeout_ms]);
  auto typed = co_await (*found)->type(std::move(typing), call.client_id, call.cancel);
  if (!typed) co_return typed.error();
  InputReply reply;
  reply.fence = static_cast<std::int64_t>(typed->fence.revision);
  reply.bytes_sent = static_cast<std::int64_t>(typed->bytes);
  if (typed->repeated) reply.repeated = true;
  co_return reply;
}

Reply<InputReply> Handlers::handle(SendText::Request request, Call call) {
  if (request.text.data.empty()) {
    co_return Error{ErrorCode::invalid_argument, "'text' is empty: there is nothing to type"};
  }
  co_return co_await type(request.sid, as_typed(request.text.data), false, request.timeout_ms,
                          request.request_id, call);
}

Reply<InputReply> Handlers::handle(SendLine::Request request, Call call) {
  co_return co_await type(request.sid, as_typed(request.text.data), true, request.timeout_ms,
                          request.request_id, call);
}

Reply<InputReply> Handlers::handle(SendKeys::Request request, Call call) {
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  const auto session = *found;
  co_await session->settle_frame();  // modes as the program has set them by now
  const auto modes = session->terminal().modes();
  std::string once;
  for (const auto& token : request.keys) {
    auto key = parse_key(token);
    if (!key) {
      if (const auto character = terminal::encode_character(token, modes)) {
        once += *character;
        continue;
      }
      if (!request.literal) co_return key.error();
      once += as_typed(token);
      continue;
    }
    auto bytes = terminal::encode_key(*key, modes);
    if (!bytes) co_return bytes.error();
    once += *bytes;
  }
  const auto most = static_cast<std::size_t>(limits_[LimitId::line_bytes]);
  if (once.size() * static_cast<std::size_t>(request.count) > most) {
    co_return over_limit(LimitId::line_bytes, limits_[LimitId::line_bytes],
                         "the keys make more bytes than one request may");
  }
  std::string all;
  all.reserve(once.size() * static_cast<std::size_t>(request.count));
  for (std::int64_t i = 0; i < request.count; ++i) all += once;
  co_return co_await type(request.sid, std::move(all), false, request.timeout_ms, request.request_id, call);
}

}  // namespace smartcli::dispatch
