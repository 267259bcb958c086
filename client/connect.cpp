#include "connect.hpp"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "common/launch.hpp"
#include "common/text.hpp"
#include "start_daemon.hpp"

namespace smartcli::client {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 5s;

enum class Attempt { connected, nobody, busy, failed };

Attempt attempt(const std::string& path, Fd& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  socket.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return Attempt::failed;
  // A full backlog would block for ever; it is asked again instead.
  timeval limit{1, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return Attempt::connected;
  if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR) return Attempt::nobody;
  if (errno == EAGAIN || errno == EINTR || errno == EINPROGRESS) return Attempt::busy;
  return Attempt::failed;
}

void pause(std::chrono::milliseconds time) {
  const timespec span{0, static_cast<long>(time.count() * 1'000'000)};
  ::nanosleep(&span, nullptr);
}

std::size_t count_entries(const std::string& folder, std::string_view suffix = {}) {
  DIR* dir = ::opendir(folder.c_str());
  if (dir == nullptr) return 0;
  std::size_t count = 0;
  while (const auto* entry = ::readdir(dir))
    count += entry->d_name[0] != '.' && std::string_view(entry->d_name).ends_with(suffix) ? 1 : 0;
  ::closedir(dir);
  return count;
}

bool holds_entries(const std::string& folder) {
  return count_entries(folder) > 0;
}

/// Sessions without a daemon: shims that live, or journals of ended ones.
bool sessions_are_left(const paths::Paths& paths) {
  return holds_entries(paths.shims_dir) || holds_entries(paths.sessions_dir) ||
         holds_entries(paths.socket + ".state/sessions");
}

Error unreachable(std::string message, std::string detail = {}) {
  return Error{ErrorCode::daemon_unreachable, std::move(message), std::move(detail)};
}

}  // namespace

std::string find_program(const std::string& name) {
  char path[4096];
  const auto n = ::readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0) return {};
  const std::string exe(path, static_cast<std::size_t>(n));
  const std::string folder = exe.substr(0, exe.rfind('/'));
  for (const auto& candidate : {folder + "/" + name, folder + "/../libexec/smartcli/" + name}) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

Result<paths::Paths> own_paths(const Environment& env) {
  return paths::find(env, ::geteuid(), paths::home_of(env, ::geteuid()));
}

Error with_sessions(Error error, const Environment& env) {
  const auto paths = own_paths(env);
  if (error.code != ErrorCode::version_mismatch || !paths) return error;
  // A shim's socket is there as long as it holds its session.
  const auto held = count_entries(paths->shims_dir, ".sock");
  if (held > 0) {
    error.message += "; it holds " + std::to_string(held) +
                     (held == 1 ? " session, which goes" : " sessions, which go") + " on";
  }
  return error;
}

Result<Fd> connect(const Environment& env, AutoStart start) {
  auto paths = own_paths(env);
  if (!paths) return paths.error();
  struct stat st {};
  if (::lstat(paths->runtime_dir.c_str(), &st) == 0) {
    if (auto checked = paths::make_private(paths->runtime_dir, ::geteuid()); !checked) return checked.error();
  }
  const bool may_start = !env.get_nonempty("SMARTCLI_NO_AUTOSTART");

  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  std::string last_word;
  for (int round = 0;; ++round) {
    Fd socket;
    const auto outcome = attempt(paths->socket, socket);
    if (outcome == Attempt::connected) {
      struct ucred peer {};
      socklen_t size = sizeof peer;
      if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != ::geteuid()) {
        return Error{ErrorCode::policy_denied, "the socket " + text::quoted(paths->socket, 200) +
                                                   " is served by another user; not used"};
      }
      return socket;
    }
    if (outcome == Attempt::failed) {
      return errno_error(ErrorCode::daemon_unreachable,
                         "cannot connect to " + text::quoted(paths->socket, 200), errno);
    }
    if (outcome == Attempt::nobody) {
      const bool wanted = start == AutoStart::always ||
                          (start == AutoStart::if_sessions_are_left && sessions_are_left(*paths));
      const std::string nobody = "no daemon runs on " + text::quoted(paths->socket, 200);
      if (!wanted) return unreachable(nobody + "; `smartcli spawn` starts one", "none");
      if (!may_start) return unreachable(nobody + ", and SMARTCLI_NO_AUTOSTART forbids to start one");
      const std::string program = find_program("smartclid");
      if (program.empty())
        return unreachable("smartclid is neither beside this program nor in its libexec folder");
      const auto started = start_daemon(program);
      if (started.status == 0) continue;
      // Another one is just starting, or the old one is just stopping.
      if (started.status != kAlreadyRuns)
        return unreachable(started.message.empty() ? "the daemon did not start" : started.message);
      last_word = started.message;
    }
    if (std::chrono::steady_clock::now() > give_up) {
      return unreachable("the daemon does not answer on " + text::quoted(paths->socket, 200) +
                         (last_word.empty() ? "" : " (" + last_word + ")"));
    }
    pause(std::chrono::milliseconds(2 + (::getpid() + round * 7) % 10));
  }
}

ino_t lock_inode(const Environment& env) {
  const auto paths = own_paths(env);
  struct stat st {};
  return paths && ::stat(paths->lock.c_str(), &st) == 0 ? st.st_ino : 0;
}

void wait_for_lock(const Environment& env, ino_t held) {
  const auto paths = own_paths(env);
  if (!paths) return;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(6);
  struct stat st {};
  while (::stat(paths->lock.c_str(), &st) == 0 && st.st_ino == held &&
         std::chrono::steady_clock::now() < give_up) {
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace smartcli::client
