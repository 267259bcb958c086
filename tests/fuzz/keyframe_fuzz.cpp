// Keyframes: any bytes as one are refused or give a sound terminal; and one taken within any output goes on
// to the same state. Input: a byte that says which, then a keyframe's payload, or what terminal_fuzz takes.

#include <xxhash.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
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

void check_made_up(std::string_view payload) {
  std::string bytes("SCKF\1\0\0\0", 8);
  const std::uint64_t size = payload.size(), hash = XXH3_64bits(payload.data(), payload.size());
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  bytes += payload;
  auto loaded = Terminal::from_keyframe(bytes, {50, 64 << 10});
  if (!loaded) return;
  if (const std::string what = broken_invariant(*loaded); !what.empty()) fail(what);
  loaded->feed("\033[?1049l\0338x\r\n\033[2;3r\033[3L\033[5b");
  loaded->resize({7, 3});
  loaded->feed("\033[?1049h\xe4\xb8\xad\033[2J");
  if (const std::string what = broken_invariant(*loaded); !what.empty()) fail(what);
}

void check_going_on(std::string_view input) {
  const Size size{1 + static_cast<unsigned char>(input[0]) % 100,
                  1 + static_cast<unsigned char>(input[1]) % 40};
  input.remove_prefix(2);
  constexpr HistoryLimits kLimits{50, 64 << 10};
  Terminal whole(size, kLimits), cut(size, kLimits);
  while (!input.empty()) {
    const std::size_t stop = std::min(input.find("\xff\xfe"), std::size_t{64});
    const std::string_view output = input.substr(0, stop);
    input.remove_prefix(output.size());
    whole.feed(output);
    cut.feed(output);
    if (input.size() >= 4 && input.starts_with("\xff\xfe")) {
      const Size next{1 + static_cast<unsigned char>(input[2]),
                      1 + static_cast<unsigned char>(input[3]) % 128};
      whole.resize(next);
      cut.resize(next);
      input.remove_prefix(4);
    } else if (input.starts_with("\xff\xfe")) {
      input = {};
    }
    if (joined_replies(whole) != joined_replies(cut)) fail("a keyframe changes the replies");
    whole.take_events();
    cut.take_events();
    whole.trim_history();
    cut.trim_history();
    if (!cut.is_at_ground()) continue;
    const std::string bytes = cut.keyframe(SIZE_MAX);
    auto again = Terminal::from_keyframe(bytes, kLimits);
    if (!again) fail(again.error().message);
    if (again->keyframe(SIZE_MAX) != bytes) fail("another keyframe after loading");
    cut = std::move(*again);
  }
  if (dump(whole) != dump(cut)) fail("a keyframe changes the state\n" + dump(whole) + "\n---\n" + dump(cut));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input[0] & 1)
    check_made_up(input.substr(1));
  else
    check_going_on(input.substr(1));
  return 0;
}
