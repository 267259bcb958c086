// The pure parts, and the journal writer with disks that fail on order.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <memory>

#include "shim/header_file.hpp"
#include "shim/journal_writer.hpp"
#include "shim/line_limit.hpp"
#include "shim/packet.hpp"
#include "shim/proc.hpp"
#include "shim/start_block.hpp"
#include "shim_client.hpp"

using namespace smartcli::test;
using namespace smartcli::shim;
using smartcli::Fd;

namespace {

termios cooked() {
  termios settings{};
  settings.c_iflag = ICRNL | IXON;
  settings.c_lflag = ICANON | ISIG | ECHO | IEXTEN;
  settings.c_cc[VINTR] = 3;
  settings.c_cc[VQUIT] = 28;
  settings.c_cc[VERASE] = 127;
  settings.c_cc[VKILL] = 21;
  settings.c_cc[VEOF] = 4;
  settings.c_cc[VSTART] = 17;
  settings.c_cc[VSTOP] = 19;
  settings.c_cc[VSUSP] = 26;
  settings.c_cc[VREPRINT] = 18;
  settings.c_cc[VWERASE] = 23;
  settings.c_cc[VLNEXT] = 22;
  return settings;
}

/// A journal written in this process.
struct Writer {
  explicit Writer(std::uint64_t cap = 64 << 20) : spool(::memfd_create("spool", MFD_CLOEXEC)) {
    header->cols = 80;
    header->rows = 24;
    header->spool_from = kNoSpool;
    header->spool_events_from = kNoSpool;
    REQUIRE(::ftruncate(spool.get(), kSpoolBytes + kSpoolEventBytes) == 0);
    REQUIRE(journal.open(folder.path.c_str(), spool.get(), header.get(), cap) == 0);
  }
  void write(std::size_t bytes) {
    std::string text(bytes, 0);
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + (all.size() + i) / 7 % 26);
    all += text;
    for (std::size_t at = 0; at < bytes; at += 50'000)
      journal.output(text.data() + at, std::min<std::size_t>(50'000, bytes - at));
    journal.publish();
  }
  bool resize(int cols) {
    ResizeEvent record{};
    record.head.type = EventType::resize;
    record.head.bytes = sizeof record;
    record.cols = static_cast<std::uint16_t>(cols);
    record.rows = 24;
    return journal.event(&record.head, Weight::important);
  }
  std::string path(const char* name) const { return folder.path + "/" + name; }
  void fail_segment(const char* name) { REQUIRE(::symlink("/nowhere", path(name).c_str()) == 0); }
  void heal_segment(const char* name) { REQUIRE(::unlink(path(name).c_str()) == 0); }
  void retry() { journal.retry(journal.retry_at()); }

  Folder folder;
  std::unique_ptr<Header> header = std::make_unique<Header>();
  Fd spool;
  JournalWriter journal;
  std::string all;
};

}  // namespace

TEST_CASE("CRC-32C: the check value of its catalogue, and the same in one piece as in many") {
  CHECK(crc32c(0, "123456789", 9) == 0xe3069283);
  std::string text(100'000, 0);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 31 + i / 255);
  std::uint32_t pieces = 0;
  for (std::size_t at = 0, part = 1; at < text.size(); at += part, part = part * 3 % 7001 + 1) {
    part = std::min(part, text.size() - at);
    pieces = crc32c(pieces, text.data() + at, part);
  }
  CHECK(pieces == crc32c(0, text.data(), text.size()));
}

TEST_CASE("the line limit counts what the kernel keeps") {
  LineLimit line;
  termios settings = cooked();
  const auto accept = [&](const std::string& text) {
    return line.accept(settings, text.data(), text.size());
  };
  const std::string full(4095, 'x');
  SECTION("4095 bytes fit, one more does not, and a refusal counts nothing") {
    CHECK(accept(full));
    CHECK_FALSE(accept("x"));
    CHECK(line.count() == 4095);
    CHECK(accept("\n"));
    CHECK(accept(full + "\n" + full + "\r"));
    CHECK(line.count() == 0);
    CHECK_FALSE(accept(full + "x\n"));
  }
  SECTION("end of file, kill and interrupt end the line, an erase takes one byte back, a word none") {
    for (const char* end : {"\x04", "\x15", "\x03", "\x1c", "\x1a"}) {
      CHECK(accept(full));
      CHECK(accept(end));
      CHECK(line.count() == 0);
    }
    CHECK(accept("abc\x7f"));
    CHECK(line.count() == 2);
    CHECK(accept("\x17"));
    CHECK(line.count() == 2);
    CHECK(accept("\x11\x13\x12"));
    CHECK(line.count() == 2);
  }
  SECTION("what follows the literal-next character is kept whatever it is, over two sends too") {
    CHECK(accept("\x16\x03\x16"));
    CHECK(accept("\x04"));
    CHECK(line.count() == 2);
  }
  SECTION("without ICRNL a carriage return is a byte like any other") {
    settings.c_iflag = 0;
    CHECK(accept("a\r"));
    CHECK(line.count() == 2);
  }
  SECTION("without NOFLSH's opposite the line survives an interrupt") {
    settings.c_lflag |= NOFLSH;
    CHECK(accept("abc\x03"));
    CHECK(line.count() == 3);
  }
  SECTION("in raw mode all goes, and the count begins anew") {
    CHECK(accept(full));
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON);
    CHECK(accept(std::string(20'000, 'y')));
    settings.c_lflag |= ICANON;
    CHECK(accept(full));
  }
}

TEST_CASE("packets are checked whole before anything looks into them") {
  alignas(8) char bytes[256] = {};
  const auto check = [&](auto message, MessageType type, std::size_t size) {
    message.head = {type, 0, static_cast<std::uint32_t>(size), 0};
    std::memcpy(bytes, &message, sizeof message);
    return check_packet(bytes, size);
  };
  CHECK(check_packet(bytes, 3) == Status::invalid);
  CHECK(check(Clear{}, MessageType::clear, sizeof(Clear)) == Status::ok);
  CHECK(check(Clear{}, MessageType::clear, sizeof(Clear) - 8) == Status::invalid);
  CHECK(check(Clear{}, MessageType::clear, sizeof(Clear) + 8) == Status::invalid);
  CHECK(check(Clear{{}, kClearKeepLine}, MessageType::clear, sizeof(Clear)) == Status::ok);
  CHECK(check(Clear{{}, 2}, MessageType::clear, sizeof(Clear)) == Status::unsupported);
  CHECK(check(Input{}, MessageType::input, sizeof(Input)) == Status::invalid);
  CHECK(check(Input{}, MessageType::input, sizeof(Input) + 1) == Status::ok);
  CHECK(check(Clear{}, MessageType::reply, sizeof(Clear)) == Status::unsupported);
  Close close{};
  close.flags = 2;
  CHECK(check(close, MessageType::close, sizeof close) == Status::unsupported);
}

TEST_CASE("/proc/PID/stat is read right whatever a program calls itself") {
  ProcStat stat;
  const std::string text = "42 (a) R 1 2 (x) S 7 8 9 34817 8 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 0 0\n";
  REQUIRE(parse_stat(text.data(), text.size(), &stat));
  CHECK(stat.pid == 42);
  CHECK(std::string(stat.name) == "a) R 1 2 (x");
  CHECK(stat.state == 'S');
  CHECK(stat.parent == 7);
  CHECK(stat.session == 9);
  CHECK(stat.tty == 34817);
  CHECK(stat.start_ticks == 123456);
  for (std::size_t cut = 0; cut < text.size(); ++cut) parse_stat(text.data(), cut, &stat);
  CHECK_FALSE(parse_stat(text.data(), 40, &stat));
  REQUIRE(read_stat(::getpid(), &stat));
  CHECK(stat.parent == ::getppid());
}

TEST_CASE("a start block is refused for any length or count that is off") {
  Options options;
  options.argv = {"prog", "arg"};
  options.env = {"A=1"};
  const std::uint8_t session[16] = {};
  Fd memory = start_block(options, "/run", "/journal", "stem", session);
  std::vector<char> bytes(static_cast<std::size_t>(::lseek(memory.get(), 0, SEEK_END)));
  REQUIRE(::pread(memory.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  StartView view;
  REQUIRE(parse_start(bytes.data(), bytes.size(), &view));
  CHECK(std::string(view.cwd) == "/");
  CHECK(std::string(view.args) == "prog");
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) CHECK_FALSE(parse_start(bytes.data(), cut, &view));
  const auto with = [&](auto change) {
    std::vector<char> changed = bytes;
    change(*reinterpret_cast<StartBlock*>(changed.data()));
    return parse_start(changed.data(), changed.size(), &view);
  };
  CHECK_FALSE(with([](StartBlock& b) { b.argc = 3; }));
  CHECK_FALSE(with([](StartBlock& b) {
    b.argc = 0;
    b.envc = 3;
  }));
  CHECK_FALSE(with([](StartBlock& b) {
    b.envc = 0xffffffff;
    b.argc = 0xffffffff;
  }));
  CHECK_FALSE(with([](StartBlock& b) { b.cols = 0; }));
  CHECK_FALSE(with([](StartBlock& b) { b.flags = 8; }));
  CHECK_FALSE(with([](StartBlock& b) { b.abi_major = 9; }));
  for (const char* stem : {"", "a/b", "..", "a.b"}) {
    memory = start_block(options, "/run", "/journal", stem, session);
    bytes.resize(static_cast<std::size_t>(::lseek(memory.get(), 0, SEEK_END)));
    REQUIRE(::pread(memory.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    CHECK_FALSE(parse_start(bytes.data(), bytes.size(), &view));
  }
}

TEST_CASE("a disk that fails for a while and heals in time leaves no gap") {
  Writer writer;
  writer.fail_segment("00000001.seg");
  writer.write(900'000);
  CHECK_FALSE(writer.journal.is_degraded());
  writer.write(400'000);
  CHECK(writer.journal.is_degraded());
  CHECK(writer.header->spool_from == kSegmentBytes);
  CHECK(writer.resize(100));
  writer.write(400'000);
  writer.retry();
  CHECK(writer.journal.is_degraded());
  writer.heal_segment("00000001.seg");
  writer.retry();
  CHECK_FALSE(writer.journal.is_degraded());
  writer.write(1'500'000);
  const Journal journal(writer.folder.path);
  CHECK(journal.faults.empty());
  CHECK((journal.all() == writer.all));
  CHECK(journal.count(EventType::resize) == 1);
  REQUIRE(journal.count(EventType::gap) == 1);
  CHECK(journal.last(EventType::gap)->as<GapEvent>().reason == GapReason::none);
  CHECK(journal.last(EventType::gap)->as<GapEvent>().errno_value == ELOOP);
  CHECK(writer.header->gaps == 0);
  // Positions are contiguous.
  std::uint64_t position = 0;
  for (const auto& record : journal.records) {
    CHECK(record.position == position);
    position += record.head.bytes;
  }
  CHECK(position == writer.header->event_bytes);
}

TEST_CASE("a disk that fails for long costs whole segments, with the gap in its place") {
  Writer writer;
  writer.write(300'000);
  writer.fail_segment("00000001.events");
  writer.write(7'000'000);
  CHECK(writer.journal.is_degraded());
  CHECK(writer.header->gaps == 1);
  const std::uint64_t from = writer.header->spool_from;
  CHECK(from % kSegmentBytes == 0);
  CHECK(writer.all.size() - from <= kSpoolBytes);
  writer.heal_segment("00000001.events");
  writer.retry();
  REQUIRE_FALSE(writer.journal.is_degraded());
  writer.write(3'000'000);
  const Journal journal(writer.folder.path);
  CHECK(journal.faults.empty());
  for (const auto& [number, data] : journal.segments)
    CHECK((data == writer.all.substr(number * kSegmentBytes, data.size())));
  REQUIRE(journal.count(EventType::gap) == 1);
  const auto* gap = journal.last(EventType::gap);
  CHECK(gap->as<GapEvent>().from == kSegmentBytes);
  CHECK(gap->as<GapEvent>().to == from);
  CHECK(gap->as<GapEvent>().reason == GapReason::io_error);
  CHECK(gap->head.offset == kSegmentBytes);
  const auto* next = gap + 1;
  REQUIRE(next->head.type == EventType::first);
  CHECK(next->head.offset == from);
  CHECK(next->position > gap->position + gap->head.bytes);
  CHECK(next->as<FirstEvent>().gaps == 0 + 1);
  CHECK(journal.segments.rbegin()->second.size() == writer.all.size() % kSegmentBytes);
}

TEST_CASE(
    "with no room in the spool for an event, times and inputs go first, a resize is refused, an exit has its "
    "place") {
  Writer writer;
  writer.fail_segment("00000001.seg");
  writer.write(kSegmentBytes + 10);
  REQUIRE(writer.journal.is_degraded());
  int taken = 0;
  while (writer.resize(100) && taken < 10'000) ++taken;
  CHECK(taken > 1000);
  CHECK(taken < 2000);
  ExitEvent record{};
  record.head.type = EventType::exit;
  record.head.bytes = sizeof record;
  CHECK(writer.journal.event(&record.head, Weight::vital));
  writer.heal_segment("00000001.seg");
  writer.retry();
  writer.journal.publish();
  const Journal journal(writer.folder.path);
  CHECK(journal.faults.empty());
  CHECK(journal.count(EventType::resize) == static_cast<std::size_t>(taken));
  CHECK(journal.count(EventType::exit) == 1);
}

TEST_CASE("where the spool cannot be written either, all up to the next segment is given up and counted") {
  Writer writer;
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{400'000, before.rlim_max};
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  writer.write(600'000);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  CHECK(writer.journal.is_degraded());
  CHECK(writer.header->journal_errno == EFBIG);
  CHECK(writer.header->spool_from == kSegmentBytes);
  CHECK(writer.header->gaps == 1);
  writer.write(1'000'000);
  writer.retry();
  REQUIRE_FALSE(writer.journal.is_degraded());
  writer.write(100'000);
  const Journal journal(writer.folder.path);
  CHECK(journal.faults.empty());
  CHECK((journal.segments.at(1) == writer.all.substr(kSegmentBytes)));
  const auto* gap = journal.last(EventType::gap);
  REQUIRE(gap);
  CHECK(gap->as<GapEvent>().to == kSegmentBytes);
  CHECK(gap->as<GapEvent>().reason == GapReason::disk_full);
}

TEST_CASE("the exit file waits for the disk if it must") {
  Writer writer;
  REQUIRE(::mkdir(writer.path("exit.new").c_str(), 0700) == 0);
  ExitEvent record{};
  record.head.type = EventType::exit;
  record.head.bytes = sizeof record;
  record.kind = ExitKind::code;
  record.value = 3;
  CHECK(writer.journal.event(&record.head, Weight::vital));
  writer.journal.exit_file(record);
  CHECK(writer.journal.is_degraded());
  CHECK_FALSE(exists(writer.path("exit")));
  ::rmdir(writer.path("exit.new").c_str());
  writer.retry();
  CHECK_FALSE(writer.journal.is_degraded());
  const std::string text = read_file(writer.path("exit"));
  REQUIRE(text.size() == sizeof record);
  std::memcpy(&record, text.data(), sizeof record);
  CHECK(record.value == 3);
  CHECK(crc32c(0, text.data() + 4, text.size() - 4) == record.head.crc);
}

TEST_CASE("F20: names that were cleaned away come back, in a folder that was made anew too") {
  const Folder outer;
  const std::string runtime = outer.path + "/run";
  ::mkdir(runtime.c_str(), 0700);
  Options options;
  options.argv = {"prog"};
  const std::uint8_t session[16] = {5};
  Fd memory = start_block(options, runtime, "/journal", "stem", session);
  MappedStart start;
  REQUIRE(start.map(memory.get()) == 0);
  RuntimeFiles files;
  REQUIRE(files.create(start.view()) == 0);
  REQUIRE(files.bind_socket() == 0);
  REQUIRE(files.publish_header() == 0);
  const int listener = files.listener();
  files.restore();
  CHECK(files.listener() == listener);
  ::unlink((runtime + "/stem.sock").c_str());
  files.restore();
  CHECK(exists(runtime + "/stem.sock"));
  ::unlink((runtime + "/stem.sock").c_str());
  ::unlink((runtime + "/stem.hdr").c_str());
  ::rmdir(runtime.c_str());
  files.restore();
  CHECK_FALSE(exists(runtime));
  ::mkdir(runtime.c_str(), 0700);
  files.restore();
  CHECK(exists(runtime + "/stem.sock"));
  const std::string copy = read_file(runtime + "/stem.hdr");
  REQUIRE(copy.size() == kHeaderBytes);
  CHECK(std::memcmp(copy.data(), &files.header(), 128) == 0);
  files.remove();
  CHECK_FALSE(exists(runtime + "/stem.hdr"));
  CHECK_FALSE(exists(runtime + "/stem.sock"));
}
