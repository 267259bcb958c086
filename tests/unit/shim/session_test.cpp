// From the start of a program to its end.

#include <signal.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "shim_client.hpp"

using namespace smartcli::test;

namespace {

Options shell(const std::string& script) {
  Options options;
  options.argv = {"/bin/sh", "-c", script};
  return options;
}

}  // namespace

TEST_CASE("B002: two hundred programs that print and end give their last words and their status") {
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    Session session(shell("printf last; exit " + std::to_string(i)));
    REQUIRE(session.report.stage == StartStage::running);
    session.own();
    REQUIRE(session.until_ended());
    CHECK(session.header().exit_kind == static_cast<std::uint32_t>(ExitKind::code));
    CHECK(session.header().exit_value == i);
    CHECK(session.output() == "last");
  }
}
