#pragma once

// Finds how much of a journal without a shim is valid: the longest beginning whose records and data agree
// with their checksums.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/fd.hpp"
#include "shim_abi/events.hpp"

namespace smartcli::journal {

/// One events file, and how many of its bytes count.
struct EventsFile {
  std::uint64_t number = 0;
  std::uint64_t before = 0;  ///< position of its first byte
  std::uint64_t bytes = 0;
  shim_abi::FirstEvent first{};
  std::uint64_t lost_to =
      0;  ///< its last record says that all bytes from there up to this offset were lost; else 0
};

class Prefix {
 public:
  explicit Prefix(std::string folder) : folder_(std::move(folder)) {}

  /// Checks on, about `budget` bytes of data at most; true once all is known. Never fails: what cannot be
  /// read is not part of the prefix.
  bool advance(std::size_t budget);

  // Final once `advance` returned true.
  const std::vector<EventsFile>& files() const { return files_; }
  std::uint64_t end() const { return end_; }
  std::uint64_t dropped_bytes() const { return dropped_; }

 private:
  struct Segment {
    std::uint64_t number, bytes;
  };

  void scan();
  bool scan_events(EventsFile& file);
  bool follows(const EventsFile& file) const;
  /// True once the data before the next record is known to be good or bad.
  bool check_data(std::uint64_t to, std::size_t& budget);
  bool next_record();
  void enter_file();
  void end_at(std::uint64_t offset);
  void finish();
  std::uint64_t stored_bytes(std::uint64_t number) const;

  std::string folder_;
  bool scanned_ = false, done_ = false;
  bool whole_ = true;  ///< the last events file does not end in an invalid record
  std::vector<EventsFile> files_;
  std::vector<Segment> segments_;
  std::uint64_t all_events_ = 0;

  // Where the check of data stands.
  std::size_t file_ = 0;
  std::uint64_t record_ = 0;  ///< byte in the file of the record being checked
  std::uint64_t data_ = 0;    ///< offset up to which `crc_` goes
  std::uint64_t good_ = 0;    ///< offset of the last record that held
  std::uint32_t crc_ = 0;
  bool have_record_ = false, data_bad_ = false;
  shim_abi::EventHead head_{};
  Fd events_, segment_;
  std::uint64_t segment_number_ = ~0ull;

  std::uint64_t end_ = 0, dropped_ = 0;
};

}  // namespace smartcli::journal
