#pragma once

// Starts the real shim and speaks its formats, as the daemon does.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.hpp"
#include "shim_abi/events.hpp"
#include "shim_abi/header.hpp"
#include "shim_abi/messages.hpp"
#include "shim_abi/start.hpp"

namespace smartcli::test {

using namespace shim_abi;
using namespace std::chrono_literals;

/// Looks at a condition until it holds or time is up. Conditions only: nothing here waits for time to pass.
bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds within = 10s);

std::string read_file(const std::string& path);
bool exists(const std::string& path);

struct Folder {
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path;
};

struct Options {
  std::vector<std::string> argv;
  std::vector<std::string> env{"PATH=/usr/local/bin:/usr/bin:/bin", "TERM=xterm-256color"};
  std::string program;  ///< default: argv[0]
  std::string cwd = "/";
  int cols = 80, rows = 24;
  std::uint32_t umask = 022, flags = 0;
  std::uint64_t nofile_soft = 0, nofile_hard = 0, core_soft = 0, core_hard = 0;
  std::uint64_t cap = 64 << 20;
  std::string runtime;  ///< default: a folder of the session's own
  std::string journal;
};

/// A sealed memfd with the start block.
Fd start_block(const Options& options, const std::string& runtime, const std::string& journal,
               const std::string& stem, const std::uint8_t (&session)[16]);

struct Packet {
  std::vector<char> bytes;
  std::vector<Fd> fds;
  template <class T>
  const T& as() const {
    return *reinterpret_cast<const T*>(bytes.data());
  }
  MessageHead head() const { return as<MessageHead>(); }
};

/// One connection to a shim.
class Peer {
 public:
  explicit Peer(Fd socket) : socket_(std::move(socket)) {}
  int get() const { return socket_.get(); }
  void hang_up() { socket_.reset(); }

  bool send(const void* data, std::size_t bytes, int fd = -1);
  /// The next packet; nothing when the peer is gone or time is up.
  std::optional<Packet> receive(std::chrono::milliseconds within = 10s);
  /// Sends, and returns the reply with its tag; notices that come before it are kept.
  std::optional<Packet> ask(MessageHead* message, int fd = -1, std::chrono::milliseconds within = 20s);
  template <class Message>
  std::optional<Packet> ask(Message message, MessageType type, int fd = -1) {
    message.head = {type, 0, sizeof message, 0};
    return ask(&message.head, fd);
  }
  /// Of the given type, from those kept or to come.
  std::optional<Packet> notice(MessageType type, std::chrono::milliseconds within = 10s);
  bool is_closed(std::chrono::milliseconds within = 10s);

  std::optional<Packet> input(const std::string& text, RequestId id = {}, std::uint32_t step = 0,
                              WriteCondition condition = WriteCondition::none, std::uint32_t flags = 0);
  std::optional<Packet> terminal_reply(const std::string& text, std::uint64_t offset, std::uint32_t index = 0,
                                       bool drop = false, WriteCondition condition = WriteCondition::none);

 private:
  Fd socket_;
  std::vector<Packet> kept_;
  std::uint64_t next_tag_ = 1;
};

RequestId request_id(unsigned number);
const Reply& reply(const std::optional<Packet>& packet);

/// A session: its shim, its folders, the owner's connection.
class Session {
 public:
  explicit Session(Options options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  StartReport report{};
  std::string runtime, journal, stem;
  std::uint8_t id[16]{};
  Fd pair;

  /// Takes over, on the pair or on a new connection; maps what is handed over.
  Peer& own();
  Peer own_by_path();
  Peer& peer() { return *owner_; }
  Fd connect_socket();
  std::optional<Packet> hello(Peer& peer, std::uint32_t flags, std::uint16_t major = kAbiMajor);

  Header& header() { return *header_; }
  const Header* header_file() const { return header_; }
  void map_named_header();
  int master() const { return fds_[0].get(); }
  int spool() const { return fds_[2].get(); }
  int output_event() const { return fds_[3].get(); }
  void grant(std::uint64_t offset);
  void grant_everything() { grant(~std::uint64_t{0} >> 1); }
  /// Waits on the output eventfd until the condition holds.
  bool until(const std::function<bool()>& condition, std::chrono::milliseconds within = 20s);
  bool until_ended(std::chrono::milliseconds within = 20s);
  /// The journal's bytes as far as published.
  std::string output() const;
  bool until_output(const std::string& text, std::chrono::milliseconds within = 10s);
  void kill_shim();
  bool shim_is_gone(std::chrono::milliseconds within = 10s);
  std::optional<Packet> close(std::uint32_t grace_ms, std::uint32_t flags = 0);

 private:
  Options options_;
  Folder folder_;
  std::vector<Fd> fds_;
  Header* header_ = nullptr;
  std::optional<Peer> owner_;
  Fd pidfd_;
};

/// All records and bytes of a journal folder, with every CRC checked.
struct Journal {
  explicit Journal(const std::string& folder);
  struct Record {
    EventHead head;
    std::vector<char> bytes;
    std::uint64_t position, file;
    template <class T>
    const T& as() const {
      return *reinterpret_cast<const T*>(bytes.data());
    }
  };
  std::vector<Record> records;
  std::map<std::uint64_t, std::string> segments;
  std::vector<std::string> faults;
  std::size_t count(EventType type) const;
  const Record* last(EventType type) const;
  std::string all() const;  ///< segments one after the other
};

bool is_alive(pid_t pid);  ///< and no zombie
std::uint64_t cpu_ticks(pid_t pid);

}  // namespace smartcli::test
