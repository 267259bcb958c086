#include "shim_client.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sstream>

namespace smartcli::test {

namespace {

int left_of(std::chrono::steady_clock::time_point end) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  return left.count() < 0 ? 0 : static_cast<int>(left.count());
}

std::string segment_name(std::uint64_t number, const char* suffix) {
  char name[32];
  std::snprintf(name, sizeof name, "%08llu%s", static_cast<unsigned long long>(number), suffix);
  return name;
}

}  // namespace

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds within) {
  const auto end = std::chrono::steady_clock::now() + within;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::poll(nullptr, 0, 1);
  }
  return true;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

Folder::Folder() {
  char name[] = "/tmp/shim-test-XXXXXX";
  path = ::mkdtemp(name);
}

Folder::~Folder() {
  const std::function<void(const std::string&)> remove = [&remove](const std::string& folder) {
    if (DIR* entries = ::opendir(folder.c_str())) {
      while (dirent* entry = ::readdir(entries)) {
        const std::string name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (::unlink((folder + "/" + name).c_str()) != 0) remove(folder + "/" + name);
      }
      ::closedir(entries);
    }
    ::rmdir(folder.c_str());
  };
  remove(path);
}

Fd start_block(const Options& options, const std::string& runtime, const std::string& journal,
               const std::string& stem, const std::uint8_t (&session)[16]) {
  std::string strings;
  const auto add = [&strings](const std::string& text) { strings.append(text.c_str(), text.size() + 1); };
  add(runtime);
  add(journal);
  add(stem);
  add(options.program.empty() ? options.argv.at(0) : options.program);
  add(options.cwd);
  for (const auto& argument : options.argv) add(argument);
  for (const auto& entry : options.env) add(entry);
  StartBlock block{};
  block.magic = kStartMagic;
  block.abi_major = kAbiMajor;
  block.abi_minor = kAbiMinor;
  block.strings_bytes = static_cast<std::uint32_t>(strings.size());
  block.argc = static_cast<std::uint32_t>(options.argv.size());
  block.envc = static_cast<std::uint32_t>(options.env.size());
  block.cols = static_cast<std::uint16_t>(options.cols);
  block.rows = static_cast<std::uint16_t>(options.rows);
  block.umask = options.umask;
  block.flags = options.flags;
  block.nofile_soft = options.nofile_soft;
  block.nofile_hard = options.nofile_hard;
  block.core_soft = options.core_soft;
  block.core_hard = options.core_hard;
  block.journal_cap = options.cap;
  std::memcpy(block.session, session, sizeof block.session);
  Fd memory(::memfd_create("start", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(::write(memory.get(), &block, sizeof block) == sizeof block);
  REQUIRE(::write(memory.get(), strings.data(), strings.size()) == static_cast<ssize_t>(strings.size()));
  REQUIRE(::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) == 0);
  return memory;
}

// --- Peer

bool Peer::send(const void* data, std::size_t bytes, int fd) {
  iovec part{const_cast<void*>(data), bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes);
}

std::optional<Packet> Peer::receive(std::chrono::milliseconds within) {
  pollfd wait{socket_.get(), POLLIN, 0};
  if (::poll(&wait, 1, static_cast<int>(within.count())) <= 0) return {};
  Packet packet;
  packet.bytes.resize(kMessageBytes);
  iovec part{packet.bytes.data(), packet.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 8)];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t n = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
  if (n <= 0) return {};
  packet.bytes.resize(static_cast<std::size_t>(n));
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
      packet.fds.emplace_back(fd);
    }
  }
  return packet;
}

std::optional<Packet> Peer::ask(MessageHead* message, int fd, std::chrono::milliseconds within) {
  const std::uint64_t tag = next_tag_++;
  message->tag = tag;
  if (!send(message, message->bytes, fd)) return {};
  const auto end = std::chrono::steady_clock::now() + within;
  while (auto packet = receive(std::chrono::milliseconds(left_of(end)))) {
    if (packet->head().type == MessageType::reply && packet->head().tag == tag) return packet;
    kept_.push_back(std::move(*packet));
  }
  return {};
}

