#include "helpers/helper.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/process/v2/posix/default_launcher.hpp>
#include <boost/process/v2/process.hpp>
#include <boost/process/v2/stdio.hpp>
#include <csignal>
#include <memory>

namespace smartcli::helpers {

namespace {

namespace asio = boost::asio;
namespace process = boost::process::v2;
using boost::system::error_code;

constexpr std::size_t kErrorBytes = 4 << 10;

/// Runs in the child between fork and exec: only what is safe there.
struct Confine {
  std::size_t memory_bytes;

  template <class Launcher>
  error_code on_exec_setup(Launcher&, const process::filesystem::path&, const char* const*) {
    // It goes with the daemon.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const struct rlimit memory { memory_bytes, memory_bytes };
    const struct rlimit no_core {};
    ::setrlimit(RLIMIT_AS, &memory);
    ::setrlimit(RLIMIT_CORE, &no_core);
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    return {};
  }
};

struct Running {
  Running(const asio::any_io_executor& executor)
      : out(executor), err(executor), child(executor), timer(executor) {}
  ~Running() {
    // Waited for: its destructor must not ask for that pid again, which may be another's by now.
    if (is_reaped) child.detach();
  }
  void kill(const char* reason) {
    if (is_reaped) return;
    if (why.empty()) why = reason;
    error_code ignored;
    child.terminate(ignored);
  }

  asio::readable_pipe out, err;
  process::process child;
  asio::steady_timer timer;
  std::string why;  ///< it was killed
  bool is_reaped = false;
};

asio::awaitable<void> read_output(std::shared_ptr<Running> running, std::string& text, std::size_t most) {
  char block[16 << 10];
  error_code done;
  while (!done) {
    const std::size_t n = co_await running->out.async_read_some(
        asio::buffer(block), asio::redirect_error(asio::use_awaitable, done));
    if (text.size() + n > most) running->kill("printed too much");
    if (running->why.empty()) text.append(block, n);
  }
}

asio::awaitable<void> read_errors(std::shared_ptr<Running> running, std::string& text) {
  char block[1 << 10];
  error_code done;
  while (!done) {
    const std::size_t n = co_await running->err.async_read_some(
        asio::buffer(block), asio::redirect_error(asio::use_awaitable, done));
    text.append(block, std::min(n, kErrorBytes - text.size()));
  }
}

}  // namespace

boost::asio::awaitable<Result<HelperEnd>> run(Helper helper,
                                              std::function<void(std::function<void()>)> on_start) {
  const auto executor = co_await asio::this_coro::executor;
  const std::string name = helper.program.substr(helper.program.rfind('/') + 1);
  const auto fault = [&](const std::string& what) { return Error{ErrorCode::internal, name + ": " + what}; };
  if (::access(helper.program.c_str(), X_OK) != 0) co_return fault("not installed: no " + helper.program);

  auto running = std::make_shared<Running>(executor);
  const char* no_environment[] = {nullptr};
  process::posix::default_launcher launcher;
  launcher.env = no_environment;
  error_code error;
  running->child =
      launcher(executor, error, helper.program, helper.args,
               process::process_stdio{nullptr, running->out, running->err}, Confine{helper.memory_bytes});
  if (error) co_return fault("cannot be started: " + error.message());

  running->timer.expires_after(helper.time);
  running->timer.async_wait([weak = std::weak_ptr(running)](error_code ended) {
    if (const auto still = weak.lock(); still && !ended) still->kill("took too long");
  });
  on_start([weak = std::weak_ptr(running)] {
    if (const auto still = weak.lock()) still->kill("was cancelled");
  });

  HelperEnd end;
  // Both streams at once: a helper that fills the one while we wait for the other would stand still.
  using namespace asio::experimental::awaitable_operators;
  co_await (read_output(running, end.out, helper.output_bytes) && read_errors(running, end.err));
  co_await running->child.async_wait(asio::redirect_error(asio::use_awaitable, error));
  running->is_reaped = true;
  running->timer.cancel();
  if (!running->why.empty()) co_return fault(running->why);
  const int status = running->child.native_exit_code();
  if (WIFSIGNALED(status)) co_return fault("ended by signal " + std::to_string(WTERMSIG(status)));
  end.status = WEXITSTATUS(status);
  co_return end;
}

}  // namespace smartcli::helpers
