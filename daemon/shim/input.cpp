#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "shim/packet.hpp"
#include "shim/shim.hpp"

namespace smartcli::shim {

using namespace shim_abi;

namespace {

constexpr std::size_t kReplyBytes = 64 << 10;

alignas(4096) char input_bytes[kInputBytes + 4096];
alignas(4096) char reply_bytes[kReplyBytes];  // a ring

bool holds(WriteCondition condition, std::uint32_t flags) {
  switch (condition) {
    case WriteCondition::none: return true;
    case WriteCondition::canonical_no_echo: return (flags & (kLineCanonical | kLineEcho)) == kLineCanonical;
    case WriteCondition::not_canonical: return (flags & kLineCanonical) == 0;
  }
  return false;
}

bool is_none(const RequestId& id) {
  return id == RequestId{};
}

EventHead head_of(EventType type, std::size_t bytes) {
  EventHead head{};
  head.type = type;
  head.bytes = static_cast<std::uint16_t>(bytes);
  return head;
}

}  // namespace

const Mark* Shim::find_mark(const RequestId& id, std::uint32_t step) {
  if (is_none(id)) return nullptr;
  const Header& h = files_.header();
  const std::uint64_t end = h.marks_written.load(std::memory_order_relaxed);
  for (std::uint64_t n = end; n > 0 && n + kMarks > end; --n) {
    const Mark& mark = h.marks[(n - 1) % kMarks];
    if (!(mark.id == id) || mark.step != step) continue;
    // Of one that was taken back whole nothing was typed, so it may be typed now.
    const bool untyped = mark.accepted == 0 && mark.state != static_cast<std::uint32_t>(MarkState::writing);
    return untyped ? nullptr : &mark;
  }
  return nullptr;
}

Mark& Shim::pending_mark() {
  return files_.header().marks[input_.mark % kMarks];
}

void Shim::handle_input(Connection& asker, const Input& message) {
  const auto bytes = static_cast<std::uint32_t>(body_bytes(message));
  Header& h = files_.header();
  if (const Mark* mark = find_mark(message.id, message.step)) {
    Reply reply = reply_to(message.head, Status::repeated);
    reply.offset = mark->offset;
    reply.revision = mark->revision;
    reply.accepted = mark->accepted;
    if (input_.active && mark == &pending_mark()) input_.tag = message.head.tag;
    return peers_.send(&asker, &reply, sizeof reply);
  }
  if (child_ < 0 || ending_.stage != Stage::none) return answer(asker, message.head, Status::ended);
  if (input_.active) return answer(asker, message.head, Status::busy);

  drain_before_write();
  if (reply_count_ > 0) write_replies(reply_count_);
  if (reply_count_ > 0 && message.condition != WriteCondition::none)
    return answer(asker, message.head, Status::busy);

  termios settings{};
  if (::tcgetattr(pty_.master.get(), &settings) != 0)
    return answer(asker, message.head, Status::failed, errno);
  const std::uint32_t flags = line_flags(settings);
  h.line_flags.store(flags, std::memory_order_relaxed);
  if (!holds(message.condition, flags)) return answer(asker, message.head, Status::condition);
  const char* data = body(message);
  if (!line_.accept(settings, data, bytes)) return answer(asker, message.head, Status::line_too_long);

  const bool secret = message.flags & kInputSecret;
  const bool ends_line = data[bytes - 1] == '\r' || data[bytes - 1] == '\n';
  InputEvent record{};
  record.head = head_of(EventType::input, sizeof record);
  record.id = message.id;
  record.step = message.step;
  record.bytes = secret ? 0 : bytes;
  record.line_flags = flags;
  record.flags = (secret ? kInputSecret : 0u) | (ends_line ? kInputEndsLine : 0u);
  journal_.event(&record.head, Weight::minor);

  input_.active = true;
  input_.secret = secret;
  input_.first_write = true;
  input_.tag = message.head.tag;
  input_.mark = h.marks_written.load(std::memory_order_relaxed);
  input_.bytes = bytes;
  input_.accepted = 0;
  replies_ahead_ = reply_count_;
  Mark& mark = pending_mark();
  mark.id = message.id;
  mark.step = message.step;
  mark.bytes = bytes;
  mark.accepted = 0;
  mark.state = static_cast<std::uint32_t>(MarkState::writing);
  mark.offset = journal_.offset();
  mark.revision = revision();
  h.marks_written.store(input_.mark + 1, std::memory_order_release);
  publish();

  Reply reply = reply_to(message.head, Status::ok);
  reply.line_flags = flags;
  if (message.condition != WriteCondition::none) {
    // Once more: the journal's disk may have taken its time, and the program must not have changed its mind
    // meanwhile.
    if (::tcgetattr(pty_.master.get(), &settings) != 0 || !holds(message.condition, line_flags(settings))) {
      finish_input(MarkState::cancelled, Status::condition);
      input_.first_write = false;
      reply.status = Status::condition;
      return peers_.send(&asker, &reply, sizeof reply);
    }
  }
  ::memcpy(input_bytes, data, bytes);
  write_input();
  input_.first_write = false;
  reply.accepted = mark.accepted;
  if (mark.state == static_cast<std::uint32_t>(MarkState::ended)) reply.status = Status::ended;
  peers_.send(&asker, &reply, sizeof reply);
}

/// Writes what the terminal takes: replies that were there first, the input, replies that came later.
void Shim::write_input() {
  if (replies_ahead_ > 0 && !write_replies(replies_ahead_)) return;
  if (input_.active) {
    Header& h = files_.header();
    Mark& mark = pending_mark();
    int error = 0;
    while (input_.accepted < input_.bytes) {
      const ssize_t n =
          ::write(pty_.master.get(), input_bytes + input_.accepted, input_.bytes - input_.accepted);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        error = n < 0 ? errno : EAGAIN;
        break;
      }
      input_.accepted += static_cast<std::uint32_t>(n);
      mark.accepted.store(input_.accepted, std::memory_order_relaxed);
    }
    h.input_queued.store(input_.bytes - input_.accepted, std::memory_order_relaxed);
    if (error == EAGAIN) return;
    if (error != 0)
      finish_input(MarkState::ended, Status::ended);
    else
      finish_input(MarkState::done, Status::ok);
  }
  if (reply_count_ > 0) write_replies(reply_count_);
}

