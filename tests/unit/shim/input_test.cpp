// Input: fences, repeats, limits, the terminal's own replies; peers.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <thread>

#include "shim_client.hpp"

using namespace smartcli::test;

namespace {

Options shell(const std::string& script) {
  Options options;
  options.argv = {"/bin/sh", "-c", script};
  return options;
}

}  // namespace

TEST_CASE("an input's fence stands before its echo, in the reply, the mark and the journal alike") {
  Session session(shell("echo ready; exec cat"));
  session.own();
  REQUIRE(session.until_output("ready\r\n"));
  const auto packet = session.peer().input("hello\n", request_id(7), 3);
  CHECK(reply(packet).status == Status::ok);
  CHECK(reply(packet).accepted == 6);
  CHECK(reply(packet).offset == 7);
  CHECK(reply(packet).revision == 7);
  CHECK((reply(packet).line_flags & (kLineCanonical | kLineEcho | kLineIcrnl | kLineSignals)) ==
        (kLineCanonical | kLineEcho | kLineIcrnl | kLineSignals));
  REQUIRE(session.until_output("hello\r\nhello\r\n"));
  const Mark& mark = session.header().marks[0];
  CHECK(session.header().marks_written == 1);
  CHECK(mark.id == request_id(7));
  CHECK(mark.step == 3);
  CHECK(mark.accepted == 6);
  CHECK(mark.bytes == 6);
  CHECK(mark.state == static_cast<std::uint32_t>(MarkState::done));
  CHECK(mark.offset == 7);
  const Journal journal(session.journal);
  CHECK(journal.faults.empty());
  REQUIRE(journal.count(EventType::input) == 1);
  const auto& record = journal.last(EventType::input)->as<InputEvent>();
  CHECK(record.head.offset == 7);
  CHECK(record.id == request_id(7));
  CHECK(record.bytes == 6);
  CHECK(record.flags == kInputEndsLine);
  CHECK(journal.count(EventType::write_done) == 0);
}

TEST_CASE(
    "a repeated request is answered, not typed, also by a later owner, without an id nothing is a repeat") {
  Session session(shell("exec cat"));
  session.own();
  const auto first = session.peer().input("one\n", request_id(1));
  CHECK(reply(first).status == Status::ok);
  REQUIRE(session.until_output("one\r\none\r\n"));
  const auto again = session.peer().input("one\n", request_id(1));
  CHECK(reply(again).status == Status::repeated);
  CHECK(reply(again).offset == reply(first).offset);
  CHECK(reply(again).revision == reply(first).revision);
  CHECK(reply(again).accepted == 4);
  Peer other = session.own_by_path();
  CHECK(reply(other.input("one\n", request_id(1))).status == Status::repeated);
  CHECK(reply(other.input("two\n", request_id(1), 1)).status == Status::ok);
  CHECK(reply(other.input("x\n")).status == Status::ok);
  CHECK(reply(other.input("x\n")).status == Status::ok);
  session.grant_everything();
  REQUIRE(session.until_output("x\r\n"));
  REQUIRE(eventually([&] { return session.output().size() == 2 * (5 + 5 + 3 + 3); }));
  // Of 63 later ones the first is still known, of 64 no longer.
  for (unsigned i = 0; i < 60; ++i) CHECK(reply(other.input("\n", request_id(100 + i))).status == Status::ok);
  CHECK(reply(other.input("one\n", request_id(1), 1)).status == Status::repeated);
}

TEST_CASE(
    "F08: a line in canonical mode is refused past 4095 bytes, over all sends, before a byte is written") {
  Session session(shell("echo ready; read line; echo ${#line}; read line; echo ${#line}; exec cat"));
  session.own();
  REQUIRE(session.until_output("ready"));
  CHECK(reply(session.peer().input(std::string(4096, 'a') + "\n")).status == Status::line_too_long);
  CHECK(reply(session.peer().input(std::string(4000, 'a'))).status == Status::ok);
  const auto refused = session.peer().input(std::string(96, 'b') + "\n", request_id(5));
  CHECK(reply(refused).status == Status::line_too_long);
  CHECK(reply(refused).accepted == 0);
  CHECK(reply(session.peer().input(std::string(95, 'b') + "\n", request_id(5))).status == Status::ok);
  REQUIRE(session.until_output("\n4095\r\n"));
  // Several lines in one message count each for itself.
  CHECK(reply(session.peer().input(std::string(3000, 'c') + "\r" + std::string(3000, 'd') + "\n")).status ==
        Status::ok);
  // Where the echo of the second stands in relation to the answer to the first is the kernel's business.
  CHECK(session.until([&] { return session.output().size() == 7 + 4097 + 6 + 2 * 3002 + 6 + 3002; }));
  CHECK(session.until_output("3000\r\n"));
  CHECK(session.header().marks_written == 3);
}

