// Every example that help prints does what it says.

#include <catch2/catch.hpp>
#include <regex>

#include "proto/commands.hpp"
#include "proto/describe.hpp"
#include "support/daemon_fixture.hpp"

using namespace smartcli::test;
using namespace smartcli;

namespace {

/// The sessions that examples name: what runs there, and what is waited for before the example is typed.
struct Prepared {
  std::string sid;
  std::vector<std::string> argv;
  std::string ready;  ///< a pattern; empty: nothing
};

const std::vector<Prepared> kPrepared{
    {"py", {"python3"}, ">>> $"},
    {"sh", {"bash", "--norc"}, "[$#] $"},
    {"edit", {"vim", "-u", "NONE", "-n", "notes.txt"}, "~"},
    {"top", {"top"}, "load average"},
    {"job", {"sh", "-c", "echo started; sleep 0.5; echo ended"}, "started"},
    {"build",
     {"sh", "-c",
      "seq 10000; echo 'error: a[0] FAILED'; echo Compiling 10%; sleep 0.5; printf "
      "'\\033[H\\033[2Jfinished\\n'; "
      "exec sleep 600"},
     "Compiling"},
    {"clock", {"sh", "-c", "while :; do date +%T.%N; sleep 0.2; done"}, "[0-9]"},
};

struct Example {
  std::string verb, line;
};

std::vector<Example> all_examples() {
  std::vector<Example> examples;
  const auto add = [&examples](std::string verb, std::string_view lines) {
    while (!lines.empty()) {
      const auto end = lines.find('\n');
      examples.push_back({verb, std::string(lines.substr(0, end))});
      lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    }
  };
  for (const auto& method : describe_methods()) {
    if (method.info.is_command) add(command_name(method.info.name), method.info.examples);
  }
  for (const auto& command : kCommands) add(std::string(command.name), command.examples);
  return examples;
}

/// An example that ends otherwise than with 0 says so in a comment, `# exits with N`.
int promised_status(const std::string& line) {
  std::smatch found;
  return std::regex_search(line, found, std::regex("# exits with ([0-9]+)")) ? std::stoi(found[1]) : 0;
}

void prepare(DaemonFixture& f, const Example& example) {
  static const std::regex kNamed("smartcli ([a-z-]+ )?.*?(?:-s|--second-opinion) ([A-Za-z0-9_.-]+)");
  for (std::sregex_iterator named(example.line.begin(), example.line.end(), kNamed), end; named != end;
       ++named) {
    if ((*named)[1] == "spawn ") continue;
    const std::string sid = (*named)[2];
    const auto row =
        std::find_if(kPrepared.begin(), kPrepared.end(), [&](const Prepared& p) { return p.sid == sid; });
    if (row == kPrepared.end()) FAIL("no session '" << sid << "' is prepared for " << example.line);
    std::vector<std::string> spawn{"spawn", "-s", sid};
    spawn.insert(spawn.end(), row->argv.begin(), row->argv.end());
    f.ok(spawn);
    if (!row->ready.empty()) f.ok({"wait-regex", "-s", sid, row->ready});
  }
}

/// A third of them, so that they run beside each other.
void check_examples(std::size_t third) {
  const auto examples = all_examples();
  for (std::size_t i = third; i < examples.size(); i += 3) {
    DaemonFixture f;
    f.cwd = f.folder;
    f.env["TERM"] = "xterm-256color";
    const auto& example = examples[i];
    f.ok({"daemon", "start"});
    prepare(f, example);
    const auto ran = f.run({"bash", "-c", example.line});
    INFO(example.line << "\nstdout: " << ran.out << "\nstderr: " << ran.err);
    CHECK(ran.status == promised_status(example.line));
  }
}

}  // namespace

TEST_CASE("every example of every verb does as help shows it", "[integration]") {
  check_examples(0);
}
TEST_CASE("every example of every verb does as help shows it, the second third", "[integration]") {
  check_examples(1);
}
TEST_CASE("every example of every verb does as help shows it, the last third", "[integration]") {
  check_examples(2);
}

TEST_CASE("every verb has its help without a daemon", "[integration]") {
  DaemonFixture f;
  for (const auto& example : all_examples()) {
    const auto blank = example.verb.find(' ');
    std::vector<std::string> words{example.verb.substr(0, blank)};
    if (blank != std::string::npos) words.push_back(example.verb.substr(blank + 1));
    words.push_back("--help");
    CAPTURE(example.verb);
    const auto help = f.ok(words);
    CHECK(help.find(example.line) != std::string::npos);
  }
  CHECK(f.cli({"daemon", "status"}).status == 4);
}

TEST_CASE("get-sockname names the socket and starts the daemon behind it", "[integration]") {
  DaemonFixture f;
  CHECK(f.ok({"get-sockname"}) == f.socket());
  CHECK(f.cli({"daemon", "status"}).status == 0);
  CHECK(f.json({"get-sockname"}) == nlohmann::json{{"ok", true}, {"socket", f.socket()}});
}
