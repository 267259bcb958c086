#include "common/failpoint.hpp"

#include <catch2/catch.hpp>

#include "support/shown.hpp"

using namespace smartcli;

namespace {

Result<Failpoints> from(const std::string& spec) {
  return Failpoints::from(MapEnvironment({{"SMARTCLI_FAILPOINTS", spec}, {"HOME", "/"}}));
}

}  // namespace

TEST_CASE("a failpoint is hit where the environment names it with its argument, and nowhere else",
          "[failpoint]") {
  const auto two = from("dispatch.throw:list,dispatch.throw:status");
  REQUIRE(two);
  CHECK(two->is_hit(Failpoint::dispatch_throw, "list"));
  CHECK(two->is_hit(Failpoint::dispatch_throw, "status"));
  CHECK(!two->is_hit(Failpoint::dispatch_throw, "lis"));
  CHECK(!two->is_hit(Failpoint::dispatch_throw, ""));
  const auto none = from("");
  REQUIRE(none);
  CHECK(!none->is_hit(Failpoint::dispatch_throw, "list"));
  CHECK(!none->is_hit(Failpoint::dispatch_throw, ""));
}

TEST_CASE("a failpoint that is none is refused by name", "[failpoint]") {
  const auto wrong = from("dispatch.throw:list,dispatch.trow:list");
  REQUIRE(!wrong);
  CHECK_THAT(wrong.error().message, Catch::Contains("'dispatch.trow'"));
}
