// Any stream, cut anywhere, gives the same lines; any line is a request or an error that can be answered in
// one line, and a reply or an error.

#include "proto/frame.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "proto/codec.hpp"
#include "require.hpp"

namespace {

using namespace smartcli;
using fuzz::require;

constexpr std::size_t kCap = 512;

/// The lines of a stream that comes in two parts, then as much as fits; "!" at the end: one was too long.
std::vector<std::string> split(std::string_view stream, std::size_t cut) {
  LineSplitter splitter(kCap);
  std::vector<std::string> lines;
  std::size_t given = 0;
  while (given < stream.size()) {
    const std::size_t stop = given < cut ? cut : stream.size();
    const std::size_t n = std::min(stop - given, splitter.room());
    require(n > 0);
    splitter.append(stream.substr(given, n));
    given += n;
    while (const auto line = splitter.next()) {
      require(line->size() <= kCap);
      require(line->find('\n') == std::string_view::npos);
      lines.emplace_back(*line);
    }
    if (splitter.too_long()) {
      lines.emplace_back("!");
      break;
    }
  }
  return lines;
}

void require_one_line(std::string_view line) {
  require(line.ends_with('\n'));
  fuzz::require_plain(line.substr(0, line.size() - 1));
}

void check_request(std::string_view line) {
  std::string id;
  const auto frame = parse_request(line, 64, id);
  require(id.size() <= 256);
  fuzz::require_plain(id);
  if (!frame) {
    require(frame.error().code == ErrorCode::invalid_argument);
    fuzz::require_bounded(frame.error());
    const std::string answer = error_line(id, frame.error());
    require_one_line(answer);
    const auto read = parse_reply(std::string_view(answer).substr(0, answer.size() - 1));
    require(read && read->error && read->error->code == ErrorCode::invalid_argument && read->id == id);
    return;
  }
  require(frame->is_notification || frame->id == id);
  require(frame->params && frame->params->is_object());
  const std::string reply = reply_line(id, *frame->params);
  require_one_line(reply);
}

void check_reply(std::string_view line) {
  const auto frame = parse_reply(line);
  if (!frame) {
    require(frame.error().code == ErrorCode::internal);
    fuzz::require_bounded(frame.error());
    return;
  }
  fuzz::require_plain(frame->id);
  if (frame->error) {
    require_one_line(error_json(*frame->error) + "\n");
    require_one_line(error_line(frame->id, *frame->error));
  } else {
    fuzz::require_plain(frame->result);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view stream(reinterpret_cast<const char*>(data), size);
  const auto whole = split(stream, stream.size());
  for (std::size_t cut = 0; cut < stream.size(); cut += 1 + stream.size() / 64)
    require(split(stream, cut) == whole);
  for (const auto& line : whole) {
    check_request(line);
    check_reply(line);
  }
  check_request(stream);
  check_reply(stream);
  return 0;
}