TEST_CASE(
    "F08: a program that does not read: the rest queues, one message at a time, and can be taken back") {
  Session session(shell(
      "stty raw -echo; echo ready; read -r x < /dev/null; while [ ! -e /nowhere ]; do sleep 0.02; done"));
  session.own();
  REQUIRE(session.until_output("ready"));
  const std::string text(60'000, 'x');
  const auto packet = session.peer().input(text, request_id(1));
  CHECK(reply(packet).status == Status::ok);
  const std::uint32_t accepted = reply(packet).accepted;
  CHECK(accepted > 1000);
  CHECK(accepted < text.size());
  CHECK(session.header().input_queued > 0);
  CHECK(session.header().input_queued <= text.size() - accepted);
  CHECK(session.header().marks[0].state == static_cast<std::uint32_t>(MarkState::writing));
  CHECK(reply(session.peer().input("y", request_id(2))).status == Status::busy);
  CHECK(reply(session.peer().input(text, request_id(1))).status == Status::repeated);
  // Waiting for room costs nothing, and other requests pass.
  const auto before = cpu_ticks(session.report.shim_pid);
  CHECK_FALSE(eventually([&] { return cpu_ticks(session.report.shim_pid) > before + 3; }, 500ms));
  Resize resize{};
  resize.cols = 90;
  resize.rows = 30;
  CHECK(reply(session.peer().ask(resize, MessageType::resize)).status == Status::ok);
  CancelInput other{};
  other.id = request_id(9);
  CHECK(reply(session.peer().ask(other, MessageType::cancel_input)).status == Status::invalid);
  CancelInput cancel{};
  cancel.id = request_id(1);
  const auto cancelled = session.peer().ask(cancel, MessageType::cancel_input);
  CHECK(reply(cancelled).status == Status::ok);
  CHECK(reply(cancelled).accepted >= accepted);  // the terminal moves bytes on by itself
  CHECK(reply(cancelled).accepted < text.size());
  const auto done = session.peer().notice(MessageType::input_done);
  REQUIRE(done);
  CHECK(done->as<InputDone>().status == Status::cancelled);
  CHECK(done->as<InputDone>().accepted == reply(cancelled).accepted);
  CHECK(done->as<InputDone>().id == request_id(1));
  CHECK(reply(session.peer().input(text, request_id(2))).status == Status::ok);
  // A program that ends with input queued says so.
  ::kill(session.report.child_pid, SIGKILL);
  const auto ended = session.peer().notice(MessageType::input_done);
  REQUIRE(ended);
  CHECK(ended->as<InputDone>().status == Status::ended);
  CHECK(reply(session.peer().input("z")).status == Status::ended);
  CHECK(Journal(session.journal).count(EventType::write_done) == 2);
}

TEST_CASE("what queues is delivered whole once the program reads") {
  Session session(
      shell("stty raw -echo; echo ready; read -r go < /dev/null; sleep 0.3; head -c 60000 | cksum"));
  session.own();
  REQUIRE(session.until_output("ready"));
  std::string text;
  while (text.size() < 60'000) text += std::to_string(text.size()) + ";";
  text.resize(60'000);
  REQUIRE(reply(session.peer().input(text, request_id(1))).status == Status::ok);
  // The tag is a new owner's business no longer, the id still is.
  Peer other = session.own_by_path();
  session.grant_everything();
  const auto done = other.notice(MessageType::input_done);
  REQUIRE(done);
  CHECK(done->as<InputDone>().status == Status::ok);
  CHECK(done->as<InputDone>().accepted == 60'000);
  CHECK(done->as<InputDone>().id == request_id(1));
  CHECK(done->head().tag == 0);
  REQUIRE(session.until_ended());
  FILE* file = ::fopen((session.runtime + "/text").c_str(), "w");
  ::fwrite(text.data(), 1, text.size(), file);
  ::fclose(file);
  FILE* pipe = ::popen(("cksum < " + session.runtime + "/text").c_str(), "r");
  char line[64] = {};
  REQUIRE(std::fgets(line, sizeof line, pipe));
  ::pclose(pipe);
  std::string sum(line);
  sum.erase(sum.find('\n'));
  CHECK(session.output().find(sum) != std::string::npos);
  ::unlink((session.runtime + "/text").c_str());
}

TEST_CASE("a secret is written only while the line is canonical without echo, and leaves no length behind") {
  Session session(
      shell("echo ready; read go; stty -echo; echo ask; read secret; echo got ${#secret}; stty raw; echo "
            "raw; cat"));
  session.own();
  REQUIRE(session.until_output("ready"));
  const auto secret = [&] {
    return session.peer().input("hunter2\n", request_id(4), 0, WriteCondition::canonical_no_echo,
                                kInputSecret);
  };
  CHECK(reply(secret()).status == Status::condition);
  CHECK(session.header().marks_written == 0);
  CHECK(reply(session.peer().input("\n")).status == Status::ok);
  REQUIRE(session.until_output("ask"));
  CHECK(reply(secret()).status == Status::ok);
  REQUIRE(session.until_output("got 7"));
  REQUIRE(session.until_output("raw"));
  CHECK(reply(session.peer().input("x", request_id(6), 0, WriteCondition::canonical_no_echo)).status ==
        Status::condition);
  CHECK(reply(session.peer().input("x", request_id(6), 0, WriteCondition::not_canonical)).status ==
        Status::ok);
  CHECK(reply(session.peer().input("x", request_id(8), 0, static_cast<WriteCondition>(3))).status ==
        Status::unsupported);
  CHECK(reply(session.peer().input("x", request_id(8), 0, WriteCondition::none, 4)).status ==
        Status::unsupported);
  const Journal journal(session.journal);
  for (const auto& record : journal.records)
    if (record.head.type == EventType::input && record.as<InputEvent>().id == request_id(4))
      CHECK(record.as<InputEvent>().bytes == 0);
  for (const auto& [number, data] : journal.segments) CHECK(data.find("hunter2") == std::string::npos);
}

TEST_CASE("terminal replies go out once, in the order of their keys, and never inside a user's message") {
  Session session(
      shell("stty raw -echo; echo ready; read -r x < /dev/null; sleep 0.3; head -c 60020 | tail -c 37; cat"));
  session.own();
  REQUIRE(session.until_output("ready"));
  Peer& peer = session.peer();
  CHECK(reply(peer.terminal_reply("<first>", 10, 0)).status == Status::ok);
  CHECK(reply(peer.terminal_reply("<again>", 10, 0)).status == Status::stale);
  CHECK(reply(peer.terminal_reply("<older>", 9, 5)).status == Status::stale);
  CHECK(reply(peer.terminal_reply("", 10, 1, true)).status == Status::ok);
  CHECK(reply(peer.terminal_reply("<dropped>", 10, 1)).status == Status::stale);
  CHECK(session.header().reply_offset == 10);
  CHECK(session.header().reply_index == 1);
  CHECK(reply(peer.terminal_reply("<cooked>", 11, 0, false, WriteCondition::canonical_no_echo)).status ==
        Status::condition);
  CHECK(session.header().reply_offset == 10);
  CHECK(reply(peer.terminal_reply("<raw>", 11, 0, false, WriteCondition::not_canonical)).status ==
        Status::ok);
  const std::string text(60'000, 'x');
  const auto typed = peer.input(text, request_id(1));
  REQUIRE(reply(typed).accepted < text.size());
  CHECK(reply(peer.terminal_reply("<busy>", 12, 0, false, WriteCondition::not_canonical)).status ==
        Status::busy);
  CHECK(reply(peer.terminal_reply("<inside>", 12, 0)).status == Status::ok);
  const auto done = peer.notice(MessageType::input_done);
  REQUIRE(done);
  CHECK(done->as<InputDone>().status == Status::ok);
  // <first><raw>xxx...x<inside>
  REQUIRE(session.until_output(std::string(29, 'x') + "<inside>"));
  CHECK(Journal(session.journal).count(EventType::reply) == 4);
}

TEST_CASE("the queue of replies is bounded, and what it cannot take is counted") {
  Session session(shell("stty raw -echo; echo ready; while :; do sleep 1; done"));
  session.own();
  REQUIRE(session.until_output("ready"));
  REQUIRE(reply(session.peer().input(std::string(60'000, 'x'))).status == Status::ok);
  int full = 0;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    const auto packet = session.peer().terminal_reply(std::string(2000, 'r'), i);
    if (reply(packet).status == Status::failed) {
      CHECK(reply(packet).errno_value == ENOBUFS);
      ++full;
    }
  }
  CHECK(full == 40 - (64 << 10) / 2000);
  CHECK(session.header().replies_dropped == static_cast<std::uint32_t>(full));
}

TEST_CASE("signals reach the foreground group or the program") {
  Session session(shell(
      "trap 'echo parent' USR1; sh -c 'trap \"echo child\" USR1; echo ready; while :; do sleep 0.01; done' & "
      "while :; do sleep 0.01; done"));
  session.own();
  REQUIRE(session.until_output("ready"));
  Signal message{};
  message.number = SIGUSR1;
  message.target = SignalTarget::child;
  CHECK(reply(session.peer().ask(message, MessageType::signal)).status == Status::ok);
  REQUIRE(session.until_output("parent"));
  CHECK(session.output().find("child") == std::string::npos);
  message.number = SIGKILL;
  message.target = SignalTarget::foreground;
  CHECK(reply(session.peer().ask(message, MessageType::signal)).status == Status::ok);
  REQUIRE(session.until_ended());
  CHECK(session.header().exit_value == SIGKILL);
  message.number = 65;
  CHECK(reply(session.peer().ask(message, MessageType::signal)).status == Status::invalid);
  message.number = SIGTERM;
  message.target = SignalTarget::child;
  CHECK(reply(session.peer().ask(message, MessageType::signal)).status == Status::ended);
}

TEST_CASE("B176: the interrupt character ends what runs in the foreground") {
  Session session(shell("echo ready; exec sleep 60"));
  session.own();
  REQUIRE(session.until_output("ready"));
  CHECK(reply(session.peer().input("\x03")).status == Status::ok);
  REQUIRE(session.until_ended(2s));
  CHECK(session.header().exit_kind == static_cast<std::uint32_t>(ExitKind::signal));
  CHECK(session.header().exit_value == SIGINT);
}

TEST_CASE("facts tell a read of the terminal from polls, sleeps and work") {
  const auto [script, on_terminal, name] = GENERATE(table<std::string, int, std::string>({
      {"echo ready; exec cat", 1, "cat"},
      {"echo ready; exec python3 -c 'import select,sys; select.select([sys.stdin],[],[])'", 2, "python3"},
      {"echo ready; exec python3 -c 'import select,sys,os; r,w=os.pipe(); "
       "select.select([sys.stdin,r],[],[])'",
       3, "python3"},
      {"echo ready; exec python3 -c 'import select; p=select.poll(); p.register(0,1); p.poll()'", 2,
       "python3"},
      {"echo ready; exec python3 -c 'import select; p=select.epoll(); p.register(0,1); p.poll()'", 2,
       "python3"},
      {"echo ready; exec sleep 60", 0, "sleep"},
  }));
  CAPTURE(script);
  Session session(shell(script));
  session.own();
  REQUIRE(session.until_output("ready"));
  ProcessFacts last{};
  const auto matches = [&, on_terminal = on_terminal, name = name] {
    const auto packet = session.peer().ask(FactsRequest{}, MessageType::facts);
    if (reply(packet).status != Status::ok) return false;
    const auto& facts = *reinterpret_cast<const Facts*>(packet->bytes.data() + sizeof(Reply));
    if (packet->bytes.size() != sizeof(Reply) + sizeof(Facts) + facts.processes * sizeof(ProcessFacts))
      return false;
    if (facts.processes != 1 || facts.foreground_group != session.report.child_pid) return false;
    last = *reinterpret_cast<const ProcessFacts*>(packet->bytes.data() + sizeof(Reply) + sizeof(Facts));
    return last.name == name && last.state == 'S' && last.syscall_known == 1 &&
           last.on_terminal == on_terminal;
  };
  CHECK(eventually(matches, 5s));
  CAPTURE(last.name, last.state, int(last.syscall_known), int(last.on_terminal), last.syscall);
  CHECK(last.group == session.report.child_pid);
}

TEST_CASE("facts count whole lines that nobody has read") {
  Session session(shell("echo ready; exec sleep 60"));
  session.own();
  REQUIRE(session.until_output("ready"));
  const auto pending = [&] {
    const auto packet = session.peer().ask(FactsRequest{}, MessageType::facts);
    return reinterpret_cast<const Facts*>(packet->bytes.data() + sizeof(Reply))->input_pending;
  };
  CHECK(reply(session.peer().input("half")).status == Status::ok);
  CHECK(pending() == 0);
  CHECK(reply(session.peer().input(" line\n")).status == Status::ok);
  CHECK(eventually([&] { return pending() == 10; }));
}

// --- peers

TEST_CASE(
    "C09: connecting and leaving, greeting without takeover, asking for facts: none of it disturbs the "
    "owner") {
  Session session(shell("exec cat"));
  session.own();
  std::atomic<bool> stop = false;
  std::thread rude([&] {
    for (int i = 0; i < 10'000; ++i) {
      Peer peer(session.connect_socket());
      if (i % 100 == 0 && peer.get() >= 0) session.hello(peer, 0);
    }
    stop = true;
  });
  int typed = 0;
  while (!stop) {
    REQUIRE(reply(session.peer().input("\n")).status == Status::ok);
    ++typed;
  }
  rude.join();
  CHECK(typed > 0);
  CHECK(session.header().owner_pid == ::getpid());
}

TEST_CASE("only who took over may act, a takeover drops the owner before") {
  Session session(shell("exec cat"));
  session.own();
  Peer guest(session.connect_socket());
  CHECK(reply(guest.ask(FactsRequest{}, MessageType::facts)).status == Status::invalid);
  const auto greeted = session.hello(guest, 0);
  CHECK(reply(greeted).status == Status::ok);
  CHECK(greeted->fds.empty());
  CHECK(greeted->as<HelloReply>().descriptors == 0);
  CHECK(reply(guest.ask(FactsRequest{}, MessageType::facts)).status == Status::ok);
  CHECK(reply(guest.input("x")).status == Status::not_owner);
  CHECK(reply(guest.ask(Close{}, MessageType::close)).status == Status::not_owner);
  CHECK(reply(session.hello(guest, 2)).status == Status::unsupported);
  const auto strange = session.hello(guest, kTakeover, kAbiMajor + 1);
  CHECK(reply(strange).status == Status::unsupported);
  CHECK(strange->as<HelloReply>().abi_major == kAbiMajor);
  CHECK(strange->fds.empty());
  CHECK(reply(session.peer().input("x")).status == Status::ok);
  CHECK(reply(session.hello(guest, kTakeover)).status == Status::ok);
  CHECK(session.peer().is_closed());
  CHECK(reply(guest.input("y")).status == Status::ok);
}

TEST_CASE("idle connections cannot keep a daemon out") {
  Session session(shell("exec cat"));
  session.own();
  std::vector<Peer> crowd;
  for (int i = 0; i < 40; ++i) crowd.emplace_back(session.connect_socket());
  CHECK(reply(session.peer().input("x")).status == Status::ok);
  CHECK(session.own_by_path().get() >= 0);
}

TEST_CASE("what a shim does not know it refuses, and what is malformed does not hurt it") {
  Session session(shell("stty raw -echo; echo ready; exec cat > /dev/null"));
  session.own();
  REQUIRE(session.until_output("ready"));
  MessageHead unknown{static_cast<MessageType>(77), 0, sizeof unknown, 0};
  CHECK(reply(session.peer().ask(&unknown)).status == Status::unsupported);
  std::mt19937 random(12345);
  const auto pick = [&random](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  std::optional<Peer> peer;
  for (int i = 0; i < 20'000; ++i) {
    if (!peer || pick(50) == 0) {
      peer.emplace(session.connect_socket());
      REQUIRE(peer->get() >= 0);
      if (pick(2)) session.hello(*peer, pick(2));
    }
    std::vector<char> bytes(pick(10) == 0 ? pick(65536) : pick(120));
    for (char& byte : bytes) byte = static_cast<char>(pick(4) ? 0 : random());
    if (bytes.size() >= sizeof(MessageHead) && pick(8)) {
      MessageHead head{static_cast<MessageType>(1 + pick(12)), 0, static_cast<std::uint32_t>(bytes.size()),
                       0};
      // Left out: those that end the session by design.
      if (head.type == MessageType::close || head.type == MessageType::restart ||
          head.type == MessageType::signal)
        head.type = MessageType::facts;
      std::memcpy(bytes.data(), &head, sizeof head);
    }
    pollfd room{peer->get(), POLLOUT, 0};
    ::poll(&room, 1, 1000);
    if (::send(peer->get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) peer.reset();
    if (peer)
      while (peer->receive(0ms)) {
      }
  }
  Peer owner = session.own_by_path();
  CHECK(reply(owner.ask(FactsRequest{}, MessageType::facts)).status == Status::ok);
  CHECK(is_alive(session.report.child_pid));
}

TEST_CASE("a peer that does not read its answers is dropped, and costs nobody else") {
  Session session(shell("exec cat"));
  session.own();
  Peer deaf(session.connect_socket());
  CHECK(reply(session.hello(deaf, 0)).status == Status::ok);
  FactsRequest request{};
  request.head = {MessageType::facts, 0, sizeof request, 1};
  bool refused = false;
  for (int i = 0; i < 100'000 && !refused; ++i) {
    pollfd room{deaf.get(), POLLOUT, 0};
    ::poll(&room, 1, 1000);
    refused = ::send(deaf.get(), &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT) < 0;
  }
  CHECK(refused);
  CHECK(reply(session.peer().input("x")).status == Status::ok);
}
