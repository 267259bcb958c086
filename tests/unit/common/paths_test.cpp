#include "common/paths.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "support/shown.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;
using test::TempFolder;

namespace {

/// Nobody has such a user number, so /run/user/UID is not there.
constexpr unsigned kNobody = 987654321;

Result<paths::Paths> find(std::map<std::string, std::string, std::less<>> values) {
  return paths::find(MapEnvironment(std::move(values)), kNobody, "/home/u");
}

unsigned mode_of(const std::string& path) {
  struct stat st {};
  REQUIRE(::lstat(path.c_str(), &st) == 0);
  return st.st_mode & 07777;
}

}  // namespace

TEST_CASE(
    "B115: the socket is SMARTCLI_SOCKET, else in XDG_RUNTIME_DIR, else in /tmp under the user's number",
    "[paths]") {
  using Values = std::map<std::string, std::string, std::less<>>;
  const auto [values, socket] = GENERATE(table<Values, std::string>({
      {Values{{"SMARTCLI_SOCKET", "/a/x.sock"}, {"XDG_RUNTIME_DIR", "/run/me"}}, "/a/x.sock"},
      {Values{{"SMARTCLI_HOST", "unix:/b/x.sock"}, {"XDG_RUNTIME_DIR", "/run/me"}}, "/b/x.sock"},
      {Values{{"SMARTCLI_SOCKET", "/a/x.sock"}, {"SMARTCLI_HOST", "unix:/b/x.sock"}}, "/a/x.sock"},
      {Values{{"XDG_RUNTIME_DIR", "/run/me"}}, "/run/me/smartcli/daemon.sock"},
      {Values{{"SMARTCLI_SOCKET", ""}, {"XDG_RUNTIME_DIR", "/run/me"}}, "/run/me/smartcli/daemon.sock"},
      {Values{{"XDG_RUNTIME_DIR", "run/me"}}, "/tmp/smartcli-987654321/daemon.sock"},
      {Values{{"XDG_RUNTIME_DIR", ""}}, "/tmp/smartcli-987654321/daemon.sock"},
      {Values{{"TMPDIR", "/elsewhere"}}, "/tmp/smartcli-987654321/daemon.sock"},
      {Values{}, "/tmp/smartcli-987654321/daemon.sock"},
  }));
  CAPTURE(socket);
  const auto found = find(values);
  REQUIRE(found);
  CHECK(found->socket == socket);
  CHECK(found->runtime_dir == socket.substr(0, socket.rfind('/')));
  CHECK(found->lock == socket + ".lock");
  CHECK(found->shims_dir == socket + ".d");
}

TEST_CASE("a socket that is named must be an absolute path of a file", "[paths]") {
  using Values = std::map<std::string, std::string, std::less<>>;
  const auto [values, named] = GENERATE(table<Values, std::string>({
      {Values{{"SMARTCLI_SOCKET", "x.sock"}}, "SMARTCLI_SOCKET"},
      {Values{{"SMARTCLI_SOCKET", "./x.sock"}}, "SMARTCLI_SOCKET"},
      {Values{{"SMARTCLI_SOCKET", "/tmp/folder/"}}, "SMARTCLI_SOCKET"},
      {Values{{"SMARTCLI_SOCKET", "/"}}, "SMARTCLI_SOCKET"},
      {Values{{"SMARTCLI_HOST", "unix:x.sock"}}, "SMARTCLI_HOST"},
      {Values{{"SMARTCLI_HOST", "unix:"}}, "SMARTCLI_HOST"},
      {Values{{"SMARTCLI_HOST", "ssh://u@h"}}, "SMARTCLI_HOST"},
  }));
  CAPTURE(values);
  const auto found = find(values);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == ErrorCode::invalid_argument);
  CHECK(found.error().message.find(named) != std::string::npos);
}

