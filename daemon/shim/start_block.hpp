#pragma once

#include "shim_abi/start.hpp"

namespace smartcli::shim {

/// A start block with its strings found. Points into the block.
struct StartView {
  const shim_abi::StartBlock* block = nullptr;
  const char* runtime = nullptr;
  const char* journal = nullptr;
  const char* stem = nullptr;
  const char* program = nullptr;
  const char* cwd = nullptr;
  const char* args = nullptr;  ///< `argc` strings one after the other, then `envc`
};

inline constexpr std::size_t kStemBytes = 64;

/// Checks every length and count. Pure. @return false if anything is off
bool parse_start(const void* data, std::size_t bytes, StartView* view);

/// A block mapped from its memfd for as long as this lives.
class MappedStart {
 public:
  MappedStart() = default;
  MappedStart(const MappedStart&) = delete;
  MappedStart& operator=(const MappedStart&) = delete;
  ~MappedStart();
  /// @return 0 or errno: EINVAL for a block that is malformed or not sealed
  int map(int fd);
  const StartView& view() const { return view_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  StartView view_;
};

}  // namespace smartcli::shim
