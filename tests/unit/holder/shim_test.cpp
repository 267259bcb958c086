// The holder and the journal reader with the real shim.

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <thread>

#include "holder/holder.hpp"
#include "journal/journal.hpp"
#include "support/loop.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;
using namespace std::chrono_literals;
using shim_abi::kSegmentBytes;
using shim_abi::Status;
using test::Loop;
using test::TempFolder;

namespace {

constexpr const char* kStem = "00112233445566778899aabbccddeeff";

/// One session: follows its output as the daemon does, by wake-ups and credit.
class Session : public holder::Listener {
 public:
  Session() {
    ::mkdir(runtime().c_str(), 0700);
    ::mkdir(journal().c_str(), 0700);
    spec.shim_path = SMARTCLI_SHIM;
    spec.runtime_dir = runtime();
    spec.journal_dir = journal();
    spec.stem = kStem;
    for (int i = 0; i < 16; ++i) spec.session[i] = static_cast<std::uint8_t>(i * 17);
    spec.program = "/bin/sh";
    spec.env = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
    spec.cwd = folder.path();
  }
  ~Session() override {
    if (!holder || holder->header().phase == static_cast<std::uint32_t>(shim_abi::Phase::closed)) return;
    holder->listen(nullptr);
    (void)loop.await(holder->close(0ms, true));
  }

  std::string runtime() const { return folder.file("run"); }
  std::string journal() const { return folder.file("journal"); }

  Result<void> try_start() {
    auto started = loop.await(holder::start(loop.executor(), spec));
    if (!started) return started.error();
    attach(std::move(*started));
    return {};
  }
  void shell(const std::string& script) {
    spec.argv = {"sh", "-c", script};
    const auto started = try_start();
    if (!started) FAIL(started.error().message);
  }
  void adopt() {
    auto adopted = loop.await(holder::adopt(loop.executor(), runtime(), kStem, 5s));
    if (!adopted) FAIL(adopted.error().message);
    attach(std::move(*adopted));
  }
  void attach(std::unique_ptr<holder::Holder> taken) {
    holder = std::move(taken);
    reader.emplace(journal(), &holder->header(), holder->spool());
    text.clear();
    events.clear();
    position = 0;
    exits = hang_ups = losses = 0;
    holder->listen(this);
    follow();
  }
  void let_go() {
    holder.reset();
    reader.reset();
  }

  void follow() {
    if (!follows) return;
    const std::uint64_t end = reader->end();
    const std::uint64_t events_end = reader->events_end();
    std::string part(65536, '\0');
    while (first + text.size() < end) {
      const auto got = reader->read(first + text.size(), part);
      if (!got) FAIL(got.error().message);
      text.append(part, 0, *got);
    }
    while (position < events_end) {
      auto some = reader->read_events(position, 100);
      if (!some) FAIL(some.error().message);
      events.insert(events.end(), some->begin(), some->end());
    }
    holder->grant(end + shim_abi::kQuietCredit);
    holder->arm_output(end, events_end);
  }
  void until_text(const std::string& wanted) {
    try {
      loop.until([&] { return text.find(wanted) != std::string::npos; });
    } catch (const std::exception&) {
      FAIL("did not see: " << wanted << " in: " << text.substr(0, 4000));
    }
  }
  Result<holder::InputResult> type(std::string data, std::uint8_t id = 0,
                                   std::chrono::milliseconds stall = 5s,
                                   shim_abi::WriteCondition condition = shim_abi::WriteCondition::none) {
    holder::InputRequest request;
    request.id.bytes[0] = id;
    request.condition = condition;
    request.data = std::move(data);
    return loop.await(holder->input(std::move(request), stall));
  }

  void on_output() override { follow(); }
  void on_exited() override { ++exits; }
  void on_hung_up() override { ++hang_ups; }
  void on_journal_health() override { ++health; }
  void on_lost() override { ++losses; }

