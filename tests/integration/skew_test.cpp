// Client and daemon that do not fit each other: another protocol, no daemon at all, or one that says nothing.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "support/daemon_fixture.hpp"
#include "support/fake_daemon.hpp"
#include "support/wire.hpp"

using namespace smartcli::test;
using nlohmann::json;

namespace {

std::string reply_to(const std::string& line, json rest) {
  rest["jsonrpc"] = "2.0";
  rest["id"] = json::parse(line)["id"];
  return rest.dump() + "\n";
}

/// A daemon that speaks only protocol 2, as this one refuses whom it does not understand.
std::string refuse_hello(const std::string& line) {
  return reply_to(line, {{"error",
                          {{"code", -32015},
                           {"message", "the daemon (2.0.0) speaks protocol 2, the client 1"},
                           {"data", {{"code", "version_mismatch"}, {"detail", ""}}}}}});
}

}  // namespace

TEST_CASE("B237 C08 a client says within 5 s that it is not understood, and leaves no pipe open",
          "[integration]") {
  DaemonFixture f;
  struct Case {
    const char* name;
    std::function<std::string(const std::string&)> answer;
    std::vector<std::string> said;
  };
  const std::vector<Case> cases{
      {"silence", [](const std::string&) { return std::string(); }, {"does not respond"}},
      {"a greeting of something else",
       [](const std::string&) { return std::string("220 mail ready\r\n"); },
       {"no smartcli daemon"}},
      {"a line that never ends",
       [](const std::string&) { return std::string(1 << 20, 'x'); },
       {"no smartcli daemon"}},
      {"an empty object", [](const std::string&) { return std::string("{}\n"); }, {"no smartcli daemon"}},
      {"protocol 2 in the reply",
       [](const std::string& line) {
         return reply_to(line, {{"result", {{"ok", true}, {"protocol", 2}, {"version", "2.0.0"}}}});
       },
       {"protocol 2", "speaks 1"}},
      {"a refusal with both versions", refuse_hello, {"protocol 2", "client 1"}}};
  for (const auto& [name, answer, said] : cases) {
    CAPTURE(name);
    const FakeDaemon daemon(f.socket(), answer);
    const auto began = std::chrono::steady_clock::now();
    const auto output = f.run({"bash", "-c", "timeout 20 smartcli list | cat; exit ${PIPESTATUS[0]}"});
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
    CHECK(output.status == 4);
    CHECK(output.out.empty());
    CHECK(std::count(output.err.begin(), output.err.end(), '\n') == 1);
    for (const auto& words : said) CHECK_THAT(output.err, Catch::Contains(words));
    // Nothing that changes anything was sent before the hello was answered.
    CHECK(f.cli({"spawn", "true"}).status == 4);
  }
}

TEST_CASE("B237 an answer that dribbles is not waited for without end", "[integration]") {
  DaemonFixture f;
  ::mkdir((f.folder + "/run/smartcli").c_str(), 0700);
  auto dribbler =
      Process({"python3", "-c",
               "import socket, time\ns = socket.socket(socket.AF_UNIX)\ns.bind('" + f.socket() +
                   "')\ns.listen()\nc = s.accept()[0]\ntry:\n while 1: c.send(b' '); time.sleep(0.5)\n"
                   "except OSError: pass"},
              f.env);
  REQUIRE(becomes_true([&] { return ::access(f.socket().c_str(), F_OK) == 0; }));
  const auto began = std::chrono::steady_clock::now();
  const auto output = f.cli({"list"});
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
  CHECK(output.status == 4);
  CHECK(output.err.find("does not respond") != std::string::npos);
  ::unlink(f.socket().c_str());
}

TEST_CASE("B239 sessions under a daemon of another version are told of", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "one", "cat"});
  f.ok({"spawn", "-s", "two", "cat"});
  f.kill_daemon();
  {
    const FakeDaemon newer(f.socket(), refuse_hello);
    const auto list = f.cli({"list"});
    CHECK(list.status == 4);
    CHECK(list.err.find("protocol 2") != std::string::npos);
    CHECK(list.err.find("it holds 2 sessions") != std::string::npos);
    CHECK(std::count(list.err.begin(), list.err.end(), '\n') == 1);
    const auto as_json = f.json({"list"});
    CHECK(as_json["error"]["code"] == "version_mismatch");
    CHECK(as_json["error"]["message"].get<std::string>().find("it holds 2 sessions") != std::string::npos);
  }
  CHECK(f.json({"list"})["sessions"].size() == 2);
}

TEST_CASE("F30 an older and a newer client are told what the daemon speaks, and cost it nothing",
          "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "kept", "cat"});
  const std::vector<std::pair<int, int>> spoken_ranges{{2, 2}, {2, 9}, {0, 0}, {-5, 0}, {1000000, 2000000}};
  for (const auto& [min, max] : spoken_ranges) {
    CAPTURE(min, max);
    Wire wire(f.socket());
    const auto reply = wire.hello(min, max);
    CHECK(reply["error"]["data"]["code"] == "version_mismatch");
    const auto message = reply["error"]["message"].get<std::string>();
    CHECK(message.find("speaks protocol 1,") != std::string::npos);
    CHECK(message.find("the client " + std::to_string(min)) != std::string::npos);
    if (max != min) CHECK(message.find("to " + std::to_string(max)) != std::string::npos);
    CHECK(!wire.next());
    CHECK(wire.is_closed());
  }
  {
    Wire wire(f.socket());  // a range the wrong way round is no range
    CHECK(wire.hello(2, 1)["error"]["data"]["code"] == "invalid_argument");
    CHECK(!wire.next());
    CHECK(wire.is_closed());
  }
  CHECK(f.json({"list"})["sessions"].size() == 1);
}
