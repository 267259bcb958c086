#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <utility>

namespace smartcli::test {

Process::Process(std::vector<std::string> argv, const std::map<std::string, std::string>& env,
                 std::string input, std::string cwd) {
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  const int in = ::memfd_create("stdin", MFD_CLOEXEC);
  if (::write(in, input.data(), input.size()) != static_cast<ssize_t>(input.size()))
    throw std::runtime_error("write");
  ::lseek(in, 0, SEEK_SET);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  if (!cwd.empty()) posix_spawn_file_actions_addchdir_np(&actions, cwd.c_str());
  std::vector<char*> arguments;
  for (auto& argument : argv) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::vector<std::string> entries;
  for (const auto& [name, value] : env) entries.push_back(name + "=" + value);
  std::vector<char*> environment;
  for (auto& entry : entries) environment.push_back(entry.data());
  environment.push_back(nullptr);
  const int failed =
      ::posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(in);
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
  if (failed != 0) throw std::runtime_error("cannot start " + argv[0]);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      out_(std::exchange(other.out_, -1)),
      err_(std::exchange(other.err_, -1)),
      tell_(std::move(other.tell_)) {}

Process::~Process() {
  if (out_ >= 0) ::close(out_);
  if (err_ >= 0) ::close(err_);
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

Output Process::wait(std::chrono::seconds limit) {
  Output output;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  bool late = false;
  while (out_ >= 0 || err_ >= 0) {
    pollfd looks[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
            .count();
    if (left <= 0 || ::poll(looks, 2, static_cast<int>(left)) == 0) {
      late = true;
      break;
    }
    for (int i = 0; i < 2; ++i) {
      if (looks[i].revents == 0) continue;
      int& fd = i == 0 ? out_ : err_;
      char block[65536];
      const auto n = ::read(fd, block, sizeof block);
      if (n > 0) {
        (i == 0 ? output.out : output.err).append(block, static_cast<std::size_t>(n));
      } else if (n == 0 || errno != EINTR) {
        ::close(fd);
        fd = -1;
      }
    }
  }
  if (late) ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  if (!late) output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (tell_) tell_(output.status);
  return output;
}

}  // namespace smartcli::test
