#include "session/state.hpp"

#include <algorithm>
#include <array>

namespace smartcli::session {
namespace {

bool waits_for_input(const shim_abi::ProcessFacts& process) {
  return process.on_terminal == 1 || process.on_terminal == 2;
}

}  // namespace

bool is_shell(std::string_view name) {
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  if (!name.empty() && name[0] == '-') name.remove_prefix(1);
  constexpr std::array<std::string_view, 9> kShells{"bash", "zsh",  "fish", "dash", "sh",
                                                    "ksh",  "mksh", "tcsh", "ash"};
  return std::find(kShells.begin(), kShells.end(), name) != kShells.end();
}

StateFacts judge_state(const std::optional<holder::Facts>& kernel, const terminal::Terminal& terminal,
                       std::int32_t child, bool is_ended, bool is_lost) {
  StateFacts facts;
  if (is_lost) {
    facts.state = State::lost;
    return facts;
  }
  if (is_ended) {
    facts.state = State::exited;
    return facts;
  }
  const auto modes = terminal.modes();
  const bool full_screen = terminal.alt_screen() || modes.mouse != MouseMode::off;
  if (!kernel) {
    facts.state = full_screen ? State::app : State::running;
    return facts;
  }
  const bool canonical = (kernel->line_flags & shim_abi::kLineCanonical) != 0;
  const bool echo = (kernel->line_flags & shim_abi::kLineEcho) != 0;
  const shim_abi::ProcessFacts* leader = nullptr;
  bool reads = false, stopped = !kernel->processes.empty();
  for (const auto& process : kernel->processes) {
    if (leader == nullptr || process.pid == kernel->foreground_group) leader = &process;
    reads = reads || waits_for_input(process);
    stopped = stopped && (process.state == 'T' || process.state == 't');
  }
  if (leader != nullptr) {
    const std::string_view name(leader->name, ::strnlen(leader->name, sizeof leader->name));
    facts.foreground = ForegroundProcess{leader->pid, std::string(name)};
  }
  const bool shell =
      leader != nullptr && leader->pid == child && facts.foreground && is_shell(facts.foreground->name);
  // fish polls other descriptors beside its terminal; in raw mode that is its line editor.
  const bool polls_as_shell = shell && !canonical && leader->on_terminal == 3;
  if (stopped) {
    facts.state = State::stopped;
  } else if (canonical && !echo) {
    facts.state = State::password;
  } else if (full_screen || (!canonical && !terminal.cursor().visible)) {
    facts.state = State::app;
  } else if (reads || polls_as_shell) {
    // Shells without a line editor read their commands in canonical mode; of the others that is a `read`.
    const bool plain = shell && (facts.foreground->name == "dash" || facts.foreground->name == "sh" ||
                                 facts.foreground->name == "ash");
    facts.state = shell && (!canonical || plain) ? State::prompt : State::input;
  } else {
    facts.state = State::running;
  }
  return facts;
}

}  // namespace smartcli::session