TEST_CASE("B112: a socket path of 107 bytes is taken, one of 108 is refused by name and limit", "[paths]") {
  const auto path = [](std::size_t bytes) { return "/" + std::string(bytes - 1, 'd'); };
  CHECK(find({{"SMARTCLI_SOCKET", path(107)}}));
  const auto refused = find({{"SMARTCLI_SOCKET", path(108)}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::invalid_argument);
  CHECK(refused.error().message.find(path(108)) != std::string::npos);
  CHECK(refused.error().message.find("108") != std::string::npos);
  CHECK(refused.error().message.find("107") != std::string::npos);
  const std::string rest = "/smartcli/daemon.sock";
  CHECK(find({{"XDG_RUNTIME_DIR", path(107 - rest.size())}}));
  CHECK_FALSE(find({{"XDG_RUNTIME_DIR", path(108 - rest.size())}}));
}

TEST_CASE("the state folder follows XDG_STATE_HOME, else the home, and is one for each socket", "[paths]") {
  const auto at_home = find({{"SMARTCLI_SOCKET", "/a/1"}});
  const auto relative = find({{"SMARTCLI_SOCKET", "/a/1"}, {"XDG_STATE_HOME", "state"}});
  const auto moved = find({{"SMARTCLI_SOCKET", "/a/1"}, {"XDG_STATE_HOME", "/state"}});
  const auto other = find({{"SMARTCLI_SOCKET", "/a/2"}, {"XDG_STATE_HOME", "/state"}});
  REQUIRE((at_home && relative && moved && other));
  CHECK(at_home->state_dir.starts_with("/home/u/.local/state/smartcli/"));
  CHECK(relative->state_dir == at_home->state_dir);
  CHECK(moved->state_dir.starts_with("/state/smartcli/"));
  CHECK(moved->state_dir != other->state_dir);
  CHECK(moved->log == moved->state_dir + "/daemon.log");
  CHECK(moved->sessions_dir == moved->state_dir + "/sessions");
}

TEST_CASE("T24: a private folder is made 0700 and taken again", "[paths]") {
  const TempFolder temp;
  const std::string folder = temp.file("run");
  const mode_t before = ::umask(0);
  CHECK(paths::make_private(folder, ::getuid()));
  ::umask(before);
  CHECK(mode_of(folder) == 0700);
  CHECK(paths::make_private(folder, ::getuid()));
}

TEST_CASE("T24: what others could have put there is refused, and nothing is changed", "[paths]") {
  const TempFolder temp;
  const std::string folder = temp.file("run");
  const auto refused_because = [&](const std::string& why, unsigned uid) {
    const auto made = paths::make_private(folder, uid);
    REQUIRE_FALSE(made);
    CHECK(made.error().code == ErrorCode::policy_denied);
    CHECK(made.error().message.find(folder) != std::string::npos);
    CHECK(made.error().message.find(why) != std::string::npos);
  };
  SECTION("a symbolic link, to a folder that would do") {
    std::filesystem::create_directory(temp.file("real"));
    REQUIRE(::chmod(temp.file("real").c_str(), 0700) == 0);
    std::filesystem::create_directory_symlink(temp.file("real"), folder);
    refused_because("symbolic link", ::getuid());
    CHECK(std::filesystem::is_symlink(folder));
  }
  SECTION("a symbolic link to nothing") {
    std::filesystem::create_symlink(temp.file("nothing"), folder);
    refused_because("symbolic link", ::getuid());
    CHECK_FALSE(std::filesystem::exists(temp.file("nothing")));
  }
  SECTION("a file") {
    test::put(folder, "x");
    REQUIRE(::chmod(folder.c_str(), 0600) == 0);
    refused_because("not a directory", ::getuid());
    CHECK(test::contents(folder) == "x");
  }
  SECTION("a folder that lets others in") {
    const auto mode = GENERATE(0777, 0755, 0710, 0701, 01777);
    std::filesystem::create_directory(folder);
    REQUIRE(::chmod(folder.c_str(), static_cast<mode_t>(mode)) == 0);
    refused_because("lets others in", ::getuid());
    CHECK(mode_of(folder) == static_cast<unsigned>(mode));
  }
  SECTION("a folder of somebody else") {
    std::filesystem::create_directory(folder);
    REQUIRE(::chmod(folder.c_str(), 0700) == 0);
    refused_because("belongs to uid", ::getuid() + 1);
  }
}

TEST_CASE("a folder that cannot be made is an error with the system's reason", "[paths]") {
  const TempFolder temp;
  test::put(temp.file("file"), "");
  const auto missing = paths::make_private(temp.file("no/where"), ::getuid());
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::resource_exhausted);
  CHECK(missing.error().message.find("No such file") != std::string::npos);
  const auto below_file = paths::make_private_tree(temp.file("file/a/b"), ::getuid());
  REQUIRE_FALSE(below_file);
  CHECK(below_file.error().code == ErrorCode::resource_exhausted);
}

TEST_CASE("a private tree makes its parents, private too, and leaves those that are there", "[paths]") {
  const TempFolder temp;
  std::filesystem::create_directory(temp.file("there"));
  REQUIRE(::chmod(temp.file("there").c_str(), 0755) == 0);
  CHECK(paths::make_private_tree(temp.file("there/a/b"), ::getuid()));
  CHECK(mode_of(temp.file("there")) == 0755);
  CHECK(mode_of(temp.file("there/a")) == 0700);
  CHECK(mode_of(temp.file("there/a/b")) == 0700);
  CHECK(paths::make_private_tree(temp.file("there/a/b"), ::getuid()));
}

TEST_CASE("B117: a home is a folder that is there and not /, by HOME or else by the user's entry",
          "[paths]") {
  TempFolder temp;
  const auto home = temp.file("home"), other = temp.file("other");
  std::filesystem::create_directory(home);
  std::filesystem::create_directory(other);
  test::put(temp.file("file"), "");
  const auto passwd = temp.file("passwd");
  test::put(passwd, "root:x:0:0:root:/:/bin/sh\nbroken\n\nme:x:987654321:1:a, b:" + home +
                        ":/bin/sh\nhomeless:x:7:7::/nonexistent:/bin/sh\n");
  const auto found = [&](std::map<std::string, std::string, std::less<>> values, unsigned uid) {
    return paths::home_of(MapEnvironment(std::move(values)), uid, passwd);
  };
  CHECK(found({{"HOME", other}}, kNobody) == other);
  for (const auto& useless : {std::string(), std::string("/"), std::string("//"), std::string("rel"),
                              std::string("/nonexistent"), temp.file("file")}) {
    CAPTURE(useless);
    CHECK(found({{"HOME", useless}}, kNobody) == home);
  }
  CHECK(found({}, kNobody) == home);
  CHECK(found({}, 0).empty());
  CHECK(found({}, 7).empty());
  CHECK(found({}, 8).empty());
  CHECK(paths::home_of(MapEnvironment(std::map<std::string, std::string, std::less<>>()), kNobody,
                       temp.file("none"))
            .empty());
  const std::map<std::string, std::string, std::less<>> runtime_only{{"XDG_RUNTIME_DIR", "/run/me"}};
  CHECK(paths::home_of(MapEnvironment(runtime_only), kNobody, temp.file("none")).empty());
  const auto homeless = paths::find(MapEnvironment(runtime_only), kNobody, "");
  REQUIRE(homeless);
  CHECK(homeless->state_dir == "/run/me/smartcli/daemon.sock.state");
}
