// The terminal's own answers on their way to the program.

#include "session/session.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace smartcli::session {

bool Session::is_canonical() const {
  struct termios settings {};
  return holder_ && holder_->master() >= 0 && ::tcgetattr(holder_->master(), &settings) == 0 &&
         (settings.c_lflag & ICANON) != 0;
}

std::int32_t Session::foreground() const {
  pid_t group = -1;
  if (holder_ && holder_->master() >= 0) (void)::ioctl(holder_->master(), TIOCGPGRP, &group);
  return group;
}

void Session::answer_queries() {
  if (replies_.empty() || !holder_ || lost_) return;
  const auto now = setup_.clock->now();
  auto decision =
      replies_.decide({parsed_ >= reader_.end(), is_canonical(), foreground(), foreground_is_shell()}, now);
  for (auto& reply : decision.drop)
    holder_->terminal_reply(reply.offset, reply.index, std::move(reply.bytes), true);
  for (auto& reply : decision.send) {
    boost::asio::co_spawn(executor_, send_answer(std::move(reply)), boost::asio::detached);
  }
  answer_later();
}

void Session::answer_later() {
  if (replies_.empty()) return;
  answer_timer_.expires_at(replies_.next_look());
  answer_timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!error && self) self->answer_queries();
  });
}

bool Session::foreground_is_shell() const {
  const auto group = foreground();
  if (group <= 0) return false;
  char name[32] = {};
  const Fd comm(::open(("/proc/" + std::to_string(group) + "/comm").c_str(), O_RDONLY | O_CLOEXEC));
  const auto n = comm ? ::read(comm.get(), name, sizeof name - 1) : 0;
  return n > 1 && is_shell(std::string_view(name, static_cast<std::size_t>(n - 1)));
}

Awaitable<void> Session::send_answer(terminal::Reply reply) {
  const auto self = shared_from_this();
  auto sent = co_await holder_->terminal_reply_if_raw(reply.offset, reply.index, reply.bytes);
  // Canonical again between the look and the write, or behind input that is not taken yet: held like any
  // other.
  const bool again =
      sent ? *sent == shim_abi::Status::condition || *sent == shim_abi::Status::busy
           : sent.error().code != ErrorCode::session_gone && sent.error().code != ErrorCode::session_exited;
  if (!again || lost_ || !begun_) co_return;
  std::vector<terminal::Reply> held;
  held.push_back(std::move(reply));
  replies_.add(std::move(held), foreground(), setup_.clock->now());
  answer_later();  // not at once: it would be asked in a tight loop
}

}  // namespace smartcli::session
