// Every bound at its limit and one past it, through the wire: taken, or one clear error; and the connection
// goes on.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "support/daemon_fixture.hpp"
#include "support/trace.hpp"
#include "support/wire.hpp"

using namespace smartcli::test;
using nlohmann::json;

namespace {

/// A request that is met at once whatever its bounded field says; the sessions it names are made by the test.
const std::map<std::string, json>& samples() {
  static const std::map<std::string, json> all{
      {"spawn", {{"argv", {"true"}}}},
      {"send_text", {{"sid", "cat"}, {"text", "x"}}},
      {"send_line", {{"sid", "cat"}, {"text", "x"}}},
      {"send_keys", {{"sid", "cat"}, {"keys", {"a"}}}},
      {"wait_regex", {{"sid", "cat"}, {"pattern", "ready"}, {"anywhere", true}}},
      {"wait_any", {{"sid", "cat"}, {"patterns", {"ready"}}, {"anywhere", true}}},
      {"wait_gone", {{"sid", "cat"}, {"pattern", "never"}}},
      {"wait_change", {{"sid", "cat"}, {"hash", "0000000000000000"}}},
      {"wait_visual_change", {{"sid", "cat"}, {"visual_hash", "0000000000000000"}}},
      {"wait_ready", {{"sid", "gone"}, {"marker", "."}}},
      {"wait_exit", {{"sid", "gone"}}},
      {"read", {{"sid", "cat"}}},
      {"search", {{"sid", "cat"}, {"pattern", "ready"}}},
      {"resize", {{"sid", "cat"}, {"cols", 80}, {"rows", 24}}},
      {"restart", {{"sid", "cat"}, {"cols", 80}, {"rows", 24}}},
      {"close", {{"sid", "closed"}}}};
  return all;
}

/// Refused with this code and detail in one reply, after which the connection still serves.
void check_refused(Wire& wire, const std::string& method, const json& params, const std::string& code,
                   const std::string& detail) {
  const auto reply = wire.ask(method, params);
  CAPTURE(method, reply.dump().substr(0, 1000));
  REQUIRE(reply.contains("error"));
  CHECK(reply["error"]["data"]["code"] == code);
  CHECK(reply["error"]["data"]["detail"] == detail);
  CHECK(reply["error"]["message"].get<std::string>().size() < 700);
  CHECK(wire.ask("version")["result"]["ok"] == true);
}

void check_taken(Wire& wire, const std::string& method, const json& params) {
  const auto reply = wire.ask(method, params);
  CAPTURE(method, reply.dump().substr(0, 1000));
  CHECK(reply.contains("result"));
}

/// A folder for each session and nothing else.
std::size_t journals(DaemonFixture& f) {
  std::size_t count = 0;
  for (const auto& daemon : std::filesystem::directory_iterator(f.folder + "/state/smartcli")) {
    for (const auto& folder : std::filesystem::directory_iterator(daemon.path() / "sessions"))
      count += folder.exists();
  }
  return count;
}

}  // namespace

TEST_CASE("F25 every number of the schema is taken at its bounds and refused one past them",
          "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "cat", "sh", "-c", "echo ready; exec cat >/dev/null"});
  f.ok({"wait-regex", "-s", "cat", "ready"});
  f.ok({"spawn", "-s", "gone", "echo", "ready"});
  f.ok({"wait-exit", "-s", "gone"});
  const auto schema = f.json({"schema"});
  std::map<std::string, json> limits;
  for (const auto& row : schema["limits"]) limits[row["name"]] = row;
  std::set<std::string> seen;
  Wire wire(f.socket());
  wire.hello();
  for (const auto& method : schema["methods"]) {
    const std::string name = method["name"];
    for (const auto& [field, shape] : method["request"]["properties"].items()) {
      if (!shape.contains("minimum")) continue;
      CAPTURE(name, field);
      REQUIRE(samples().contains(name));  // a new method with a bounded field needs a request here
      const std::int64_t least = shape["minimum"], most = shape["maximum"];
      for (const auto value : {least, most}) {
        if (name == "close") check_taken(wire, "spawn", {{"sid", "closed"}, {"argv", {"cat"}}});
        auto params = samples().at(name);
        params[field] = value;
        check_taken(wire, name, params);
      }
      for (const auto value : {least - 1, most + 1}) {
        auto params = samples().at(name);
        params[field] = value;
        const auto reply = wire.ask(name, params);
        CAPTURE(reply);
        REQUIRE(reply.contains("error"));
        const std::string limit = reply["error"]["data"]["detail"];
        CHECK(reply["error"]["data"]["code"] == "invalid_argument");
        REQUIRE(limits.contains(limit));
        CHECK(limits[limit]["min"] == least);
        CHECK(limits[limit]["max"] == most);
        const std::string message = reply["error"]["message"];
        for (const auto& part :
             {field, "'" + limit + "'", std::to_string(least), std::to_string(most), std::to_string(value)}) {
          CHECK_THAT(message, Catch::Contains(part));
        }
        seen.insert(limit);
      }
    }
  }
  CHECK(seen.size() > 5);
  CHECK(f.json({"status", "-s", "cat"})["alive"] == true);
}

