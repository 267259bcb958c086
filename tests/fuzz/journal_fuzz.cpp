// Bytes as the files of a journal folder. Whatever they are, the reader comes to an end, within its bounds,
// and never gives more than the files hold. Input: a byte of options, then files {kind, number, length (16
// bits), bytes}.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "journal/files.hpp"
#include "journal/journal.hpp"
#include "shim_abi/messages.hpp"

using namespace smartcli;

namespace {

enum Options : std::uint8_t {
  kRepairCrcs = 1,  ///< else nearly every input would end at the first checksum
  kLive = 2,
  kDegraded = 4,
};

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void repair(std::string& events) {
  constexpr std::size_t kFrom = offsetof(shim_abi::EventHead, type);
  for (std::size_t at = 0; at + sizeof(shim_abi::EventHead) <= events.size();) {
    shim_abi::EventHead head;
    std::memcpy(&head, events.data() + at, sizeof head);
    if (head.bytes < sizeof head || at + head.bytes > events.size()) return;
    head.crc = shim_abi::crc32c(0, events.data() + at + kFrom, head.bytes - kFrom);
    std::memcpy(events.data() + at, &head.crc, sizeof head.crc);
    at += head.bytes;
  }
}

const std::string& folder() {
  static const std::string& path = *[] {  // outlives the handler below
    auto* pattern = new std::string("/dev/shm/journal-fuzz-XXXXXX");
    check(::mkdtemp(pattern->data()) != nullptr, "mkdtemp");
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(folder(), ignored);
    });
    return pattern;
  }();
  return path;
}

void read_all(journal::Reader& reader, bool is_live) {
  const auto start = reader.start();
  if (start) {
    std::string bytes(100'000, '\0');
    std::uint64_t at = start->offset;
    for (int turn = 0; turn < 200; ++turn) {  // a live header may claim any length
      const auto got = reader.read(at, bytes);
      if (!got || *got == 0) break;
      check(*got <= bytes.size(), "more than fits");
      check(at + *got <= reader.end(), "beyond the end");
      at += *got;
    }
    std::uint64_t position = start->event_position, offset = 0;
    for (int turn = 0; turn < 20'000; ++turn) {
      const std::uint64_t before = position;
      const auto events = reader.read_events(position, 7);
      if (!events) break;
      check(events->size() <= 7, "more events than asked");
      check(position >= before, "position goes back");
      check(is_live || position <= reader.events_end(), "position beyond the end");
      if (!is_live) {
        for (const auto& event : *events) {
          check(event.offset >= offset && event.offset <= reader.end(), "offset");
          offset = event.offset;
        }
      }
      if (position == before) break;
    }
    (void)reader.start_at(start->offset + 12345);
  }
  (void)reader.exit();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::uint8_t options = data[0];
  std::size_t at = 1, stored = 0;
  std::vector<std::string> names;
  while (at + 4 <= size && names.size() < 12) {
    const unsigned kind = data[at] % 3, number = data[at + 1] % 4;
    std::size_t length = data[at + 2] | data[at + 3] << 8;
    at += 4;
    length = std::min(length, size - at);
    std::string bytes(reinterpret_cast<const char*>(data) + at, length);
    at += length;
    if (kind != 0 && (options & kRepairCrcs) != 0) repair(bytes);
    const std::string name =
        kind == 2
            ? folder() + "/" + shim_abi::kExitFile
            : journal::path_of(folder(), kind == 0 ? journal::Kind::segment : journal::Kind::events, number);
    const Fd file(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    check(::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "write");
    stored += bytes.size();
    names.push_back(name);
  }

  journal::Reader files(folder(), nullptr, -1);
  read_all(files, false);
  check(files.dropped_bytes() <= stored, "dropped more than there was");
  journal::Reader sliced(folder(), nullptr, -1);
  while (!sliced.check(100)) {
  }
  check(sliced.end() == files.end() && sliced.events_end() == files.events_end(), "slices give the same");

  if ((options & kLive) != 0) {
    alignas(64) static char memory[shim_abi::kHeaderBytes];
    auto* header = new (memory) shim_abi::Header{};
    std::uint64_t words[4] = {};
    std::memcpy(words, data + at, std::min(size - at, sizeof words));
    header->write_offset = words[0] % (8 * shim_abi::kSegmentBytes);
    header->event_bytes = words[1] % (1 << 20);
    header->spool_from = header->spool_events_from = shim_abi::kNoSpool;
    static const Fd spool(::memfd_create("spool", MFD_CLOEXEC));
    (void)!::ftruncate(spool.get(), shim_abi::kSpoolBytes + shim_abi::kSpoolEventBytes);
    if ((options & kDegraded) != 0) {
      header->spool_from = words[2] % (8 * shim_abi::kSegmentBytes);
      header->spool_events_from = words[3] % (1 << 20);
    }
    journal::Reader live(folder(), header, spool.get());
    read_all(live, true);
    live.forget_header();
    check(live.end() == files.end(), "forgotten header");
  }
  for (const std::string& name : names) ::unlink(name.c_str());
  return 0;
}
