// What comes into a shim from outside: packets, start blocks, /proc/PID/stat of programs that choose their
// name.

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "shim/packet.hpp"
#include "shim/proc.hpp"
#include "shim/start_block.hpp"

using namespace smartcli::shim;
using namespace smartcli::shim_abi;

namespace {

volatile std::size_t sink;

void packet(const char* data, std::size_t bytes) {
  if (check_packet(data, bytes) != Status::ok) return;
  // What passed the check may be read as its type says.
  const auto* head = reinterpret_cast<const MessageHead*>(data);
  if (head->bytes != bytes) std::abort();
  if (head->type == MessageType::input) {
    const auto& message = *reinterpret_cast<const Input*>(head);
    for (std::size_t i = 0; i < body_bytes(message); ++i)
      sink = sink + static_cast<unsigned char>(body(message)[i]);
  }
  if (head->type == MessageType::terminal_reply) {
    const auto& message = *reinterpret_cast<const TerminalReply*>(head);
    for (std::size_t i = 0; i < body_bytes(message); ++i)
      sink = sink + static_cast<unsigned char>(body(message)[i]);
  }
}

void block(const char* data, std::size_t bytes) {
  StartView view;
  if (!parse_start(data, bytes, &view)) return;
  for (const char* text : {view.runtime, view.journal, view.stem, view.program, view.cwd})
    sink = sink + std::strlen(text);
  const char* at = view.args;
  for (std::uint32_t i = 0; i < view.block->argc + view.block->envc; ++i) at += std::strlen(at) + 1;
  if (at != data + bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes == 0) return 0;
  // A copy of exactly this size, aligned as the shim's buffers are, so that a byte too far is found.
  const std::size_t size = bytes - 1;
  char* copy = static_cast<char*>(std::malloc(size == 0 ? 1 : size));
  std::memcpy(copy, data + 1, size);
  ProcStat stat;
  switch (data[0] % 3) {
    case 0: packet(copy, size); break;
    case 1: block(copy, size); break;
    case 2: parse_stat(copy, size, &stat); break;
  }
  std::free(copy);
  return 0;
}
