// Programs of ours that do one job apart: bounded, whatever they do.

#include "helpers/helper.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <csignal>
#include <optional>

using namespace smartcli;
using namespace std::chrono_literals;

namespace {

Result<helpers::HelperEnd> finish(helpers::Helper helper,
                                  std::function<void(std::function<void()>)> on_start = {}) {
  boost::asio::io_context loop;
  std::optional<Result<helpers::HelperEnd>> end;
  if (!on_start) on_start = [](std::function<void()>) {};
  boost::asio::co_spawn(loop, helpers::run(std::move(helper), std::move(on_start)),
                        [&](std::exception_ptr failure, Result<helpers::HelperEnd> result) {
                          if (failure) std::rethrow_exception(failure);
                          end = std::move(result);
                        });
  loop.run();
  REQUIRE(end.has_value());
  return *end;
}

helpers::Helper shell(const std::string& script) {
  helpers::Helper helper;
  helper.program = "/bin/sh";
  helper.args = {"-c", script};
  return helper;
}

std::string fault_of(helpers::Helper helper, std::function<void(std::function<void()>)> on_start = {}) {
  const auto end = finish(std::move(helper), std::move(on_start));
  REQUIRE(!end.has_value());
  CHECK(end.error().code == ErrorCode::internal);
  return end.error().message;
}

}  // namespace

TEST_CASE("[helper] its output, errors and status come back", "[integration]") {
  const auto end = finish(shell("echo out; echo err >&2; exit 3"));
  REQUIRE(end.has_value());
  CHECK(end->status == 3);
  CHECK(end->out == "out\n");
  CHECK(end->err == "err\n");
}

TEST_CASE("[helper] it has three descriptors, no environment, no input and default signals",
          "[integration]") {
  ::signal(SIGPIPE, SIG_IGN);
  const auto end = finish(
      shell("ls /proc/self/fd | wc -l; env | grep -v -e PWD -e _= -e SHLVL -e OLDPWD; cat; grep SigIgn "
            "/proc/self/status"));
  REQUIRE(end.has_value());
  // 0, 1, 2 and the folder that ls reads.
  CHECK(end->out == "4\nSigIgn:\t0000000000000000\n");
}

TEST_CASE("[helper] errors without end do not hold up its output", "[integration]") {
  const auto end = finish(shell("head -c 1000000 /dev/zero >&2; echo done"));
  REQUIRE(end.has_value());
  CHECK(end->out == "done\n");
  CHECK(end->err.size() == 4096);
}

TEST_CASE("[helper] it is ended past each of its bounds, and the bound is named", "[integration]") {
  auto flood = shell("exec cat /dev/zero");
  flood.output_bytes = 100'000;
  CHECK(fault_of(flood) == "sh: printed too much");
  auto slow = shell("exec sleep 1000");
  slow.time = 20ms;
  CHECK(fault_of(slow) == "sh: took too long");
  auto large = shell("exec tail /dev/zero");
  large.memory_bytes = 32 << 20;
  const auto end = finish(large);  // tail itself says so
  REQUIRE(end.has_value());
  CHECK(end->status != 0);
}

TEST_CASE("[helper] a signal, a cancel and a missing program are told apart", "[integration]") {
  CHECK(fault_of(shell("kill -ABRT $$")) == "sh: ended by signal 6");
  CHECK(fault_of(shell("exec sleep 1000"), [](std::function<void()> end) { end(); }) == "sh: was cancelled");
  helpers::Helper none;
  none.program = "/nowhere/none";
  CHECK(fault_of(none).find("not installed") != std::string::npos);
}
