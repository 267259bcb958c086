// Typing: whole, in order of arrival, once.

#include "session/session.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <algorithm>

namespace smartcli::session {
namespace {

using namespace std::chrono_literals;

constexpr auto kSilentRead = 10ms;  ///< an input buffer empty for so long was read
constexpr auto kEnterDelay = 50ms;  ///< Enter follows text at the latest after this
constexpr std::uint32_t kEnterStep = 0xFFFFFFFF;
constexpr std::size_t kSentKept = 64;

/// A line of more than this and its end would be cut by the kernel's line discipline (N_TTY_BUF_SIZE).
constexpr std::size_t kCanonicalLine = 4095;

std::size_t longest_line(std::string_view bytes) {
  std::size_t longest = 0;
  while (!bytes.empty()) {
    const auto end = bytes.find_first_of("\r\n\x04");
    longest = std::max(longest, std::min(end, bytes.size()));
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  return longest;
}

Error too_long(std::size_t bytes) {
  return Error{ErrorCode::line_too_long,
               "the program reads whole lines, and the kernel keeps " + std::to_string(kCanonicalLine) +
                   " bytes of one: a line of " + std::to_string(bytes) +
                   " bytes would be cut; nothing was sent; send shorter lines, or write the text to a file",
               std::to_string(bytes)};
}

}  // namespace

Fence Session::last_fence(const std::string& client) const {
  if (const auto own = fences_.find(client); own != fences_.end()) return own->second;
  return fence_;
}

Seen Session::last_seen(const std::string& client) const {
  const auto own = seen_.find(client);
  return own != seen_.end() ? own->second : nothing_seen_;
}

void Session::saw(const std::string& client) {
  if (seen_.size() >= kClients && !seen_.contains(client)) seen_.erase(std::next(seen_.begin()));
  seen_[client] = {terminal_.text_hash(), terminal_.visual_hash()};
}

std::uint64_t Session::offset_of(std::uint64_t revision) const {
  // Between two steps revision and offset grow together.
  for (auto step = step_marks_.rbegin(); step != step_marks_.rend(); ++step) {
    if (revision >= step->revision) return step->offset + (revision - step->revision);
  }
  return 0;
}

Awaitable<void> Session::until_input_is_read(std::uint64_t written_at) {
  // The kernel hands input over a moment after the write, so an empty buffer alone says little: output after
  // it says that the program has read; without output a buffer that stays empty has to do.
  const auto began = setup_.clock->now();
  auto step = std::chrono::microseconds(100);
  for (;;) {
    int pending = 0;
    const Fd slave(::ioctl(holder_->master(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    if (!slave || ::ioctl(slave.get(), FIONREAD, &pending) != 0) co_return;
    const auto waited = setup_.clock->now() - began;
    const bool reacted = holder_->header().write_offset.load(std::memory_order_acquire) > written_at;
    if (waited >= kEnterDelay || (pending == 0 && (reacted || waited >= kSilentRead))) co_return;
    boost::asio::steady_timer timer(executor_, setup_.clock->now() + step);
    boost::system::error_code ignored;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    step = std::min(step * 2, std::chrono::microseconds(2000));
  }
}

Error Session::takes_no_input() const {
  if (unreachable_) {
    return Error{ErrorCode::resource_exhausted,
                 "the shim of session '" + sid() + "' does not answer; try again"};
  }
  if (is_lost()) {
    return Error{ErrorCode::session_gone,
                 "session '" + sid() + "' lost its shim: it takes no input; close it"};
  }
  return Error{ErrorCode::session_exited, "session '" + sid() + "' has exited (" +
                                              (ending_ ? describe(*ending_) : std::string("unknown")) + ")"};
}

Awaitable<Result<holder::InputResult>> Session::send_piece(const Typing& typing, const std::string& client,
                                                           std::uint32_t step, std::string data,
                                                           Clock::Steady deadline) {
  const std::uint64_t key = next_echo_key_++;
  echo_.typed(key, data);
  sent_.push_back({echo_key(typing.id, step), key, client});
  if (sent_.size() > kSentKept) sent_.pop_front();
  for (;;) {
    holder::InputRequest request;
    request.id = typing.id;
    request.step = step;
    request.data = data;
    const auto left =
        std::max(1ms, std::chrono::duration_cast<std::chrono::milliseconds>(deadline - setup_.clock->now()));
    auto sent = co_await holder_->input(std::move(request), left);
    // An input of an earlier daemon's may still stand in the shim.
    if (sent && sent->status == shim_abi::Status::busy && setup_.clock->now() < deadline) {
      boost::asio::steady_timer timer(executor_, setup_.clock->now() + 10ms);
      boost::system::error_code ignored;
      co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
      if (holder_ && !lost_) continue;
    }
    if (!sent || sent->status != shim_abi::Status::ok) echo_.untyped(key);
    co_return sent;
  }
}

Awaitable<Result<Typed>> Session::type(Typing typing, std::string client,
                                       std::shared_ptr<Cancellation> cancel) {
  const auto self = shared_from_this();
  const auto deadline = setup_.clock->now() + typing.stall;
  const auto stalled = [&typing](std::uint64_t taken, std::size_t whole) {
    return Error{ErrorCode::input_stalled,
                 "the program does not read its input: " + std::to_string(taken) + " of " +
                     std::to_string(whole) + " bytes were taken within " +
                     std::to_string(typing.stall.count()) + " ms, the rest was not typed",
                 std::to_string(taken)};
  };
  const std::size_t whole = typing.text.size() + (typing.ends_with_enter ? 1 : 0);
  const auto hold = co_await input_lock_.take(deadline, cancel);
  if (!hold) co_return stalled(0, whole);
  if (unreachable_ || is_lost() || ending_ || !holder_) co_return takes_no_input();

  const bool canonical = is_canonical();
  if (canonical) {
    if (const auto longest = longest_line(typing.text); longest > kCanonicalLine) co_return too_long(longest);
  }
  Typed typed;
  typed.repeated = true;
  /// Nothing: go on.
  const auto take = [&](const Result<holder::InputResult>& sent, std::size_t size) -> std::optional<Error> {
    if (!sent) return sent.error();
    switch (sent->status) {
      case shim_abi::Status::ok: typed.repeated = false; break;
      case shim_abi::Status::repeated: break;
      case shim_abi::Status::line_too_long: return too_long(size);
      case shim_abi::Status::busy: return stalled(typed.bytes, whole);
      case shim_abi::Status::ended:
        return Error{ErrorCode::session_exited, "session '" + sid() + "' has exited; " +
                                                    std::to_string(typed.bytes) + " bytes were typed before"};
      default:
        return Error{ErrorCode::internal, "the shim of '" + sid() + "' refused the input with status " +
                                              std::to_string(static_cast<unsigned>(sent->status))};
    }
    typed.bytes += sent->accepted;
    last_typed_ = setup_.clock->now();
    typed.fence = {sent->offset, sent->revision};
    if (typed.fence.revision > fence_.revision) fence_ = typed.fence;
    if (!client.empty()) {
      if (fences_.size() >= kClients && !fences_.contains(client)) fences_.erase(fences_.begin());
      if (typed.fence.revision > fences_[client].revision) fences_[client] = typed.fence;
    }
    // What an earlier try was given and what it left are known from its mark.
    if (sent->accepted < size) return stalled(typed.bytes, whole);
    return std::nullopt;
  };

  // Enter goes with the text's last piece into a canonical terminal, else apart, under a step of its own; a
  // repeat finds either, whatever the terminal's mode is by then.
  std::string text = std::move(typing.text);
  const std::size_t text_bytes = text.size();
  if (typing.ends_with_enter && canonical) text += '\r';
  std::uint32_t step = 0;
  for (std::size_t at = 0; at < text.size(); at += shim_abi::kInputBytes, ++step) {
    std::string piece = text.substr(at, shim_abi::kInputBytes);
    const bool has_enter = at + piece.size() > text_bytes;
    const std::size_t size = piece.size();
    auto sent = co_await send_piece(typing, client, step, std::move(piece), deadline);
    // Typed before, without its Enter: that follows below.
    const bool only_text =
        sent && sent->status == shim_abi::Status::repeated && has_enter && sent->accepted == size - 1;
    if (auto error = take(sent, only_text ? size - 1 : size)) co_return *error;
    if (!holder_ || lost_) co_return takes_no_input();
  }
  if (typing.ends_with_enter && typed.bytes < whole) {
    if (!canonical && text_bytes > 0 && !typed.repeated) co_await until_input_is_read(typed.fence.offset);
    if (!holder_ || lost_) co_return takes_no_input();
    const auto sent = co_await send_piece(typing, client, kEnterStep, "\r", deadline);
    if (auto error = take(sent, 1)) co_return *error;
  }
  co_return typed;
}

}  // namespace smartcli::session
