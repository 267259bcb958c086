#include "crosscheck/replay.hpp"

#include <algorithm>
#include <memory>

#include "common/text.hpp"
#include "crosscheck/second_screen.hpp"
#include "journal/index.hpp"
#include "journal/journal.hpp"
#include "terminal/terminal.hpp"

namespace smartcli::crosscheck {
namespace {

constexpr std::size_t kBlock = 64 << 10;
constexpr std::string_view kWipe = "\x1b[H\x1b[2J\x1b[3J";

/// Both screens, fed alike.
class Pair {
 public:
  Pair(int cols, int rows) : ours(Size{cols, rows}, {}) { restart(cols, rows); }

  void feed(std::string_view bytes) {
    ours.feed(bytes);
    ours.trim_history();
    (void)ours.take_replies();
    (void)ours.take_events();
    theirs->feed(bytes);
  }
  void apply(const journal::Event& event) {
    using shim_abi::EventType;
    if (event.type == EventType::resize) {
      ours.resize(Size{event.cols, event.rows});
      theirs->resize(event.cols, event.rows);
    } else if (event.type == EventType::clear) {
      ours.clear();
      theirs->feed(kWipe);
    } else if (event.type == EventType::restart) {
      ours.reset();
      ours.resize(Size{event.cols, event.rows});
      restart(event.cols, event.rows);
    }
  }
  void restart(int cols, int rows) { theirs = std::make_unique<SecondScreen>(cols, rows); }

  terminal::Terminal ours;
  std::unique_ptr<SecondScreen> theirs;
};

std::string place(int row, int col) {
  return "row " + std::to_string(row + 1) + ", column " + std::to_string(col + 1);
}

}  // namespace

Result<SecondOpinion> replay(const std::string& folder) {
  if (!journal::has_begun(folder)) {
    return Error{ErrorCode::invalid_argument, "no journal in " + text::quoted(folder, 200) +
                                                  "; `smartcli daemon status` names the state folder"};
  }
  journal::Reader reader(folder, nullptr, -1);
  auto start = reader.start();
  if (!start) return start.error();
  SecondOpinion opinion;
  opinion.from = static_cast<std::int64_t>(start->offset);
  const std::uint64_t end = reader.end();
  opinion.to = static_cast<std::int64_t>(end);
  opinion.dropped = static_cast<std::int64_t>(reader.dropped_bytes());
  Pair screens(start->cols, start->rows);
  screens.ours.set_offset(start->offset);
  auto position = start->event_position;
  std::vector<journal::Event> events;
  while (position < reader.events_end()) {
    const auto before = position;
    auto more = reader.read_events(position, 4096);
    if (!more) return more.error();
    events.insert(events.end(), more->begin(), more->end());
    if (position == before) break;
  }
  std::string block(kBlock, '\0');
  auto next = events.begin();
  for (std::uint64_t at = start->offset;;) {
    for (; next != events.end() && next->offset <= at; ++next) screens.apply(*next);
    std::uint64_t stop = std::min<std::uint64_t>(end, at + kBlock);
    if (next != events.end()) stop = std::min(stop, next->offset);
    if (stop <= at) break;
    auto read = reader.read(at, std::span(block.data(), static_cast<std::size_t>(stop - at)));
    if (!read) return read.error();
    if (*read == 0) break;
    screens.feed(std::string_view(block.data(), *read));
    at += *read;
  }
  const auto size = screens.ours.size();
  opinion.cols = size.cols;
  opinion.rows = size.rows;
  const auto ours = screens.ours.screen_text();
  const auto theirs = screens.theirs->lines();
  for (std::size_t row = 0; row < std::max(ours.size(), theirs.size()); ++row) {
    const std::string mine = row < ours.size() ? ours[row] : "";
    const std::string other = row < theirs.size() ? theirs[row] : "";
    if (mine != other) opinion.differences.push_back({static_cast<std::int64_t>(row) + 1, mine, other});
  }
  const auto cursor = screens.ours.cursor();
  const std::string mine = place(cursor.row, cursor.col);
  const std::string other = place(screens.theirs->cursor_row(), screens.theirs->cursor_col());
  if (mine != other) opinion.differences.push_back({0, mine, other});
  return opinion;
}

}  // namespace smartcli::crosscheck
