#include <catch2/catch.hpp>
#include <random>

#include "journal/journal.hpp"
#include "support/journal_writer.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;
using journal::Reader;
using shim_abi::kSegmentBytes;
using test::contents;
using test::JournalWriter;
using test::MemoryHeader;
using test::put;
using test::TempFolder;

namespace {

struct Files {
  std::string segment, events;
};

/// A small journal: a few chunks, each with its records.
Files small_journal(const std::string& folder) {
  MemoryHeader header;
  JournalWriter writer(folder, header.get());
  for (int i = 0; i < 6; ++i) {
    writer.advance(2'000'000);
    writer.output("line " + std::to_string(i) + " of a program\r\n");
    if (i == 2) writer.resize(90, 20);
    if (i == 4) writer.input({{1}}, 0, 5);
  }
  writer.exit(shim_abi::ExitKind::code, 3);
  return {contents(folder + "/00000000.seg"), contents(folder + "/00000000.events")};
}

/// Reads all there is; what comes must be a beginning of `whole`.
std::uint64_t check_is_prefix(Reader& reader, const std::string& whole) {
  std::string bytes(whole.size() + 10, '\0');
  std::uint64_t at = 0;
  for (;;) {
    const auto got = reader.read(at, std::span<char>(bytes).subspan(at));
    if (!got) break;  // nothing kept at all
    if (*got == 0) break;
    at += *got;
  }
  REQUIRE(at == reader.end());
  REQUIRE(std::string_view(bytes).substr(0, at) == std::string_view(whole).substr(0, at));
  std::uint64_t position = 0, last = 0;
  while (position < reader.events_end()) {
    const auto events = reader.read_events(position, 3);
    REQUIRE(events.has_value());
    for (const auto& event : *events) {
      REQUIRE(event.offset >= last);
      REQUIRE(event.offset <= reader.end());
      last = event.offset;
    }
  }
  return at;
}

}  // namespace

TEST_CASE("C12: an events file cut at any byte loads its valid prefix and says what was dropped",
          "[journal]") {
  TempFolder folder;
  const Files files = small_journal(folder.path());
  std::uint64_t last_end = 0;
  for (std::size_t cut = 0; cut <= files.events.size(); ++cut) {
    CAPTURE(cut);
    put(folder.file("00000000.events"), files.events.substr(0, cut));
    Reader reader(folder.path(), nullptr, -1);
    const std::uint64_t end = check_is_prefix(reader, files.segment);
    const std::uint64_t kept = reader.events_end();
    REQUIRE(kept <= cut);
    REQUIRE(reader.dropped_bytes() == cut - kept + files.segment.size() - end);
    if (cut == kept && cut > 0) {
      REQUIRE(end ==
              files.segment.size());  // cut between records: data past the last one is the shim's last read
    } else {
      REQUIRE(reader.dropped_bytes() > 0);
      REQUIRE(end >= last_end);
      last_end = end;
    }
  }
}

TEST_CASE("C12: a segment cut at any byte loads up to the last record that holds", "[journal]") {
  TempFolder folder;
  const Files files = small_journal(folder.path());
  std::uint64_t last_end = 0;
  for (std::size_t cut = 0; cut < files.segment.size(); ++cut) {
    CAPTURE(cut);
    put(folder.file("00000000.seg"), files.segment.substr(0, cut));
    Reader reader(folder.path(), nullptr, -1);
    const std::uint64_t end = check_is_prefix(reader, files.segment);
    REQUIRE(end <= cut);
    REQUIRE(end >= last_end);
    REQUIRE(reader.dropped_bytes() == cut - end + files.events.size() - reader.events_end());
    REQUIRE(reader.dropped_bytes() > 0);
    last_end = end;
  }
  REQUIRE(last_end > files.segment.size() / 2);
}

TEST_CASE("C12: any flipped bit is found, and what comes before it is kept", "[journal]") {
  TempFolder folder;
  const Files files = small_journal(folder.path());
  const bool in_events = GENERATE(true, false);
  const std::string& good = in_events ? files.events : files.segment;
  const std::string name = folder.file(in_events ? "00000000.events" : "00000000.seg");
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    CAPTURE(bit);
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    put(name, bad);
    Reader reader(folder.path(), nullptr, -1);
    // The exit record stands at the end, so a checksum covers every byte.
    REQUIRE(check_is_prefix(reader, files.segment) < files.segment.size() + (in_events ? 1 : 0));
    REQUIRE(reader.dropped_bytes() > 0);
  }
}