std::optional<Packet> Peer::notice(MessageType type, std::chrono::milliseconds within) {
  for (auto at = kept_.begin(); at != kept_.end(); ++at) {
    if (at->head().type != type) continue;
    Packet packet = std::move(*at);
    kept_.erase(at);
    return packet;
  }
  const auto end = std::chrono::steady_clock::now() + within;
  while (auto packet = receive(std::chrono::milliseconds(left_of(end)))) {
    if (packet->head().type == type) return packet;
    kept_.push_back(std::move(*packet));
  }
  return {};
}

bool Peer::is_closed(std::chrono::milliseconds within) {
  const auto end = std::chrono::steady_clock::now() + within;
  for (;;) {
    pollfd wait{socket_.get(), POLLIN, 0};
    if (::poll(&wait, 1, left_of(end)) <= 0) return false;
    if (!receive(0ms)) return true;
  }
}

std::optional<Packet> Peer::input(const std::string& text, RequestId id, std::uint32_t step,
                                  WriteCondition condition, std::uint32_t flags) {
  std::vector<char> bytes(sizeof(Input) + text.size());
  auto& message = *reinterpret_cast<Input*>(bytes.data());
  message = {};
  message.head = {MessageType::input, 0, static_cast<std::uint32_t>(bytes.size()), 0};
  message.id = id;
  message.step = step;
  message.condition = condition;
  message.flags = flags;
  std::memcpy(bytes.data() + sizeof(Input), text.data(), text.size());
  return ask(&message.head);
}

std::optional<Packet> Peer::terminal_reply(const std::string& text, std::uint64_t offset, std::uint32_t index,
                                           bool drop, WriteCondition condition) {
  std::vector<char> bytes(sizeof(TerminalReply) + text.size());
  auto& message = *reinterpret_cast<TerminalReply*>(bytes.data());
  message = {};
  message.head = {MessageType::terminal_reply, 0, static_cast<std::uint32_t>(bytes.size()), 0};
  message.key_offset = offset;
  message.key_index = index;
  message.drop = drop;
  message.condition = condition;
  std::memcpy(bytes.data() + sizeof(TerminalReply), text.data(), text.size());
  return ask(&message.head);
}

RequestId request_id(unsigned number) {
  RequestId id{};
  std::memcpy(id.bytes, &number, sizeof number);
  id.bytes[15] = 1;
  return id;
}

const Reply& reply(const std::optional<Packet>& packet) {
  REQUIRE(packet);
  REQUIRE(packet->bytes.size() >= sizeof(Reply));
  return packet->as<Reply>();
}

// --- Session

Session::Session(Options options) : options_(std::move(options)) {
  std::random_device random;
  for (auto& byte : id) {
    byte = static_cast<std::uint8_t>(random());
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", byte);
    stem += hex;
  }
  runtime = options_.runtime.empty() ? folder_.path + "/run" : options_.runtime;
  journal = options_.journal.empty() ? folder_.path + "/journal" : options_.journal;
  if (options_.runtime.empty()) ::mkdir(runtime.c_str(), 0700);
  if (options_.journal.empty()) ::mkdir(journal.c_str(), 0700);

  Fd block = start_block(options_, runtime, journal, stem, id);
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  pair.reset(ends[0]);
  Fd theirs(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  // High numbers first: the targets may be the sources' own.
  const int block_high = ::fcntl(block.get(), F_DUPFD_CLOEXEC, 100);
  const int pair_high = ::fcntl(theirs.get(), F_DUPFD_CLOEXEC, 100);
  ::posix_spawn_file_actions_adddup2(&actions, block_high, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pair_high, 1);
  ::posix_spawn_file_actions_addopen(&actions, 2,
                                     std::getenv("SHIM_TEST_STDERR") ? "/tmp/shim-stderr" : "/dev/null",
                                     O_RDWR | O_CREAT | O_APPEND, 0600);
  char name[] = "smartcli-shim";
  char* argv[] = {name, nullptr};
  char* environment[] = {nullptr};
  pid_t starter = -1;
  REQUIRE(::posix_spawn(&starter, SMARTCLI_SHIM, &actions, nullptr, argv, environment) == 0);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(block_high);
  ::close(pair_high);
  theirs.reset();
  int status = -1;
  REQUIRE(::waitpid(starter, &status, 0) == starter);
  REQUIRE(status == 0);
  Peer reader(Fd(::dup(pair.get())));
  const auto packet = reader.receive();
  REQUIRE(packet);
  REQUIRE(packet->bytes.size() == sizeof(StartReport));
  report = packet->as<StartReport>();
  if (report.stage == StartStage::running)
    pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, report.shim_pid, 0)));
}

