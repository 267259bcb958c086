#pragma once

#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli {

enum class Health { ok, warn, fail };
template <>
struct EnumNames<Health> {
  static constexpr std::string_view kNames[] = {"ok", "warn", "fail"};
};

struct HealthCheck {
  std::string name, text;
  Health health = Health::ok;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"name", "what was looked at"}, name);
    v.required({"health", "ok, warn (works, but) or fail"}, health);
    v.required({"text", "what was found, and what to do about it"}, text);
  }
};

/// A row that two terminals show otherwise; or, with row 0, the cursor's place.
struct ScreenDifference {
  std::int64_t row = 0;
  std::string ours, theirs;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"row", "from 1; 0 is the cursor"}, row);
    v.required({"ours", "what smartcli shows"}, ours);
    v.required({"theirs", "what libtsm shows"}, theirs);
  }
};

/// A session's output through libtsm, beside our screen.
struct SecondOpinion {
  std::int64_t from = 0, to = 0, dropped = 0;
  std::int64_t cols = 0, rows = 0;
  std::vector<ScreenDifference> differences;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"from", "offset of the first byte that was replayed"}, from);
    v.required({"to", "offset past the last one"}, to);
    v.required({"dropped", "bytes behind the journal's valid part, left out"}, dropped);
    v.required({"cols", "of the screen in the end"}, cols);
    v.required({"rows", "of the screen in the end"}, rows);
    v.required({"differences", "rows that the two show otherwise, and the cursor"}, differences);
  }
};

/// As a person reads it, inert.
std::string text_of(const SecondOpinion& opinion);

struct Doctor {
  static constexpr MethodInfo info{
      .name = "doctor",
      .doc = "Look for what is wrong with the daemon and its machine; safe to paste into a report.",
      .family = Family::daemon,
      .access = Access::read,
      .examples = "smartcli doctor\nsmartcli doctor --second-opinion edit\nsmartcli doctor --json",
      .starts_daemon = true};
  struct Request {
    std::optional<SessionName> second_opinion;

    template <class Visitor>
    void fields(Visitor& v) {
      v.optional(
          {.name = "second_opinion",
           .doc = "replay this session's output through libtsm and tell where its screen differs from ours",
           .metavar = "SID"},
          second_opinion);
    }
  };
  struct Reply {
    std::vector<HealthCheck> checks;
    std::optional<SecondOpinion> second_opinion;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"checks", "what was looked at"}, checks);
      v.optional({"second_opinion", "if it was asked for"}, second_opinion);
    }
  };
};

}  // namespace smartcli