TEST_CASE(
    "T40 F25 names, arguments and environments are taken at their bounds, and past them nothing is made",
    "[integration]") {
  DaemonFixture f;
  f.ok({"daemon", "start"});
  Wire wire(f.socket());
  wire.hello();
  const auto spawn = [](json fields) {
    json params{{"argv", {"true"}}, {"environment", json::array({"PATH=/usr/bin:/bin"})}};
    params.update(fields);
    return params;
  };
  const auto many = [](std::size_t count, const std::string& prefix, std::size_t bytes) {
    json list = json::array();
    for (std::size_t i = 0; i < count; ++i) {
      auto entry = prefix + std::to_string(i) + "=";
      list.push_back(entry + std::string(bytes - entry.size(), 'x'));
    }
    return list;
  };
  constexpr std::size_t kArgv = 128 << 10, kEnvironment = 1 << 20;
  // argv: "true" and an argument, with their NULs. An environment entry of a kilobyte counts so much.
  auto whole = many((kEnvironment >> 10) - 1, "V", 1023);
  whole.push_back("PATH=/usr/bin:/bin:" + std::string(1023 - 19, 'x'));
  auto too_much = whole;
  too_much.push_back("");
  const auto before = journals(f);
  check_refused(wire, "spawn", spawn({{"sid", std::string(65, 's')}}), "invalid_argument", "sid_bytes");
  check_refused(wire, "spawn", spawn({{"argv", {"true", std::string(kArgv - 6 + 1, 'x')}}}), "limit_exceeded",
                "argv_bytes");
  check_refused(wire, "spawn",
                spawn({{"shell_command", std::string(kArgv + 1, 'x')}, {"argv", json::array()}}),
                "limit_exceeded", "argv_bytes");
  check_refused(wire, "spawn", spawn({{"environment", too_much}}), "limit_exceeded", "environment_bytes");
  check_refused(wire, "spawn", spawn({{"env", many(257, "V", 10)}}), "limit_exceeded", "env_entries");
  check_refused(wire, "spawn", spawn({{"cols", 1000}, {"rows", 101}}), "limit_exceeded", "cells");
  check_refused(wire, "spawn", spawn({{"umask", 512}}), "invalid_argument", "umask");
  check_refused(wire, "spawn", spawn({{"umask", -1}}), "invalid_argument", "umask");
  for (const char* sid : {"..", ".", "a/b", "-a", ".a", "", "a\nb", "a b", "\xc3\xa4"}) {
    check_refused(wire, "spawn", spawn({{"sid", sid}}), "invalid_argument", "sid");
  }
  check_refused(wire, "spawn", spawn({{"sid", std::string("a\0b", 3)}}), "invalid_argument", "sid");
  for (const std::string env :
       {"A", "=x", "", "1A=x", "A-B=x", "A B=x", "\xc3\xa4=x", "SMARTCLI_SID=x", "SMARTCLI_=x"}) {
    check_refused(wire, "spawn", spawn({{"env", {env}}}), "invalid_argument", "");
  }
  check_refused(wire, "spawn", spawn({{"env", {std::string("A=\0", 3)}}}), "invalid_argument", "");
  check_refused(wire, "spawn", spawn({{"argv", {std::string("tr\0ue", 5)}}}), "invalid_argument", "");
  check_refused(wire, "spawn", spawn({{"argv", {""}}}), "invalid_argument", "");
  write_file(f.folder + "/file", "");
  for (const auto& cwd : {std::string(), std::string("relative"), std::string("/\0", 2)}) {
    check_refused(wire, "spawn", spawn({{"cwd", cwd}}), "invalid_argument", "");
  }
  check_refused(wire, "spawn", spawn({{"cwd", "/nonexistent"}}), "invalid_argument",
                "No such file or directory");
  check_refused(wire, "spawn", spawn({{"cwd", f.folder + "/file"}}), "invalid_argument", "");
  CHECK(journals(f) == before);
  CHECK(f.json({"list"})["sessions"].empty());

  check_taken(wire, "spawn", spawn({{"sid", std::string(64, 's')}}));
  check_taken(wire, "spawn", spawn({{"argv", {"true", std::string(kArgv - 6, 'x')}}}));
  check_taken(wire, "spawn", spawn({{"environment", whole}}));
  check_taken(wire, "spawn", spawn({{"env", many(256, "V", 10)}}));
  check_taken(wire, "spawn", spawn({{"cols", 1000}, {"rows", 100}}));
  check_taken(wire, "spawn", spawn({{"umask", 511}}));
  check_taken(wire, "spawn", spawn({{"umask", 0}}));
  CHECK(f.json({"list"})["sessions"].size() == 7);
  check_refused(wire, "resize", {{"sid", std::string(64, 's')}, {"cols", 1000}, {"rows", 101}},
                "limit_exceeded", "cells");
}

