// Output: journal, credit, cap, failing disks, owners that come and go.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <thread>

#include "shim_client.hpp"

using namespace smartcli::test;

namespace {

Options shell(const std::string& script) {
  Options options;
  options.argv = {"/bin/sh", "-c", script};
  return options;
}

/// What `seq N` prints on a terminal.
std::string numbers(unsigned last) {
  std::string text;
  for (unsigned i = 1; i <= last; ++i) text += std::to_string(i) + "\r\n";
  return text;
}

bool same(const std::string& a, const std::string& b) {
  return a == b;
}  // megabytes nobody wants to see in a failure

}  // namespace

TEST_CASE("C05: 100 MB without a daemon are all there, with the status") {
  Options options = shell("seq 12000000; exit 7");
  options.cap = 256 << 20;
  Session session(options);
  session.map_named_header();
  REQUIRE(eventually(
      [&] { return session.header().phase.load() == static_cast<std::uint32_t>(Phase::ended); }, 60s));
  CHECK(session.header().exit_value == 7);
  CHECK(session.header().gaps == 0);
  CHECK(same(session.output(), numbers(12000000)));
  CHECK(session.header().write_offset > 100'000'000);
  const Journal journal(session.journal);
  CHECK(journal.faults.empty());
}

TEST_CASE("the cap drops the oldest segments, says so, and what is left is whole") {
  const std::uint64_t cap = GENERATE(std::uint64_t{0}, std::uint64_t{4} << 20);
  CAPTURE(cap);
  Options options = shell("seq 2000000; echo end");
  options.cap = cap;
  Session session(options);
  session.map_named_header();
  REQUIRE(eventually(
      [&] { return session.header().phase.load() == static_cast<std::uint32_t>(Phase::ended); }, 60s));
  const std::string expected = numbers(2000000) + "end\r\n";
  const std::uint64_t kept = session.header().kept_offset;
  CHECK(session.header().write_offset == expected.size());
  CHECK(kept % kSegmentBytes == 0);
  CHECK(kept > 0);
  CHECK(same(session.output(), expected.substr(kept)));
  const Journal journal(session.journal);
  CHECK(journal.faults.empty());
  REQUIRE(!journal.records.empty());
  const auto& first = journal.records.front().as<FirstEvent>();
  CHECK(first.head.offset == kept);
  CHECK(first.events_before == session.header().kept_events);
  CHECK(journal.records.back().position + journal.records.back().head.bytes == session.header().event_bytes);
  std::uint64_t bytes = 0;
  for (const auto& record : journal.records) bytes += record.head.bytes;
  for (const auto& [number, data] : journal.segments) bytes += data.size();
  CHECK(bytes <= std::max(cap, std::uint64_t{2} * kSegmentBytes + (64 << 10)));
  const auto* gap = journal.last(EventType::gap);
  REQUIRE(gap);
  CHECK(gap->as<GapEvent>().reason == GapReason::cap);
  CHECK(gap->as<GapEvent>().to == kept);
  CHECK(session.header().gaps == 0);
}

TEST_CASE("a new cap counts from now on") {
  Session session(shell("seq 1000000; cat"));
  session.own();
  const std::string expected = numbers(1000000);
  REQUIRE(session.until([&] { return session.header().write_offset == expected.size(); }));
  JournalCap message{};
  message.bytes = 0;
  CHECK(reply(session.peer().ask(message, MessageType::journal_cap)).status == Status::ok);
  CHECK(session.header().journal_cap == 0);
  CHECK(session.header().kept_offset / kSegmentBytes == expected.size() / kSegmentBytes - 1);
  CHECK(same(session.output(), expected.substr(session.header().kept_offset)));
}

