// Many connections, many requests in flight on each, and bytes that are no UTF-8 on their way through all of
// it.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <set>

#include "support/daemon_fixture.hpp"
#include "support/wire.hpp"

using namespace smartcli::test;
using nlohmann::json;

TEST_CASE("a hundred connections at once, with requests in flight on each, are all served", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "sh", "-c", "echo ready; read x; echo got $x; exec cat"});
  f.ok({"wait-regex", "-s", "c", "ready"});
  constexpr int kPeers = 100, kEach = 10;
  std::vector<std::unique_ptr<Wire>> wires;
  for (int i = 0; i < kPeers; ++i) {
    wires.push_back(std::make_unique<Wire>(f.socket()));
    wires.back()->hello();
    wires.back()->request("wait", "wait_regex", {{"sid", "c"}, {"pattern", "^got \\d+$"}});
  }
  for (auto& wire : wires) {
    for (int k = 0; k < kEach; ++k)
      wire->request(k, k % 2 == 0 ? "version" : "snapshot", k % 2 == 0 ? json::object() : json{{"sid", "c"}});
  }
  for (auto& wire : wires) {
    std::set<int> ids;
    for (int k = 0; k < kEach; ++k) {
      const auto reply = *wire->next();
      REQUIRE(reply["id"].is_number());
      CHECK(reply["result"].contains(reply["id"].get<int>() % 2 == 0 ? "daemon" : "text"));
      ids.insert(reply["id"].get<int>());
    }
    CHECK(ids.size() == kEach);
  }
  CHECK(f.json({"daemon", "status"})["waits"] == kPeers);
  f.ok({"send-line", "-s", "c", "42"});
  for (auto& wire : wires) {
    const auto reply = *wire->next();
    CHECK(reply["id"] == "wait");
    CHECK(reply["result"]["match"]["text"] == "got 42");
  }
}