  TempFolder folder;
  Loop loop;
  holder::StartSpec spec;
  std::unique_ptr<holder::Holder> holder;
  std::optional<journal::Reader> reader;
  std::string text;
  std::vector<journal::Event> events;
  std::uint64_t position = 0, first = 0;
  int exits = 0, hang_ups = 0, health = 0, losses = 0;
  bool follows = true;
};

bool is_alive(pid_t pid) {
  return ::kill(pid, 0) == 0;
}

/// Megabytes that differ are not to be printed.
bool is_same(const std::string& one, const std::string& other) {
  if (one == other) return true;
  const auto at = std::mismatch(one.begin(),
                                one.begin() + static_cast<std::ptrdiff_t>(std::min(one.size(), other.size())),
                                other.begin())
                      .first;
  WARN("differ at " << at - one.begin() << " of " << one.size() << " and " << other.size());
  return false;
}

std::string all_of(journal::Reader& reader) {
  std::string all, part(65536, '\0');
  for (std::uint64_t at = reader.start()->offset;;) {
    const auto got = reader.read(at, part);
    REQUIRE(got.has_value());
    if (*got == 0) return all;
    all.append(part, 0, *got);
    at += *got;
  }
}

}  // namespace

TEST_CASE("F12: last words and status arrive whole, live and from the files", "[holder][shim]") {
  Session s;
  s.shell("echo hello; exit 7");
  s.loop.until([&] { return s.exits == 1 && s.hang_ups == 1; });
  s.until_text("hello\r\n");
  auto& header = s.holder->header();
  CHECK(header.exit_kind == static_cast<std::uint32_t>(shim_abi::ExitKind::code));
  CHECK(header.exit_value == 7);
  CHECK(header.exit_offset == 7);
  REQUIRE(s.reader->exit().has_value());
  CHECK(s.reader->exit()->value == 7);
  s.reader->forget_header();
  CHECK(all_of(*s.reader) == "hello\r\n");
  CHECK(s.reader->dropped_bytes() == 0);
}

TEST_CASE("the intermediate process is reaped, and no other child is touched", "[holder][shim]") {
  Session s;
  const pid_t own = ::fork();
  if (own == 0) ::_exit(5);
  s.shell("sleep 1000");
  int status = 0;
  REQUIRE(::waitpid(own, &status, 0) == own);
  CHECK(WEXITSTATUS(status) == 5);
  s.loop.until([] { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; });
}

TEST_CASE("F11: each kind of failed exec has its own error, and leaves nothing behind", "[holder][shim]") {
  Session s;
  s.spec.argv = {"prog"};
  ErrorCode expected = ErrorCode::not_executable;
  SECTION("not there") {
    s.spec.program = "/nonexistent/prog";
    expected = ErrorCode::program_not_found;
  }
  SECTION("not executable") {
    s.spec.program = s.folder.file("plain");
    test::put(s.spec.program, "hello");
  }
  SECTION("not a program") {
    s.spec.program = s.folder.file("garbage");
    test::put(s.spec.program, "\x01\x02\x03");
    ::chmod(s.spec.program.c_str(), 0755);
  }
  SECTION("a folder") {
    s.spec.program = s.folder.path();
  }
  SECTION("a script without its interpreter") {
    s.spec.program = "./script";
    test::put(s.folder.file("script"), "#!/nonexistent/sh\n");
    ::chmod(s.folder.file("script").c_str(), 0755);
  }
  SECTION("an argument that is too long") {
    s.spec.program = "/bin/true";
    s.spec.argv.push_back(std::string(1 << 20, 'x'));
    expected = ErrorCode::spawn_failed;
  }
  SECTION("a directory that is not there") {
    s.spec.program = "/bin/true";
    s.spec.cwd = "/nonexistent";
    expected = ErrorCode::spawn_failed;
  }
  SECTION("a journal folder that is not there") {
    s.spec.program = "/bin/true";
    s.spec.journal_dir = "/nonexistent";
    expected = ErrorCode::spawn_failed;
  }
  const auto started = s.try_start();
  REQUIRE(!started);
  CAPTURE(started.error().message);
  CHECK(started.error().code == expected);
  CHECK(started.error().message.find(s.spec.program) != std::string::npos);
  CHECK(holder::find_shims(s.runtime()).empty());
  CHECK(std::filesystem::is_empty(s.journal()));
}

