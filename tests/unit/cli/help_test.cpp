#include "cli/help.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "common/utf8.hpp"
#include "proto/describe.hpp"
#include "proto/limits.hpp"
#include "proto/registry.hpp"
#include "proto/topics.hpp"

using namespace smartcli;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = rest.find('\n');
    REQUIRE(end != std::string_view::npos);
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return lines;
}

void check_width(const std::string& text) {
  for (const auto& line : lines_of(text)) {
    // What is to be typed or sent as it stands is not wrapped.
    if (line.starts_with("    {") || line.starts_with("  smartcli ")) continue;
    CAPTURE(line);
    CHECK(utf8::length(line) <= 80);
    CHECK_FALSE(line.ends_with(' '));
  }
}

}  // namespace

TEST_CASE("the main help fits a terminal of 24 lines and 80 columns", "[help]") {
  const std::string help = cli::main_help();
  check_width(help);
  // The last row is the prompt's.
  CHECK(lines_of(help).size() <= 23);
}

TEST_CASE("the help of every verb fits 80 columns, names its options, and has examples", "[help]") {
  for (const auto& method : describe_methods()) {
    if (!method.info.is_command) continue;
    const std::string help = cli::verb_help(method.info.name);
    CAPTURE(help);
    check_width(help);
    CHECK(help.find("Usage: smartcli " + command_name(method.info.name)) != std::string::npos);
    for (const auto& field : method.request) {
      if (!has_option(method.info, field)) continue;
      for (const auto& name : option_names(field)) {
        CAPTURE(name);
        CHECK(help.find(" " + name) != std::string::npos);
      }
    }
  }
  for (const auto& command : kCommands) check_width(cli::command_help(command));
  for (const auto& verb : cli::verbs()) {
    CAPTURE(verb.name);
    const auto help = cli::help_on(verb.name);
    REQUIRE(help.has_value());
    CHECK(help->find("Usage: smartcli " + verb.name) != std::string::npos);
    const auto from = help->find("\nExamples:\n");
    REQUIRE(from != std::string::npos);
    const auto examples = lines_of(help->substr(from + 11));
    CHECK(examples.size() >= 2);
    CHECK(examples.size() <= 4);
    for (const auto& example : examples) {
      CAPTURE(example);
      CHECK(example.find("smartcli " + verb.name) != std::string::npos);
    }
  }
}

TEST_CASE("every topic has its help, in 80 columns, and a misspelt one is answered with the nearest",
          "[help]") {
  for (const auto& topic : topics()) {
    CAPTURE(topic.name);
    const auto help = cli::help_on(topic.name);
    REQUIRE(help.has_value());
    check_width(*help);
    CHECK(cli::topics_help().find("  " + std::string(topic.name) + " ") != std::string::npos);
    CHECK(cli::main_help().find(" " + std::string(topic.name)) != std::string::npos);
  }
  CHECK(cli::help_on("keys")->find("F1 to F24\n") != std::string::npos);
  CHECK(cli::help_on("keys")->find("KP0 to KP9  Numpad0 to Numpad9\n") != std::string::npos);
  for (const auto& row : kLimits) CHECK(cli::help_on("limits")->find(row.variable) != std::string::npos);
  for (const auto& [typed, meant] : {std::pair{"exit-code", "exit-codes"},
                                     {"wait-regexp", "wait-regex"},
                                     {"daemon stpo", "daemon stop"}}) {
    const auto wrong = cli::help_on(typed);
    REQUIRE_FALSE(wrong.has_value());
    CHECK(wrong.error().message.find("did you mean '" + std::string(meant) + "'?") != std::string::npos);
  }
  CHECK(cli::help_on("wait_regex").has_value());
  CHECK(cli::help_on("daemon")->find("daemon stop") != std::string::npos);
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
