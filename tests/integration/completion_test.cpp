// The scripts of `smartcli completion` in real shells, typed at as a person does.

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "support/daemon_fixture.hpp"

using namespace smartcli::test;

namespace {

struct Shell {
  std::vector<std::string> argv;
  std::string set_up;
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("^$.[]|()*+?{}\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

TEST_CASE("Tab completes smartcli's words in bash, zsh and fish", "[integration]") {
  const auto shell =
      GENERATE(Shell{{"bash", "--norc"}, "PS1='> '; source <(smartcli completion bash)"},
               Shell{{"zsh", "-f"},
                     "PS1='> '; autoload -Uz compinit; compinit -u -D; source <(smartcli completion zsh)"},
               Shell{{"fish", "--no-config"},
                     "function fish_prompt; echo '> '; end; smartcli completion fish | source"});
  CAPTURE(shell.argv[0]);
  DaemonFixture f;
  f.cwd = f.folder;
  ::mkdir((f.folder + "/a-folder").c_str(), 0700);
  write_file(f.folder + "/a-file", "");
  f.ok({"spawn", "-s", "only-one", "cat"});
  std::vector<std::string> spawn{"spawn", "-s", "shell", "--cols", "120"};
  spawn.insert(spawn.end(), shell.argv.begin(), shell.argv.end());
  f.ok(spawn);
  f.ok({"wait-ready", "-s", "shell", "--timeout", "20s"});
  f.ok({"send-line", "-s", "shell", shell.set_up + "; echo set''-up"});
  f.ok({"wait-regex", "-s", "shell", "--timeout", "20s", "^set-up"});

  // What follows the Tab stands behind what the shell itself has put there: a suggestion would give way to
  // it.
  for (const auto& [typed, completed] : std::vector<std::pair<std::string, std::string>>{
           {"snaps", "snapshot "},
           {"daemon stat", "daemon status "},
           {"wait-regex --any", "wait-regex --anywhere "},
           {"signal --to chi", "signal --to child "},
           {"signal --to=chi", "signal --to=child "},
           {"signal -s only-one WINC", "signal -s only-one WINCH "},
           {"snapshot -s onl", "snapshot -s only-one "},
           {"snapshot --sid=onl", "snapshot --sid=only-one "},
           {"send-keys Esca", "send-keys Escape "},
           {"send-keys Ctrl+PageU", "send-keys Ctrl+PageUp "},
           {"help exit", "help exit-codes "},
           {"schema wait_vis", "schema wait_visual_change "},
           {"completion fis", "completion fish "},
           {"spawn --cwd a-fo", "spawn --cwd a-folder/"},
           {"spawn cat a-fil", "spawn cat a-file "},
           {"spawn smartcli-sh", "spawn smartcli-shim "}}) {
    CAPTURE(typed);
    f.ok({"send-text", "-s", "shell", "smartcli " + typed + "\t@"});
    const auto seen = f.cli({"wait-regex", "-s", "shell", "--anywhere", "--timeout", "10s",
                             "smartcli " + escaped(completed) + "@"});
    const auto screen = seen.status == 0 ? "" : f.ok({"snapshot", "-s", "shell"});
    CAPTURE(screen);
    CHECK(seen.status == 0);
    f.ok({"send-keys", "-s", "shell", "C-u"});
  }
}

TEST_CASE("what cannot be told apart is listed, with what it is where the shell shows that",
          "[integration]") {
  DaemonFixture f;
  const auto fish = f.run({"fish", "--no-config", "-c",
                           "smartcli completion fish | source; complete -C 'smartcli wait-ch'; complete -C "
                           "'smartcli signal --to '"});
  CHECK(fish.out ==
        "wait-change\tBlock until the screen's text differs from what was last seen.\nforeground\nchild\n");
  const auto bash = f.run({"bash", "-c",
                           "source <(smartcli completion bash); COMP_WORDS=(smartcli signal --to '') "
                           "COMP_CWORD=3; _smartcli smartcli; echo \"${COMPREPLY[@]}\""});
  CHECK(bash.out == "foreground child\n");
}

TEST_CASE("completion never starts the daemon, and says nothing without one", "[integration]") {
  DaemonFixture f;
  const auto names = f.cli({"__complete", "--", "snapshot", "-s", ""});
  CHECK(names.status == 0);
  CHECK(names.out.empty());
  CHECK(names.err.empty());
  CHECK(f.cli({"daemon", "status"}).status == 4);
}