TEST_CASE("a program inherits no descriptor, no blocked and no ignored signal", "[holder][shim]") {
  Session s;
  const int leak = ::open("/dev/null", O_RDONLY);  // without close-on-exec, as a careless parent leaves it
  REQUIRE(leak >= 0);
  sigset_t blocked, before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto old = ::signal(SIGPIPE, SIG_IGN);
  s.shell("ls /proc/self/fd | tr '\\n' ' '; grep -E 'SigBlk|SigIgn' /proc/self/status; umask; echo done");
  ::signal(SIGPIPE, old);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(leak);
  s.until_text("done");
  CHECK(s.text.find("0 1 2 3 SigBlk") != std::string::npos);  // 3 is the folder that ls reads
  CAPTURE(s.text);
  CHECK(s.text.find("SigBlk:\t0000000000000000") != std::string::npos);
  // 32 and 33 are the C library's own: its posix_spawn ignores them in the child, and no set of signals can
  // name them.
  constexpr std::uint64_t kLibrarys = 0x180000000;
  const auto ignored = s.text.find("SigIgn:\t");
  REQUIRE(ignored != std::string::npos);
  CHECK((std::stoull(s.text.substr(ignored + 8, 16), nullptr, 16) & ~kLibrarys) == 0);
  CHECK(s.text.find("0077") != std::string::npos);
}

TEST_CASE("input is fenced, typed once, and its echo comes after its fence", "[holder][shim]") {
  Session s;
  s.shell("echo ready; exec cat");
  s.until_text("ready\r\n");
  const auto typed = s.type("hello\r", 1);
  REQUIRE(typed.has_value());
  CHECK(typed->status == Status::ok);
  CHECK(typed->accepted == 6);
  CHECK(typed->offset == 7);
  CHECK((typed->line_flags & shim_abi::kLineCanonical) != 0);
  s.until_text("hello\r\nhello\r\n");
  const auto again = s.type("hello\r", 1);
  REQUIRE(again.has_value());
  CHECK(again->status == Status::repeated);
  CHECK(again->offset == 7);
  REQUIRE(s.type("end\r", 2).has_value());
  s.until_text("end\r\nend\r\n");
  CHECK(s.text == "ready\r\nhello\r\nhello\r\nend\r\nend\r\n");
  s.follow();
  const auto marks = std::count_if(s.events.begin(), s.events.end(),
                                   [](const auto& e) { return e.type == shim_abi::EventType::input; });
  CHECK(marks == 2);
}

TEST_CASE("a condition or a line that the kernel would cut is refused whole", "[holder][shim]") {
  Session s;
  s.shell("echo ready; exec cat");
  s.until_text("ready");
  CHECK(s.type("secret\r", 1, 5s, shim_abi::WriteCondition::canonical_no_echo)->status == Status::condition);
  CHECK(s.type(std::string(5000, 'x'), 2)->status == Status::line_too_long);
  REQUIRE(s.type("end\r").has_value());
  s.until_text("end\r\nend\r\n");
  CHECK(s.text == "ready\r\nend\r\nend\r\n");
}

