// From the start of a program to its end.

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <memory>
#include <sstream>

#include "shim_client.hpp"

using namespace smartcli::test;

namespace {

Options shell(const std::string& script) {
  Options options;
  options.argv = {"/bin/sh", "-c", script};
  return options;
}

std::string status_field(const std::string& status, const std::string& name) {
  const auto at = status.find(name + ":");
  if (at == std::string::npos) return {};
  const auto from = status.find_first_not_of(" \t", at + name.size() + 1);
  return status.substr(from, status.find_first_of("\r\n", from) - from);
}

int zombies_of(pid_t parent) {
  int count = 0;
  std::stringstream children(
      read_file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children"));
  for (pid_t pid; children >> pid;)
    if (!is_alive(pid)) ++count;
  return count;
}

pid_t number_in(const std::string& text, const std::string& after) {
  return std::stoi(text.substr(text.find(after) + after.size()));
}

}  // namespace

TEST_CASE("B002: two hundred programs that print and end give their last words and their status") {
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    Session session(shell("printf last; exit " + std::to_string(i)));
    REQUIRE(session.report.stage == StartStage::running);
    session.own();
    REQUIRE(session.until_ended());
    CHECK(session.header().exit_kind == static_cast<std::uint32_t>(ExitKind::code));
    CHECK(session.header().exit_value == i);
    CHECK(session.output() == "last");
    const std::string record = read_file(session.journal + "/exit");
    REQUIRE(record.size() == sizeof(ExitEvent));
    CHECK(reinterpret_cast<const ExitEvent*>(record.data())->value == i);
    const Journal journal(session.journal);
    CHECK(journal.faults.empty());
    REQUIRE(journal.last(EventType::exit));
    CHECK(journal.last(EventType::exit)->head.offset == 4);
  }
}

TEST_CASE("B021: more than 4 KiB printed just before the exit arrive whole") {
  for (int i = 0; i < 100; ++i) {
    Session session(shell("head -c 20480 /dev/zero | tr '\\0' x"));
    session.own();
    REQUIRE(session.until_ended());
    CHECK(session.output() == std::string(20480, 'x'));
    CHECK(session.header().exit_value == 0);
  }
}

TEST_CASE(
    "B008: a program that closes its terminal before its end keeps its status, and nobody spins meanwhile") {
  Session session(shell("echo $$; exec 0<&- 1>&- 2>&-; while [ ! -e go ]; do sleep 0.05; done; exit 7"));
  session.own();
  const auto before = cpu_ticks(session.report.shim_pid);
  // A tick is 10 ms of a second that passes here.
  CHECK_FALSE(eventually([&] { return cpu_ticks(session.report.shim_pid) > before + 5; }, 1s));
  CHECK(session.header().phase == static_cast<std::uint32_t>(Phase::running));
  CHECK(session.header().hung_up == 0);
  ::kill(session.report.child_pid, SIGTERM);
  REQUIRE(session.until_ended());
  CHECK(session.header().exit_kind == static_cast<std::uint32_t>(ExitKind::signal));
  CHECK(session.header().hung_up == 1);
}

TEST_CASE("a program that closed its terminal can open it again and be heard") {
  Session session(shell("exec 0<&- 1>&- 2>&-; for i in 1 2 3; do sleep 0.1; done; echo again > /dev/tty"));
  session.own();
  REQUIRE(session.until_ended());
  CHECK(session.output() == "again\r\n");
}

TEST_CASE("B037: a job that keeps the terminal does not hold up the exit, and close ends it") {
  Session session(shell("trap '' HUP; sleep 600 & echo job=$!; exit 6"));
  session.own();
  REQUIRE(session.until_ended(2s));
  CHECK(session.header().exit_value == 6);
  CHECK(session.header().hung_up == 0);
  const pid_t job = number_in(session.output(), "job=");
  CHECK(is_alive(job));
  CHECK(zombies_of(session.report.shim_pid) == 0);
  const auto before = cpu_ticks(session.report.shim_pid);
  CHECK_FALSE(eventually([&] { return cpu_ticks(session.report.shim_pid) > before + 3; }, 1s));
  CHECK(reply(session.close(500)).status == Status::ok);
  CHECK_FALSE(is_alive(job));
  CHECK(session.shim_is_gone());
}

