#include "terminal/interpreter.hpp"

// What shells tell about prompts, commands and directories. Data only: whom to believe is the reader's
// business.

namespace smartcli::terminal {

namespace {

constexpr std::size_t kMarkLimit = 2 << 10;

}  // namespace

// OSC 133, of FinalTerm: A prompt, B input, C output, D[;status] end; more parameters may follow.
void Interpreter::shell_mark(std::string_view text) {
  if (!text.empty() && text.size() <= kMarkLimit)
    events.push(EventKind::mark, screen.now(), std::string(text));
}

// OSC 633, of VS Code: the same letters and P;Cwd=. Told apart by their number, since nobody gave them our
// nonce.
void Interpreter::vscode_mark(std::string_view text) {
  static constexpr std::string_view kCwd = "P;Cwd=";
  if (text.starts_with(kCwd))
    set_cwd(text.substr(kCwd.size()));
  else if (!text.empty() && text.size() <= kMarkLimit)
    events.push(EventKind::mark, screen.now(), "633;" + std::string(text));
}

void Interpreter::iterm_mark(std::string_view text) {
  static constexpr std::string_view kCwd = "CurrentDir=";
  if (text.starts_with(kCwd)) set_cwd(text.substr(kCwd.size()));
}

// OSC 9;9. Other OSC 9 are notifications, which we do not show.
void Interpreter::conemu_mark(std::string_view text) {
  static constexpr std::string_view kCwd = "9;";
  if (text.starts_with(kCwd)) set_cwd(text.substr(kCwd.size()));
}

}  // namespace smartcli::terminal
