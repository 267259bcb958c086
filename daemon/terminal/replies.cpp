#include "terminal/replies.hpp"

#include <algorithm>
#include <utility>

namespace smartcli::terminal {

namespace {

constexpr const char* kForms[] = {
#define SMARTCLI_ROW(name, form) form,
    SMARTCLI_ANSWERS(SMARTCLI_ROW)
#undef SMARTCLI_ROW
};

void add_colour(std::string& out, std::uint32_t rgb) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += "rgb:";
  for (int shift = 16; shift >= 0; shift -= 8) {
    const unsigned v = rgb >> shift & 0xff;
    for (int twice = 0; twice < 2; ++twice) {
      out += kHex[v >> 4];
      out += kHex[v & 15];
    }
    if (shift > 0) out += '/';
  }
}

}  // namespace

void ReplyQueue::send(std::uint64_t offset, Answer answer, std::initializer_list<unsigned> numbers,
                      std::string_view sgr) {
  // Counted also where dropped: a reply's key must not depend on when the queue was emptied.
  if (offset != last_offset_) next_index_ = 0;
  last_offset_ = offset;
  const std::uint32_t index = next_index_++;

  std::string bytes;
  auto number = numbers.begin();
  auto next_number = [&] { return number == numbers.end() ? 0 : *number++; };
  for (const char* p = kForms[static_cast<int>(answer)]; *p != 0; ++p) {
    if (*p == '#')
      bytes += std::to_string(std::min(next_number(), 65535u));
    else if (*p == '@')
      add_colour(bytes, next_number());
    else if (*p == '\001')
      bytes += with_bel_ ? "\007" : "\033\\";
    else if (*p == '*')
      std::copy_if(sgr.begin(), sgr.end(), std::back_inserter(bytes),
                   [](char c) { return (c >= '0' && c <= '9') || c == ';' || c == ':'; });
    else
      bytes += *p;
  }
  if (bytes_ + bytes.size() > kMaxBytes) {
    ++dropped_;
    return;
  }
  bytes_ += bytes.size();
  replies_.push_back({offset, index, std::move(bytes)});
}

std::vector<Reply> ReplyQueue::take() {
  bytes_ = 0;
  return std::exchange(replies_, {});
}

}  // namespace smartcli::terminal
