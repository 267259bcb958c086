#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/fd.hpp"
#include "holder/process.hpp"
#include "shim_abi/header.hpp"
#include "shim_abi/messages.hpp"

namespace smartcli::test {

/// A process that does nothing until it is ended: what a pidfd needs.
class Sleeper {
 public:
  Sleeper() {
    char name[] = "sleep", time[] = "1000";
    char* argv[] = {name, time, nullptr};
    char* env[] = {nullptr};
    if (::posix_spawn(&pid_, "/bin/sleep", nullptr, nullptr, argv, env) != 0)
      throw std::runtime_error("sleep");
  }
  Sleeper(const Sleeper&) = delete;
  ~Sleeper() { end(); }
  pid_t pid() const { return pid_; }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

/// The other end of a holder, in the test's own loop: header, socket, descriptors. `hello` is answered as a
/// shim does; all else goes to `on_message`.
class ScriptedShim {
 public:
  struct Message {
    shim_abi::MessageHead head{};
    std::string bytes;  ///< all of it
    std::vector<Fd> descriptors;

    template <class T>
    T as() const {
      T value{};
      std::memcpy(static_cast<void*>(&value), bytes.data(), std::min(sizeof value, bytes.size()));
      return value;
    }
    std::string tail(std::size_t from) const { return bytes.substr(from); }
  };

  ScriptedShim(boost::asio::io_context& context, std::string folder, std::string stem, pid_t pid,
               int backlog = 8)
      : context_(context), folder_(std::move(folder)), stem_(std::move(stem)), listener_(context) {
    header_file_ = Fd(::open(header_path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (::ftruncate(header_file_.get(), shim_abi::kHeaderBytes) != 0) throw std::runtime_error("ftruncate");
    void* mapped =
        ::mmap(nullptr, shim_abi::kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, header_file_.get(), 0);
    if (mapped == MAP_FAILED) throw std::runtime_error("mmap");
    header_ = new (mapped) shim_abi::Header{};
    header_->magic = shim_abi::kHeaderMagic;
    header_->abi_major = shim_abi::kAbiMajor;
    header_->bytes = sizeof(shim_abi::Header);
    header_->shim_pid = pid;
    header_->shim_start_ticks = holder::start_ticks(pid).value_or(0);
    header_->boot_id_hash = holder::boot_id_hash();
    header_->phase = static_cast<std::uint32_t>(shim_abi::Phase::running);
    output_event_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    credit_event_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    spool_ = Fd(::memfd_create("spool", MFD_CLOEXEC));
    master_ = Fd(::open("/dev/null", O_RDWR | O_CLOEXEC));

    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder_ + "/" + stem_ + ".sock";
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
    if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket.get(), backlog) != 0) {
      throw std::runtime_error("bind");
    }
    listener_.assign(socket.release());
  }
  ScriptedShim(const ScriptedShim&) = delete;
  ~ScriptedShim() { ::munmap(header_, shim_abi::kHeaderBytes); }

  std::string header_path() const { return folder_ + "/" + stem_ + ".hdr"; }
  shim_abi::Header& header() { return *header_; }
  int output_event() const { return output_event_.get(); }
  int credit_event() const { return credit_event_.get(); }

