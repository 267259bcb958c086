#include "session/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "support/shown.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;
using session::find_program;
using Environ = std::vector<std::string>;

namespace {

/// A folder with "bin/tool" and "other/tool" to execute, "bin/plain" to read, "bin/folder/".
class Programs : public test::TempFolder {
 public:
  Programs() {
    std::filesystem::create_directories(file("bin/folder"));
    std::filesystem::create_directories(file("other"));
    put("bin/tool", 0755);
    put("other/tool", 0755);
    put("bin/plain", 0644);
    put("other/plain", 0755);
  }

 private:
  void put(const std::string& name, mode_t mode) {
    test::put(file(name), "#!/bin/sh\n");
    REQUIRE(::chmod(file(name).c_str(), mode) == 0);
  }
};

void check_refused(const Result<std::string>& result, ErrorCode code, const std::string& named) {
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == code);
  CAPTURE(result.error().message);
  CHECK(result.error().message.find(named) != std::string::npos);
}

}  // namespace

TEST_CASE("a program is looked for along PATH, the first one counts", "[program]") {
  const Programs here;
  const std::string bin = here.file("bin"), other = here.file("other");
  CHECK(*find_program("tool", {"PATH=" + bin + ":" + other}, "/") == bin + "/tool");
  CHECK(*find_program("tool", {"PATH=" + other + ":" + bin}, "/") == other + "/tool");
  CHECK(*find_program("tool", {"PATH=/nowhere:" + bin}, "/") == bin + "/tool");
  check_refused(find_program("missing", {"PATH=" + bin}, "/"), ErrorCode::program_not_found, "'missing'");
  check_refused(find_program("missing", {"PATH=" + bin}, "/"), ErrorCode::program_not_found, bin);
}

TEST_CASE("an empty or relative entry of PATH is below the working directory", "[program]") {
  const Programs here;
  const std::string bin = here.file("bin");
  for (const char* path : {"PATH=:/nowhere", "PATH=/nowhere:", "PATH=/nowhere::/none", "PATH=.:/nowhere"}) {
    CAPTURE(path);
    const auto found = find_program("tool", {path}, bin);
    REQUIRE(found);
    CHECK(std::filesystem::equivalent(*found, bin + "/tool"));
    CHECK((*found)[0] == '/');
  }
  CHECK(*find_program("tool", {"PATH=bin"}, here.path()) == bin + "/tool");
}

TEST_CASE("what cannot be executed is passed over, and named if nothing else is there", "[program]") {
  const Programs here;
  const std::string bin = here.file("bin"), other = here.file("other");
  CHECK(*find_program("plain", {"PATH=" + bin + ":" + other}, "/") == other + "/plain");
  check_refused(find_program("plain", {"PATH=" + bin}, "/"), ErrorCode::not_executable, bin + "/plain");
  check_refused(find_program("folder", {"PATH=" + bin}, "/"), ErrorCode::not_executable, bin + "/folder");
}

TEST_CASE("a name with a slash is a path, below the working directory if relative", "[program]") {
  const Programs here;
  const std::string bin = here.file("bin");
  CHECK(*find_program(bin + "/tool", {"PATH=/nowhere"}, "/") == bin + "/tool");
  const auto relative = find_program("./tool", {"PATH=/nowhere"}, bin);
  REQUIRE(relative);
  CHECK(std::filesystem::equivalent(*relative, bin + "/tool"));
  CHECK(*find_program("bin/tool", {}, here.path()) == bin + "/tool");
  check_refused(find_program("./tool", {"PATH=" + bin}, "/"), ErrorCode::program_not_found, "'./tool'");
  check_refused(find_program(bin + "/plain", {}, "/"), ErrorCode::not_executable, bin + "/plain");
  check_refused(find_program(bin + "/", {}, "/"), ErrorCode::not_executable, bin);
  check_refused(find_program(bin + "/tool/x", {}, "/"), ErrorCode::program_not_found, "x");
}

TEST_CASE("without PATH the usual folders are looked through", "[program]") {
  CHECK(find_program("sh", {}, "/"));
  CHECK(find_program("sh", {"PATH="}, "/"));
}

