// The wire, byte by byte: hello, many requests in flight, cancel, caps, rude and vanished peers.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <map>
#include <thread>

#include "support/daemon_fixture.hpp"
#include "support/trace.hpp"
#include "support/wire.hpp"

using namespace smartcli::test;
using nlohmann::json;

TEST_CASE("hello comes first, and versions are compared", "[integration]") {
  DaemonFixture f;
  f.ok({"daemon", "start"});
  {
    Wire wire(f.socket());
    const auto reply = wire.hello();
    CHECK(reply["result"]["ok"] == true);
    CHECK(reply["result"]["protocol"] == 1);
    wire.request(1, "version", json::object());
    CHECK((*wire.next())["result"]["ok"] == true);
  }
  {
    Wire wire(f.socket());
    const auto reply = wire.hello(2, 9);
    CHECK(reply["error"]["data"]["code"] == "version_mismatch");
    const auto message = reply["error"]["message"].get<std::string>();
    CHECK(message.find("protocol 1") != std::string::npos);
    CHECK(message.find("2 to 9") != std::string::npos);
    CHECK(!wire.next());
    CHECK(wire.is_closed());
  }
  {
    Wire wire(f.socket());
    CHECK(wire.hello(0, 5)["result"]["protocol"] == 1);
  }
  {
    // Fields of a newer client are skipped, its own must be there.
    Wire wire(f.socket());
    wire.request(1, "hello",
                 {{"client", "t"}, {"protocol", {{"min", 1}, {"max", 7}, {"new", 1}}}, {"more", 2}});
    CHECK((*wire.next())["result"]["protocol"] == 1);
  }
  for (const auto& params :
       {json::object(), json{{"client", "t"}}, json{{"protocol", {{"min", 1}, {"max", 1}}}},
        json{{"client", "t"}, {"protocol", {{"min", 1}}}}}) {
    CAPTURE(params);
    Wire wire(f.socket());
    wire.request(1, "hello", params);
    CHECK((*wire.next())["error"]["data"]["code"] == "invalid_argument");
    CHECK(!wire.next());
    CHECK(wire.is_closed());
  }
  {
    Wire wire(f.socket());
    wire.request(1, "list", json::object());
    CHECK((*wire.next())["error"]["data"]["code"] == "invalid_argument");
    CHECK(!wire.next());
    CHECK(wire.is_closed());
  }
}

TEST_CASE("F26 bad lines are answered one by one, and ten of them end the connection", "[integration]") {
  DaemonFixture f;
  f.ok({"daemon", "start"});
  Wire wire(f.socket());
  wire.hello();
  for (const char* line : {"nonsense", "[]", "{}", "{\"jsonrpc\":\"2.0\",\"id\":1}", "\xff\xfe",
                           "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"list\"}", "null", "\xef\xbb\xbf{}",
                           "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"list\"}"}) {
    CAPTURE(line);
    wire.send(std::string(line) + "\r\n");
    const auto reply = wire.next();
    REQUIRE(reply);
    CHECK((*reply)["error"]["data"]["code"] == "invalid_argument");
  }
  wire.send("bad\n");
  CHECK(wire.next());
  CHECK(!wire.next());
  CHECK(wire.is_closed());
  CHECK(f.cli({"list"}).status == 0);
}

TEST_CASE("unknown methods and fields are named with the nearest known one", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  Wire wire(f.socket());
  wire.hello();
  wire.request(1, "snapsot", json::object());
  auto reply = *wire.next();
  CHECK(reply["error"]["data"]["code"] == "unknown_method");
  CHECK(reply["error"]["code"] == -32601);
  CHECK(reply["error"]["message"].get<std::string>().find("'snapshot'") != std::string::npos);
  wire.request(2, "wait_regex", {{"sid", "c"}, {"pattern", "x"}, {"timeout", 5}});
  reply = *wire.next();
  CHECK(reply["error"]["data"]["code"] == "invalid_argument");
  CHECK(reply["error"]["message"].get<std::string>().find("timeout_ms") != std::string::npos);
  for (const auto& [params, field] : std::vector<std::pair<json, std::string>>{
           {{{"sid", 5}, {"pattern", "x"}}, "sid"},
           {{{"sid", "../evil"}, {"pattern", "x"}}, "sid"},
           {{{"sid", "c"}}, "pattern"},
           {{{"sid", "c"}, {"pattern", "x"}, {"timeout_ms", 3600001}}, "wait_timeout_ms"},
           {{{"sid", "c"}, {"pattern", "x"}, {"timeout_ms", "5"}}, "timeout_ms"},
           {{{"sid", "c"}, {"pattern", "x"}, {"timeout_ms", 1e30}}, "timeout_ms"}}) {
    wire.request(3, "wait_regex", params);
    reply = *wire.next();
    CAPTURE(params);
    CHECK(reply["error"]["data"]["detail"] == field);
  }
}

TEST_CASE("replies come as they are ready, and cancel ends one wait", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "cat"});
  Wire wire(f.socket());
  wire.hello();
  wire.request("w", "wait_regex", {{"sid", "c"}, {"pattern", "never"}});
  wire.request("x", "wait_exit", {{"sid", "c"}});
  for (int i = 0; i < 50; ++i) wire.request(i, "version", json::object());
  for (int i = 0; i < 50; ++i) CHECK((*wire.next())["id"] == i);
  wire.request(100, "cancel", {{"id", "w"}});
  std::map<std::string, json> replies;
  for (int i = 0; i < 2; ++i) {
    auto reply = *wire.next();
    replies[reply["id"].dump()] = reply["result"];
  }
  CHECK(replies["100"]["found"] == true);
  CHECK(replies["\"w\""]["reason"] == "CANCELLED");
  CHECK(replies["\"w\""]["matched"] == false);
  wire.request(101, "cancel", {{"id", "w"}});
  CHECK((*wire.next())["result"]["found"] == false);
  wire.request(102, "close", {{"sid", "c"}});
  bool closed_seen = false;
  for (int i = 0; i < 2; ++i) {
    const auto reply = *wire.next();
    if (reply["id"] == "x") closed_seen = reply["result"]["reason"] == "CLOSED";
  }
  CHECK(closed_seen);
}