TEST_CASE("B090: the size is there before the program is") {
  for (int i = 0; i < 50; ++i) {
    Options options = shell("stty size");
    options.cols = 120;
    options.rows = 30;
    Session session(options);
    session.own();
    REQUIRE(session.until_ended());
    CHECK(session.output() == "30 120\r\n");
  }
}

TEST_CASE("B106: a program killed from outside is recorded as ended by that signal") {
  Options options;
  options.argv = {"/bin/sleep", "600"};
  Session session(options);
  session.own();
  ::kill(session.report.child_pid, SIGKILL);
  REQUIRE(session.until_ended());
  CHECK(session.header().exit_kind == static_cast<std::uint32_t>(ExitKind::signal));
  CHECK(session.header().exit_value == SIGKILL);
  CHECK(session.peer().notice(MessageType::hung_up));
}

TEST_CASE("B127, T37: programs see descriptors 0, 1, 2 on their own terminal and nothing else") {
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 50; ++i)
    sessions.push_back(std::make_unique<Session>(
        shell("tty; cd /proc/$$/fd; echo fds: *; for f in *; do readlink $f; done; cat")));
  for (auto& session : sessions) {
    session->own();
    REQUIRE(session->until_output("fds: "));
    REQUIRE(session->until([&] {
      const std::string text = session->output();
      return std::count(text.begin(), text.end(), '\n') >= 5;
    }));
    const std::string text = session->output();
    const std::string tty = text.substr(0, text.find("\r\n"));
    // 3 is the folder that the shell lists, and gone when it is asked for.
    CHECK(tty.rfind("/dev/pts/", 0) == 0);
    CHECK(text == tty + "\r\nfds: 0 1 2 3\r\n" + tty + "\r\n" + tty + "\r\n" + tty + "\r\n");
  }
}

TEST_CASE("B128: when daemon and shim die together the program is hung up") {
  Options options;
  options.argv = {"/bin/cat"};
  Session session(options);
  session.map_named_header();  // without a duplicate of the master
  const pid_t cat = session.report.child_pid;
  CHECK(is_alive(cat));
  session.kill_shim();
  CHECK(eventually([&] { return !is_alive(cat); }, 2s));
}

TEST_CASE("B176, B178, T38: signals, mask, limits, umask are not the starter's") {
  struct sigaction ignore {
  }, before_int{}, before_pipe{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &ignore, &before_int);
  ::sigaction(SIGPIPE, &ignore, &before_pipe);
  sigset_t blocked, mask_before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGWINCH);
  ::sigprocmask(SIG_BLOCK, &blocked, &mask_before);
  Options options =
      shell("cat /proc/self/status; umask; ulimit -n; ulimit -Hn; ulimit -c; ulimit -f; pwd; exit 3");
  options.umask = 027;
  options.nofile_soft = 333;
  options.nofile_hard = 444;
  options.flags = kStartCore;
  options.core_soft = 1024;
  options.core_hard = 2048;
  options.cwd = "/usr";
  std::unique_ptr<Session> session;
  session = std::make_unique<Session>(options);
  ::sigaction(SIGINT, &before_int, nullptr);
  ::sigaction(SIGPIPE, &before_pipe, nullptr);
  ::sigprocmask(SIG_SETMASK, &mask_before, nullptr);
  session->own();
  REQUIRE(session->until_ended());
  CHECK(session->header().exit_value == 3);
  const std::string text = session->output();
  CHECK(status_field(text, "SigIgn") == "0000000000000000");
  CHECK(status_field(text, "SigBlk") == "0000000000000000");
  CHECK(text.find("0027\r\n333\r\n444\r\n2\r\nunlimited\r\n/usr\r\n") != std::string::npos);
}

TEST_CASE("T35: nobody else may open the slave") {
  Session session(shell("tty; cat"));
  session.own();
  REQUIRE(session.until_output("\n"));
  struct stat status {};
  const std::string text = session.output();
  REQUIRE(::stat(text.substr(0, text.find('\r')).c_str(), &status) == 0);
  CHECK((status.st_mode & 044) == 0);
  CHECK(status.st_uid == ::geteuid());
}