  /// Begins to accept.
  void serve() {
    listener_.async_wait(
        boost::asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code error) {
          if (error) return;
          Fd peer(::accept4(listener_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
          if (peer) adopt_peer(std::move(peer));
          serve();
        });
  }
  /// Serves a connection that was made otherwise.
  void adopt_peer(Fd peer) {
    ++connections;
    auto connection = std::make_shared<boost::asio::posix::stream_descriptor>(context_, peer.release());
    peers_.push_back(connection);
    read(connection);
  }
  /// Ends the connection to the owner.
  void disconnect() {
    if (owner_) owner_->close();
    owner_.reset();
  }

  /// What the owner asked, but for hello; by default it is kept in `messages` only.
  std::function<void(const Message&)> on_message;
  std::vector<Message> messages;
  int connections = 0, hellos = 0;
  shim_abi::Status hello_status = shim_abi::Status::ok;
  bool answers_hello = true;

  template <class T>
  void send(const T& value, const std::string& tail = {}, std::vector<int> descriptors = {}) {
    std::string packet(sizeof value, '\0');
    std::memcpy(packet.data(), &value, sizeof value);
    packet += tail;
    shim_abi::MessageHead head{};
    std::memcpy(&head, packet.data(), sizeof head);
    head.bytes = static_cast<std::uint32_t>(packet.size());
    std::memcpy(packet.data(), &head, sizeof head);
    iovec part{packet.data(), packet.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {};
    if (!descriptors.empty()) {
      const std::size_t bytes = descriptors.size() * sizeof(int);
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(bytes);
      cmsghdr* item = CMSG_FIRSTHDR(&message);
      item->cmsg_level = SOL_SOCKET;
      item->cmsg_type = SCM_RIGHTS;
      item->cmsg_len = CMSG_LEN(bytes);
      std::memcpy(CMSG_DATA(item), descriptors.data(), bytes);
    }
    if (::sendmsg(owner_->native_handle(), &message, MSG_NOSIGNAL) < 0) throw std::runtime_error("sendmsg");
  }

  static shim_abi::Reply reply_to(const Message& message, shim_abi::Status status = shim_abi::Status::ok) {
    shim_abi::Reply reply{};
    reply.head.type = shim_abi::MessageType::reply;
    reply.head.tag = message.head.tag;
    reply.status = status;
    return reply;
  }
  void notice(shim_abi::MessageType type) {
    shim_abi::MessageHead head{};
    head.type = type;
    send(head);
  }
  void wake_output() { put_one(output_event_.get()); }
  /// As a shim does after it stored new offsets.
  void signal_if_armed() {
    if (header_->output_armed.exchange(0) != 0) wake_output();
  }
  /// How often the daemon signalled credit since the last look.
  std::uint64_t credit_signals() {
    std::uint64_t count = 0;
    return ::read(credit_event_.get(), &count, sizeof count) == sizeof count ? count : 0;
  }

 private:
  using Connection = std::shared_ptr<boost::asio::posix::stream_descriptor>;

  static void put_one(int fd) {
    const std::uint64_t one = 1;
    if (::write(fd, &one, sizeof one) != sizeof one) throw std::runtime_error("eventfd");
  }

  void read(Connection connection) {
    connection->async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [this, connection](boost::system::error_code error) {
                             if (error) return;
                             if (receive(connection)) read(connection);
                           });
  }

  bool receive(const Connection& connection) {
    std::string bytes(shim_abi::kMessageBytes, '\0');
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))];
    msghdr packet{};
    packet.msg_iov = &part;
    packet.msg_iovlen = 1;
    packet.msg_control = control;
    packet.msg_controllen = sizeof control;
    const ssize_t n = ::recvmsg(connection->native_handle(), &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EAGAIN) return true;
    if (n <= 0) return false;
    Message message;
    message.bytes = bytes.substr(0, static_cast<std::size_t>(n));
    message.head = message.as<shim_abi::MessageHead>();
    if (const cmsghdr* item = CMSG_FIRSTHDR(&packet)) {
      for (std::size_t i = 0; i < (item->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(item) + i * sizeof fd, sizeof fd);
        message.descriptors.emplace_back(fd);
      }
    }
    if (message.head.type == shim_abi::MessageType::hello) {
      ++hellos;
      if (!answers_hello) return true;
      if ((message.as<shim_abi::Hello>().flags & shim_abi::kTakeover) == 0)
        throw std::runtime_error("no takeover");
      owner_ = connection;
      shim_abi::HelloReply reply{};
      reply.reply = reply_to(message, hello_status);
      reply.abi_major = shim_abi::kAbiMajor;
      reply.descriptors = 5;
      if (hello_status == shim_abi::Status::ok) {
        send(reply, {},
             {master_.get(), header_file_.get(), spool_.get(), output_event_.get(), credit_event_.get()});
      } else {
        send(reply);
      }
      return true;
    }
    messages.push_back(std::move(message));
    if (on_message) on_message(messages.back());
    return connection->is_open();
  }

  boost::asio::io_context& context_;
  std::string folder_, stem_;
  boost::asio::posix::stream_descriptor listener_;
  std::vector<Connection> peers_;
  Connection owner_;
  Fd header_file_, spool_, output_event_, credit_event_, master_;
  shim_abi::Header* header_ = nullptr;
};

}  // namespace smartcli::test