TEST_CASE("F25 patterns, ids and names of clients are taken at their bounds and refused past them",
          "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  Wire wire(f.socket());
  wire.hello();
  const auto wait = [](const std::string& pattern) {
    return json{{"sid", "c"}, {"pattern", pattern}, {"timeout_ms", 0}};
  };
  check_taken(wire, "wait_regex", wait(std::string(4096, 'x')));
  check_refused(wire, "wait_regex", wait(std::string(4097, 'x')), "limit_exceeded", "pattern_bytes");
  check_taken(wire, "wait_gone", wait(std::string(4096, 'x')));
  check_refused(wire, "wait_gone", wait(std::string(4097, 'x')), "limit_exceeded", "pattern_bytes");
  const auto ready = [](std::size_t bytes) {
    return json{{"sid", "c"}, {"marker", std::string(bytes, 'x')}, {"timeout_ms", 0}};
  };
  check_taken(wire, "wait_ready", ready(4096));
  check_refused(wire, "wait_ready", ready(4097), "limit_exceeded", "pattern_bytes");
  const auto any = [](std::size_t count, std::size_t bytes) {
    return json{{"sid", "c"},
                {"patterns", std::vector<std::string>(count, std::string(bytes, 'x'))},
                {"timeout_ms", 0}};
  };
  check_taken(wire, "wait_any", any(64, 4096));
  check_refused(wire, "wait_any", any(65, 1), "limit_exceeded", "patterns");
  check_refused(wire, "wait_any", any(1, 4097), "limit_exceeded", "pattern_bytes");
  check_refused(wire, "wait_any", any(0, 0), "invalid_argument", "");

  const auto text = [](std::size_t id_bytes) {
    return json{{"sid", "c"}, {"text", "x"}, {"request_id", std::string(id_bytes, 'i')}};
  };
  check_taken(wire, "send_text", text(64));
  check_refused(wire, "send_text", text(65), "invalid_argument", "request_id");
  check_refused(wire, "send_text", text(0), "invalid_argument", "request_id");
  check_refused(wire, "send_text", {{"sid", "c"}, {"text", ""}}, "invalid_argument", "");

  wire.request(std::string(254, 'i'), "version");
  CHECK((*wire.next())["result"]["ok"] == true);
  wire.request(std::string(255, 'i'), "version");
  const auto reply = *wire.next();
  CHECK(reply["id"].is_null());
  CHECK_THAT(reply["error"]["message"].get<std::string>(), Catch::Contains("256 bytes"));

  for (const std::size_t bytes : {64, 65}) {
    Wire named(f.socket());
    named.request(
        1, "hello",
        {{"client", "t"}, {"client_id", std::string(bytes, 'c')}, {"protocol", {{"min", 1}, {"max", 1}}}});
    const auto greeting = *named.next();
    CHECK(greeting.contains("result") == (bytes == 64));
    if (bytes == 65) CHECK_THAT(greeting["error"]["message"].get<std::string>(), Catch::Contains("64 bytes"));
  }
}