TEST_CASE("F08: a program that does not read stalls its own input only, and the count is true",
          "[holder][shim]") {
  Session s;
  ::mkfifo(s.folder.file("fifo").c_str(), 0600);
  s.shell("stty raw -echo; echo ready; read x < fifo");
  s.until_text("ready");
  const std::string much(60'000, 'a');
  auto typing = s.loop.run(s.holder->input({{{1}}, 0, 0, {}, much}, 300ms));
  s.loop.until([&] { return s.holder->header().input_queued > 0; });
  CHECK(s.type("b", 2)->status == Status::busy);
  CHECK(s.loop.await(s.holder->facts()).has_value());
  s.loop.until([&] { return typing.is_done(); });
  REQUIRE(typing.get().has_value());
  CHECK(typing.get()->accepted > 1000);
  CHECK(typing.get()->accepted < much.size());
  CHECK(s.holder->header().marks[0].accepted == typing.get()->accepted);
}

TEST_CASE("resizes and clears are events at their offset and steps of the revision", "[holder][shim]") {
  Session s;
  s.shell("echo ready; read x; stty size");
  s.until_text("ready");
  const auto revision = s.loop.await(s.holder->resize(101, 33));
  REQUIRE(revision.has_value());
  CHECK(*revision == 8);
  CHECK(*s.loop.await(s.holder->clear(false)) == 9);
  REQUIRE(s.type("\r").has_value());
  s.until_text("33 101");
  s.follow();
  const auto resized = std::find_if(s.events.begin(), s.events.end(),
                                    [](const auto& e) { return e.type == shim_abi::EventType::resize; });
  REQUIRE(resized != s.events.end());
  CHECK(resized->cols == 101);
  CHECK(resized->offset == 7);
}

TEST_CASE("signals reach the foreground, facts say what it waits for", "[holder][shim]") {
  Session s;
  s.shell("trap 'echo caught' INT; echo ready; cat; echo after");
  s.until_text("ready");
  s.loop.until([&] {
    const auto facts = s.loop.await(s.holder->facts());
    REQUIRE(facts.has_value());
    for (const auto& process : facts->processes) {
      if (std::string(process.name) == "cat" && process.on_terminal == 1) return true;
    }
    return false;
  });
  REQUIRE(s.loop.await(s.holder->signal(SIGINT, shim_abi::SignalTarget::foreground)).has_value());
  s.until_text("caught");
}

TEST_CASE("a flood arrives whole by wake-ups and credit, and is valid to the last byte without its shim",
          "[holder][shim]") {
  Session s;
  s.shell("seq 1 500000");
  s.loop.until([&] { return s.hang_ups == 1 && s.text.size() == s.holder->header().write_offset; });
  std::string expected;
  for (int i = 1; i <= 500'000; ++i) expected += std::to_string(i) + "\r\n";
  CHECK(s.text.size() == expected.size());
  CHECK(is_same(s.text, expected));
  REQUIRE(expected.size() > 3 * kSegmentBytes);
  const pid_t shim = s.holder->header().shim_pid;
  ::kill(shim, SIGKILL);
  s.loop.until([&] { return s.losses == 1; });
  journal::Reader files(s.journal(), nullptr, -1);
  CHECK(files.dropped_bytes() == 0);
  CHECK(is_same(all_of(files), expected));
  CHECK(files.events_end() == s.holder->header().event_bytes);
  s.let_go();
}

TEST_CASE("a session goes on without its daemon and is adopted with all it did", "[holder][shim]") {
  Session s;
  s.shell("echo one; read x; echo two; read y; exit 9");
  s.until_text("one\r\n");
  REQUIRE(s.type("\r").has_value());
  s.let_go();
  s.adopt();
  s.until_text("one\r\n\r\ntwo\r\n");
  REQUIRE(s.type("\r").has_value());
  s.loop.until([&] { return s.exits == 1; });
  s.let_go();
  s.adopt();
  s.loop.until([&] { return s.exits == 1 && s.hang_ups == 1; });  // told again, to the new daemon
  CHECK(s.holder->header().exit_value == 9);
}

TEST_CASE("C09: connecting and closing displaces nobody", "[holder][shim]") {
  Session s;
  s.shell("exec cat");
  const auto shim = s.holder->header().shim_pid;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = s.runtime() + "/" + kStem + ".sock";
  std::memcpy(address.sun_path, path.data(), path.size());
  std::thread probes([&] {
    for (int i = 0; i < 2000; ++i) {
      const Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
      (void)::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    }
  });
  for (int i = 0; i < 200; ++i) {
    const auto typed = s.type("x" + std::to_string(i) + "\r");
    REQUIRE(typed.has_value());
    REQUIRE(typed->status == Status::ok);
  }
  probes.join();
  s.loop.until([&] { return s.text.find("x199") != s.text.rfind("x199"); });
  CHECK(s.holder->header().owner_pid == ::getpid());
  CHECK(is_alive(shim));
}

TEST_CASE("of two daemons the one that took over last has the session", "[holder][shim]") {
  Session s;
  s.shell("exec cat");
  auto other = s.loop.await(holder::adopt(s.loop.executor(), s.runtime(), kStem, 5s));
  REQUIRE(other.has_value());
  // The first one tries once to have it back, then gives in.
  s.loop.until([&] {
    const auto mine = s.loop.await((*other)->clear(false));
    return mine.has_value() && !s.loop.await(s.holder->clear(false)).has_value();
  });
  CHECK(s.losses == 0);
  s.attach(std::move(*other));
}

TEST_CASE("C06: a killed shim leaves what it wrote, and the program to the duplicate of its terminal",
          "[holder][shim]") {
  Session s;
  s.shell("trap '' HUP; echo ready; sleep 1000");
  s.until_text("ready");
  auto& header = s.holder->header();
  ::kill(header.shim_pid, SIGKILL);
  s.loop.until([&] { return s.losses == 1; });
  CHECK(is_alive(header.child_pid));
  CHECK(s.holder->master() >= 0);
  const auto refused = s.type("x");
  REQUIRE(!refused);
  CHECK(refused.error().code == ErrorCode::session_gone);
  const auto adopted = s.loop.await(holder::adopt(s.loop.executor(), s.runtime(), kStem, 5s));
  REQUIRE(!adopted);
  CHECK(adopted.error().code == ErrorCode::session_gone);
  s.reader->forget_header();
  CHECK(all_of(*s.reader) == "ready\r\n");
  ::kill(header.child_pid, SIGKILL);
  s.let_go();
}

TEST_CASE("F09: a stopped shim holds up its own requests only, and goes on where it was", "[holder][shim]") {
  Session s;
  s.shell("exec cat");
  const auto shim = s.holder->header().shim_pid;
  ::kill(shim, SIGSTOP);
  auto typing = s.loop.run(s.holder->input({{{1}}, 0, 0, {}, "late\r"}, 5s));
  const auto adopted = s.loop.await(holder::adopt(s.loop.executor(), s.runtime(), kStem, 50ms));
  REQUIRE(!adopted);
  CHECK(adopted.error().code == ErrorCode::resource_exhausted);
  CHECK(!typing.is_done());
  ::kill(shim, SIGCONT);
  s.until_text("late\r\nlate\r\n");
  s.loop.until([&] { return typing.is_done(); });
  CHECK(s.losses == 0);
}

TEST_CASE("close ends the program, names who left, and is no loss", "[holder][shim]") {
  Session s;
  s.shell("setsid -f sh -c 'echo ready; exec sleep 1000'; exec sleep 1000");
  s.until_text("ready");
  const auto shim = s.holder->header().shim_pid;
  const auto child = s.holder->header().child_pid;
  auto closed = s.loop.await(s.holder->close(500ms, true));
  REQUIRE(closed.has_value());
  CHECK(!is_alive(child));
  REQUIRE(closed->survivors.size() == 1);
  CHECK(closed->survivors[0].pid != child);
  CHECK(closed->survivors[0].ended == 1);
  CHECK(holder::find_shims(s.runtime()).empty());
  s.loop.until([&] { return !is_alive(shim); });
  s.loop.poll();
  CHECK(s.losses == 0);
  CHECK(s.exits == 1);
  journal::remove(s.journal());
  CHECK(!std::filesystem::exists(s.journal()));
}

TEST_CASE("restart runs the program again, or another, under the same session", "[holder][shim]") {
  Session s;
  s.shell("echo run; read x; exit 4");
  s.until_text("run\r\n");
  const auto revision = s.loop.await(s.holder->restart(500ms, std::nullopt));
  if (!revision) FAIL(revision.error().message);
  CHECK(*revision >= 6);
  s.until_text("run\r\nrun\r\n");
  const int before = s.exits;  // the end that the restart brought is not always seen: it is over soon
  REQUIRE(s.type("\r").has_value());
  s.loop.until([&] { return s.exits == before + 1; });
  CHECK(s.holder->header().exit_value == 4);

  auto spec = s.spec;
  spec.argv = {"sh", "-c", "echo other; stty size; read x"};
  spec.cols = 90;
  REQUIRE(s.loop.await(s.holder->restart(500ms, spec)).has_value());
  s.until_text("other\r\n24 90");
  CHECK(s.holder->header().restarts == 2);

  spec.program = "/nonexistent/prog";
  const auto failed = s.loop.await(s.holder->restart(500ms, spec));
  REQUIRE(!failed);
  CHECK(failed.error().code == ErrorCode::program_not_found);
}

TEST_CASE("the cap is kept by whole segments, with a record of it", "[holder][shim]") {
  Session s;
  s.shell("read x; seq 1 1000000");
  REQUIRE(s.loop.await(s.holder->set_journal_cap(0)).has_value());
  REQUIRE(s.type("\r").has_value());
  s.loop.until([&] { return s.hang_ups == 1 && s.text.size() == s.holder->header().write_offset; });
  const std::uint64_t kept = s.holder->header().kept_offset;
  CHECK(kept >= 4 * kSegmentBytes);
  CHECK(kept % kSegmentBytes == 0);
  char byte[1];
  const auto gone = s.reader->read(0, byte);
  REQUIRE(!gone);
  CHECK(gone.error().detail == "cap");
  CHECK(s.reader->start()->offset == kept);
  CHECK(is_same(all_of(*s.reader), s.text.substr(kept)));
  CHECK(std::any_of(s.events.begin(), s.events.end(),
                    [](const auto& e) { return e.reason == shim_abi::GapReason::cap; }));
  journal::Reader files(s.journal(), nullptr, -1);
  CHECK(is_same(all_of(files), s.text.substr(kept)));
  CHECK(files.dropped_bytes() == 0);
}

TEST_CASE("F32: a full disk does not stop the program, and what is lost is said", "[.needs-root][shim]") {
  Session s;
  REQUIRE(::unshare(CLONE_NEWNS) == 0);
  REQUIRE(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
  REQUIRE(::mount("small", s.journal().c_str(), "tmpfs", 0, "size=1500k") == 0);
  ::chmod(s.journal().c_str(), 0700);
  const bool overflows = GENERATE(false, true);
  s.shell(std::string("read x; seq 1 ") + (overflows ? "1000000" : "300000") +
          "; echo end; read y; echo more; exit 3");
  REQUIRE(s.type("\r").has_value());
  s.until_text("end\r\n");
  CHECK(s.health == 1);
  CHECK(s.holder->header().journal_health == 1);
  std::string expected = "\r\n";
  for (int i = 1; i <= (overflows ? 1'000'000 : 300'000); ++i) expected += std::to_string(i) + "\r\n";
  expected += "end\r\n";
  CHECK(is_same(s.text, expected));  // who follows loses nothing
  REQUIRE(::mount("small", s.journal().c_str(), "tmpfs", MS_REMOUNT, "size=64m") == 0);
  s.loop.until([&] { return s.health == 2; });
  REQUIRE(s.type("\r").has_value());
  s.loop.until([&] { return s.exits == 1 && s.hang_ups == 1; });
  s.until_text("more\r\n");
  for (const bool live : {true, false}) {
    journal::Reader reader(s.journal(), live ? &s.holder->header() : nullptr, live ? s.holder->spool() : -1);
    const std::string all = all_of(reader);
    CHECK(all.size() == s.text.size());
    CHECK(reader.dropped_bytes() == 0);
    std::uint64_t position = 0, from = 0, to = 0;
    const auto events = reader.read_events(position, 1'000'000);
    REQUIRE(events.has_value());
    for (const auto& event : *events) {
      if (event.type == shim_abi::EventType::gap && event.reason != shim_abi::GapReason::cap) {
        from = event.from;
        to = event.to;
      }
    }
    CHECK((to > from) == overflows);
    CHECK(is_same(all.substr(0, from), s.text.substr(0, from)));
    CHECK(is_same(all.substr(to), s.text.substr(to)));
    // Of a write that a full disk took in part, that part stands before the NULs.
    const auto hole = std::string_view(all).substr(from, to - from);
    const auto stored = std::min(hole.find('\0'), hole.size());
    CHECK(stored < 65536);
    CHECK(std::equal(hole.begin(), hole.begin() + static_cast<std::ptrdiff_t>(stored),
                     s.text.begin() + static_cast<std::ptrdiff_t>(from)));
    CHECK(hole.find_first_not_of('\0', stored) == std::string_view::npos);
    REQUIRE(reader.exit().has_value());
    CHECK(reader.exit()->value == 3);
  }
  s.holder->listen(nullptr);
  (void)s.loop.await(s.holder->close(0ms, true));
  s.let_go();
  CHECK(::umount2(s.journal().c_str(), MNT_DETACH) == 0);
}
