#include "common/failpoint.hpp"

#include <algorithm>
#include <iterator>

#include "common/text.hpp"

namespace smartcli {
namespace {

constexpr std::string_view kNames[] = {
#define SMARTCLI_ROW(id, name, meaning) name,
    SMARTCLI_FAILPOINTS(SMARTCLI_ROW)
#undef SMARTCLI_ROW
};

template <class Visit>
bool any_entry(std::string_view spec, Visit&& visit) {
  while (!spec.empty()) {
    const auto end = spec.find(',');
    const auto entry = spec.substr(0, end);
    const auto colon = entry.find(':');
    if (visit(entry.substr(0, colon), colon == entry.npos ? std::string_view() : entry.substr(colon + 1)))
      return true;
    spec.remove_prefix(end == spec.npos ? spec.size() : end + 1);
  }
  return false;
}

}  // namespace

Result<Failpoints> Failpoints::from(const Environment& env) {
  Failpoints points;
  points.spec_ = env.get("SMARTCLI_FAILPOINTS").value_or("");
  std::string_view unknown;
  const bool wrong = any_entry(points.spec_, [&](std::string_view name, std::string_view) {
    unknown = name;
    return std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames);
  });
  if (wrong) {
    return Error{ErrorCode::invalid_argument,
                 "SMARTCLI_FAILPOINTS: there is no failpoint " + text::quoted(unknown)};
  }
  return points;
}

bool Failpoints::is_hit(Failpoint point, std::string_view argument) const {
  return any_entry(spec_, [&](std::string_view name, std::string_view given) {
    return name == kNames[static_cast<int>(point)] && given == argument;
  });
}

Failpoints& failpoints() {
  static Failpoints points;
  return points;
}

}  // namespace smartcli
