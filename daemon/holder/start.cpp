#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstring>

#include "holder/connect.hpp"
#include "holder/link.hpp"
#include "holder/process.hpp"
#include "holder/start_block.hpp"

namespace smartcli::holder {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// An execve may wait for a network file system; longer than this, nobody wants the answer any more.
constexpr auto kReport = std::chrono::seconds(10);

/// Waits for a child that is about to end. It does so by looking: nothing else may wait for children of this
/// process, and SIGCHLD belongs to nobody.
asio::awaitable<void> reap(asio::any_io_executor executor, pid_t pid) {
  asio::steady_timer timer(executor);
  auto pause = std::chrono::milliseconds(1);
  while (::waitpid(pid, nullptr, WNOHANG) == 0) {
    timer.expires_after(pause);
    error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    pause = std::min(pause * 2, std::chrono::milliseconds(500));
  }
}

/// The process that was started; it forks the shim and ends.
class Intermediate {
 public:
  Intermediate(asio::any_io_executor executor, pid_t pid) : executor_(std::move(executor)), pid_(pid) {}
  Intermediate(const Intermediate&) = delete;
  Intermediate& operator=(const Intermediate&) = delete;
  ~Intermediate() {
    if (::waitpid(pid_, nullptr, WNOHANG) == 0)
      asio::co_spawn(executor_, reap(executor_, pid_), asio::detached);
  }

 private:
  asio::any_io_executor executor_;
  pid_t pid_;
};

/// A duplicate above the standard three, so that placing one of them in the child cannot overwrite another.
bool lift(Fd& fd) {
  if (fd.get() > STDERR_FILENO) return true;
  fd.reset(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return static_cast<bool>(fd);
}

/// posix_spawn of the shim; 0 or an errno.
int spawn(const std::string& shim, int block, int channel, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (const int error = ::posix_spawn_file_actions_init(&actions)) return error;
  if (const int error = ::posix_spawnattr_init(&attributes)) {
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigset_t all, none;
  ::sigfillset(&all);
  ::sigemptyset(&none);
  int error = ::posix_spawn_file_actions_adddup2(&actions, block, STDIN_FILENO);
  if (error == 0) error = ::posix_spawn_file_actions_adddup2(&actions, channel, STDOUT_FILENO);
  if (error == 0) error = ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_RDWR, 0);
  // Ours are close-on-exec; what the daemon was started with need not be.
  if (error == 0) error = ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  if (error == 0)
    error = ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (error == 0) error = ::posix_spawnattr_setsigmask(&attributes, &none);
  if (error == 0) error = ::posix_spawnattr_setsigdefault(&attributes, &all);
  std::string name = "smartcli-shim";
  std::array<char*, 2> argv{name.data(), nullptr};
  std::array<char*, 1> env{nullptr};
  if (error == 0) error = ::posix_spawn(pid, shim.c_str(), &actions, &attributes, argv.data(), env.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

asio::awaitable<Result<std::unique_ptr<Holder>>> start_shim(asio::any_io_executor executor, StartSpec spec) {
  const std::string what = "cannot start `" + spec.program + "`";
  auto block = make_start_block(spec);
  if (!block) co_return block.error();
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    co_return errno_error(ErrorCode::resource_exhausted, what, errno);
  }
  Fd ours(pair[0]), theirs(pair[1]);
  if (!lift(block.value()) || !lift(theirs))
    co_return errno_error(ErrorCode::resource_exhausted, what, errno);

  pid_t pid = -1;
  if (const int error = spawn(spec.shim_path, block->get(), theirs.get(), &pid)) {
    co_return errno_error(is_shortage(error) ? ErrorCode::resource_exhausted : ErrorCode::spawn_failed,
                          what + ": its shim `" + spec.shim_path + "`", error);
  }
  const Intermediate intermediate(executor, pid);
  theirs.reset();
  block.value().reset();

  const auto deadline = std::chrono::steady_clock::now() + kReport;
  const auto wait = std::make_shared<Wait>(executor, std::move(ours));
  const bool came = co_await Wait::readable(wait, deadline);
  // Closing the pair takes the order back: a shim that cannot report ends what it started.
  if (!came) co_return Error{ErrorCode::spawn_failed, what + ": no answer within 10 s"};
  shim_abi::StartReport report{};
  std::array<char, 256> bytes{};
  const Packet packet = receive(wait->fd(), bytes);
  if (packet.bytes < static_cast<ssize_t>(offsetof(shim_abi::StartReport, abi_major))) {
    co_return Error{ErrorCode::spawn_failed,
                    what + ": its shim `" + spec.shim_path + "` ended without a word"};
  }
  std::memcpy(&report, bytes.data(),
              std::min<std::size_t>(sizeof report, static_cast<std::size_t>(packet.bytes)));
  if (report.stage != shim_abi::StartStage::running)
    co_return start_error(report.stage, report.errno_value, spec);

  auto owned = co_await take_over(executor, wait->release(), deadline);
  if (!owned) co_return owned.error();
  auto pidfd = open_process(owned->header->shim_pid, owned->header->shim_start_ticks);
  if (!pidfd) co_return pidfd.error();
  co_return make_holder(std::make_shared<Link>(executor, spec.runtime_dir, spec.stem,
                                               std::move(pidfd.value()), std::move(owned.value())));
}

}  // namespace

asio::awaitable<Result<std::unique_ptr<Holder>>> start(asio::any_io_executor executor, StartSpec spec) {
  try {
    co_return co_await start_shim(executor, std::move(spec));
  } catch (const boost::system::system_error& failure) {
    // Asio's own: no room in its reactor. A cancelled caller is not a failure.
    if (failure.code() == asio::error::operation_aborted) throw;
    co_return Error{ErrorCode::resource_exhausted,
                    std::string("cannot watch the session's shim: ") + failure.what()};
  }
}

}  // namespace smartcli::holder