TEST_CASE("F25 T47 the line cap is exact and comes before any allocation, and depth is bounded",
          "[integration]") {
  DaemonFixture f;
  f.env["SMARTCLI_MAX_LINE_BYTES"] = "65536";
  f.ok({"daemon", "start"});
  const auto line_of = [](std::size_t bytes) {
    std::string line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"version\",\"params\":{}";
    line += std::string(bytes - line.size() - 1, ' ') + "}";
    return line + "\n";
  };
  {
    Wire wire(f.socket());
    wire.hello();
    wire.send(line_of(65536));
    CHECK((*wire.next())["result"]["ok"] == true);
    wire.send(line_of(65537));
    const auto reply = wire.next();
    REQUIRE(reply);
    CHECK((*reply)["error"]["data"]["code"] == "limit_exceeded");
    CHECK((*reply)["error"]["data"]["detail"] == "line_bytes");
    CHECK(!wire.next());
    CHECK(wire.is_closed());
  }
  {
    Wire wire(f.socket());
    wire.hello();
    for (const int depth : {62, 63}) {
      wire.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"version\",\"params\":{\"x\":" +
                std::string(static_cast<std::size_t>(depth), '[') +
                std::string(static_cast<std::size_t>(depth), ']') + "}}\n");
      const auto message = (*wire.next())["error"]["message"].get<std::string>();
      CHECK((message.find("nests deeper") != std::string::npos) == (depth == 63));
    }
    wire.send(std::string(60000, '[') + "\n");
    CHECK((*wire.next())["error"]["data"]["detail"] == "json_depth");
  }
}

TEST_CASE("F27 a peer that shuts down its side still gets its replies", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "sh", "-c", "read x; exit 4"});
  Wire wire(f.socket());
  wire.hello();
  wire.request(1, "wait_exit", {{"sid", "c"}});
  wire.request(2, "version", json::object());
  wire.shut_down();
  CHECK((*wire.next())["id"] == 2);
  f.ok({"send-line", "-s", "c", "x"});
  const auto reply = wire.next();
  REQUIRE(reply);
  CHECK((*reply)["result"]["exit"]["code"] == 4);
  CHECK(!wire.next());
  CHECK(wire.is_closed());
}

TEST_CASE("F06 a client that does not read its replies costs itself only", "[integration]") {
  DaemonFixture f;
  f.ok({"spawn", "-s", "c", "--cols", "200", "--rows", "200", "sh", "-c",
        "yes $(printf 'x%.0s' $(seq 190)) | head -300; exec cat"});
  f.ok({"wait-regex", "-s", "c", "x"});
  Wire rude(f.socket());
  rude.hello();
  std::string many;
  for (int i = 0; i < 2000; ++i) {
    many +=
        json{{"jsonrpc", "2.0"}, {"id", i}, {"method", "snapshot"}, {"params", {{"sid", "c"}}}}.dump() + "\n";
  }
  auto sender = std::thread([&] { rude.send(many); });
  const auto rss = [&] {
    const auto text =
        f.run({"sh", "-c", "grep RssAnon /proc/" + std::to_string(f.daemon_pid()) + "/status"}).out;
    return std::stol(text.substr(text.find_first_of("0123456789")));
  };
  for (int i = 0; i < 20; ++i) CHECK(f.cli({"version"}).status == 0);
  CHECK(rss() < 32 * 1024);
  for (int i = 0; i < 2000; ++i) REQUIRE(rude.next());
  sender.join();
  reached_limit("client_queue_bytes");
}

TEST_CASE("T25 B187 another user is refused, though the files were opened to all", "[integration]") {
  if (::geteuid() != 0) {
    WARN("needs root to become two other users");
    return;
  }
  DaemonFixture f;
  f.env.erase("SMARTCLI_TRACE");  // the tests' own file
  f.run({"chown", "-R", "65534:65534", f.folder});
  const auto as = [&](const char* uid, std::vector<std::string> argv) {
    argv.insert(argv.begin(),
                {"setpriv", std::string("--reuid=") + uid, std::string("--regid=") + uid, "--clear-groups"});
    return f.run(argv);
  };
  const auto first = as("65534", {"smartcli", "spawn", "-s", "mine", "cat"});
  CAPTURE(first.err);
  REQUIRE(first.status == 0);
  f.run({"chmod", "-R", "a+rwX", f.folder});
  const auto other = as("65533", {"smartcli", "list"});
  CHECK(other.status == 4);
  CHECK(other.out.empty());
  const auto raw =
      as("65533", {"python3", "-c",
                   "import socket\ns=socket.socket(socket.AF_UNIX)\ns.connect('" + f.socket() +
                       "')\ntry:\n s.sendall(b'{}\\n'); print(len(s.recv(100)))\nexcept OSError: print(0)"});
  CHECK(raw.out == "0\n");
  f.run({"chmod", "-R", "go-rwx", f.folder});
  CHECK(as("65534", {"smartcli", "daemon", "stop", "--end-sessions"}).status == 0);
  f.run({"chown", "-R", "0:0", f.folder});
}
