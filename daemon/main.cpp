// smartclid: reads flags, becomes the one daemon of its socket, builds the object graph, runs the loop.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/env.hpp"
#include "common/failpoint.hpp"
#include "common/launch.hpp"
#include "common/log.hpp"
#include "common/paths.hpp"
#include "detach.hpp"
#include "dispatch/handlers.hpp"
#include "server/server.hpp"
#include "session/session_table.hpp"

namespace smartcli {
namespace {

using namespace std::chrono_literals;

constexpr auto kDrain = 5s;  ///< the longest a stop takes

std::string own_folder() {
  char path[4096];
  const auto n = ::readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0) return "/usr/bin";
  const std::string exe(path, static_cast<std::size_t>(n));
  return exe.substr(0, exe.rfind('/'));
}

/// A program of ours: beside this one, else in ../libexec/smartcli.
std::string helper(const std::string& name) {
  const std::string beside = own_folder() + "/" + name;
  return ::access(beside.c_str(), X_OK) == 0 ? beside : own_folder() + "/../libexec/smartcli/" + name;
}

bool is_named(const Fd& lock, const std::string& path) {
  struct stat held {
  }, named{};
  return ::fstat(lock.get(), &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

/// True while this is the one daemon of its path. A lock that was cleaned away is made again, unless somebody
/// else was faster: then that one is the daemon.
bool keep_lock(Fd& lock, const paths::Paths& paths, unsigned uid) {
  if (is_named(lock, paths.lock)) return true;
  if (!paths::make_private_tree(paths.runtime_dir, uid) || !paths::make_private(paths.shims_dir, uid))
    return true;
  Fd fresh(::open(paths.lock.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fresh) return errno != EEXIST;  // a full or failing disk is no other daemon
  if (::flock(fresh.get(), LOCK_EX | LOCK_NB) != 0) return false;
  lock = std::move(fresh);
  return true;
}

/// Takes the lock for life. Its inode is compared with its path afterwards: a lock file that was removed
/// meanwhile locks nothing.
Fd take_lock(const paths::Paths& paths, Detached& detached) {
  for (;;) {
    Fd lock(::open(paths.lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock) detached.fail(4, "cannot open the lock " + paths.lock + ": " + std::strerror(errno));
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
      detached.fail(kAlreadyRuns, "another daemon holds " + paths.lock);
    }
    if (is_named(lock, paths.lock)) return lock;
  }
}

int run(Detached detached) {
  const SystemEnvironment env;
  const SystemClock clock;
  const unsigned uid = ::geteuid();
  const auto limits = Limits::from(env);
  if (!limits) detached.fail(4, limits.error().message);
  auto points = Failpoints::from(env);
  if (!points) detached.fail(4, points.error().message);
  failpoints() = std::move(*points);
  auto found = paths::find(env, uid, paths::home_of(env, uid));
  if (!found) detached.fail(4, found.error().message);
  auto paths = *found;
  for (const auto& made :
       {paths::make_private_tree(paths.runtime_dir, uid), paths::make_private(paths.shims_dir, uid)}) {
    if (!made) detached.fail(4, made.error().message);
  }
  // Without a home to write to, state stands beside the socket: lost at logout or reboot, but sessions work.
  if (!paths::make_private_tree(paths.state_dir, uid)) {
    paths.state_dir = paths.socket + ".state";
    paths.log = paths.state_dir + "/daemon.log";
    paths.sessions_dir = paths.state_dir + "/sessions";
    if (auto made = paths::make_private(paths.state_dir, uid); !made) detached.fail(4, made.error().message);
  }
  if (auto made = paths::make_private(paths.sessions_dir, uid); !made) detached.fail(4, made.error().message);

  Fd lock = take_lock(paths, detached);
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock.get(), 0) != 0 || ::write(lock.get(), pid.data(), pid.size()) < 0) {
    // For people only; nothing reads it.
  }
  log::open(paths.log, env.get("SMARTCLI_LOG").value_or("info"));

  session::SessionTable::Setup setup;
  struct rlimit files {};
  ::getrlimit(RLIMIT_NOFILE, &files);
  setup.nofile_soft = files.rlim_cur;
  setup.nofile_hard = files.rlim_max;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);

  auto listener = server::listen_on(paths.socket);
  if (!listener) detached.fail(4, listener.error().message);

  boost::asio::io_context loop(1);
  setup.executor = loop.get_executor();
  setup.paths = paths;
  setup.shim_path = helper("smartcli-shim");
  setup.limits = &*limits;
  setup.clock = &clock;
  session::SessionTable table(std::move(setup));

  server::Server* serving = nullptr;
  boost::asio::signal_set signals(loop, SIGTERM, SIGINT);
  boost::asio::steady_timer last(loop);
  bool stopping = false, restarting = false;
  Clock::Steady stop_began{};
  // Replies on their way out are written first; whoever does not read them is not waited for.
  std::function<void(boost::system::error_code)> look_whether_done = [&](boost::system::error_code) {
    if (serving->clients() == 0 || clock.now() - stop_began > kDrain) {
      table.detach_all();
      loop.stop();
      return;
    }
    last.expires_after(5ms);
    last.async_wait(look_whether_done);
  };
  const auto stop = [&] {
    if (stopping) return;
    stopping = true;
    log::info("stopping; " + std::to_string(table.live()) + " live sessions go on under their shims");
    table.end_all_waits();
    serving->stop(kDrain);
    stop_began = clock.now();
    look_whether_done({});
  };
  dispatch::DaemonControl control;
  control.started = dispatch::timestamp(
      std::chrono::duration_cast<std::chrono::milliseconds>(clock.wall().time_since_epoch()).count());
  control.clients = [&] { return serving->clients(); };
  control.stop = [&](bool restart) {
    restarting = restart;
    boost::asio::post(loop, stop);
  };
  control.is_restarting = [&] { return restarting; };
  control.crosscheck = helper("smartcli-crosscheck");
  dispatch::Handlers handlers(table, *limits, clock, paths, std::move(control));
  server::Server server(
      loop, std::move(*listener), paths.socket, handlers, *limits,
      [&] { return keep_lock(lock, paths, uid); },
      [&] {
        log::warning("another daemon holds the lock by now; this one goes");
        boost::asio::post(loop, stop);
      });
  serving = &server;
  signals.async_wait([&](boost::system::error_code error, int) {
    if (!error) stop();
  });

  boost::asio::co_spawn(loop, table.adopt_all(), [](std::exception_ptr failure) {
    if (failure) log::error("adoption failed");
  });
  server.start();
  log::info("smartclid " + std::string(dispatch::version()) + " serves " + paths.socket);
  detached.ready();
  loop.run();
  log::info("stopped");
  if (is_named(lock, paths.lock))
    ::unlink(paths.lock.c_str());  // while it is held: whoever waits compares inodes
  // The loop's handlers refer to what stands on this stack; nothing is left that must run.
  ::_exit(0);
}

int usage(int status) {
  std::fprintf(status == 0 ? stdout : stderr,
               "usage: smartclid [--foreground]\n"
               "The daemon of smartcli. Started by `smartcli` when it is needed; see `smartcli --help`.\n"
               "Without --foreground it detaches, and exits 0 once it serves its socket.\n");
  return status;
}

}  // namespace
}  // namespace smartcli

int main(int argc, char** argv) {
  bool foreground = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--foreground") == 0) {
      foreground = true;
    } else if (std::strcmp(argv[i], "--help") == 0 || std::strcmp(argv[i], "-h") == 0) {
      return smartcli::usage(0);
    } else if (std::strcmp(argv[i], "--version") == 0) {
      std::printf("smartclid %s\n", std::string(smartcli::dispatch::version()).c_str());
      return 0;
    } else {
      return smartcli::usage(2);
    }
  }
  return smartcli::run(foreground ? smartcli::Detached::in_foreground() : smartcli::Detached::fork_away());
}