TEST_CASE("an attached daemon is read for only as far as its credit goes") {
  Session session(shell("seq 1000000; exit 3"));
  const Peer owner = session.own_by_path();  // which gives no credit yet
  const std::string expected = numbers(1000000);
  std::uint64_t credit = session.header().write_offset;
  // Step by step, each time it must stop exactly at the credit.
  for (int i = 0; i < 20; ++i) {
    credit = std::max<std::uint64_t>(credit, session.header().write_offset) + 10'000;
    session.grant(credit);
    REQUIRE(eventually([&] { return session.header().credit_wanted == 1 || session.header().phase == 2; }));
    if (session.header().phase == 2) break;
    CHECK(session.header().write_offset <= credit);
  }
  const auto before = cpu_ticks(session.report.shim_pid);
  CHECK_FALSE(eventually([&] { return cpu_ticks(session.report.shim_pid) > before + 3; }, 1s));
  session.grant_everything();
  REQUIRE(session.until_ended());
  CHECK(same(session.output(), expected));
  CHECK(session.header().exit_value == 3);
}

TEST_CASE(
    "a stuck daemon holds a program up for two seconds, not longer, when it moves again it counts again") {
  Session session(shell("seq 3000000; exit 3"));
  session.own();
  session.grant(session.header().write_offset + 1000);
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(session.until_ended(30s));
  CHECK(std::chrono::steady_clock::now() - begin > 1s);
  CHECK(same(session.output(), numbers(3000000)));
}

TEST_CASE("kill -9 of the owner while the program floods loses no byte") {
  Options options = shell("seq 6000000; exit 11");
  options.cap = 256 << 20;
  Session session(options);
  session.map_named_header();
  // The owner is a process of its own that gives credit as it reads, and is killed at some moment; several
  // times.
  for (int round = 0; round < 8; ++round) {
    const std::uint64_t start = session.header().write_offset;
    const pid_t owner = ::fork();
    if (owner == 0) {
      Peer peer = session.own_by_path();
      for (;;) {
        session.header().output_armed.store(1);
        session.grant(session.header().write_offset + (64 << 10));
        pollfd wait{session.output_event(), POLLIN, 0};
        ::poll(&wait, 1, 10);
        std::uint64_t count;
        if (wait.revents) (void)!::read(session.output_event(), &count, sizeof count);
      }
    }
    REQUIRE(eventually(
        [&] { return session.header().write_offset > start + 1'500'000 || session.header().phase == 2; }));
    ::kill(owner, SIGKILL);
    ::waitpid(owner, nullptr, 0);
  }
  REQUIRE(
      eventually([&] { return session.header().phase == static_cast<std::uint32_t>(Phase::ended); }, 60s));
  CHECK(eventually([&] { return session.header().owner_pid == 0; }));
  CHECK(session.header().exit_value == 11);
  CHECK(same(session.output(), numbers(6000000)));
  CHECK(Journal(session.journal).faults.empty());
}

TEST_CASE("a killed shim leaves a journal that is whole up to its last read") {
  Session session(shell("seq 100000000"));
  session.map_named_header();
  REQUIRE(eventually([&] { return session.header().write_offset > 3'000'000; }));
  session.kill_shim();
  const std::string expected = numbers(3'000'000), output = session.output();
  CHECK(output.size() == session.header().write_offset);
  CHECK(same(output, expected.substr(0, output.size())));
  Journal journal(session.journal);
  for (const auto& fault : journal.faults) CHECK(fault.find("cut head") != std::string::npos);
}

TEST_CASE("each wake-up is asked for, and comes once") {
  Session session(shell("cat"));
  session.own();
  CHECK_FALSE(session.header().output_armed);
  CHECK(reply(session.peer().input("a")).status == Status::ok);
  REQUIRE(eventually([&] { return session.header().write_offset == 1; }));
  std::uint64_t count;
  CHECK(::read(session.output_event(), &count, sizeof count) == -1);  // not armed: nothing
  session.header().output_armed.store(1);
  CHECK(reply(session.peer().input("b")).status == Status::ok);
  pollfd wait{session.output_event(), POLLIN, 0};
  REQUIRE(::poll(&wait, 1, 5000) == 1);
  CHECK(::read(session.output_event(), &count, sizeof count) == sizeof count);
  CHECK(count == 1);
  CHECK(session.header().output_armed == 0);
}

