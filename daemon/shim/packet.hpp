#pragma once

#include <cstddef>

#include "shim_abi/messages.hpp"

namespace smartcli::shim {

/// Checks one packet before anything looks into it: its length against its head's and its type's, and every
/// flag, target and condition. Pure.
/// @return ok, `invalid` or `unsupported`
shim_abi::Status check_packet(const void* data, std::size_t bytes);

/// The bytes after the fixed part of an input or a terminal reply.
template <class Message>
const char* body(const Message& message) {
  return reinterpret_cast<const char*>(&message + 1);
}
template <class Message>
std::size_t body_bytes(const Message& message) {
  return message.head.bytes - sizeof(Message);
}

}  // namespace smartcli::shim
