// Requests that are none, that are cut, or that are made to cost: an error each, in no time, and at nobody
// else's cost.

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "support/daemon_fixture.hpp"
#include "support/trace.hpp"
#include "support/wire.hpp"

using namespace smartcli::test;
using nlohmann::json;

namespace {

/// What the daemon has computed so far; the kernel counts it in ns.
std::chrono::nanoseconds computed(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/schedstat");
  long long ns = 0;
  file >> ns;
  return std::chrono::nanoseconds(ns);
}

std::string request_of(const std::string& params) {
  return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"wait_regex\",\"params\":" + params + "}\n";
}

std::string repeated(const std::string& piece, std::size_t bytes) {
  std::string all;
  all.reserve(bytes + piece.size());
  while (all.size() < bytes) all += piece;
  return all;
}

}  // namespace

TEST_CASE("T47 a JSON bomb is an error within 50 ms of the daemon's time", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  const int pid = f.daemon_pid();
  constexpr std::size_t kLine = (4 << 20) - 200;
  std::string distinct = "{";
  for (int i = 0; distinct.size() < kLine; ++i) distinct += "\"" + std::to_string(i) + "\":0,";
  distinct.back() = '}';
  struct Bomb {
    std::string name, line, detail;
  };
  const std::vector<Bomb> bombs{
      {"depth 100 000", request_of(std::string(100000, '[') + std::string(100000, ']')), "json_depth"},
      {"objects 100 000 deep", request_of(repeated("{\"a\":", 500000)), "json_depth"},
      {"as many names as fit", request_of(distinct), "json_values"},
      {"as many values as fit", request_of("[" + repeated("0,", kLine) + "0]"), "json_values"},
      {"as many lists as fit", request_of("[" + repeated("[],", kLine) + "0]"), "json_values"},
      {"one name many times", request_of("{" + repeated("\"a\":0,", 300000) + "\"a\":0}"), ""},
      {"a field twice", request_of(R"({"sid":"c","pattern":"x","sid":"c"})"), ""},
      {"1e999", request_of(R"({"sid":"c","pattern":"x","timeout_ms":1e999})"), ""},
      {"NaN", request_of(R"({"sid":"c","pattern":"x","timeout_ms":NaN})"), ""},
      {"-Infinity", request_of(R"({"sid":"c","pattern":"x","timeout_ms":-Infinity})"), ""},
      {"a number of a megabyte",
       request_of(R"({"sid":"c","pattern":"x","timeout_ms":1)" + std::string(1 << 20, '0') + "}"), ""},
      {"a long string", request_of("{\"sid\":\"c\",\"pattern\":\"" + std::string(kLine, 'x') + "\"}"),
       "pattern_bytes"},
      {"a long unknown name",
       request_of("{\"sid\":\"c\",\"pattern\":\"x\",\"" + std::string(kLine, '\x01') + "\":1}"), ""},
      {"a long escaped name",
       request_of("{\"sid\":\"c\",\"pattern\":\"x\",\"" + repeated("\\u0001", kLine) + "\":1}"), ""},
      {"invalid UTF-8",
       request_of("{\"sid\":\"c\",\"pattern\":\"" + std::string("\xc3\x28\xed\xa0\x80\xff") + "\"}"), ""},
      {"as much invalid UTF-8 as fits",
       request_of("{\"sid\":\"c\",\"pattern\":\"" + std::string(kLine, '\xff') + "\"}"), ""},
      {"a NUL", request_of(std::string("{\"sid\":\"c\0\"}", 12)), ""}};
  for (const auto& [name, line, detail] : bombs) {
    CAPTURE(name);
    Wire wire(f.socket());
    wire.hello();
    const auto before = computed(pid);
    wire.send(line);
    const auto reply = wire.next();
    const auto took = computed(pid) - before;
    REQUIRE(reply);
    CHECK((*reply)["error"]["data"]["detail"] == detail);
    CHECK(reply->dump().size() < 4096);
    CHECK(took < std::chrono::milliseconds(50));
    CHECK(wire.ask("version")["result"]["ok"] == true);
  }
  {
    // 10 MB are past the line's cap.
    Wire wire(f.socket());
    wire.hello();
    const auto before = computed(pid);
    wire.send(request_of("{\"sid\":\"" + std::string(10'000'000, 'x') + "\"}"));
    CHECK((*wire.next())["error"]["data"]["detail"] == "line_bytes");
    CHECK(computed(pid) - before < std::chrono::milliseconds(50));
    CHECK(!wire.next());
  }
  CHECK(f.daemon_pid() == pid);
}

