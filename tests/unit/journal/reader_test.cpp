#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "journal/journal.hpp"
#include "support/journal_writer.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;
using journal::Event;
using journal::Reader;
using shim_abi::EventType;
using shim_abi::kSegmentBytes;
using test::contents;
using test::JournalWriter;
using test::MemoryHeader;
using test::TempFolder;

namespace {

shim_abi::RequestId id_of(char c) {
  shim_abi::RequestId id{};
  id.bytes[0] = static_cast<std::uint8_t>(c);
  return id;
}

/// Bytes that tell their offset.
std::string pattern(std::uint64_t from, std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('!' + (from + i) * 7 % 90);
  return text;
}

std::string read_all(Reader& reader, std::uint64_t from) {
  std::string all;
  std::string part(300'000, '\0');
  for (;;) {
    const auto got = reader.read(from + all.size(), part);
    REQUIRE(got.has_value());
    if (*got == 0) return all;
    all.append(part, 0, *got);
  }
}

std::vector<Event> all_events(Reader& reader, std::uint64_t position, std::size_t at_a_time = 1000) {
  std::vector<Event> all;
  for (;;) {
    const std::uint64_t before = position;
    const auto some = reader.read_events(position, at_a_time);
    if (!some) FAIL(some.error().message);
    all.insert(all.end(), some->begin(), some->end());
    if (position == before) return all;
  }
}

std::vector<Event> without_times(std::vector<Event> events) {
  std::erase_if(events, [](const Event& e) { return e.type == EventType::time; });
  return events;
}

std::vector<EventType> types(const std::vector<Event>& events) {
  std::vector<EventType> result;
  for (const Event& event : events) result.push_back(event.type);
  return result;
}

}  // namespace

TEST_CASE("a live journal is read while it grows, without an open for each read", "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  Reader reader(folder.path(), &header.get(), writer.spool());

  const auto start = reader.start();
  REQUIRE(start.has_value());
  CHECK(start->offset == 0);
  CHECK(start->event_position == 0);
  CHECK(start->cols == 80);
  CHECK(reader.end() == 0);

  writer.output("hello");
  CHECK(reader.end() == 5);
  CHECK(read_all(reader, 0) == "hello");
  writer.output(" world");
  CHECK(read_all(reader, 5) == " world");
  char two[2];
  CHECK(*reader.read(3, two) == 2);
  CHECK(std::string(two, 2) == "lo");
  CHECK(*reader.read(11, two) == 0);
  CHECK(*reader.read(99, two) == 0);
}

TEST_CASE("events come in order with what they say, and a position goes on where it stopped", "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  Reader reader(folder.path(), &header.get(), writer.spool());
  writer.output("ab");
  writer.resize(132, 50);
  writer.output("c");
  writer.clear();
  writer.input(id_of('x'), 3, 12, shim_abi::kLineEcho, shim_abi::kInputEndsLine);
  writer.write_done(id_of('x'), 3, 7);
  writer.reply(2, 1, true);
  writer.restart(4711, 100, 30);
  writer.unknown(77, 4096);
  writer.unknown(78, 65528);
  writer.exit(shim_abi::ExitKind::signal, 9);

  const std::size_t at_a_time = GENERATE(std::size_t{1}, std::size_t{3}, std::size_t{1000});
  const auto events = all_events(reader, 0, at_a_time);
  REQUIRE(types(events) == std::vector<EventType>{EventType::time, EventType::resize, EventType::clear,
                                                  EventType::input, EventType::write_done, EventType::reply,
                                                  EventType::restart, EventType::exit});
  CHECK(events[1].offset == 2);
  CHECK(events[1].cols == 132);
  CHECK(events[1].rows == 50);
  CHECK(events[2].offset == 3);
  CHECK(events[3].id == id_of('x'));
  CHECK(events[3].step == 3);
  CHECK(events[3].bytes == 12);
  CHECK(events[3].line_flags == shim_abi::kLineEcho);
  CHECK(events[3].flags == shim_abi::kInputEndsLine);
  CHECK(events[4].bytes == 7);
  CHECK(events[5].key_offset == 2);
  CHECK(events[5].key_index == 1);
  CHECK(events[5].dropped == 1);
  CHECK(events[6].pid == 4711);
  CHECK(events[6].cols == 100);
  CHECK(events[7].exit_kind == shim_abi::ExitKind::signal);
  CHECK(events[7].exit_value == 9);
  const auto exit = reader.exit();
  REQUIRE(exit.has_value());
  CHECK(exit->kind == shim_abi::ExitKind::signal);
  CHECK(exit->value == 9);
  CHECK(exit->offset == 3);
}

TEST_CASE("segments and events go on across files, live and from files alone", "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  std::string all;
  int resizes = 0;
  while (all.size() < 3 * kSegmentBytes + 1000) {
    const std::string chunk = pattern(all.size(), 70'000);
    writer.advance(1'000'000);
    writer.output(chunk);
    all += chunk;
    writer.resize(80 + ++resizes, 24);
  }
  const bool live = GENERATE(true, false);
  Reader reader(folder.path(), live ? &header.get() : nullptr, live ? writer.spool() : -1);
  CHECK(reader.end() == all.size());
  CHECK(read_all(reader, 0) == all);
  CHECK(read_all(reader, 2 * kSegmentBytes - 5) == all.substr(2 * kSegmentBytes - 5));
  const auto resized = without_times(all_events(reader, 0));
  REQUIRE(static_cast<int>(resized.size()) == resizes);
  CHECK(resized.back().cols == 80 + resizes);
  CHECK(reader.events_end() == writer.position());
  CHECK(reader.dropped_bytes() == 0);

  char more[64];
  CHECK(*reader.read(kSegmentBytes - 3, more) == 3);  // at most to the end of a segment

  const auto second = reader.start_at(2 * kSegmentBytes + 17);
  REQUIRE(second.has_value());
  CHECK(second->offset == 2 * kSegmentBytes);
  CHECK(second->cols == 80 + static_cast<int>(second->revision_steps));
  const auto later = without_times(all_events(reader, second->event_position));
  REQUIRE(later.size() < resized.size());
  CHECK(later.front().cols == second->cols + 1);
}

TEST_CASE("a read ends where a segment begins that does not exist yet", "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  writer.output(std::string(kSegmentBytes, 'x'));
  Reader reader(folder.path(), &header.get(), writer.spool());
  std::uint64_t position = 0;
  REQUIRE(reader.read_events(position, 100).has_value());
  CHECK(read_all(reader, kSegmentBytes - 1) == "x");
  char one[1];
  CHECK(*reader.read(kSegmentBytes, one) == 0);
  writer.clear();  // a record at the very end of a segment stands in the next one's file
  const auto events = reader.read_events(position, 100);
  REQUIRE(events.has_value());
  REQUIRE(events->size() == 1);
  CHECK(events->front().offset == kSegmentBytes);
}

TEST_CASE("what the cap deleted is refused by name, what is kept begins with its own state", "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  writer.resize(100, 40);
  writer.output(pattern(0, 3 * kSegmentBytes + 100));
  const bool live = GENERATE(true, false);
  Reader early(folder.path(), &header.get(), writer.spool());
  std::uint64_t position = 0;
  REQUIRE(early.read_events(position, 1).has_value());
  writer.cap(2);

  Reader reader(folder.path(), live ? &header.get() : nullptr, live ? writer.spool() : -1);
  const auto start = reader.start();
  REQUIRE(start.has_value());
  CHECK(start->offset == 2 * kSegmentBytes);
  CHECK(start->cols == 100);
  CHECK(start->revision_steps == 1);
  char bytes[8];
  for (const std::uint64_t offset : {std::uint64_t{0}, 2 * kSegmentBytes - 1}) {
    const auto refused = reader.read(offset, bytes);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::session_gone);
    CHECK(refused.error().detail == "cap");
  }
  CHECK(read_all(reader, start->offset) == pattern(start->offset, kSegmentBytes + 100));
  const auto gaps = without_times(all_events(reader, start->event_position));
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[1].reason == shim_abi::GapReason::cap);
  CHECK(gaps[1].to == 2 * kSegmentBytes);