TEST_CASE("C12: bits flipped at random in a journal of several segments never do more than shorten it",
          "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  std::string all;
  std::mt19937 random(7);
  while (all.size() < 2 * kSegmentBytes + 50'000) {
    std::string chunk(60'000, '\0');
    for (char& c : chunk) c = static_cast<char>(random());
    writer.advance(1'000'000);
    writer.output(chunk);
    all += chunk;
  }
  writer.clear();
  const char* names[] = {"00000000.seg",    "00000001.seg",    "00000002.seg",
                         "00000000.events", "00000001.events", "00000002.events"};
  for (int turn = 0; turn < 60; ++turn) {
    const std::string name = folder.file(names[random() % 6]);
    const std::string good = contents(name);
    const std::size_t bit = random() % (good.size() * 8);
    CAPTURE(name, bit);
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    put(name, bad);
    Reader reader(folder.path(), nullptr, -1);
    const std::uint64_t end = reader.end();
    REQUIRE(end <= all.size());
    std::string bytes(kSegmentBytes, '\0');
    for (std::uint64_t at = 0; at < end;) {
      const auto got = reader.read(at, bytes);
      REQUIRE(got.has_value());
      REQUIRE(*got > 0);
      // What stands behind the last record of a full segment is the one part that no checksum covers.
      const bool same = std::string_view(bytes).substr(0, *got) == std::string_view(all).substr(at, *got);
      if (!same) REQUIRE(reader.dropped_bytes() == 0);
      at += *got;
    }
    put(name, good);
  }
  Reader reader(folder.path(), nullptr, -1);
  CHECK(reader.end() == all.size());
  CHECK(reader.dropped_bytes() == 0);
}

TEST_CASE("C12: a missing file ends the prefix before it, a missing half at the beginning is skipped",
          "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  writer.output(std::string(3 * kSegmentBytes + 10, 'x'));
  SECTION("events in the middle") {
    std::filesystem::remove(folder.file("00000001.events"));
    Reader reader(folder.path(), nullptr, -1);
    CHECK(reader.end() == kSegmentBytes);
    CHECK(reader.dropped_bytes() > 2 * kSegmentBytes);
  }
  SECTION("a segment in the middle") {
    std::filesystem::remove(folder.file("00000001.seg"));
    Reader reader(folder.path(), nullptr, -1);
    CHECK(reader.end() == kSegmentBytes);
  }
  SECTION("the cap got half-way") {
    std::filesystem::remove(folder.file("00000000.seg"));
    Reader reader(folder.path(), nullptr, -1);
    CHECK(reader.start()->offset == kSegmentBytes);
    CHECK(reader.end() == 3 * kSegmentBytes + 10);
    CHECK(reader.dropped_bytes() > 0);
  }
  SECTION("a new file that nothing was written to") {
    put(folder.file("00000004.seg"), "");
    put(folder.file("00000004.events"), "");
    Reader reader(folder.path(), nullptr, -1);
    CHECK(reader.end() == 3 * kSegmentBytes + 10);
    CHECK(reader.dropped_bytes() == 0);
  }
}

TEST_CASE("the check of a long journal can be done in slices", "[journal]") {
  TempFolder folder;
  MemoryHeader header;
  JournalWriter writer(folder.path(), header.get());
  for (int i = 0; i < 20; ++i) {
    writer.advance(1'000'000);
    writer.output(std::string(100'000, 'x'));
  }
  writer.clear();
  Reader reader(folder.path(), nullptr, -1);
  int slices = 0;
  while (!reader.check(256 << 10)) ++slices;
  CHECK(slices >= 6);
  CHECK(slices <= 12);
  CHECK(reader.end() == 2'000'000);
  Reader live(folder.path(), &header.get(), writer.spool());
  CHECK(live.check(1));
}

TEST_CASE("C12: an exit file that is cut or changed is none", "[journal]") {
  TempFolder folder;
  small_journal(folder.path());
  const std::string good = contents(folder.file("exit"));
  Reader reader(folder.path(), nullptr, -1);
  REQUIRE(reader.exit().has_value());
  CHECK(reader.exit()->value == 3);
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    put(folder.file("exit"), good.substr(0, cut));
    REQUIRE(!reader.exit().has_value());
  }
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    put(folder.file("exit"), bad);
    REQUIRE(!reader.exit().has_value());
  }
}