TEST_CASE("F25 what the daemon's environment sets is what holds", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_MAX_WAITS"] = "3";
  f.env["SMARTCLI_MAX_KEY_COUNT"] = "5";
  f.env["SMARTCLI_MAX_PATTERNS"] = "2";
  f.env["SMARTCLI_MAX_SID_BYTES"] = "4";
  f.env["SMARTCLI_MAX_JSON_VALUES"] = "1000";
  f.ok({"spawn", "-s", "four", "cat"});
  const auto limits = f.json({"limits"});
  const auto row = std::find_if(limits["limits"].begin(), limits["limits"].end(),
                                [](const json& limit) { return limit["name"] == "waits"; });
  CHECK((*row)["value"] == 3);
  CHECK((*row)["default"] == 4096);
  Wire wire(f.socket());
  wire.hello();
  check_refused(wire, "spawn", {{"sid", "fives"}, {"argv", {"cat"}}}, "limit_exceeded", "sid_bytes");
  check_taken(wire, "send_keys", {{"sid", "four"}, {"keys", {"a"}}, {"count", 5}});
  check_refused(wire, "send_keys", {{"sid", "four"}, {"keys", {"a"}}, {"count", 6}}, "limit_exceeded",
                "key_count");
  check_refused(wire, "wait_any", {{"sid", "four"}, {"patterns", {"a", "b", "c"}}}, "limit_exceeded",
                "patterns");
  check_refused(wire, "spawn", {{"argv", std::vector<std::string>(1000, "x")}}, "invalid_argument",
                "json_values");
  for (int i = 0; i < 3; ++i) wire.request(i, "wait_exit", {{"sid", "four"}});
  check_refused(wire, "wait_exit", {{"sid", "four"}}, "limit_exceeded", "waits");
  wire.request("c", "cancel", {{"id", 1}});
  std::set<std::string> ids;
  for (int i = 0; i < 2; ++i) ids.insert((*wire.next())["id"].dump());
  CHECK(ids == std::set<std::string>{"1", "\"c\""});
  check_taken(wire, "wait_exit", {{"sid", "four"}, {"timeout_ms", 1}});
  f.env["SMARTCLI_MAX_WAITS"] = "0";
  f.ok({"daemon", "stop"});
  const auto refused = f.cli({"daemon", "start"});
  CHECK(refused.status == 4);
  CHECK_THAT(refused.err, Catch::Contains("SMARTCLI_MAX_WAITS='0': must be a number from 1 to 65536"));
  f.env.erase("SMARTCLI_MAX_WAITS");
}

TEST_CASE("F25 the cap of live sessions holds for spawns at once, and an ended one gives its place",
          "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_MAX_SESSIONS"] = "3";
  f.ok({"daemon", "start"});
  Wire wire(f.socket());
  wire.hello();
  for (int i = 0; i < 10; ++i) wire.request(i, "spawn", {{"argv", {"cat"}}});
  int started = 0;
  for (int i = 0; i < 10; ++i) {
    const auto reply = *wire.next();
    if (reply.contains("result")) {
      ++started;
      continue;
    }
    CHECK(reply["error"]["data"]["code"] == "limit_exceeded");
    CHECK(reply["error"]["data"]["detail"] == "sessions");
    CHECK_THAT(reply["error"]["message"].get<std::string>(), Catch::Contains("SMARTCLI_MAX_SESSIONS"));
  }
  CHECK(started == 3);
  const auto refused = f.cli({"spawn", "cat"});
  CHECK(refused.status == 4);
  const auto sid = f.json({"list"})["sessions"][0]["sid"].get<std::string>();
  f.ok({"send-keys", "-s", sid, "C-d"});
  f.ok({"wait-exit", "-s", sid});
  f.ok({"spawn", "cat"});
  CHECK(f.json({"list"})["sessions"].size() == 4);
}