TEST_CASE("F11: a program that cannot be executed is told apart and leaves nothing behind") {
  static const Folder folder;  // one for all rows
  const std::string script = folder.path + "/script", plain = folder.path + "/plain";
  std::ofstream(script) << "echo hello\n";
  ::chmod(script.c_str(), 0755);
  std::ofstream(plain) << "text";
  ::chmod(plain.c_str(), 0644);
  const auto [program, cwd, stage, error] = GENERATE_REF(table<std::string, std::string, StartStage, int>({
      {"/nowhere/program", "/", StartStage::exec, ENOENT},
      {plain, "/", StartStage::exec, EACCES},
      {script, "/", StartStage::exec, ENOEXEC},
      {"/tmp", "/", StartStage::exec, EACCES},
      {"/bin/true", "/nowhere", StartStage::chdir, ENOENT},
      {"/bin/true", "/bin/true", StartStage::chdir, ENOTDIR},
  }));
  CAPTURE(program, cwd);
  Options options;
  options.argv = {program};
  options.cwd = cwd;
  const Folder runtime, journal;
  options.runtime = runtime.path;
  options.journal = journal.path;
  Session session(options);
  CHECK(session.report.stage == stage);
  CHECK(session.report.errno_value == error);
  Peer pair(std::move(session.pair));
  CHECK(pair.is_closed());
  CHECK(std::system(("test -z \"$(ls -A " + runtime.path + " " + journal.path + " | grep -v :)\"").c_str()) ==
        0);
}