TEST_CASE("F32: a full disk never stops the program, what is lost is a gap, and it recovers") {
  const Folder disk;
  if (::mount("tmpfs", disk.path.c_str(), "tmpfs", 0, "size=3m,mode=0700") != 0) {
    WARN("needs the right to mount a tmpfs");
    return;
  }
  struct Unmount {
    const std::string& path;
    ~Unmount() { ::umount2(path.c_str(), MNT_DETACH); }
  } unmount{disk.path};
  const std::string journal_folder = disk.path + "/journal", ballast = disk.path + "/ballast";
  ::mkdir(journal_folder.c_str(), 0700);
  // 2 MiB are taken, so the journal's disk is full after 1 MiB.
  std::ofstream(ballast) << std::string(2 << 20, 'b');
  Options options = shell("read go; seq 1 $go; echo end; read x; echo later; exit 5");
  options.journal = journal_folder;
  Session session(options);
  session.own();
  const bool loses = GENERATE(false, true);
  const unsigned last = loses ? 700'000 : 250'000;
  const std::string expected = std::to_string(last) + "\r\n" + numbers(last) + "end\r\n";
  REQUIRE(reply(session.peer().input(std::to_string(last) + "\n")).status == Status::ok);
  REQUIRE(session.until([&] { return session.header().write_offset == expected.size(); }));
  CHECK(session.header().journal_health == static_cast<std::uint32_t>(JournalHealth::degraded));
  CHECK(session.header().journal_errno == ENOSPC);
  auto notice = session.peer().notice(MessageType::journal);
  REQUIRE(notice);
  CHECK(notice->as<JournalNotice>().health == JournalHealth::degraded);
  CHECK(notice->as<JournalNotice>().errno_value == ENOSPC);
  // The end is in the spool.
  const std::uint64_t from = session.header().spool_from;
  CHECK(expected.size() - from <= kSpoolBytes);
  CHECK((from % kSegmentBytes == 0) == loses);
  if (loses) CHECK(expected.size() - from >= (1 << 20));
  std::string spooled(expected.size() - from, 0);
  for (std::uint64_t at = from; at < expected.size();) {
    const std::uint64_t part = std::min(expected.size() - at, kSpoolBytes - at % kSpoolBytes);
    REQUIRE(::pread(session.spool(), spooled.data() + (at - from), part,
                    static_cast<off_t>(at % kSpoolBytes)) == static_cast<ssize_t>(part));
    at += part;
  }
  CHECK(same(spooled, expected.substr(from)));

  // Two segments and their events fit beside a smaller ballast.
  ::unlink(ballast.c_str());
  JournalCap cap{};
  cap.bytes = 0;
  CHECK(reply(session.peer().ask(cap, MessageType::journal_cap)).status == Status::ok);
  notice = session.peer().notice(MessageType::journal);
  REQUIRE(notice);
  CHECK(notice->as<JournalNotice>().health == JournalHealth::ok);
  CHECK(session.header().journal_health == static_cast<std::uint32_t>(JournalHealth::ok));
  CHECK(session.header().spool_from == kNoSpool);
  CHECK(session.header().gaps == (loses ? 1 : 0));
  REQUIRE(reply(session.peer().input("\n")).status == Status::ok);
  REQUIRE(session.until_ended());
  CHECK(session.header().exit_value == 5);
  CHECK(exists(journal_folder + "/exit"));

  const Journal journal(journal_folder);
  CHECK(journal.faults.empty());
  for (const auto& fault : journal.faults) UNSCOPED_INFO(fault);
  const std::string whole = expected + "\r\nlater\r\n";
  for (const auto& [number, data] : journal.segments)
    CHECK(same(data, whole.substr(number * kSegmentBytes, data.size())));
  CHECK(same(journal.segments.rbegin()->second,
             whole.substr(journal.segments.rbegin()->first * kSegmentBytes)));
  int disk_gaps = 0, none_gaps = 0;
  for (const auto& record : journal.records) {
    if (record.head.type != EventType::gap) continue;
    const auto& gap = record.as<GapEvent>();
    if (gap.reason == GapReason::none) ++none_gaps;
    if (gap.reason != GapReason::disk_full) continue;
    ++disk_gaps;
    CHECK(gap.head.offset == gap.from);
    CHECK(gap.to == from);
    CHECK(gap.to % kSegmentBytes == 0);
    CHECK(gap.errno_value == ENOSPC);
  }
  CHECK(disk_gaps <= (loses ? 1 : 0));  // the cap may have dropped its segment
  if (!loses) CHECK(none_gaps == 1);
  CHECK(journal.last(EventType::exit));
}

