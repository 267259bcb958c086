#pragma once

#include <cstdint>

namespace smartcli::terminal {

/// Parameters of a control sequence. Bounded: values stop at kMaxValue, what comes after kMax values is
/// dropped.
class Params {
 public:
  static constexpr int kMax = 64;
  static constexpr int kMaxValue = 65535;

  void clear() {
    count_ = 0;
    sub_ = 0;
    dropped_ = false;
  }
  int size() const { return count_; }
  bool was_cut() const { return dropped_; }
  bool has_sub() const { return sub_ != 0; }
  /// True if value i follows a colon, so belongs to the parameter before it.
  bool is_sub(int i) const { return sub_ >> i & 1; }
  bool is_given(int i) const { return i < count_ && values_[i] >= 0; }
  /// Value i, or `otherwise` where it is left out.
  int get(int i, int otherwise) const { return is_given(i) ? values_[i] : otherwise; }
  /// Value i as a count: left out and 0 both mean 1.
  int at_least_one(int i) const {
    const int value = get(i, 1);
    return value > 0 ? value : 1;
  }

  void digit(int d) {
    if (count_ == 0) push(false);
    if (dropped_) return;
    std::int32_t& v = values_[count_ - 1];
    v = (v < 0 ? 0 : v) * 10 + d;
    if (v > kMaxValue) v = kMaxValue;
  }
  void separator(bool is_colon) {
    if (count_ == 0) push(false);
    push(is_colon);
  }

 private:
  void push(bool is_sub) {
    if (count_ == kMax) {
      dropped_ = true;
      return;
    }
    values_[count_] = -1;
    if (is_sub) sub_ |= std::uint64_t{1} << count_;
    ++count_;
  }

  std::int32_t values_[kMax];
  int count_ = 0;
  std::uint64_t sub_ = 0;
  bool dropped_ = false;
};

/// An ESC, CSI or DCS introducer as parsed: no meaning yet.
struct Sequence {
  char prefix = 0;  ///< one of < = > ? or 0
  char intermediate = 0;
  char second_intermediate = 0;         ///< only designations of character sets have one
  bool has_more_intermediates = false;  ///< three or more: nothing we know has them
  char final = 0;
  Params params;

  void clear() {
    prefix = 0;
    intermediate = 0;
    second_intermediate = 0;
    has_more_intermediates = false;
    params.clear();
  }
  void collect(char c) {
    if (intermediate == 0)
      intermediate = c;
    else if (second_intermediate == 0)
      second_intermediate = c;
    else
      has_more_intermediates = true;
  }
};

}  // namespace smartcli::terminal