TEST_CASE("an argument list the kernel does not take is E2BIG") {
  Options options;
  options.argv = {"/bin/true", std::string(200'000, 'x')};
  Session session(options);
  CHECK(session.report.stage == StartStage::exec);
  CHECK(session.report.errno_value == E2BIG);
}

TEST_CASE("folders that are missing, or a journal that is not empty, stop the start") {
  Options options;
  options.argv = {"/bin/true"};
  SECTION("no runtime folder") {
    options.runtime = "/nowhere";
    Session session(options);
    CHECK(session.report.stage == StartStage::runtime);
    CHECK(session.report.errno_value == ENOENT);
  }
  SECTION("no journal folder") {
    options.journal = "/nowhere";
    Session session(options);
    CHECK(session.report.stage == StartStage::journal);
    CHECK(session.report.errno_value == ENOENT);
  }
  SECTION("a journal of another session") {
    const Folder journal;
    std::ofstream(journal.path + "/00000000.seg") << "old";
    options.journal = journal.path;
    Session session(options);
    CHECK(session.report.stage == StartStage::journal);
    CHECK(session.report.errno_value == EEXIST);
    CHECK(read_file(journal.path + "/00000000.seg") == "old");
  }
  SECTION("a runtime folder that others may write to") {
    const Folder runtime;
    ::chmod(runtime.path.c_str(), 0777);
    options.runtime = runtime.path;
    Session session(options);
    CHECK(session.report.stage == StartStage::runtime);
    CHECK(session.report.errno_value == EPERM);
  }
}

TEST_CASE("header, socket and journal are for their owner only") {
  Session session(shell("cat"));
  for (const std::string& file :
       {session.runtime + "/" + session.stem + ".hdr", session.runtime + "/" + session.stem + ".sock",
        session.journal + "/00000000.seg", session.journal + "/00000000.events"}) {
    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
  }
}

TEST_CASE("a long runtime path does, though a socket's may not have more than 107 bytes") {
  const Folder folder;
  Options options = shell("cat");
  options.runtime = folder.path;
  for (int i = 0; i < 4; ++i) ::mkdir((options.runtime += "/" + std::string(60, 'd')).c_str(), 0700);
  Session session(options);
  REQUIRE(session.report.stage == StartStage::running);
  CHECK(session.own_by_path().get() >= 0);
}

TEST_CASE("the shim is nobody's child, leads no session and keeps no descriptor of its starter") {
  int marker[2];
  REQUIRE(::pipe(marker) == 0);  // inheritable on purpose
  Session session(shell("cat"));
  session.own();
  ::close(marker[1]);
  char byte;
  CHECK(::read(marker[0], &byte, 1) == 0);
  ::close(marker[0]);
  const std::string stat = read_file("/proc/" + std::to_string(session.report.shim_pid) + "/stat");
  std::stringstream rest(stat.substr(stat.rfind(')') + 2));
  char state;
  pid_t parent, group, posix_session;
  int tty;
  rest >> state >> parent >> group >> posix_session >> tty;
  CHECK(parent != ::getpid());
  CHECK(posix_session != session.report.shim_pid);
  CHECK(tty == 0);
  CHECK(read_file("/proc/" + std::to_string(session.report.shim_pid) + "/cmdline") ==
        std::string("smartcli-shim\0", 14));
}

TEST_CASE("F10: close names who left by setsid, and ends them only with the tree") {
  const bool tree = GENERATE(false, true);
  Session session(
      shell("setsid sleep 6010 & setsid sh -c 'sleep 6011 & wait' & echo left; trap '' HUP TERM; while :; do "
            "sleep 1; done"));
  session.own();
  REQUIRE(session.until_output("left"));
  const auto sleepers = [&] {
    std::vector<pid_t> found;
    std::stringstream list;
    FILE* pipe = ::popen("pgrep -f '^sleep 601[01]$'", "r");
    char line[64];
    while (std::fgets(line, sizeof line, pipe)) found.push_back(std::stoi(line));
    ::pclose(pipe);
    return found;
  };
  REQUIRE(eventually([&] { return sleepers().size() == 2; }));
  const auto packet = session.close(300, tree ? std::uint32_t{kCloseTree} : 0);
  REQUIRE(reply(packet).status == Status::ok);
  const auto& closed = packet->as<CloseReply>();
  CHECK(closed.survivors == 3);
  const auto* survivors = reinterpret_cast<const CloseSurvivor*>(packet->bytes.data() + sizeof(CloseReply));
  int named_sleep = 0;
  for (std::uint32_t i = 0; i < closed.survivors; ++i) {
    named_sleep += std::string(survivors[i].name) == "sleep";
    CHECK(survivors[i].ended == tree);
  }
  CHECK(named_sleep == 2);
  CHECK(session.shim_is_gone());
  CHECK(sleepers().size() == (tree ? 0u : 2u));
  for (const pid_t pid : sleepers()) ::kill(pid, SIGKILL);
}

TEST_CASE(
    "close ends what ignores hang-up and TERM, what is stopped, and what forks on, header and socket go, the "
    "journal stays") {
  Session session(shell(
      "trap 'echo hup' HUP; trap '' TERM; (trap '' HUP TERM; while :; do sleep 0.01; done) & kill -STOP $!; "
      "(trap '' HUP TERM INT; while :; do (sleep 5 &); sleep 0.02; done) & echo ready; while :; do sleep "
      "0.01; done"));
  session.own();
  REQUIRE(session.until_output("ready"));
  const auto begin = std::chrono::steady_clock::now();
  const auto packet = session.close(400);
  REQUIRE(reply(packet).status == Status::ok);
  CHECK(std::chrono::steady_clock::now() - begin < 3s);
  CHECK(packet->as<CloseReply>().survivors == 0);
  CHECK(session.header().phase == static_cast<std::uint32_t>(Phase::closed));
  CHECK(session.header().exit_kind == static_cast<std::uint32_t>(ExitKind::signal));
  CHECK(session.header().exit_value == SIGKILL);
  CHECK(session.output().find("hup") != std::string::npos);
  CHECK(session.shim_is_gone());
  CHECK_FALSE(exists(session.runtime + "/" + session.stem + ".hdr"));
  CHECK_FALSE(exists(session.runtime + "/" + session.stem + ".sock"));
  CHECK(exists(session.journal + "/exit"));
  CHECK(Journal(session.journal).faults.empty());
}

TEST_CASE("a polite program is closed at once, with its last words") {
  Session session(shell("trap 'echo bye; exit 5' HUP; echo ready; while :; do sleep 0.01; done"));
  session.own();
  REQUIRE(session.until_output("ready"));
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(reply(session.close(5000)).status == Status::ok);
  CHECK(std::chrono::steady_clock::now() - begin < 2s);
  CHECK(session.output().find("bye") != std::string::npos);
  CHECK(session.header().exit_value == 5);
}

TEST_CASE("close of a program that has ended answers at once") {
  Session session(shell("exit 4"));
  session.own();
  REQUIRE(session.until_ended());
  REQUIRE(reply(session.close(5000)).status == Status::ok);
  CHECK(session.header().exit_value == 4);
  CHECK(session.shim_is_gone());
}

TEST_CASE("a second close can shorten the grace of the first") {
  Session session(shell("trap '' HUP TERM; echo ready; while :; do sleep 0.01; done"));
  session.own();
  REQUIRE(session.until_output("ready"));
  Close first{};
  first.head = {MessageType::close, 0, sizeof first, 12345};
  first.grace_ms = 60'000;
  REQUIRE(session.peer().send(&first, sizeof first));
  CHECK(reply(session.close(0)).status == Status::ok);
  CHECK(session.shim_is_gone());
}

TEST_CASE("a shim inside the session, and its programs, are not closed with it") {
  const Folder runtime, journal;
  // The inner one is started by a program of the outer session, with a block of its own on descriptor 0.
  Options inner;
  inner.argv = {"/bin/sh", "-c", "echo $$ > " + runtime.path + "/pid; exec sleep 600"};
  std::uint8_t id[16] = {7};
  smartcli::Fd block = start_block(inner, runtime.path, journal.path, "inner", id);
  const std::string path = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(block.get());
  Session session(
      shell("exec 3<>" + path + "; " + SMARTCLI_SHIM + " <&3 >/dev/null 2>/dev/null; echo started; cat"));
  session.own();
  REQUIRE(session.until_output("started"));
  REQUIRE(eventually([&] { return !read_file(runtime.path + "/pid").empty(); }));
  REQUIRE(eventually([&] { return exists(runtime.path + "/inner.hdr"); }));
  const pid_t program = std::stoi(read_file(runtime.path + "/pid"));
  const auto packet = session.close(200, kCloseTree);
  REQUIRE(reply(packet).status == Status::ok);
  CHECK(packet->as<CloseReply>().survivors == 0);
  CHECK(session.shim_is_gone());
  CHECK(is_alive(program));
  const std::string header = read_file(runtime.path + "/inner.hdr");
  ::kill(reinterpret_cast<const Header*>(header.data())->shim_pid, SIGTERM);
  CHECK(eventually([&] { return !is_alive(program); }));
  CHECK(eventually([&] { return !exists(runtime.path + "/inner.hdr"); }));
}

TEST_CASE("restart runs the kept program again on a new terminal, with the same numbers going on") {
  Session session(shell("echo run $RANDOM_NAME; exec cat"));
  session.own();
  REQUIRE(session.until_output("run"));
  REQUIRE(reply(session.peer().input("first\n", request_id(1))).status == Status::ok);
  REQUIRE(session.until_output("first\r\nfirst\r\n"));
  Resize resize{};
  resize.cols = 111;
  resize.rows = 33;
  REQUIRE(reply(session.peer().ask(resize, MessageType::resize)).status == Status::ok);
  const pid_t before = session.report.child_pid;
  const auto offset = session.header().write_offset.load();
  Restart message{};
  message.grace_ms = 1000;
  const auto packet = session.peer().ask(message, MessageType::restart);
  REQUIRE(reply(packet).status == Status::ok);
  REQUIRE(packet->fds.size() == 1);
  CHECK(packet->as<RestartReply>().stage == static_cast<std::uint32_t>(StartStage::running));
  CHECK(packet->as<RestartReply>().child_pid != before);
  CHECK_FALSE(is_alive(before));
  CHECK(session.header().restarts == 1);
  CHECK(session.header().revision_steps == 2);
  CHECK(session.header().cols == 111);
  CHECK(session.header().phase == static_cast<std::uint32_t>(Phase::running));
  CHECK(session.header().exit_kind == static_cast<std::uint32_t>(ExitKind::none));
  CHECK_FALSE(exists(session.journal + "/exit"));
  REQUIRE(session.until([&] { return session.output().find("run", offset) != std::string::npos; }));
  REQUIRE(reply(session.peer().input("second\n", request_id(2))).status == Status::ok);
  REQUIRE(session.until_output("second\r\nsecond\r\n"));
  const Journal journal(session.journal);
  CHECK(journal.faults.empty());
  REQUIRE(journal.count(EventType::restart) == 1);
  CHECK(journal.last(EventType::restart)->head.offset >= offset);
  CHECK(journal.last(EventType::restart)->as<RestartEvent>().rows == 33);
  CHECK(journal.count(EventType::exit) == 1);

  SECTION("with another program, after the end of the first, at another size") {
    ::kill(packet->as<RestartReply>().child_pid, SIGKILL);
    REQUIRE(session.until_ended());
    Options other = shell("stty size; exit 9");
    other.cols = 100;
    other.rows = 40;
    smartcli::Fd block = start_block(other, "/", "/", "ignored", session.id);
    const auto again = session.peer().ask(message, MessageType::restart, block.get());
    REQUIRE(reply(again).status == Status::ok);
    REQUIRE(session.until_ended());
    CHECK(session.header().exit_value == 9);
    CHECK(session.header().cols == 100);
    CHECK(session.output().find("40 100") != std::string::npos);
  }
  SECTION("with a program that is not there the session stays ended, and the kept program can come back") {
    Options other;
    other.argv = {"/nowhere/program"};
    smartcli::Fd block = start_block(other, "/", "/", "ignored", session.id);
    const auto failed = session.peer().ask(message, MessageType::restart, block.get());
    CHECK(reply(failed).status == Status::failed);
    CHECK(reply(failed).errno_value == ENOENT);
    CHECK(failed->as<RestartReply>().stage == static_cast<std::uint32_t>(StartStage::exec));
    CHECK(session.header().phase == static_cast<std::uint32_t>(Phase::ended));
    CHECK(reply(session.peer().ask(message, MessageType::restart)).status == Status::ok);
  }
  SECTION("a block that is malformed ends nothing") {
    smartcli::Fd block(::memfd_create("bad", MFD_ALLOW_SEALING));
    const auto failed = session.peer().ask(message, MessageType::restart, block.get());
    CHECK(reply(failed).status == Status::failed);
    CHECK(reply(failed).errno_value == EINVAL);
    CHECK(session.header().phase == static_cast<std::uint32_t>(Phase::running));
  }
}

TEST_CASE("TERM to the shim ends its program as close does") {
  Session session(shell("echo ready; cat"));
  session.own();
  REQUIRE(session.until_output("ready"));
  ::kill(session.report.shim_pid, SIGTERM);
  CHECK(session.shim_is_gone());
  CHECK_FALSE(is_alive(session.report.child_pid));
  CHECK(session.header().phase == static_cast<std::uint32_t>(Phase::closed));
}

TEST_CASE(
    "F09: with the program stopped or its output held, every request is answered at once, and close ends "
    "it") {
  Session session(shell("echo ready; while :; do echo; sleep 0.01; done"));
  session.own();
  REQUIRE(session.until_output("ready"));
  if (GENERATE(false, true))
    REQUIRE(reply(session.peer().input("\x13")).status == Status::ok);
  else
    ::kill(session.report.child_pid, SIGSTOP);
  const auto begin = std::chrono::steady_clock::now();
  Resize resize{};
  resize.cols = 100;
  resize.rows = 30;
  CHECK(reply(session.peer().ask(resize, MessageType::resize)).status == Status::ok);
  CHECK(reply(session.peer().ask(FactsRequest{}, MessageType::facts)).status == Status::ok);
  CHECK(reply(session.peer().ask(Clear{}, MessageType::clear)).status == Status::ok);
  Signal message{};
  message.number = SIGWINCH;
  CHECK(reply(session.peer().ask(message, MessageType::signal)).status == Status::ok);
  CHECK(reply(session.peer().input("x\n")).status == Status::ok);
  CHECK(std::chrono::steady_clock::now() - begin < 500ms);
  CHECK(reply(session.close(300)).status == Status::ok);
  CHECK_FALSE(is_alive(session.report.child_pid));
}
