// After any output a redraw shows the same screen: from nothing, and from the picture that was shown before.
// Input: what terminal_fuzz takes.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../unit/terminal/support.hpp"
#include "terminal/redraw.hpp"

namespace {

using namespace smartcli::terminal;
using smartcli::Size;

void check_same(const char* what, const Terminal& shown, const Terminal& wanted, const std::string& stream) {
  if (shown.visual_hash() == wanted.visual_hash() && shown.screen_text() == wanted.screen_text()) return;
  std::fprintf(stderr, "broken: %s\n%s\n---\n%s\n---\n", what, dump(wanted).c_str(), dump(shown).c_str());
  for (const unsigned char c : stream) std::fprintf(stderr, c < 0x20 || c > 0x7e ? "\\x%02x" : "%c", c);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const Size screen{1 + static_cast<unsigned char>(input[0]) % 100,
                    1 + static_cast<unsigned char>(input[1]) % 40};
  input.remove_prefix(2);
  constexpr HistoryLimits kLimits{0, 64 << 10};
  Terminal terminal(screen, kLimits), viewer(screen, kLimits);
  Picture before = picture_of(viewer);
  while (!input.empty()) {
    const std::size_t stop = std::min(input.find("\xff\xfe"), std::size_t{200});
    terminal.feed(input.substr(0, stop));
    input.remove_prefix(std::min(stop, input.size()));
    if (input.size() >= 4 && input.starts_with("\xff\xfe")) {
      const Size next{1 + static_cast<unsigned char>(input[2]),
                      1 + static_cast<unsigned char>(input[3]) % 128};
      terminal.resize(next);
      viewer.resize(next);
      input.remove_prefix(4);
    } else if (input.starts_with("\xff\xfe")) {
      input = {};
    }
    terminal.trim_history();
    const Picture now = picture_of(terminal);
    Terminal fresh(terminal.size(), kLimits);
    const std::string whole = redraw(now), step = redraw(before, now);
    fresh.feed(whole);
    check_same("a redraw", fresh, terminal, whole);
    viewer.feed(step);
    check_same("a step", viewer, terminal, step);
    before = now;
  }
  return 0;
}
