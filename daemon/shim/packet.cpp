#include "shim/packet.hpp"

#include <signal.h>

#include "shim_abi/events.hpp"

namespace smartcli::shim {

using namespace shim_abi;

namespace {

struct Shape {
  MessageType type;
  std::size_t bytes;
  bool has_body;
};

constexpr Shape kShapes[] = {
    {MessageType::hello, sizeof(Hello), false},
    {MessageType::input, sizeof(Input), true},
    {MessageType::cancel_input, sizeof(CancelInput), false},
    {MessageType::terminal_reply, sizeof(TerminalReply), true},
    {MessageType::resize, sizeof(Resize), false},
    {MessageType::clear, sizeof(Clear), false},
    {MessageType::signal, sizeof(Signal), false},
    {MessageType::facts, sizeof(FactsRequest), false},
    {MessageType::close, sizeof(Close), false},
    {MessageType::restart, sizeof(Restart), false},
    {MessageType::journal_cap, sizeof(JournalCap), false},
};

bool known(WriteCondition condition) {
  return condition <= WriteCondition::not_canonical;
}

Status check_content(const MessageHead* head) {
  constexpr Status bad = Status::invalid, strange = Status::unsupported;
  switch (head->type) {
    case MessageType::hello: {
      const auto& hello = *reinterpret_cast<const Hello*>(head);
      return (hello.flags & ~std::uint32_t{kTakeover}) ? strange : Status::ok;
    }
    case MessageType::input: {
      const auto& input = *reinterpret_cast<const Input*>(head);
      if ((input.flags & ~std::uint32_t{kInputEndsLine | kInputSecret}) || !known(input.condition))
        return strange;
      return body_bytes(input) == 0 ? bad : Status::ok;
    }
    case MessageType::terminal_reply: {
      const auto& reply = *reinterpret_cast<const TerminalReply*>(head);
      if (!known(reply.condition) || reply.drop > 1) return strange;
      return body_bytes(reply) == 0 && reply.drop == 0 ? bad : Status::ok;
    }
    case MessageType::resize: {
      const auto& resize = *reinterpret_cast<const Resize*>(head);
      return resize.cols == 0 || resize.rows == 0 ? bad : Status::ok;
    }
    case MessageType::clear: {
      const auto& clear = *reinterpret_cast<const Clear*>(head);
      return (clear.flags & ~std::uint64_t{kClearKeepLine}) ? strange : Status::ok;
    }
    case MessageType::signal: {
      const auto& signal = *reinterpret_cast<const Signal*>(head);
      if (signal.target > SignalTarget::child) return strange;
      return signal.number < 1 || signal.number >= _NSIG ? bad : Status::ok;
    }
    case MessageType::close: {
      const auto& close = *reinterpret_cast<const Close*>(head);
      return (close.flags & ~std::uint32_t{kCloseTree}) ? strange : Status::ok;
    }
    case MessageType::restart: return reinterpret_cast<const Restart*>(head)->flags ? strange : Status::ok;
    default: return Status::ok;
  }
}

}  // namespace

Status check_packet(const void* data, std::size_t bytes) {
  const auto* head = static_cast<const MessageHead*>(data);
  if (bytes < sizeof(MessageHead) || bytes > kMessageBytes || head->bytes != bytes) return Status::invalid;
  for (const Shape& shape : kShapes) {
    if (shape.type != head->type) continue;
    if (shape.has_body ? bytes < shape.bytes : bytes != shape.bytes) return Status::invalid;
    return check_content(head);
  }
  return Status::unsupported;
}

}  // namespace smartcli::shim