Session::~Session() {
  if (pidfd_) kill_shim();
  if (header_) ::munmap(header_, kHeaderBytes);
}

void Session::kill_shim() {
  ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
  shim_is_gone();
}

bool Session::shim_is_gone(std::chrono::milliseconds within) {
  pollfd wait{pidfd_.get(), POLLIN, 0};
  return ::poll(&wait, 1, static_cast<int>(within.count())) == 1;
}

std::optional<Packet> Session::hello(Peer& peer, std::uint32_t flags, std::uint16_t major) {
  Hello message{};
  message.abi_major = major;
  message.abi_minor = kAbiMinor;
  message.flags = flags;
  return peer.ask(message, MessageType::hello);
}

Fd Session::connect_socket() {
  // By the folder's descriptor, so that a long path does.
  Fd folder(::open(runtime.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s.sock", folder.get(),
                stem.c_str());
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return Fd();
  return socket;
}

void Session::map_named_header() {
  Fd file(::open((runtime + "/" + stem + ".hdr").c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(file);
  header_ =
      static_cast<Header*>(::mmap(nullptr, kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
  REQUIRE(header_ != MAP_FAILED);
}

Peer Session::own_by_path() {
  Peer peer(connect_socket());
  REQUIRE(peer.get() >= 0);
  const auto packet = hello(peer, kTakeover);
  REQUIRE(packet);
  REQUIRE(packet->bytes.size() == sizeof(HelloReply));
  CHECK(packet->as<HelloReply>().reply.status == Status::ok);
  REQUIRE(packet->as<HelloReply>().descriptors == 5);
  REQUIRE(packet->fds.size() == 5);
  fds_.clear();
  for (const Fd& fd : packet->fds) fds_.emplace_back(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  if (header_) ::munmap(header_, kHeaderBytes);
  header_ = static_cast<Header*>(
      ::mmap(nullptr, kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fds_[1].get(), 0));
  REQUIRE(header_ != MAP_FAILED);
  return peer;
}

Peer& Session::own() {
  if (owner_) return *owner_;
  Peer peer(std::move(pair));
  const auto packet = hello(peer, kTakeover);
  REQUIRE(packet);
  REQUIRE(packet->fds.size() == 5);
  fds_.clear();
  for (const Fd& fd : packet->fds) fds_.emplace_back(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  if (header_) ::munmap(header_, kHeaderBytes);
  header_ = static_cast<Header*>(
      ::mmap(nullptr, kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fds_[1].get(), 0));
  REQUIRE(header_ != MAP_FAILED);
  owner_.emplace(std::move(peer));
  grant_everything();
  return *owner_;
}

void Session::grant(std::uint64_t offset) {
  header_->credit.store(offset);
  if (header_->credit_wanted.exchange(0) != 0) {
    const std::uint64_t one = 1;
    REQUIRE(::write(fds_[4].get(), &one, sizeof one) == sizeof one);
  }
}

bool Session::until(const std::function<bool()>& condition, std::chrono::milliseconds within) {
  const auto end = std::chrono::steady_clock::now() + within;
  for (;;) {
    header_->output_armed.store(1);
    if (condition()) return true;
    const int left = left_of(end);
    if (left == 0) return false;
    pollfd wait{fds_[3].get(), POLLIN, 0};
    ::poll(&wait, 1, left);
    std::uint64_t count;
    if (wait.revents) REQUIRE(::read(fds_[3].get(), &count, sizeof count) == sizeof count);
  }
}

bool Session::until_ended(std::chrono::milliseconds within) {
  return until([this] { return header_->phase.load() == static_cast<std::uint32_t>(Phase::ended); }, within);
}

std::string Session::output() const {
  const std::uint64_t end = header_->write_offset.load(), begin = header_->kept_offset.load();
  std::string all;
  for (std::uint64_t n = begin / kSegmentBytes; n * kSegmentBytes < end; ++n)
    all += read_file(journal + "/" + segment_name(n, ".seg"));
  if (all.size() > end - begin) all.resize(end - begin);
  return all;
}

bool Session::until_output(const std::string& text, std::chrono::milliseconds within) {
  return until([&] { return output().find(text) != std::string::npos; }, within);
}

std::optional<Packet> Session::close(std::uint32_t grace_ms, std::uint32_t flags) {
  Close message{};
  message.grace_ms = grace_ms;
  message.flags = flags;
  return own().ask(message, MessageType::close);
}

// --- Journal

Journal::Journal(const std::string& folder) {
  std::vector<std::uint64_t> numbers;
  if (DIR* entries = ::opendir(folder.c_str())) {
    while (dirent* entry = ::readdir(entries)) {
      const std::string name = entry->d_name;
      if (name.size() > 7 && name.substr(name.size() - 7) == ".events") numbers.push_back(std::stoull(name));
      if (name.size() > 4 && name.substr(name.size() - 4) == ".seg")
        segments[std::stoull(name)] = read_file(folder + "/" + name);
    }
    ::closedir(entries);
  }
  std::sort(numbers.begin(), numbers.end());
  for (const std::uint64_t number : numbers) {
    const std::string text = read_file(folder + "/" + segment_name(number, ".events"));
    std::uint64_t data_at = number * kSegmentBytes, before = data_at, position = 0;
    std::int64_t time_before = 0;
    for (std::size_t at = 0; at < text.size();) {
      const auto fault = [&](const char* what) {
        faults.push_back(segment_name(number, ".events") + " at " + std::to_string(at) + ": " + what);
      };
      EventHead head{};
      if (text.size() - at < sizeof head) {
        fault("cut head");
        break;
      }
      std::memcpy(&head, text.data() + at, sizeof head);
      if (head.bytes < sizeof head || head.bytes % 8 != 0 || head.bytes > text.size() - at) {
        fault("bad length");
        break;
      }
      if (crc32c(0, text.data() + at + 4, head.bytes - 4u) != head.crc) fault("bad crc");
      Record record{head,
                    {text.begin() + static_cast<long>(at), text.begin() + static_cast<long>(at + head.bytes)},
                    0,
                    number};
      if (at == 0) {
        if (head.type != EventType::first) fault("does not begin with a first event");
        position = record.as<FirstEvent>().events_before;
        if (head.offset != number * kSegmentBytes) fault("first event not at the segment's start");
      } else if (head.type == EventType::first) {
        fault("a second first event");
      }
      record.position = position + at;
      if (head.offset < before || head.offset > (number + 1) * kSegmentBytes) fault("offset out of order");
      if (head.time_ns < time_before) fault("time goes back");
      const std::string& data = segments[number];
      const std::size_t from = data_at - number * kSegmentBytes, to = head.offset - number * kSegmentBytes;
      if (to > data.size())
        fault("bytes missing");
      else if (crc32c(0, data.data() + from, to - from) != head.data_crc)
        fault("bad data crc");
      data_at = before = head.offset;
      time_before = head.time_ns;
      at += head.bytes;
      records.push_back(std::move(record));
    }
  }
}

std::size_t Journal::count(EventType type) const {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(), [type](const Record& r) { return r.head.type == type; }));
}

const Journal::Record* Journal::last(EventType type) const {
  for (auto at = records.rbegin(); at != records.rend(); ++at)
    if (at->head.type == type) return &*at;
  return nullptr;
}

std::string Journal::all() const {
  std::string text;
  for (const auto& [number, bytes] : segments) text += bytes;
  return text;
}

bool is_alive(pid_t pid) {
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  const auto close = stat.rfind(')');
  return close != std::string::npos && close + 2 < stat.size() && stat[close + 2] != 'Z' &&
         stat[close + 2] != 'X';
}

std::uint64_t cpu_ticks(pid_t pid) {
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  std::stringstream rest(stat.substr(stat.rfind(')') + 2));
  std::string field;
  std::uint64_t user = 0, system = 0;
  for (int i = 3; i <= 13; ++i) rest >> field;
  rest >> user >> system;
  return user + system;
}

}  // namespace smartcli::test
