#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "cli/app.hpp"
#include "common/fd.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;

namespace {

struct Ran {
  int status;
  std::string out, err;
};

/// Runs a command line in this process, with no daemon to reach and none to start.
Ran run(const std::vector<std::string>& args, std::map<std::string, std::string, std::less<>> env = {}) {
  const test::TempFolder folder;
  env.emplace("SMARTCLI_SOCKET", folder.file("none.sock"));
  env.emplace("XDG_STATE_HOME", folder.path());
  env.emplace("SMARTCLI_NO_AUTOSTART", "1");
  const Fd out(::open(folder.file("out").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  const Fd err(::open(folder.file("err").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  const Fd old_out(::fcntl(1, F_DUPFD_CLOEXEC, 3)), old_err(::fcntl(2, F_DUPFD_CLOEXEC, 3));
  ::dup2(out.get(), 1);
  ::dup2(err.get(), 2);
  const int status = cli::run(args, MapEnvironment(std::move(env)));
  ::dup2(old_out.get(), 1);
  ::dup2(old_err.get(), 2);
  return {status, test::contents(folder.file("out")), test::contents(folder.file("err"))};
}

}  // namespace

TEST_CASE("an unknown option, verb or word is a usage error with the nearest known one", "[run]") {
  using Words = std::vector<std::string>;
  const auto [words, said] = GENERATE(table<Words, std::string>({
      {Words{"wait-regex", "-s", "x", "--timeuot", "5s", "p"}, "did you mean '--timeout'?"},
      {Words{"wait-regex", "-s", "x", "--timeuot=5s", "p"}, "did you mean '--timeout'?"},
      {Words{"send-line", "-s", "x", "-n"}, "text that begins with - goes after --"},
      {Words{"snapshot", "-s", "x", "extra"}, "one argument too many: 'extra'"},
      {Words{"spwan", "sh"}, "did you mean 'spawn'?"},
      {Words{"daemon", "stauts"}, "did you mean 'daemon status'?"},
      {Words{"daemon", "start", "x"}, "one argument too many"},
      {Words{"frobnicate"}, "unknown verb 'frobnicate'"},
      {Words{"\x1b[31m\n"}, "unknown verb '\\u{1b}[31m\\u{a}'"},
      {Words{"snapshot"}, "SMARTCLI_SESSION"},
      {Words{"spawn", "--cols", "0", "sh"}, "1 to 1000"},
      {Words{"spawn", "--colls", "80", "sh"}, "did you mean '--cols'?"},
      {Words{"signal", "-s", "x", "--to", "chidl", "INT"}, "did you mean 'child'?"},
      {Words{"list", "--format", "{sdi}"}, "did you mean 'sid'?"},
      {Words{"schema", "wiat-regex"}, "did you mean 'wait-regex'?"},
      {Words{"schema", "--jsno"}, "did you mean '--json'?"},
      {Words{"schema", "list", "status"}, "one argument too many: 'status'"},
      {Words{"completion", "zhs"}, "did you mean 'zsh'?"},
      {Words{"completion"}, "which shell?"},
      {Words{"help", "kyes"}, "did you mean 'keys'?"},
      {Words{"help", "daemon", "stpo"}, "did you mean 'daemon stop'?"},
      {Words{"get-sockname", "now"}, "one argument too many"},
  }));
  CAPTURE(words);
  const Ran ran = run(words);
  CAPTURE(ran.err);
  CHECK(ran.status == 2);
  CHECK(ran.out.empty());
  CHECK(ran.err.starts_with("smartcli: "));
  CHECK(ran.err.find(said) != std::string::npos);
  CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
}

TEST_CASE("with --json a usage error is one object on stdout too", "[run]") {
  const Ran ran = run({"snapshot", "-s", "x", "--jsom", "--json"});
  CHECK(ran.status == 2);
  CHECK(ran.out.starts_with("{\"error\":{\"code\":\"invalid_argument\""));
  CHECK(ran.out.ends_with("\"ok\":false}\n"));
  CHECK(ran.err.find("did you mean '--json'?") != std::string::npos);
}

TEST_CASE("without a daemon a list is empty and a session is not there", "[run]") {
  const Ran list = run({"list"});
  CHECK(list.status == 0);
  CHECK(list.out.empty());
  CHECK(run({"list", "--json"}).out == "{\"ok\":true,\"sessions\":[],\"tombstones\":[]}\n");
  const Ran snapshot = run({"snapshot", "-s", "x"});
  CHECK(snapshot.status == 3);
  CHECK(snapshot.err.find("no session 'x'") != std::string::npos);
  CHECK(run({"snapshot"}, {{"SMARTCLI_SESSION", "from-env"}}).err.find("'from-env'") != std::string::npos);
  CHECK(run({"snapshot", "-s", "x"}, {{"SMARTCLI_SESSION", "from-env"}}).err.find("'x'") !=
        std::string::npos);
  CHECK(run({"daemon", "status"}).status == 4);
  CHECK(run({"spawn", "true"}).status == 4);
}

TEST_CASE("schema and completion need no daemon", "[run]") {
  CHECK(run({"schema"}).out.starts_with("{\n  \"commands\": ["));
  const Ran row = run({"schema", "--json", "daemon", "stop"});
  CHECK(row.status == 0);
  CHECK(std::count(row.out.begin(), row.out.end(), '\n') == 1);
  CHECK(row.out.find("\"name\":\"daemon_stop\"") != std::string::npos);
  for (const char* shell : {"bash", "zsh", "fish"}) {
    CHECK(run({"completion", shell}).out.find("__complete -- ") != std::string::npos);
  }
  const Ran words = run({"__complete", "--", "signal", "-s", ""});
  CHECK(words.status == 0);
  CHECK(words.out.empty());
  CHECK(run({"__complete", "--", "sna"}).out == "snapshot\tPrint what a person would see now.\n");
  CHECK(run({"__complete", "--", "spawn", "--cwd", ""}).out == ":directories\n");
  CHECK(run({"get-sockname"}).status == 4);
}

TEST_CASE("help is on stdout where it was asked for and on stderr where nothing was", "[run]") {
  CHECK(run({"help"}).out.find("exit-codes   ") != std::string::npos);
  CHECK(run({"help", "status"}).out == run({"status", "--help"}).out);
  CHECK(run({"help", "daemon", "stop"}).out == run({"daemon", "stop", "-h"}).out);
  CHECK(run({"help", "help"}).out == run({"help", "--help"}).out);
  CHECK(run({"daemon", "--help"}).out.find("daemon status") != std::string::npos);
  CHECK(run({"daemon"}).status == 2);
  for (const char* word : {"--help", "-h", "help"}) {
    const Ran help = run({word});
    CHECK(help.status == 0);
    CHECK(help.out.find("smartcli spawn") != std::string::npos);
    CHECK(help.err.empty());
  }
  const Ran nothing = run({});
  CHECK(nothing.status == 2);
  CHECK(nothing.out.empty());
  CHECK(nothing.err.find("smartcli spawn") != std::string::npos);
  const Ran verb = run({"wait-regex", "--help"});
  CHECK(verb.status == 0);
  CHECK(verb.out.find("--timeout") != std::string::npos);
  CHECK(verb.out.find("Examples:") != std::string::npos);
}

TEST_CASE("a socket path that is too long or relative is one message and a usage error", "[run]") {
  const Ran ran = run({"list"}, {{"SMARTCLI_SOCKET", "/" + std::string(120, 'd')}});
  CHECK(ran.status == 2);
  CHECK(ran.err.find("107") != std::string::npos);
  CHECK(run({"list"}, {{"SMARTCLI_SOCKET", "x.sock"}}).status == 2);
}
