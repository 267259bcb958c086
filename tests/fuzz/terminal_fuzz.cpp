// Any output, any resizes, cut anywhere: no fault, the same state, the closed grammar of replies, bounded
// memory.
//
// Input: two bytes of size, then output. 0xff 0xfe C R inside it resizes to C+1 x R+1 (bytes that are no
// UTF-8, so that seeds stay readable).

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../unit/terminal/invariants.hpp"
#include "../unit/terminal/support.hpp"

namespace {

using namespace smartcli::terminal;
using smartcli::Size;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "broken: %s\n", what.c_str());
  std::abort();
}

constexpr HistoryLimits kLimits{50, 64 << 10};

void check_replies(const std::vector<Reply>& replies) {
  for (const Reply& reply : replies)
    if (reply_length(reply.bytes) != reply.bytes.size()) fail("a reply outside the grammar: " + reply.bytes);
}

/// Feeds it in pieces: whole ones, or as `cuts` says.
std::string run(std::string_view input, unsigned cuts, std::string& replies) {
  Size size{1 + static_cast<unsigned char>(input[0]) % 100, 1 + static_cast<unsigned char>(input[1]) % 40};
  input.remove_prefix(2);
  Terminal terminal(size, kLimits);
  while (!input.empty()) {
    const std::size_t stop = input.find("\xff\xfe");
    std::string_view output = input.substr(0, stop);
    input.remove_prefix(output.size());
    while (!output.empty()) {
      std::size_t n = output.size();
      if (cuts != 0) {
        cuts = cuts * 1103515245 + 12345;
        n = std::min<std::size_t>(n, 1 + (cuts >> 16) % 7);
      }
      terminal.feed(output.substr(0, n));
      output.remove_prefix(n);
    }
    if (input.size() >= 4) {
      terminal.resize(
          {1 + static_cast<unsigned char>(input[2]), 1 + static_cast<unsigned char>(input[3]) % 128});
      input.remove_prefix(4);
    } else if (!input.empty()) {
      input = {};
    }
    const auto taken = terminal.take_replies();
    check_replies(taken);
    for (const Reply& reply : taken)
      replies += std::to_string(reply.offset) + '.' + std::to_string(reply.index) + reply.bytes;
    terminal.trim_history();
    if (terminal.screen_top() - terminal.first_row() > kLimits.lines) fail("history grew");
    if (terminal.take_events().size() > 1024) fail("events grew");
  }
  if (const std::string what = broken_invariant(terminal); !what.empty()) fail(what);
  return dump(terminal);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string whole_replies, cut_replies;
  const std::string whole = run(input, 0, whole_replies);
  const std::string cut = run(input, static_cast<unsigned>(size) * 2 + 1, cut_replies);
  if (whole != cut) fail("a cut changes the state\n" + whole + "\n---\n" + cut);
  if (whole_replies != cut_replies) fail("a cut changes the replies");
  return 0;
}