TEST_CASE("F22 a request is executed whole or not at all, wherever its client dies", "[integration]") {
  DaemonFixture f;
  f.ok({"daemon", "start"});
  const auto line =
      json{
          {"jsonrpc", "2.0"}, {"id", 1}, {"method", "spawn"}, {"params", {{"sid", "cut"}, {"argv", {"cat"}}}}}
          .dump() +
      "\n";
  for (std::size_t at = 0; at < line.size(); ++at) {
    Wire wire(f.socket());
    wire.hello();
    wire.send(line.substr(0, at));
    if (at % 2 == 1) wire.shut_down();
  }
  CHECK(f.json({"list"})["sessions"].empty());
  {
    Wire wire(f.socket());
    wire.hello();
    wire.send(line);
  }
  CHECK(becomes_true([&] { return f.json({"list"})["sessions"].size() == 1; }));
  f.ok({"send-line", "-s", "cut", "works"});
  f.ok({"wait-regex", "-s", "cut", "works"});
}

TEST_CASE("F26 a line that was damaged anywhere has one answer", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  std::mt19937 random(20);
  const auto upto = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::vector<std::string> good{
      json{{"jsonrpc", "2.0"}, {"id", 7}, {"method", "version"}, {"params", json::object()}}.dump(),
      json{{"jsonrpc", "2.0"}, {"id", "a\"\\\n"}, {"method", "status"}, {"params", {{"sid", "c"}}}}.dump(),
      json{{"jsonrpc", "2.0"},
           {"id", -1},
           {"method", "wait_any"},
           {"params", {{"sid", "c"}, {"patterns", {"x", "[y]"}}, {"timeout_ms", 0}}}}
          .dump(),
      json{{"jsonrpc", "2.0"},
           {"id", 2},
           {"method", "send_text"},
           {"params", {{"sid", "c"}, {"text", {{"b64", "/w=="}}}}}}
          .dump()};
  const std::vector<std::string> splices{std::string(1, '\0'),
                                         "\xef\xbb\xbf",
                                         "\r",
                                         "\xff",
                                         "\"",
                                         "\\",
                                         "\\u0000",
                                         "{",
                                         "}",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "null",
                                         "1e999",
                                         "NaN",
                                         "/*",
                                         "\x1b[31m",
                                         "\xe2\x80\xa8",
                                         " "};
  for (int peer = 0; peer < 150; ++peer) {
    Wire wire(f.socket());
    wire.hello();
    for (int i = 0; i < 6; ++i) {
      auto line = good[upto(good.size())];
      for (std::size_t times = 1 + upto(3); times-- > 0;) {
        const auto at = upto(line.size());
        switch (upto(4)) {
          case 0: line.erase(at, 1 + upto(8)); break;
          case 1: line.insert(at, splices[upto(splices.size())]); break;
          case 2: line[at] = static_cast<char>(1 + upto(255)); break;
          default: line.insert(at, line.substr(upto(line.size()), upto(20)));
        }
        if (line.empty()) line = "x";
      }
      for (auto& c : line) c = c == '\n' ? ' ' : c;
      // Without an id it would be a notification, which has no answer.
      if (const auto parsed = json::parse(line, nullptr, false); parsed.is_object() && !parsed.contains("id"))
        continue;
      CAPTURE(line);
      wire.send(line + "\n");
      const auto reply = wire.next();
      REQUIRE(reply);
      CHECK(reply->contains("result") != reply->contains("error"));
      if (reply->contains("error")) CHECK((*reply)["error"]["data"]["code"] != "internal");
    }
  }
  CHECK(f.json({"status", "-s", "c"})["alive"] == true);
}

