#pragma once

#include <cstddef>
#include <cstdint>

// Small things that libc has only with allocation or stdio.

namespace smartcli::shim {

inline constexpr std::int64_t kNever = INT64_MAX;

std::int64_t monotonic_ms();
std::int64_t realtime_ns();

/// Text in a fixed buffer; what does not fit is cut and `cut()` says so.
template <std::size_t N>
class Text {
 public:
  Text& add(const char* text) {
    while (*text) add(*text++);
    return *this;
  }
  Text& add(char c) {
    if (length_ + 1 < N)
      text_[length_++] = c;
    else
      cut_ = true;
    text_[length_] = 0;
    return *this;
  }
  /// Decimal, with leading zeros up to `digits`.
  Text& add_number(std::uint64_t value, int digits = 1) {
    char reversed[20];
    int n = 0;
    for (; value > 0 || n < digits; value /= 10) reversed[n++] = static_cast<char>('0' + value % 10);
    while (n > 0) add(reversed[--n]);
    return *this;
  }
  const char* get() const { return text_; }
  bool cut() const { return cut_; }

 private:
  char text_[N] = {};
  std::size_t length_ = 0;
  bool cut_ = false;
};

/// Reads a small file whole and ends it with NUL. @return bytes, or -1 (errno)
std::ptrdiff_t read_small(const char* path, char* into, std::size_t capacity);

/// @return 0 or errno; a short write that cannot go on is ENOSPC
int write_at(int fd, const void* data, std::size_t bytes, std::uint64_t offset);
int read_at(int fd, void* data, std::size_t bytes, std::uint64_t offset);

void set_nonblocking(int fd);
bool same_text(const char* a, const char* b);

}  // namespace smartcli::shim
