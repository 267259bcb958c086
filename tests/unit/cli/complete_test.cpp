#include "cli/complete.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "cli/help.hpp"
#include "proto/describe.hpp"

using namespace smartcli;
using Words = std::vector<std::string>;
using Rest = cli::Completion::Rest;

namespace {

cli::Completion completed(const Words& words) {
  return cli::complete(words, [] { return std::vector<cli::Candidate>{{"edit"}, {"edge"}, {"py"}}; });
}

Words words_of(const cli::Completion& completion) {
  Words words;
  for (const auto& candidate : completion.candidates) words.push_back(candidate.word);
  return words;
}

bool offers(const Words& typed, const std::string& word) {
  const auto words = words_of(completed(typed));
  return std::count(words.begin(), words.end(), word) == 1;
}

}  // namespace

TEST_CASE("what is left of a word is completed by what may stand there", "[complete]") {
  const auto [typed, expected] = GENERATE(table<Words, Words>({
      {{"snap"}, {"snapshot"}},
      {{"daem"}, {"daemon"}},
      {{"daemon", "sto"}, {"stop"}},
      {{"daemon", "stop", "--e"}, {"--end-sessions"}},
      {{"--ver"}, {"--version"}},
      {{"snapshot", "-s", "ed"}, {"edit", "edge"}},
      {{"snapshot", "--sid=ed"}, {"--sid=edit", "--sid=edge"}},
      {{"snapshot", "--sid", "=", "ed"}, {"edit", "edge"}},
      {{"snapshot", "--sid", "="}, {"edit", "edge", "py"}},
      {{"wait-regex", "--tim"}, {"--timeout"}},
      {{"wait-regex", "--timeout", ""}, {}},
      {{"wait-regex", ""}, {}},
      {{"wait-regex", "x", "--any"}, {"--anywhere"}},
      {{"send-line", "--", "-"}, {}},
      {{"signal", "--to", ""}, {"foreground", "child"}},
      {{"signal", "-s", "py", "--to=c"}, {"--to=child"}},
      {{"signal", "-s", "py", "in"}, {"INT"}},
      {{"signal", "-s", "py", "INT", ""}, {}},
      {{"send-keys", "-s", "py", "Esca"}, {"Escape"}},
      {{"send-keys", "-s", "py", "Escape", "PageU"}, {"PageUp"}},
      {{"send-keys", "-s", "py", "C-M-Hom"}, {"C-M-Home"}},
      {{"send-keys", "-s", "py", "Ctrl+Shift+BackT"}, {"Ctrl+Shift+BackTab"}},
      {{"send-keys", "-s", "py", "x-Hom"}, {}},
      {{"schema", "wait_g"}, {"wait_gone"}},
      {{"schema", "wait-g"}, {"wait-gone"}},
      {{"schema", "daemon", "sta"}, {"status", "start"}},
      {{"completion", "z"}, {"zsh"}},
      {{"completion", "zsh", ""}, {}},
      {{"help", "exit"}, {"exit-codes"}},
      {{"help", "lim"}, {"limits"}},
      {{"help", "daemon", "sto"}, {"stop"}},
      {{"get-sockname", ""}, {"--json", "--help"}},
      {{"nothing", ""}, {}},
      {{"spawn", "-s", ""}, {}},
  }));
  CAPTURE(typed);
  CHECK(words_of(completed(typed)) == expected);
}

TEST_CASE("files, directories and programs are the shell's to list", "[complete]") {
  CHECK(completed({"spawn", ""}).rest == Rest::programs);
  CHECK(completed({"spawn", "-s", "x", "py"}).rest == Rest::programs);
  CHECK(completed({"spawn", "vim", "-"}).rest == Rest::files);
  CHECK(completed({"spawn", "vim", "--col"}).candidates.empty());
  CHECK(completed({"spawn", "--cwd", ""}).rest == Rest::directories);
  CHECK(completed({"spawn", "--cols", ""}).rest == Rest::none);
  CHECK(completed({"wait-regex", ""}).rest == Rest::none);
}

TEST_CASE("every verb and every option of every verb is offered once", "[complete]") {
  CHECK(offers({}, "spawn"));
  for (const auto& verb : cli::verbs()) {
    const auto blank = verb.name.find(' ');
    CHECK(offers({""}, verb.name.substr(0, blank)));
    if (blank != std::string::npos)
      CHECK(offers({verb.name.substr(0, blank), ""}, verb.name.substr(blank + 1)));
  }
  for (const auto& method : describe_methods()) {
    if (!method.info.is_command) continue;
    const std::string command = command_name(method.info.name);
    const auto blank = command.find(' ');
    Words typed{command.substr(0, blank)};
    if (blank != std::string::npos) typed.push_back(command.substr(blank + 1));
    typed.emplace_back("-");
    CAPTURE(command);
    CHECK(offers(typed, "--json"));
    for (const auto& field : method.request) {
      if (has_option(method.info, field)) CHECK(offers(typed, option_names(field).front()));
    }
  }
}
