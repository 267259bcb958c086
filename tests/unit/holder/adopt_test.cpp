#include <catch2/catch.hpp>

#include "holder/holder.hpp"
#include "support/loop.hpp"
#include "support/scripted_shim.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;
using namespace std::chrono_literals;
using test::Loop;
using test::ScriptedShim;
using test::TempFolder;

namespace {

constexpr const char* kStem = "00112233445566778899aabbccddeeff";

ErrorCode code_of(const Result<std::unique_ptr<holder::Holder>>& result) {
  REQUIRE(!result.has_value());
  CHECK(!result.error().message.empty());
  return result.error().code;
}

/// Makes connections until the backlog is full.
std::vector<Fd> fill_backlog(const std::string& path) {
  std::vector<Fd> sockets;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  for (;;) {
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) break;
    sockets.push_back(std::move(socket));
  }
  return sockets;
}

}  // namespace

TEST_CASE("the shims of a folder are found by their headers", "[holder]") {
  TempFolder folder;
  for (const char* name : {"bb.hdr", "aa.hdr", "aa.sock", "cc.hdr.new", ".hdr", "lock"}) {
    test::put(folder.file(name), "");
  }
  CHECK(holder::find_shims(folder.path()) == std::vector<std::string>{"aa", "bb"});
  CHECK(holder::find_shims(folder.file("none")).empty());
}

TEST_CASE("a live shim is taken over with its header and descriptors", "[holder]") {
  TempFolder folder;
  Loop loop;
  ScriptedShim shim(loop.context(), folder.path(), kStem, ::getpid());
  shim.serve();
  auto adopted = loop.await(holder::adopt(loop.executor(), folder.path(), kStem, 5s));
  REQUIRE(adopted.has_value());
  const auto holder = std::move(*adopted);
  CHECK(shim.hellos == 1);
  shim.header().write_offset = 4711;
  CHECK(holder->header().write_offset == 4711);
  CHECK(holder->master() >= 0);
  CHECK(holder->spool() >= 0);
  for (const int fd : {holder->master(), holder->spool()}) CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
  holder->drop_master();
  CHECK(holder->master() == -1);
}

TEST_CASE("a folder with a path longer than an address is no obstacle", "[holder]") {
  TempFolder folder;
  std::string deep = folder.path();
  for (int i = 0; i < 4; ++i) {
    deep += "/a-rather-long-name-of-a-folder-in-between";
    std::filesystem::create_directory(deep);
  }
  const std::string near = folder.file("near");
  std::filesystem::create_directory_symlink(deep, near);
  Loop loop;
  ScriptedShim shim(loop.context(), near, kStem, ::getpid());
  shim.serve();
  CHECK(loop.await(holder::adopt(loop.executor(), deep, kStem, 5s)).has_value());
}

TEST_CASE("T25: what is not a live shim of this boot is session_gone, without a connection", "[holder]") {
  TempFolder folder;
  Loop loop;
  ScriptedShim shim(loop.context(), folder.path(), kStem, ::getpid());
  shim.serve();
  SECTION("no header") {
    std::filesystem::remove(shim.header_path());
  }
  SECTION("a header cut short") {
    std::filesystem::resize_file(shim.header_path(), 40);
  }
  SECTION("another magic") {
    shim.header().magic = 1;
  }
  SECTION("another boot") {
    ++shim.header().boot_id_hash;
  }
  SECTION("a recycled pid") {
    ++shim.header().shim_start_ticks;
  }
  SECTION("a pid of nobody") {
    test::Sleeper sleeper;
    shim.header().shim_pid = sleeper.pid();
    sleeper.end();
  }
  SECTION("no pid at all") {
    shim.header().shim_pid = 0;
  }
  SECTION("a zombie") {
    char name[] = "true";
    char* argv[] = {name, nullptr};
    char* env[] = {nullptr};
    pid_t pid = -1;
    REQUIRE(::posix_spawn(&pid, "/bin/true", nullptr, nullptr, argv, env) == 0);
    siginfo_t info{};
    REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
    shim.header().shim_pid = pid;
    CHECK(code_of(loop.await(holder::adopt(loop.executor(), folder.path(), kStem, 5s))) ==
          ErrorCode::session_gone);
    ::waitpid(pid, nullptr, 0);
  }
  CHECK(code_of(loop.await(holder::adopt(loop.executor(), folder.path(), kStem, 5s))) ==
        ErrorCode::session_gone);
  CHECK(shim.connections == 0);
}

