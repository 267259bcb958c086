#include "support/fake_daemon.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace smartcli::test {

FakeDaemon::FakeDaemon(const std::string& socket, std::function<std::string(const std::string&)> answer)
    : path_(socket), answer_(std::move(answer)), listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  ::mkdir(std::filesystem::path(path_).parent_path().c_str(), 0700);
  ::unlink(path_.c_str());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.c_str(), path_.size());
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_, 16) != 0 || ::pipe2(stop_, O_CLOEXEC) != 0) {
    throw std::runtime_error("cannot listen on " + path_);
  }
  thread_ = std::thread([this] { serve(); });
}

FakeDaemon::~FakeDaemon() {
  ::close(stop_[1]);
  thread_.join();
  ::close(stop_[0]);
  ::close(listener_);
  ::unlink(path_.c_str());
}

void FakeDaemon::serve() {
  std::vector<pollfd> looks{{stop_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
  std::vector<std::string> begun(2);
  for (;;) {
    ::poll(looks.data(), looks.size(), -1);
    if (looks[0].revents != 0) break;
    if (looks[1].revents != 0) {
      looks.push_back({::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), POLLIN, 0});
      begun.emplace_back();
    }
    for (std::size_t i = looks.size(); i-- > 2;) {
      if (looks[i].revents == 0) continue;
      char block[65536];
      const auto n = ::recv(looks[i].fd, block, sizeof block, 0);
      if (n <= 0) {
        ::close(looks[i].fd);
        looks.erase(looks.begin() + static_cast<std::ptrdiff_t>(i));
        begun.erase(begun.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      begun[i].append(block, static_cast<std::size_t>(n));
      for (std::size_t end; (end = begun[i].find('\n')) != std::string::npos; begun[i].erase(0, end + 1)) {
        const auto reply = answer_(begun[i].substr(0, end));
        (void)!::send(looks[i].fd, reply.data(), reply.size(), MSG_NOSIGNAL);
      }
    }
  }
  for (std::size_t i = 2; i < looks.size(); ++i) ::close(looks[i].fd);
}

}  // namespace smartcli::test