/// Ends the pending input; tells the owner if the answer to the input no longer can.
void Shim::finish_input(MarkState state, Status status) {
  Mark& mark = pending_mark();
  mark.state.store(static_cast<std::uint32_t>(state), std::memory_order_release);
  files_.header().input_queued.store(0, std::memory_order_relaxed);
  input_.active = false;
  if (input_.secret) ::explicit_bzero(input_bytes, input_.bytes);
  if (input_.bytes > 4096) ::madvise(input_bytes, sizeof input_bytes, MADV_DONTNEED);
  if (input_.first_write && state == MarkState::done) return;

  WriteDoneEvent record{};
  record.head = head_of(EventType::write_done, sizeof record);
  record.id = mark.id;
  record.step = mark.step;
  record.accepted = input_.secret ? 0 : input_.accepted;
  journal_.event(&record.head, Weight::minor);
  publish();
  if (input_.first_write) return;
  InputDone done{};
  done.head = {MessageType::input_done, 0, sizeof done, input_.tag};
  done.status = status;
  done.accepted = input_.accepted;
  done.id = mark.id;
  done.step = mark.step;
  peers_.send(peers_.owner(), &done, sizeof done);
}

void Shim::give_up_input() {
  if (input_.active) finish_input(MarkState::ended, Status::ended);
  reply_count_ = replies_ahead_ = 0;
}

void Shim::handle_cancel(Connection& asker, const CancelInput& message) {
  if (!input_.active) return answer(asker, message.head, Status::invalid);
  const Mark& mark = pending_mark();
  if (!is_none(message.id) && (!(message.id == mark.id) || message.step != mark.step))
    return answer(asker, message.head, Status::invalid);
  Reply reply = reply_to(message.head, Status::ok);
  reply.offset = mark.offset;
  reply.revision = mark.revision;
  reply.accepted = input_.accepted;
  finish_input(MarkState::cancelled, Status::cancelled);
  replies_ahead_ = 0;
  peers_.send(&asker, &reply, sizeof reply);
}

// --- the terminal's own replies

void Shim::handle_terminal_reply(Connection& asker, const TerminalReply& message) {
  Header& h = files_.header();
  if (child_ < 0 || ending_.stage != Stage::none) return answer(asker, message.head, Status::ended);
  const std::uint64_t highest = h.reply_offset.load(std::memory_order_relaxed);
  if (message.key_offset < highest ||
      (message.key_offset == highest && message.key_index <= h.reply_index.load(std::memory_order_relaxed) &&
       highest != 0))
    return answer(asker, message.head, Status::stale);
  if (message.drop == 0 && message.condition != WriteCondition::none) {
    if (has_queued()) return answer(asker, message.head, Status::busy);
    termios settings{};
    if (::tcgetattr(pty_.master.get(), &settings) != 0 || !holds(message.condition, line_flags(settings)))
      return answer(asker, message.head, Status::condition);
  }
  const std::size_t bytes = body_bytes(message);
  const bool full = message.drop == 0 && bytes > kReplyBytes - reply_count_;
  // The key is taken before the first byte goes out, so that no crash makes it go out twice.
  h.reply_index.store(message.key_index, std::memory_order_relaxed);
  h.reply_offset.store(message.key_offset, std::memory_order_release);
  ReplyEvent record{};
  record.head = head_of(EventType::reply, sizeof record);
  record.key_offset = message.key_offset;
  record.key_index = message.key_index;
  record.dropped = message.drop != 0 || full;
  journal_.event(&record.head, Weight::minor);
  publish();
  if (message.drop != 0) return answer(asker, message.head, Status::ok);
  if (full) {
    h.replies_dropped.fetch_add(1, std::memory_order_relaxed);
    return answer(asker, message.head, Status::failed, ENOBUFS);
  }
  const char* data = body(message);
  for (std::size_t i = 0; i < bytes; ++i)
    reply_bytes[(reply_begin_ + reply_count_ + i) % kReplyBytes] = data[i];
  reply_count_ += bytes;
  if (!input_.active) write_replies(reply_count_);
  answer(asker, message.head, Status::ok);
}

/// @return whether all `most` bytes were taken
bool Shim::write_replies(std::size_t most) {
  while (most > 0) {
    std::size_t part = most < kReplyBytes - reply_begin_ ? most : kReplyBytes - reply_begin_;
    const ssize_t n = ::write(pty_.master.get(), reply_bytes + reply_begin_, part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n < 0 && errno != EAGAIN)
        reply_count_ = replies_ahead_ = 0;  // no slave is open: nobody will ever read it
      return false;
    }
    part = static_cast<std::size_t>(n);
    reply_begin_ = (reply_begin_ + part) % kReplyBytes;
    reply_count_ -= part;
    replies_ahead_ -= part < replies_ahead_ ? part : replies_ahead_;
    most -= part;
  }
  return true;
}

}  // namespace smartcli::shim
