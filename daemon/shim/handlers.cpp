#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <cerrno>

#include "shim/facts.hpp"
#include "shim/packet.hpp"
#include "shim/shim.hpp"

namespace smartcli::shim {

using namespace shim_abi;

namespace {

alignas(4096) char packet[kMessageBytes];

EventHead head_of(EventType type, std::size_t bytes) {
  EventHead head{};
  head.type = type;
  head.bytes = static_cast<std::uint16_t>(bytes);
  return head;
}

}  // namespace

std::uint64_t Shim::revision() const {
  auto& self = const_cast<Shim&>(*this);
  return journal_.offset() + self.files_.header().revision_steps.load(std::memory_order_relaxed);
}

void Shim::count_step() {
  files_.header().revision_steps.fetch_add(1, std::memory_order_release);
}

Reply Shim::reply_to(const MessageHead& head, Status status, int error) const {
  Reply reply{};
  reply.head = {MessageType::reply, 0, sizeof reply, head.tag};
  reply.status = status;
  reply.errno_value = error;
  reply.offset = journal_.offset();
  reply.revision = revision();
  return reply;
}

void Shim::answer(Connection& peer, const MessageHead& head, Status status, int error) {
  const Reply reply = reply_to(head, status, error);
  peers_.send(&peer, &reply, sizeof reply);
}

void Shim::on_connection(Connection& peer) {
  for (int i = 0; i < 16 && peer.socket; ++i) {  // bounded: others have their turn too
    Fd descriptor;
    const std::ptrdiff_t bytes = receive(peer.socket.get(), packet, sizeof packet, &descriptor);
    if (bytes == -1) return;
    if (bytes < static_cast<std::ptrdiff_t>(sizeof(MessageHead))) return peers_.drop(&peer);
    const auto& head = *reinterpret_cast<const MessageHead*>(packet);
    const Status status = check_packet(packet, static_cast<std::size_t>(bytes));
    if (status != Status::ok)
      answer(peer, head, status);
    else
      handle(peer, head, static_cast<Fd&&>(descriptor));
    if (bytes > 4096) {
      if (head.type == MessageType::input) ::explicit_bzero(packet, static_cast<std::size_t>(bytes));
      ::madvise(packet, sizeof packet, MADV_DONTNEED);
    } else if (head.type == MessageType::input) {
      ::explicit_bzero(packet, static_cast<std::size_t>(bytes));  // it may have been a secret
    }
  }
}

void Shim::handle(Connection& peer, const MessageHead& head, Fd descriptor) {
  const auto as = [&head]<class Message>(const Message*) -> const Message& {
    return reinterpret_cast<const Message&>(head);
  };
  if (head.type == MessageType::hello) return handle_hello(peer, as(static_cast<const Hello*>(nullptr)));
  if (!peer.greeted) return answer(peer, head, Status::invalid);
  if (head.type == MessageType::facts) return handle_facts(peer, head);
  if (&peer != peers_.owner()) return answer(peer, head, Status::not_owner);
  switch (head.type) {
    case MessageType::input: return handle_input(peer, as(static_cast<const Input*>(nullptr)));
    case MessageType::cancel_input: return handle_cancel(peer, as(static_cast<const CancelInput*>(nullptr)));
    case MessageType::terminal_reply:
      return handle_terminal_reply(peer, as(static_cast<const TerminalReply*>(nullptr)));
    case MessageType::resize: return handle_resize(peer, as(static_cast<const Resize*>(nullptr)));
    case MessageType::clear: return handle_clear(peer, as(static_cast<const Clear*>(nullptr)));
    case MessageType::signal: return handle_signal(peer, as(static_cast<const Signal*>(nullptr)));
    case MessageType::close: {
      const auto& close = as(static_cast<const Close*>(nullptr));
      return begin_ending(&peer, &head, close.grace_ms, close.flags & kCloseTree, false, Fd());
    }
    case MessageType::restart: {
      const auto& restart = as(static_cast<const Restart*>(nullptr));
      return begin_ending(&peer, &head, restart.grace_ms, false, true, static_cast<Fd&&>(descriptor));
    }
    case MessageType::journal_cap:
      journal_.set_cap(as(static_cast<const JournalCap*>(nullptr)).bytes);
      publish();
      return answer(peer, head, Status::ok);
    default: return answer(peer, head, Status::unsupported);
  }
}

void Shim::handle_hello(Connection& peer, const Hello& message) {
  HelloReply reply{};
  const bool same_major = message.abi_major == kAbiMajor;
  reply.reply = reply_to(message.head, same_major ? Status::ok : Status::unsupported);
  reply.reply.head.bytes = sizeof reply;
  reply.abi_major = kAbiMajor;
  reply.abi_minor = kAbiMinor;
  if (!same_major || !(message.flags & kTakeover)) {
    peer.greeted = peer.greeted || same_major;
    return peers_.send(&peer, &reply, sizeof reply);
  }
  peer.greeted = true;
  const bool is_new = peers_.owner() != &peer;
  peers_.take_over(&peer);
  Header& h = files_.header();
  h.owner_pid.store(peer.peer, std::memory_order_relaxed);
  last_credit_ = h.credit.load();
  away_ = false;
  out_of_credit_ = false;
  if (is_new) input_.tag = 0;  // the tag was the former owner's
  const int fds[] = {pty_.master.get(), files_.header_fd(), spool_.get(), output_event_.get(),
                     credit_event_.get()};
  reply.descriptors = 5;
  peers_.send(&peer, &reply, sizeof reply, fds, 5);
}

void Shim::handle_resize(Connection& peer, const Resize& message) {
  // What the program drew for the old size comes before the change.
  drain_before_write();
  Header& h = files_.header();
  ResizeEvent record{};
  record.head = head_of(EventType::resize, sizeof record);
  record.cols = message.cols;
  record.rows = message.rows;
  if (!journal_.event(&record.head, Weight::important))
    return answer(peer, message.head, Status::failed, ENOSPC);
  h.cols = message.cols;
  h.rows = message.rows;
  count_step();
  publish();
  const int error =
      set_size(pty_.master.get(), message.cols, message.rows, message.pixel_width, message.pixel_height);
  answer(peer, message.head, error ? Status::failed : Status::ok, error);
}

void Shim::handle_clear(Connection& peer, const Clear& message) {
  drain_before_write();
  ClearEvent record{};
  record.head = head_of(EventType::clear, sizeof record);
  record.flags = message.flags;
  if (!journal_.event(&record.head, Weight::important))
    return answer(peer, message.head, Status::failed, ENOSPC);
  count_step();
  publish();
  answer(peer, message.head, Status::ok);
}

void Shim::handle_signal(Connection& peer, const Signal& message) {
  int error = 0;
  if (message.target == SignalTarget::child) {
    // The shim is the parent: the pid cannot be another process's before it is reaped.
    if (child_ < 0) return answer(peer, message.head, Status::ended);
    if (::kill(child_, message.number) != 0) error = errno;
  } else {
    pid_t group = -1;
    if (hung_up_ || ::ioctl(pty_.master.get(), TIOCGPGRP, &group) != 0 || group <= 1)
      return answer(peer, message.head, child_ < 0 ? Status::ended : Status::failed, child_ < 0 ? 0 : ESRCH);
    // The kernel's own way to signal the foreground group: no pid is named, so none can have been recycled.
    // It knows only three signals.
    if (message.number != SIGINT && message.number != SIGQUIT && message.number != SIGTSTP) {
      if (::kill(-group, message.number) != 0) error = errno;
    } else if (::ioctl(pty_.master.get(), TIOCSIG, message.number) != 0 &&
               ::kill(-group, message.number) != 0) {
      error = errno;
    }
  }
  answer(peer, message.head, error ? Status::failed : Status::ok, error);
}

void Shim::handle_facts(Connection& peer, const MessageHead& head) {
  static FactsReply reply;
  reply.reply = reply_to(head, Status::ok);
  gather_facts(pty_, !hung_up_ && !without_slave_, own_, &reply);
  reply.reply.line_flags = reply.facts.line_flags;
  reply.reply.head.bytes = static_cast<std::uint32_t>(offsetof(FactsReply, processes) +
                                                      reply.facts.processes * sizeof(ProcessFacts));
  peers_.send(&peer, &reply, reply.reply.head.bytes);
}

}  // namespace smartcli::shim
