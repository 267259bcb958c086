#include "journal/record.hpp"

#include <cstring>

namespace smartcli::journal {
namespace {

using shim_abi::EventHead;
using shim_abi::EventType;

template <class T>
T body(std::span<const char> record) {
  T value;
  std::memcpy(&value, record.data(), sizeof value);
  return value;
}

std::size_t least_bytes(EventType type) {
  switch (type) {
    case EventType::first: return sizeof(shim_abi::FirstEvent);
    case EventType::time: return sizeof(EventHead);
    case EventType::resize: return sizeof(shim_abi::ResizeEvent);
    case EventType::clear: return sizeof(shim_abi::ClearEvent);
    case EventType::restart: return sizeof(shim_abi::RestartEvent);
    case EventType::input: return sizeof(shim_abi::InputEvent);
    case EventType::reply: return sizeof(shim_abi::ReplyEvent);
    case EventType::gap: return sizeof(shim_abi::GapEvent);
    case EventType::exit: return sizeof(shim_abi::ExitEvent);
    case EventType::write_done: return sizeof(shim_abi::WriteDoneEvent);
  }
  return sizeof(EventHead);
}

}  // namespace

Checked check_record(std::span<const char> bytes) {
  Checked result;
  if (bytes.size() < sizeof(EventHead)) {
    result.verdict = Verdict::partial;
    result.head.bytes = sizeof(EventHead);
    return result;
  }
  const auto head = body<EventHead>(bytes);
  if (head.bytes < least_bytes(head.type) || head.bytes % 8 != 0) return result;
  result.head = head;
  if (bytes.size() < head.bytes) {
    result.verdict = Verdict::partial;
    return result;
  }
  constexpr std::size_t kFrom = offsetof(EventHead, type);
  if (shim_abi::crc32c(0, bytes.data() + kFrom, head.bytes - kFrom) == head.crc)
    result.verdict = Verdict::valid;
  return result;
}

std::optional<Event> decode_record(std::span<const char> record) {
  const auto head = body<EventHead>(record);
  Event event;
  event.type = head.type;
  event.offset = head.offset;
  event.time_ns = head.time_ns;
  switch (head.type) {
    case EventType::time: return event;
    case EventType::clear:
      event.flags = static_cast<std::uint32_t>(body<shim_abi::ClearEvent>(record).flags);
      return event;
    case EventType::resize: {
      const auto r = body<shim_abi::ResizeEvent>(record);
      event.cols = r.cols;
      event.rows = r.rows;
      return event;
    }
    case EventType::restart: {
      const auto r = body<shim_abi::RestartEvent>(record);
      event.pid = r.pid;
      event.cols = r.cols;
      event.rows = r.rows;
      return event;
    }
    case EventType::input: {
      const auto r = body<shim_abi::InputEvent>(record);
      event.id = r.id;
      event.step = r.step;
      event.bytes = r.bytes;
      event.line_flags = r.line_flags;
      event.flags = r.flags;
      return event;
    }
    case EventType::write_done: {
      const auto r = body<shim_abi::WriteDoneEvent>(record);
      event.id = r.id;
      event.step = r.step;
      event.bytes = r.accepted;
      return event;
    }
    case EventType::reply: {
      const auto r = body<shim_abi::ReplyEvent>(record);
      event.key_offset = r.key_offset;
      event.key_index = r.key_index;
      event.dropped = r.dropped;
      return event;
    }
    case EventType::gap: {
      const auto r = body<shim_abi::GapEvent>(record);
      if (r.reason == shim_abi::GapReason::none) return std::nullopt;  // nothing was lost
      event.from = r.from;
      event.to = r.to;
      event.reason = r.reason;
      return event;
    }
    case EventType::exit: {
      const auto r = body<shim_abi::ExitEvent>(record);
      event.exit_kind = r.kind;
      event.exit_value = r.value;
      event.time_ns = r.time_ns;  // of the reaping, which is what an exit's time means
      return event;
    }
    case EventType::first: break;
  }
  return std::nullopt;
}

bool ends_file(const Event& event) {
  return event.type == EventType::gap && event.reason != shim_abi::GapReason::cap &&
         event.from == event.offset && event.to > event.from;
}

shim_abi::FirstEvent first_of(std::span<const char> record) {
  return body<shim_abi::FirstEvent>(record);
}
shim_abi::ExitEvent exit_of(std::span<const char> record) {
  return body<shim_abi::ExitEvent>(record);
}

}  // namespace smartcli::journal
