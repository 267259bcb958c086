#include <catch2/catch.hpp>

#include "holder/holder.hpp"
#include "holder/start_block.hpp"
#include "support/loop.hpp"
#include "support/scripted_shim.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;
using shim_abi::StartStage;
using test::Loop;
using test::TempFolder;

namespace {

holder::StartSpec spec_in(const TempFolder& folder) {
  holder::StartSpec spec;
  spec.shim_path = "/bin/true";
  spec.runtime_dir = spec.journal_dir = spec.cwd = folder.path();
  spec.stem = "00112233445566778899aabbccddeeff";
  spec.program = "/bin/prog";
  spec.argv = {"prog", "-x", ""};
  spec.env = {"A=b"};
  return spec;
}

}  // namespace

TEST_CASE("a start block is sealed and holds all of the order", "[holder]") {
  TempFolder folder;
  auto spec = spec_in(folder);
  spec.core = {1, 2};
  spec.session[15] = 9;
  const auto block = holder::make_start_block(spec);
  REQUIRE(block.has_value());
  CHECK(::fcntl(block->get(), F_GET_SEALS) == (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
  shim_abi::StartBlock head{};
  REQUIRE(::pread(block->get(), &head, sizeof head, 0) == sizeof head);
  CHECK(head.magic == shim_abi::kStartMagic);
  CHECK(head.argc == 3);
  CHECK(head.envc == 1);
  CHECK(head.cols == 80);
  CHECK(head.umask == 077);
  CHECK(head.flags == shim_abi::kStartCore);
  CHECK(head.core_hard == 2);
  CHECK(head.session[15] == 9);
  std::string strings(head.strings_bytes + 10, '\0');
  strings.resize(
      static_cast<std::size_t>(::pread(block->get(), strings.data(), strings.size(), sizeof head)));
  const std::string z(1, '\0');
  CHECK(strings == folder.path() + z + folder.path() + z + spec.stem + z + "/bin/prog" + z + folder.path() +
                       z + "prog" + z + "-x" + z + "" + z + "A=b" + z);
}

TEST_CASE("an order that cannot be meant so, or is too long, is refused before anything is started",
          "[holder]") {
  TempFolder folder;
  auto spec = spec_in(folder);
  ErrorCode expected = ErrorCode::invalid_argument;
  SECTION("no argv") {
    spec.argv.clear();
  }
  SECTION("a NUL") {
    spec.env.push_back(std::string("B=c\0d", 5));
  }
  SECTION("too long") {
    spec.argv.push_back(std::string(shim_abi::kStartBytes, 'x'));
    expected = ErrorCode::spawn_failed;
  }
  Loop loop;
  const auto started = loop.await(holder::start(loop.executor(), spec));
  REQUIRE(!started);
  CHECK(started.error().code == expected);
}

TEST_CASE("F11: each failure of a start has its own code, and names the program", "[holder]") {
  TempFolder folder;
  auto spec = spec_in(folder);
  spec.program = folder.file("prog");
  struct Row {
    StartStage stage;
    int reason;
    ErrorCode code;
  };
  const auto row = GENERATE(Row{StartStage::exec, ENOENT, ErrorCode::program_not_found},
                            Row{StartStage::exec, ENOTDIR, ErrorCode::program_not_found},
                            Row{StartStage::exec, EACCES, ErrorCode::not_executable},
                            Row{StartStage::exec, ENOEXEC, ErrorCode::not_executable},
                            Row{StartStage::exec, EISDIR, ErrorCode::not_executable},
                            Row{StartStage::exec, ETXTBSY, ErrorCode::not_executable},
                            Row{StartStage::exec, E2BIG, ErrorCode::spawn_failed},
                            Row{StartStage::exec, EIO, ErrorCode::spawn_failed},
                            Row{StartStage::exec, ENOMEM, ErrorCode::resource_exhausted},
                            Row{StartStage::fork, EAGAIN, ErrorCode::resource_exhausted},
                            Row{StartStage::pty, ENOSPC, ErrorCode::resource_exhausted},
                            Row{StartStage::pty, EMFILE, ErrorCode::resource_exhausted},
                            Row{StartStage::chdir, ENOENT, ErrorCode::spawn_failed},
                            Row{StartStage::journal, ENOSPC, ErrorCode::resource_exhausted},
                            Row{StartStage::journal, EROFS, ErrorCode::spawn_failed},
                            Row{StartStage::socket, EACCES, ErrorCode::spawn_failed},
                            Row{StartStage::runtime, EDQUOT, ErrorCode::resource_exhausted},
                            Row{StartStage::invalid, 0, ErrorCode::internal},
                            Row{static_cast<StartStage>(99), EPERM, ErrorCode::spawn_failed});
  const Error error = holder::start_error(row.stage, row.reason, spec);
  CAPTURE(error.message);
  CHECK(error.code == row.code);
  CHECK(error.message.find(spec.program) != std::string::npos);
}

TEST_CASE("F11: a script whose interpreter is not there is not a program that was not found", "[holder]") {
  TempFolder folder;
  auto spec = spec_in(folder);
  test::put(folder.file("script"), "#!/nonexistent/sh\n");
  spec.program = "./script";
  const Error error = holder::start_error(StartStage::exec, ENOENT, spec);
  CHECK(error.code == ErrorCode::not_executable);
  CHECK(error.message.find("interpreter") != std::string::npos);
}

TEST_CASE("a shim that is not there, or ends without a word, is spawn_failed and leaves no zombie",
          "[holder]") {
  TempFolder folder;
  auto spec = spec_in(folder);
  spec.shim_path = GENERATE("/nonexistent/smartcli-shim", "/bin/true", "/bin/false");
  Loop loop;
  const auto started = loop.await(holder::start(loop.executor(), spec));
  REQUIRE(!started);
  CHECK(started.error().code == ErrorCode::spawn_failed);
  CHECK(started.error().message.find(spec.shim_path) != std::string::npos);
  loop.until([] { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; });
}