  const auto too_old = early.read_events(position, 100);
  REQUIRE(!too_old);
  CHECK(too_old.error().detail == "cap");
}

TEST_CASE("while the disk fails the spool is read, and the files again once it is well", "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  const std::size_t before = GENERATE(std::size_t{0}, std::size_t{1000}, std::size_t{kSegmentBytes - 10},
                                      std::size_t{kSegmentBytes});
  CAPTURE(before);
  writer.output(pattern(0, before));
  Reader reader(folder.path(), &header.get(), writer.spool());
  Reader late(folder.path(), &header.get(), writer.spool());
  std::uint64_t position = 0;
  REQUIRE(reader.read_events(position, 1000).has_value());

  writer.fail_disk(ENOSPC);
  writer.output(pattern(before, 600'000));
  writer.resize(99, 9);
  writer.output(pattern(before + 600'000, 600'000));
  CHECK(read_all(reader, 0) == pattern(0, before + 1'200'000));
  auto events = reader.read_events(position, 1000);
  REQUIRE(events.has_value());
  REQUIRE(without_times(*events).size() == 1);  // no gap: nothing was lost
  CHECK(without_times(*events).front().cols == 99);

  writer.recover();
  writer.output("more");
  writer.clear();
  CHECK(read_all(reader, 0) == pattern(0, before + 1'200'000) + "more");
  events = reader.read_events(position, 1000);
  REQUIRE(events.has_value());
  CHECK(types(without_times(*events)) == std::vector<EventType>{EventType::clear});
  CHECK(types(without_times(all_events(late, 0))) ==
        std::vector<EventType>{EventType::resize, EventType::clear});

  Reader files(folder.path(), nullptr, -1);
  CHECK(read_all(files, 0) == pattern(0, before + 1'200'000) + "more");
  CHECK(files.dropped_bytes() == 0);
}

TEST_CASE("what a full spool dropped reads as NUL, and a gap says so: while the disk fails and after",
          "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  const std::uint64_t failed = GENERATE(1000u, 1u << 20);
  CAPTURE(failed);
  writer.output(pattern(0, failed));
  Reader reader(folder.path(), &header.get(), writer.spool());
  std::uint64_t position = 0;
  REQUIRE(reader.read_events(position, 1000).has_value());
  writer.fail_disk(ENOSPC);
  for (int i = 0; i < 50; ++i) {
    writer.advance(1'000'000);
    writer.output(pattern(writer.offset(), 100'000));
  }
  const std::uint64_t to = header.get().spool_from.load();
  REQUIRE(to % kSegmentBytes == 0);
  REQUIRE(to > failed);

  const auto check_gap = [&](const std::vector<Event>& events) {
    std::vector<Event> gaps = events;
    std::erase_if(gaps, [](const Event& e) { return e.type != EventType::gap; });
    REQUIRE(gaps.size() == 1);
    CHECK(gaps[0].offset == failed);
    CHECK(gaps[0].from == failed);
    CHECK(gaps[0].to == to);
    CHECK(gaps[0].reason == shim_abi::GapReason::disk_full);
  };
  const std::string expected =
      pattern(0, failed) + std::string(to - failed, '\0') + pattern(to, writer.offset() - to);
  CHECK(read_all(reader, 0) == expected);
  check_gap(all_events(reader, position));

  writer.recover();
  writer.output("end");
  Reader after(folder.path(), &header.get(), writer.spool());
  CHECK(read_all(after, 0) == expected + "end");
  check_gap(all_events(after, 0));
  check_gap(all_events(reader, position));

  Reader files(folder.path(), nullptr, -1);
  CHECK(files.end() == expected.size() + 3);
  CHECK(read_all(files, 0) == expected + "end");
  check_gap(all_events(files, 0));
  CHECK(files.dropped_bytes() == 0);
}

TEST_CASE("what attempts to write on left behind a gap is no part of the journal", "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  writer.output(pattern(0, 1000));
  writer.fail_disk(ENOSPC);
  writer.resize(99, 9);
  // Ended here, the spool's records are in the file; the program goes on and the spool overflows.
  for (int i = 0; i < 50; ++i) writer.output(pattern(writer.offset(), 100'000));
  writer.recover();
  writer.output("end");
  const std::uint64_t to = 3 * kSegmentBytes;
  const std::string events = contents(folder.file("00000000.events"));
  const std::string other = contents(folder.file("00000003.events"));
  test::put(folder.file("00000000.events"), events + other.substr(88, 64));
  test::put(folder.file("00000001.events"), other);
  test::put(folder.file("00000001.seg"), "");
  const bool live = GENERATE(true, false);
  Reader reader(folder.path(), live ? &header.get() : nullptr, live ? writer.spool() : -1);
  const auto found = without_times(all_events(reader, 0));
  REQUIRE(found.size() == 1);
  CHECK(found[0].type == EventType::gap);
  CHECK(found[0].to == to);
  CHECK(reader.end() == writer.offset());
  CHECK(reader.dropped_bytes() == 0);
}

TEST_CASE("half a record on a full disk is stepped over, not taken for damage", "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  writer.output("abc");
  Reader reader(folder.path(), &header.get(), writer.spool());
  std::uint64_t position = 0;
  REQUIRE(reader.read_events(position, 1000).has_value());
  writer.fail_disk(EIO);
  const std::string events = contents(folder.file("00000000.events"));
  test::put(folder.file("00000000.events"), events + std::string(16, 'z'));
  for (int i = 0; i < 40; ++i) writer.output(std::string(100'000, 'y'));
  const auto found = without_times(all_events(reader, position));
  REQUIRE(found.size() == 1);
  CHECK(found[0].type == EventType::gap);
  CHECK(found[0].reason == shim_abi::GapReason::io_error);
}

TEST_CASE("C12: with a live header an invalid record is an error that says where", "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  writer.output("abc");
  writer.clear();
  std::string events = contents(folder.file("00000000.events"));
  events[events.size() - 1] ^= 1;
  test::put(folder.file("00000000.events"), events);
  Reader reader(folder.path(), &header.get(), writer.spool());
  std::uint64_t position = 0;
  const auto valid = reader.read_events(position, 100);
  REQUIRE(valid.has_value());
  CHECK(valid->size() == 1);  // the time before it
  const auto bad = reader.read_events(position, 100);
  REQUIRE(!bad);
  CHECK(bad.error().code == ErrorCode::internal);
  CHECK(bad.error().message.find(folder.path()) != std::string::npos);
}

TEST_CASE("C07: after the header is forgotten the files give all up to the last byte", "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  Reader reader(folder.path(), &header.get(), writer.spool());
  writer.output("abc");
  writer.resize(90, 30);
  writer.output("def");  // within the same millisecond: no record covers it
  CHECK(read_all(reader, 0) == "abcdef");
  reader.forget_header();
  CHECK(reader.end() == 6);
  CHECK(read_all(reader, 2) == "cdef");
  CHECK(without_times(all_events(reader, 0)).size() == 1);
  CHECK(reader.dropped_bytes() == 0);
}

TEST_CASE("a folder that is not there is an error with its path, or an empty journal without a header",
          "[journal]") {
  MemoryHeader header;
  Reader live("/nonexistent/journal", &header.get(), -1);
  const auto start = live.start();
  REQUIRE(!start);
  CHECK(start.error().code == ErrorCode::internal);
  CHECK(start.error().message.find("/nonexistent/journal") != std::string::npos);
  Reader files("/nonexistent/journal", nullptr, -1);
  CHECK(files.start().has_value());
  CHECK(files.end() == 0);
  CHECK(files.events_end() == 0);
  CHECK(!files.exit().has_value());
  std::uint64_t position = 0;
  CHECK(files.read_events(position, 10)->empty());
}

TEST_CASE("removing a journal leaves what is not of ours, and never follows a link", "[journal]") {
  TempFolder folder;
  TempFolder other;
  const std::string journal = folder.file("j");
  ::mkdir(journal.c_str(), 0700);
  MemoryHeader header;
  JournalWriter writer(journal, header.get());
  writer.exit(shim_abi::ExitKind::code, 0);
  test::put(journal + "/index", "x");
  test::put(journal + "/index.new", "x");
  test::put(journal + "/00000001.keyframe", "x");
  SECTION("only ours") {
    journal::remove(journal);
    CHECK(!std::filesystem::exists(journal));
  }
  SECTION("with something else") {
    test::put(journal + "/notes.txt", "mine");
    test::put(journal + "/1.seg", "mine");
    journal::remove(journal);
    CHECK(contents(journal + "/notes.txt") == "mine");
    CHECK(contents(journal + "/1.seg") == "mine");
    CHECK(!std::filesystem::exists(journal + "/00000000.seg"));
    CHECK(!std::filesystem::exists(journal + "/index"));
  }
  SECTION("T43: a link in place of the folder") {
    test::put(other.file("00000000.seg"), "keep");
    std::filesystem::create_directory_symlink(other.path(), folder.file("link"));
    journal::remove(folder.file("link"));
    CHECK(contents(other.file("00000000.seg")) == "keep");
  }
}

TEST_CASE("T43: a link in place of a file is not followed", "[journal]") {
  TempFolder folder;
  TempFolder other;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  writer.output("abc");
  test::put(other.file("secret"), "secret");
  std::filesystem::remove(folder.file("00000000.seg"));
  std::filesystem::create_symlink(other.file("secret"), folder.file("00000000.seg"));
  Reader reader(folder.path(), &header.get(), writer.spool());
  char bytes[3];
  const auto refused = reader.read(0, bytes);
  REQUIRE(!refused);
  CHECK(refused.error().code == ErrorCode::internal);
}