TEST_CASE(
    "two hundred requests in flight on one connection have their replies by id, and one of them is cancelled",
    "[integration]") {
  DaemonFixture f;
  constexpr int kMany = 200;
  // Each waits for a line of its own, and the lines come in another order than the waits.
  std::vector<int> order(kMany);
  for (int i = 0; i < kMany; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  // Without echo: the kernel would put it in the middle of lines that are just being written.
  f.ok({"spawn", "-s", "c", "--rows", "300", "sh", "-c",
        "stty -echo; echo ready; while read x; do echo line-$x-; done"});
  f.ok({"wait-regex", "-s", "c", "ready"});
  Wire wire(f.socket());
  wire.hello();
  for (int i = 0; i < kMany; ++i)
    wire.request(i, "wait_regex",
                 {{"sid", "c"}, {"pattern", "^line-" + std::to_string(i) + "-$"}, {"anywhere", true}});
  constexpr int kCancelled = 77;
  wire.request("cancel", "cancel", {{"id", kCancelled}});
  std::map<std::string, json> first;
  for (int i = 0; i < 2; ++i) {
    const auto reply = *wire.next();
    first[reply["id"].dump()] = reply["result"];
  }
  CHECK(first["\"cancel\""]["found"] == true);
  CHECK(first[std::to_string(kCancelled)]["reason"] == "CANCELLED");
  CHECK(wire.ask("daemon_status")["result"]["waits"] == kMany - 1);
  std::string lines;
  for (const int i : order) {
    if (i != kCancelled) lines += std::to_string(i) + "\n";
  }
  Wire other(f.socket());
  other.hello();
  CHECK(other.ask("send_text", {{"sid", "c"}, {"text", lines}}).contains("result"));
  std::set<int> met;
  for (int n = 0; n < kMany - 1; ++n) {
    const auto reply = wire.next();
    REQUIRE(reply);
    const int id = (*reply)["id"];
    CAPTURE(id);
    CHECK((*reply)["result"]["matched"] == true);
    CHECK((*reply)["result"]["match"]["text"] == "line-" + std::to_string(id) + "-");
    CHECK(met.insert(id).second);
  }
  CHECK(!met.contains(kCancelled));
  // An id is free again once its reply is out.
  wire.request(kCancelled, "version");
  CHECK((*wire.next())["id"] == kCancelled);
  wire.request("same", "wait_exit", {{"sid", "c"}});
  wire.request("same", "version");
  const auto refused = *wire.next();
  CHECK(refused["error"]["data"]["code"] == "invalid_argument");
  CHECK(wire.ask("version")["result"]["ok"] == true);
}

TEST_CASE("a connection that goes takes its waits with it and nobody else's", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  Wire stays(f.socket());
  stays.hello();
  stays.request(1, "wait_exit", {{"sid", "c"}});
  {
    Wire goes(f.socket());
    goes.hello();
    for (int i = 0; i < 20; ++i) goes.request(i, "wait_exit", {{"sid", "c"}});
    REQUIRE(becomes_true([&] { return f.json({"daemon", "status"})["waits"] == 21; }));
    goes.request("cancel", "cancel", {{"id", 1}});  // its own, not the other's of the same id
    bool is_own = false;
    for (int i = 0; i < 2; ++i) is_own = (*goes.next())["id"] == 1 || is_own;
    CHECK(is_own);
  }
  CHECK(becomes_true([&] { return f.json({"daemon", "status"})["waits"] == 1; }));
  f.ok({"close", "-s", "c"});
  CHECK((*stays.next())["result"]["reason"] == "CLOSED");
}

TEST_CASE(
    "argv, environment, directory and text that are no UTF-8 go through the command line and the wire as "
    "they are",
    "[integration]") {
  DaemonFixture f;
  const std::string odd = "\xff\xfe-\xc3(";  // no UTF-8, and no NUL
  const json as_wire{{"b64", "//4twyg="}};
  const auto folder = f.folder + "/d-" + odd;
  REQUIRE(::mkdir(folder.c_str(), 0700) == 0);
  const std::string script =
      "printf %s \"$1\" | od -An -tx1; printf %s \"$ODD\" | od -An -tx1; printf %s \"${PWD##*/d-}\" | od -An "
      "-tx1; "
      "stty raw -echo; printf 'ready\\n'; head -c 5 | od -An -tx1";
  const std::string hex = "ff fe 2d c3 28";
  std::string sid;
  SECTION("the caller's own environment and directory, by the command line") {
    f.env["ODD"] = odd;
    f.cwd = folder;
    sid = f.ok({"spawn", "sh", "-c", script, "sh", odd});
    f.cwd.clear();
  }
  SECTION("options of the command line") {
    sid = f.ok({"spawn", "--env", "ODD=" + odd, "--cwd", folder, "--", "sh", "-c", script, "sh", odd});
  }
  SECTION("the wire") {
    f.ok({"daemon", "start"});
    Wire wire(f.socket());
    wire.hello();
    const auto base64 = [&](const std::string& text) {
      auto encoded = f.run({"sh", "-c", "printf %s \"$0\" | base64 -w0", text}).out;
      return json{{"b64", encoded}};
    };
    CHECK(base64(odd) == as_wire);
    sid = wire.ask("spawn",
                   {{"argv", {"sh", "-c", script, "sh", as_wire}},
                    {"cwd", base64(folder)},
                    {"env", {base64("ODD=" + odd)}},
                    {"environment", {"PATH=" + f.env["PATH"], base64("OTHER=" + odd)}}})["result"]["sid"];
  }
  f.ok({"wait-regex", "-s", sid, "^ready"});
  const auto row = f.json({"list"})["sessions"][0];
  CHECK(row["argv"].back() == as_wire);
  const std::string in_folder = row["cwd"]["b64"];
  CHECK(f.run({"sh", "-c", "printf %s \"$0\" | base64 -d", in_folder}).out == folder);
  const auto status = f.json({"status", "-s", sid});
  CHECK(status["argv"].back() == as_wire);
  CHECK(status["cwd"]["b64"] == in_folder);
  CHECK_THAT(f.ok({"list"}), Catch::Contains("\xef\xbf\xbd"));  // for people: U+FFFD
  CHECK_THAT(f.ok({"status", "-s", sid}), Catch::Contains("\xef\xbf\xbd"));
  f.ok({"send-text", "-s", sid, odd});
  f.ok({"wait-exit", "-s", sid});
  const auto screen = f.ok({"snapshot", "-s", sid});
  for (std::size_t at = 0, n = 0; n < 4; ++n) {
    CAPTURE(screen, n);
    at = screen.find(hex, at);
    REQUIRE(at != std::string::npos);
    at += hex.size();
  }
  Wire wire(f.socket());
  wire.hello();
  for (const json& broken :
       {json{{"b64", "not base64!"}}, json{{"b64", 5}}, json{{"b64", "AA=="}, {"more", 1}}, json(7)}) {
    CAPTURE(broken);
    const auto reply = wire.ask("spawn", {{"argv", {"true", broken}}});
    CHECK(reply["error"]["data"]["detail"] == "argv[1]");
  }
}
