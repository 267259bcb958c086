// Keyframes: at each segment of the journal what the terminal holds, so that a later daemon goes on from
// there where the cap has deleted what came before.

#include <cstring>

#include "common/log.hpp"
#include "journal/keyframes.hpp"
#include "session/session.hpp"

namespace smartcli::session {
namespace {

constexpr std::uint32_t kVersion = 1;
/// Keyframes of screens so large are kept for each kSparse-th segment only: they stay small beside the
/// journal.
constexpr std::size_t kLarge = 64 << 10;
constexpr std::uint64_t kSparse = 16;

/// What stands before the terminal's own keyframe.
struct Head {
  char magic[4] = {'S', 'C', 'S', 'K'};
  std::uint32_t version = kVersion;
  std::uint64_t steps = 0;  ///< resizes, clears and restarts that it has seen
};
static_assert(sizeof(Head) == 16);

}  // namespace

void Session::keep_keyframe() {
  const std::uint64_t segment = parsed_ / shim_abi::kSegmentBytes;
  if (segment <= keyframed_ || !holder_ || lost_ || !terminal_.is_at_ground()) return;
  keyframed_ = segment;
  if (journal::has_keyframe(setup_.folder, segment)) return;  // of an earlier daemon, at a replay
  Head head;
  head.steps = steps_;
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  bytes += terminal_.keyframe(0);
  if (bytes.size() > kLarge && segment % kSparse != 0) return;
  // Where it cannot be written, or too many wait for a slow disk, the next segment's does.
  if (setup_.files != nullptr) {
    setup_.files->post([folder = setup_.folder, segment, kept = std::move(bytes)] {
      (void)journal::save_keyframe(folder, segment, kept);
    });
  }
}

std::optional<journal::Start> Session::load_keyframe(const journal::Start& first) {
  for (std::uint64_t segment = first.offset / shim_abi::kSegmentBytes, end = segment + kSparse; segment < end;
       ++segment) {
    if (!journal::has_keyframe(setup_.folder, segment)) continue;
    auto start = reader_.start_at(segment * shim_abi::kSegmentBytes);
    if (start && load_keyframe(segment, *start)) return *start;
  }
  return std::nullopt;
}

bool Session::load_keyframe(std::uint64_t segment, const journal::Start& start) {
  const auto bytes = journal::load_keyframe(setup_.folder, segment);
  Head head;
  if (!bytes || bytes->size() < sizeof head) return false;
  std::memcpy(&head, bytes->data(), sizeof head);
  if (std::string_view(*bytes).substr(0, sizeof head.magic) != "SCSK" || head.version != kVersion ||
      head.steps < start.revision_steps)
    return false;
  auto loaded = terminal::Terminal::from_keyframe(
      std::string_view(*bytes).substr(sizeof head),
      terminal::HistoryLimits{static_cast<std::size_t>(setup_.index.scrollback), setup_.history_bytes});
  if (!loaded) {
    log::warning(sid() + ": " + loaded.error().message);
    return false;
  }
  if (loaded->offset() < start.offset || loaded->offset() > reader_.end()) return false;
  terminal_ = std::move(*loaded);
  parsed_ = terminal_.offset();
  steps_ = head.steps;
  // Those it has seen are read again.
  steps_to_skip_ = head.steps - start.revision_steps;
  skip_until_ = parsed_;
  return true;
}

bool Session::is_in_keyframe(const journal::Event& event) {
  using shim_abi::EventType;
  const bool is_step =
      event.type == EventType::resize || event.type == EventType::clear || event.type == EventType::restart;
  if (event.offset > skip_until_ || (event.offset == skip_until_ && !(is_step && steps_to_skip_ > 0)))
    return false;
  if (is_step && steps_to_skip_ > 0) --steps_to_skip_;
  return true;
}

}  // namespace smartcli::session
