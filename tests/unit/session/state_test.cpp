#include "session/state.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

using namespace smartcli;
using holder::Facts;
using terminal::Terminal;

namespace {

constexpr std::int32_t kShell = 100;
constexpr std::uint32_t kCanonical = shim_abi::kLineCanonical, kEcho = shim_abi::kLineEcho,
                        kCooked = kCanonical | kEcho;
enum Reads : std::uint8_t { no = 0, reads = 1, polls_only = 2, polls_among = 3 };

shim_abi::ProcessFacts process(std::int32_t pid, const char* name, Reads on_terminal, char state = 'S') {
  shim_abi::ProcessFacts facts{};
  facts.pid = facts.group = pid;
  facts.state = state;
  facts.on_terminal = on_terminal;
  std::memcpy(facts.name, name, std::min(std::strlen(name), sizeof facts.name));
  return facts;
}

Facts facts(std::uint32_t line, std::vector<shim_abi::ProcessFacts> processes) {
  Facts all;
  all.foreground_group = processes.empty() ? -1 : processes.front().pid;
  all.line_flags = line;
  all.processes = std::move(processes);
  return all;
}

session::StateFacts judge(const std::optional<Facts>& kernel, std::string_view output = "") {
  Terminal terminal({80, 24}, {});
  terminal.feed(output);
  return session::judge_state(kernel, terminal, kShell, false, false);
}

}  // namespace

TEST_CASE("the state is judged from the line's settings, who reads, and the screen", "[state]") {
  const auto [what, kernel, output, state] = GENERATE(table<const char*, Facts, const char*, State>({
      {"a shell's line editor", facts(0, {process(kShell, "bash", reads)}), "$ ", State::prompt},
      {"one that polls", facts(0, {process(kShell, "zsh", polls_only)}), "% ", State::prompt},
      {"one that polls its terminal among others", facts(0, {process(kShell, "fish", polls_among)}), "> ",
       State::prompt},
      {"a program that does", facts(0, {process(200, "ffmpeg", polls_among)}), "", State::running},
      {"a shell that reads whole lines", facts(kCooked, {process(kShell, "dash", reads)}), "$ ",
       State::prompt},
      {"a login shell", facts(0, {process(kShell, "-bash", reads)}), "", State::prompt},
      {"a shell at work", facts(kCooked, {process(kShell, "bash", no)}), "", State::running},
      {"a command", facts(kCooked, {process(200, "make", no)}), "", State::running},
      {"a command that computes", facts(kCooked, {process(200, "cc1plus", no, 'R')}), "", State::running},
      {"a program that reads a line", facts(kCooked, {process(200, "cat", reads)}), "", State::input},
      {"a REPL", facts(0, {process(200, "python3", reads)}), ">>> ", State::input},
      {"a nested shell is a program", facts(0, {process(200, "bash", reads)}), "$ ", State::input},
      {"a pipeline, the last one reads", facts(kCooked, {process(200, "sh", no), process(201, "cat", reads)}),
       "", State::input},
      {"a password prompt", facts(kCanonical, {process(200, "sudo", reads)}), "Password: ", State::password},
      {"one that hides what it reads", facts(kCanonical, {process(200, "sudo", no)}), "", State::password},
      {"the alternate screen", facts(0, {process(200, "vim", reads)}), "\x1b[?1049h", State::app},
      {"mouse tracking", facts(0, {process(200, "htop", reads)}), "\x1b[?1000h", State::app},
      {"a hidden cursor in raw mode", facts(0, {process(200, "menu", reads)}), "\x1b[?25l", State::app},
      {"a progress bar hides it too", facts(kCooked, {process(200, "apt", no)}), "\x1b[?25l", State::running},
      {"a password on a full screen", facts(kCanonical, {process(200, "x", reads)}), "\x1b[?1049h",
       State::password},
      {"a stopped job", facts(kCooked, {process(200, "vi", no, 'T')}), "\x1b[?1049h", State::stopped},
      {"a traced one", facts(kCooked, {process(200, "gdb", no, 't')}), "", State::stopped},
      {"one of two stopped", facts(kCooked, {process(200, "a", no, 'T'), process(201, "b", no)}), "",
       State::running},
      {"nobody in the foreground", facts(kCooked, {}), "", State::running},
  }));
  CAPTURE(what);
  CHECK(judge(kernel, output).state == state);
}

TEST_CASE("the end comes before all facts, and a lost shim before the end", "[state]") {
  Terminal terminal({80, 24}, {});
  terminal.feed("\x1b[?1049h");
  const auto kernel = facts(kCanonical, {process(kShell, "bash", reads)});
  CHECK(session::judge_state(kernel, terminal, kShell, true, false).state == State::exited);
  CHECK(session::judge_state(kernel, terminal, kShell, false, true).state == State::lost);
  CHECK(session::judge_state(kernel, terminal, kShell, true, true).state == State::lost);
  CHECK_FALSE(session::judge_state(kernel, terminal, kShell, true, false).foreground);
}

TEST_CASE("without the kernel's word the screen is all there is", "[state]") {
  CHECK(judge(std::nullopt).state == State::running);
  CHECK(judge(std::nullopt, "\x1b[?1049h").state == State::app);
  CHECK(judge(std::nullopt, "\x1b[?1002h").state == State::app);
}

TEST_CASE("the foreground is the group's leader, else the first of it", "[state]") {
  auto all = facts(kCooked, {process(201, "sort", no), process(200, "cat", no)});
  all.foreground_group = 200;
  CHECK(judge(all).foreground->pid == 200);
  CHECK(judge(all).foreground->name == "cat");
  all.foreground_group = 300;  // the leader has gone
  CHECK(judge(all).foreground->pid == 201);
  CHECK_FALSE(judge(facts(kCooked, {})).foreground);
}

TEST_CASE("a name that fills the kernel's field has no end of its own", "[state]") {
  CHECK(judge(facts(kCooked, {process(200, "sixteen-letters!!", no)})).foreground->name ==
        "sixteen-letters!");
}

TEST_CASE("shells are known by their last name", "[state]") {
  for (const char* name : {"bash", "-bash", "/bin/zsh", "sh", "-sh", "/usr/bin/fish", "dash"}) {
    CAPTURE(name);
    CHECK(session::is_shell(name));
  }
  for (const char* name : {"", "-", "python3", "bashful", "ssh", "/bin/"}) {
    CAPTURE(name);
    CHECK_FALSE(session::is_shell(name));
  }
}
