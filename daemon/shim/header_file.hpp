#pragma once

#include <cstdint>

#include "common/fd.hpp"
#include "shim/start_block.hpp"
#include "shim_abi/header.hpp"

namespace smartcli::shim {

/// The names of this session in the runtime folder: `STEM.hdr` and `STEM.sock`.
class RuntimeFiles {
 public:
  /// Opens the folder and makes the header under a name that nobody looks for. @return 0 or errno
  int create(const StartView& start);
  /// Gives the header its name. @return 0 or errno
  int publish_header();
  /// Binds and listens. @return 0 or errno
  int bind_socket();
  /// Makes the names again if something took them away, in the folder as it is now.
  void restore();
  void remove();

  shim_abi::Header& header() { return *header_; }
  int header_fd() const { return header_fd_.get(); }
  int listener() const { return listener_.get(); }

 private:
  int open_folder();
  bool is_ours(const char* suffix, std::uint64_t inode) const;

  char folder_path_[4096] = {};
  char stem_[kStemBytes + 1] = {};
  Fd folder_, header_fd_, listener_;
  shim_abi::Header* header_ = nullptr;
  std::uint64_t header_inode_ = 0, socket_inode_ = 0;
};

}  // namespace smartcli::shim
