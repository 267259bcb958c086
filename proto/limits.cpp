#include "proto/limits.hpp"

#include <charconv>
#include <string>

#include "common/text.hpp"

namespace smartcli {

Limits::Limits() {
  for (std::size_t i = 0; i < std::size(kLimits); ++i) values_[i] = kLimits[i].standard;
}

Result<Limits> Limits::from(const Environment& env) {
  Limits limits;
  for (std::size_t i = 0; i < std::size(kLimits); ++i) {
    const Limit& row = kLimits[i];
    const auto given = env.get_nonempty(row.variable);
    if (!given) continue;
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(given->data(), given->data() + given->size(), value);
    // Below that a journal would hold less than its own segments; 0 has a meaning of its own.
    constexpr std::int64_t kLeastJournal = 4 << 20;
    const auto id = static_cast<LimitId>(i);
    const bool too_small = (id == LimitId::journal_bytes && value > 0 && value < kLeastJournal) ||
                           (id == LimitId::idle_timeout_ms && value > 0 && value < kLeastIdleMs);
    if (status != std::errc{} || end != given->data() + given->size() || value < row.least ||
        value > row.most || too_small) {
      return Error{ErrorCode::invalid_argument, std::string(row.variable) + "=" + text::quoted(*given) +
                                                    ": must be a number from " + std::to_string(row.least) +
                                                    " to " + std::to_string(row.most) + " (" +
                                                    std::string(row.unit) + ")"};
    }
    limits.values_[i] = value;
  }
  return limits;
}

Error over_limit(LimitId id, std::int64_t in_force, std::string_view what) {
  const Limit& row = kLimits[static_cast<int>(id)];
  return Error{ErrorCode::limit_exceeded,
               std::string(what) + ": the limit '" + std::string(row.name) + "' is " +
                   std::to_string(in_force) + " " + std::string(row.unit) + " (" + std::string(row.variable) +
                   " sets it for the daemon, up to " + std::to_string(row.most) + ")",
               std::string(row.name)};
}

}  // namespace smartcli