TEST_CASE("resizes and clears stand at their offset and count in the revision") {
  Session session(shell("trap 'stty size' WINCH; echo ready; while :; do read line; done"));
  session.own();
  REQUIRE(session.until_output("ready"));
  Resize resize{};
  resize.cols = 132;
  resize.rows = 50;
  const auto packet = session.peer().ask(resize, MessageType::resize);
  CHECK(reply(packet).status == Status::ok);
  CHECK(reply(packet).revision == reply(packet).offset + 1);
  CHECK(session.header().cols == 132);
  REQUIRE(session.until_output("50 132"));
  const auto cleared = session.peer().ask(Clear{}, MessageType::clear);
  CHECK(reply(cleared).status == Status::ok);
  CHECK(reply(cleared).revision == reply(cleared).offset + 2);
  CHECK(session.header().revision_steps == 2);
  const Journal journal(session.journal);
  CHECK(journal.faults.empty());
  REQUIRE(journal.count(EventType::resize) == 1);
  CHECK(journal.last(EventType::resize)->head.offset == 7);
  CHECK(journal.last(EventType::resize)->as<ResizeEvent>().cols == 132);
  REQUIRE(journal.count(EventType::clear) == 1);
  CHECK(journal.last(EventType::clear)->head.offset == reply(cleared).offset);
  resize.cols = 0;
  CHECK(reply(session.peer().ask(resize, MessageType::resize)).status == Status::invalid);
}

TEST_CASE("a quiet shim does not run, and gives back the pages of a burst") {
  Session session(shell("seq 1000000; cat"));
  session.own();
  REQUIRE(session.until([&] { return session.header().write_offset == numbers(1000000).size(); }));
  const auto private_kib = [&] {
    const std::string rollup =
        read_file("/proc/" + std::to_string(session.report.shim_pid) + "/smaps_rollup");
    // Only root may look into a process that forbids it.
    return rollup.empty() ? 0 : std::stoi(rollup.substr(rollup.find("Private_Dirty:") + 14));
  };
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(eventually([&] { return private_kib() <= 112; }, 5s));
#else
  (void)private_kib;
#endif
  const auto before = cpu_ticks(session.report.shim_pid);
  CHECK_FALSE(eventually([&] { return cpu_ticks(session.report.shim_pid) > before; }, 1s));
}

TEST_CASE(
    "last words and the exit come even when the daemon gives no credit, and a survivor's flood then waits "
    "for it") {
  Session session(shell("read go; head -c 3000 /dev/zero | tr '\\0' x; trap '' HUP; yes & exit 3"));
  Peer owner = session.own_by_path();
  REQUIRE(reply(owner.input("\n")).status == Status::ok);
  REQUIRE(session.until_ended(5s));
  CHECK(session.header().exit_value == 3);
  const std::string text = session.output();
  CHECK(std::count(text.begin(), text.end(), 'x') == 3000);
  CHECK(session.header().exit_offset <= 2 * kDrainBytes + 100);
  CHECK(session.header().hung_up == 0);
  Close close{};
  close.grace_ms = 1000;
  CHECK(reply(owner.ask(close, MessageType::close)).status == Status::ok);
  CHECK(session.shim_is_gone());
}