TEST_CASE("a header or a hello of another major version is version_mismatch", "[holder]") {
  TempFolder folder;
  Loop loop;
  ScriptedShim shim(loop.context(), folder.path(), kStem, ::getpid());
  shim.serve();
  SECTION("header") {
    shim.header().abi_major = shim_abi::kAbiMajor + 1;
    CHECK(code_of(loop.await(holder::adopt(loop.executor(), folder.path(), kStem, 5s))) ==
          ErrorCode::version_mismatch);
    CHECK(shim.connections == 0);
  }
  SECTION("hello") {
    shim.hello_status = shim_abi::Status::unsupported;
    CHECK(code_of(loop.await(holder::adopt(loop.executor(), folder.path(), kStem, 5s))) ==
          ErrorCode::version_mismatch);
  }
}

TEST_CASE("a shim that does not answer in time is left alone, and the loop goes on meanwhile", "[holder]") {
  TempFolder folder;
  Loop loop;
  const bool accepts = GENERATE(true, false);
  ScriptedShim shim(loop.context(), folder.path(), kStem, ::getpid(), 0);
  std::vector<Fd> others;
  if (accepts) {
    shim.answers_hello = false;
    shim.serve();
  } else {
    others = fill_backlog(folder.file(std::string(kStem) + ".sock"));
  }
  auto adopting = loop.run(holder::adopt(loop.executor(), folder.path(), kStem, 50ms));
  bool is_posted_run = false;
  boost::asio::post(loop.executor(), [&] { is_posted_run = true; });
  loop.until([&] { return is_posted_run; });
  CHECK(!adopting.is_done());
  loop.until([&] { return adopting.is_done(); });
  CHECK(code_of(adopting.get()) == ErrorCode::resource_exhausted);
  CHECK(std::filesystem::exists(shim.header_path()));
}

TEST_CASE("a full backlog is waited for", "[holder]") {
  TempFolder folder;
  Loop loop;
  ScriptedShim shim(loop.context(), folder.path(), kStem, ::getpid(), 0);
  const auto others = fill_backlog(folder.file(std::string(kStem) + ".sock"));
  auto adopting = loop.run(holder::adopt(loop.executor(), folder.path(), kStem, 5s));
  loop.poll();
  CHECK(!adopting.is_done());
  shim.serve();
  loop.until([&] { return adopting.is_done(); });
  CHECK(adopting.get().has_value());
}

TEST_CASE("a shim that dies during the adoption ends it", "[holder]") {
  TempFolder folder;
  Loop loop;
  test::Sleeper sleeper;
  ScriptedShim shim(loop.context(), folder.path(), kStem, sleeper.pid(), 0);
  const auto others = fill_backlog(folder.file(std::string(kStem) + ".sock"));
  auto adopting = loop.run(holder::adopt(loop.executor(), folder.path(), kStem, 60s));
  loop.poll();
  sleeper.end();
  loop.until([&] { return adopting.is_done(); });
  CHECK(code_of(adopting.get()) == ErrorCode::session_gone);
}

TEST_CASE("a loop that is destroyed during an adoption takes it along", "[holder]") {
  TempFolder folder;
  std::optional<Loop> loop(std::in_place);
  ScriptedShim shim(loop->context(), folder.path(), kStem, ::getpid());
  shim.answers_hello = false;
  shim.serve();
  auto adopting = loop->run(holder::adopt(loop->executor(), folder.path(), kStem, 60s));
  loop->until([&] { return shim.hellos == 1; });
  CHECK(!adopting.is_done());
}
