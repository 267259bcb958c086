#include "shim/start_block.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

namespace smartcli::shim {

using namespace shim_abi;

namespace {

bool is_stem(const char* stem) {
  std::size_t length = 0;
  for (; stem[length]; ++length) {
    const char c = stem[length];
    const bool good =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    if (!good || length >= kStemBytes) return false;
  }
  return length > 0;
}

}  // namespace

bool parse_start(const void* data, std::size_t bytes, StartView* view) {
  if (bytes < sizeof(StartBlock) || bytes > kStartBytes) return false;
  const auto* block = static_cast<const StartBlock*>(data);
  if (block->magic != kStartMagic || block->abi_major != kAbiMajor) return false;
  if ((block->flags & ~std::uint32_t{kStartCore}) != 0) return false;
  if (block->strings_bytes != bytes - sizeof(StartBlock) || block->strings_bytes == 0) return false;
  if (block->argc == 0 || block->cols == 0 || block->rows == 0) return false;

  const char* at = reinterpret_cast<const char*>(block + 1);
  const char* const end = at + block->strings_bytes;
  if (end[-1] != 0) return false;

  const char* fixed[5];
  const std::uint64_t strings = std::uint64_t{5} + block->argc + block->envc;
  const char* args = end;
  for (std::uint64_t i = 0; i < strings; ++i) {
    if (at == end) return false;
    if (i < 5) fixed[i] = at;
    if (i == 5) args = at;
    at += ::strnlen(at, static_cast<std::size_t>(end - at)) + 1;
  }
  if (at != end) return false;
  *view = {block, fixed[0], fixed[1], fixed[2], fixed[3], fixed[4], args};
  return view->runtime[0] == '/' && view->journal[0] == '/' && view->program[0] != 0 && is_stem(view->stem);
}

MappedStart::~MappedStart() {
  if (data_) ::munmap(data_, bytes_);
}

int MappedStart::map(int fd) {
  // Unsealed, another holder of the descriptor could shrink it under the mapping, which is a SIGBUS.
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;
  const int seals = ::fcntl(fd, F_GET_SEALS);
  struct stat status {};
  if (seals < 0 || (seals & kSeals) != kSeals || ::fstat(fd, &status) != 0) return EINVAL;
  bytes_ = static_cast<std::size_t>(status.st_size);
  if (bytes_ < sizeof(StartBlock) || bytes_ > kStartBytes) return EINVAL;
  void* data = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return errno;
  data_ = data;
  return parse_start(data_, bytes_, &view_) ? 0 : EINVAL;
}

}  // namespace smartcli::shim
