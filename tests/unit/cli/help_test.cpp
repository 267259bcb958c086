#include "cli/help.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "common/utf8.hpp"
#include "proto/describe.hpp"
#include "proto/registry.hpp"

using namespace smartcli;

TEST_CASE("the main help fits a terminal of 24 lines and 80 columns", "[help]") {
  const std::string help = cli::main_help();
  std::size_t lines = 0;
  for (std::string_view rest = help; !rest.empty(); ++lines) {
    const auto end = rest.find('\n');
    REQUIRE(end != std::string_view::npos);
    CAPTURE(std::string(rest.substr(0, end)));
    CHECK(utf8::length(rest.substr(0, end)) <= 80);
    rest.remove_prefix(end + 1);
  }
  // The last row is the prompt's.
  CHECK(lines <= 23);
}

TEST_CASE("the main help names every verb", "[help]") {
  const std::string help = cli::main_help();
  std::set<std::string> names;
  for (const auto& verb : cli::verbs()) {
    CAPTURE(verb.name);
    CHECK(names.insert(verb.name).second);
    CHECK(help.find(" " + verb.name) != std::string::npos);
    CHECK_FALSE(verb.doc.empty());
  }
  for_each_method([&]<class M>() {
    CAPTURE(M::info.name);
    CHECK(names.contains(command_name(M::info.name)) == M::info.is_command);
  });
}

TEST_CASE("a method's name is spelled as a command", "[help]") {
  CHECK(command_name("wait_regex") == "wait-regex");
  CHECK(command_name("daemon_stop") == "daemon stop");
  CHECK(command_name("list") == "list");
}