TEST_CASE("a refused name is shown harmless", "[program]") {
  const auto refused = find_program("a\x1b[31m\nb", {"PATH=/nowhere"}, "/");
  REQUIRE_FALSE(refused);
  for (const char c : refused.error().message) CHECK(static_cast<unsigned char>(c) >= 0x20);
}

TEST_CASE("a variable's value is the first one of its whole name", "[program]") {
  const Environ env{"AB=1", "A=2", "A=3", "B", "C="};
  CHECK(session::value_of(env, "A") == "2");
  CHECK(session::value_of(env, "AB") == "1");
  CHECK(session::value_of(env, "B").empty());
  CHECK(session::value_of(env, "C").empty());
  CHECK(session::value_of(env, "D").empty());
}

TEST_CASE("the terminal's variables are ours, stale sizes and an outer session's name go", "[program]") {
  const Environ env =
      session::program_environment({"PATH=/bin", "TERM=dumb", "COLORTERM=no", "COLUMNS=132", "LINES=50",
                                    "SMARTCLI_SID=outer", "SMARTCLI_SOCKET=/s", "odd", "=x", "X=a=b"},
                                   {});
  CHECK(env == Environ{"PATH=/bin", "SMARTCLI_SOCKET=/s", "odd", "X=a=b", "TERM=xterm-256color",
                       "COLORTERM=truecolor"});
}

TEST_CASE("what is given with --env wins over all, once", "[program]") {
  const Environ env =
      session::program_environment({"A=1", "B=1", "A=2"}, {"A=3", "TERM=vt100", "COLUMNS=40", "C=4", "C=5"});
  CHECK(env == Environ{"B=1", "COLORTERM=truecolor", "A=3", "TERM=vt100", "COLUMNS=40", "C=5"});
}

TEST_CASE("the user's shell is SHELL's, else one that the system knows", "[program]") {
  CHECK(session::user_shell({"SHELL=/bin/x"}) == "/bin/x");
  CHECK(session::user_shell({"SHELL="})[0] == '/');
  CHECK(session::user_shell({})[0] == '/');
}

namespace {
using Words = std::vector<std::string>;
const Environ kBash{"SHELL=/bin/bash"};
}  // namespace

TEST_CASE("a program, a line for the shell, or the shell itself", "[program]") {
  CHECK(session::command_of({"vim", "x"}, std::nullopt, false, kBash)->argv == Words{"vim", "x"});
  CHECK(session::command_of({}, std::nullopt, false, kBash)->argv == Words{"/bin/bash"});
  const auto line = session::command_of({}, "echo 'a b' | wc", false, kBash);
  REQUIRE(line);
  CHECK(line->argv == Words{"/bin/bash", "-c", "echo 'a b' | wc"});
  CHECK(line->file == "/bin/bash");
  CHECK(session::command_of({}, "", false, kBash)->argv == Words{"/bin/bash", "-c", ""});
  const auto both = session::command_of({"cat"}, "true", false, kBash);
  REQUIRE_FALSE(both);
  CHECK(both.error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a login shell is told so by the dash before its name", "[program]") {
  const auto own = session::command_of({}, std::nullopt, true, kBash);
  REQUIRE(own);
  CHECK(own->file == "/bin/bash");
  CHECK(own->argv == Words{"-bash"});
  CHECK(session::command_of({"zsh", "-c", "true"}, std::nullopt, true, kBash)->argv ==
        Words{"-zsh", "-c", "true"});
  CHECK(session::command_of({}, "true", true, kBash)->argv == Words{"-bash", "-c", "true"});
  const auto refused = session::command_of({"python3"}, std::nullopt, true, kBash);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("python3") != std::string::npos);
}

TEST_CASE("a clean environment keeps what a program needs to find its way", "[program]") {
  CHECK(session::clean_environment({"HOME=/h", "SECRET=1", "LC_ALL=C", "LC=x", "PATH=/bin", "PATHS=/x",
                                    "LANG=C", "TZ=UTC", "USER=u", "LOGNAME=u", "SHELL=/bin/sh",
                                    "SSH_AUTH_SOCK=/s"}) == Environ{"HOME=/h", "LC_ALL=C", "PATH=/bin",
                                                                    "LANG=C", "TZ=UTC", "USER=u", "LOGNAME=u",
                                                                    "SHELL=/bin/sh"});
}
