#pragma once

#include <string>
#include <vector>

namespace smartcli::bench {

/// Output to feed a terminal of 80x24 with, always the same.
struct Stream {
  const char* name;
  double gate, goal;  ///< MB/s, DESIGN section 5
  std::string bytes;
};

/// At least `bytes` of each kind: made ones, and the recorded programs of tests/golden one after the other.
std::vector<Stream> make_streams(std::size_t bytes);

}  // namespace smartcli::bench