TEST_CASE("F25 more clients than there may be are told so, and one that leaves gives its place",
          "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_MAX_CLIENTS"] = "3";
  f.ok({"daemon", "start"});
  // The starter's own connection may still be going.
  REQUIRE(becomes_true([&] { return f.json({"daemon", "status"})["clients"] == 1; }));
  std::optional<Wire> first(std::in_place, f.socket());
  Wire second(f.socket()), third(f.socket());
  for (auto* wire : {&*first, &second, &third}) CHECK(wire->hello()["result"]["ok"] == true);
  {
    Wire fourth(f.socket());
    const auto reply = fourth.next();
    REQUIRE(reply);
    CHECK((*reply)["error"]["data"]["detail"] == "clients");
    CHECK(!fourth.next());
    CHECK(fourth.is_closed());
  }
  const auto refused = f.json({"list"});
  CHECK(refused["error"]["code"] == "limit_exceeded");
  CHECK(second.ask("version")["result"]["ok"] == true);
  first.reset();
  CHECK(becomes_true([&] { return f.cli({"list"}).status == 0; }));
}

TEST_CASE("F25 of the ended sessions the oldest goes", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_MAX_ENDED"] = "2";
  f.ok({"spawn", "-s", "live", "cat"});
  for (const char* sid : {"a", "b", "c"}) {
    f.ok({"spawn", "-s", sid, "true"});
    f.ok({"wait-exit", "-s", sid});
  }
  f.ok({"spawn", "-s", "next", "cat"});
  const auto sids = [&] {
    std::set<std::string> all;
    const auto list = f.json({"list"});
    for (const auto& row : list["sessions"]) all.insert(row["sid"]);
    return all;
  };
  CHECK(becomes_true([&] { return sids() == std::set<std::string>{"live", "b", "c", "next"}; }));
  CHECK(f.json({"status", "-s", "a"})["error"]["code"] == "session_gone");
  reached_limit("ended");
}

TEST_CASE("F25 what a program may grow is cut at its limit, and the rest goes on", "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_JOURNAL_BYTES"] = std::to_string(4 << 20);
  SECTION("a title") {
    const auto title = [&](int bytes) {
      const auto sid = f.ok({"spawn", "sh", "-c",
                             "printf '\\033]2;'; head -c " + std::to_string(bytes) +
                                 " /dev/zero | tr '\\0' t; printf '\\007on'"});
      f.ok({"wait-exit", "-s", sid});
      CHECK(f.ok({"snapshot", "-s", sid}) == "on");
      return f.json({"status", "-s", sid})["title"].get<std::string>().size();
    };
    CHECK(title(4096) == 4096);
    CHECK(title(4097) <= 4096);
    reached_limit("text_bytes");
  }
  SECTION("a journal") {
    const auto sid = f.ok({"spawn", "sh", "-c", "yes 012345678 | head -c 20000000; echo last"});
    f.ok({"wait-exit", "-s", sid});
    CHECK_THAT(f.ok({"snapshot", "-s", sid}), Catch::EndsWith("\nlast"));
    const auto bytes =
        std::stol(f.run({"sh", "-c", "cat " + f.folder + "/state/smartcli/*/sessions/*/*.seg | wc -c"}).out);
    CHECK(bytes > 1 << 20);
    CHECK(bytes <= 6 << 20);
    reached_limit("journal_bytes");
  }
  SECTION("the terminal's answers to a program that asks more than it can want") {
    const auto sid =
        f.ok({"spawn", "python3", "-c",
              "import os, tty, time\ntty.setraw(0)\nos.write(1, b'\\x1b[c' * 100000 + b'asked')\n"
              "time.sleep(600)"});
    f.ok({"wait-regex", "-s", sid, "asked"});
    CHECK(f.json({"status", "-s", sid})["counters"]["unanswered_queries"] > 0);
    reached_limit("terminal_reply_bytes");
  }
}