TEST_CASE("F26 F06 a million tiny bad lines, and as fast as they come good ones, starve nobody",
          "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  const int pid = f.daemon_pid();
  std::atomic<bool> enough = false;
  std::atomic<long> sent = 0;
  const std::string bad = repeated("x\n", 20000);
  const std::string unknown = repeated("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\n", 200000);
  const std::string snapshots = repeated(
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"snapshot\",\"params\":{\"sid\":\"c\",\"detail\":\"full\"}}"
      "\n",
      200000);
  // One is dropped after ten lines and comes again; one is answered with an error each; one with a screen
  // each, and does not read them.
  auto flood = [&](const std::string& lines, bool reads) {
    while (!enough) {
      Wire wire(f.socket());
      wire.hello();
      timeval patience{0, 100000};
      ::setsockopt(wire.fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
      std::thread reader;
      if (reads) {
        reader = std::thread([&wire] {
          char block[65536];
          while (::recv(wire.fd(), block, sizeof block, 0) > 0) {
          }
        });
      }
      wire.send(lines);
      sent += static_cast<long>(lines.size());
      if (reads) {
        ::shutdown(wire.fd(), SHUT_WR);
        reader.join();
      }
    }
  };
  std::vector<std::thread> floods;
  floods.emplace_back(flood, bad, false);
  floods.emplace_back(flood, unknown, true);
  floods.emplace_back(flood, snapshots, false);
  Wire wire(f.socket());
  wire.hello();
  std::chrono::steady_clock::duration longest{};
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  int asked = 0;
  for (; std::chrono::steady_clock::now() < until; ++asked) {
    const auto began = std::chrono::steady_clock::now();
    CHECK(wire.ask("status", {{"sid", "c"}})["result"]["alive"] == true);
    longest = std::max(longest, std::chrono::steady_clock::now() - began);
  }
  enough = true;
  for (auto& flood_thread : floods) flood_thread.join();
  CAPTURE(asked, sent.load());
  CHECK(longest < std::chrono::milliseconds(500));
  CHECK(f.daemon_pid() == pid);
  const auto rss = f.run({"sh", "-c", "grep RssAnon /proc/" + std::to_string(pid) + "/status"}).out;
  CHECK(std::stol(rss.substr(rss.find_first_of("0123456789"))) < 64 * 1024);
}

TEST_CASE("F31 out of descriptors the daemon says so, and serves again when there are some",
          "[integration]") {
  DaemonFixture f;
  f.run({"prlimit", "--nofile=40:40", "smartcli", "daemon", "start"});
  const int pid = f.daemon_pid();
  std::vector<std::unique_ptr<Wire>> wires;
  std::optional<json> refused;
  while (wires.size() < 60 && !refused) {
    wires.push_back(std::make_unique<Wire>(f.socket()));
    wires.back()->request("h", "hello", {{"client", "t"}, {"protocol", {{"min", 1}, {"max", 1}}}});
    const auto reply = wires.back()->next();
    REQUIRE(reply);
    if (reply->contains("error")) refused = reply;
  }
  REQUIRE(refused);
  CHECK((*refused)["error"]["data"]["code"] == "resource_exhausted");
  CHECK(wires.front()->ask("version")["result"]["ok"] == true);
  const auto before = computed(pid);
  const auto listed = f.json({"list"});
  CHECK(listed["error"]["code"] == "resource_exhausted");
  CHECK(computed(pid) - before < std::chrono::milliseconds(100));
  wires.clear();
  CHECK(becomes_true([&] { return f.cli({"list"}).status == 0; }));
}
