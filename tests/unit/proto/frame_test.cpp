#include "proto/frame.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/utf8.hpp"
#include "proto/codec.hpp"
#include "proto/registry.hpp"
#include "support/shown.hpp"

using namespace smartcli;
using nlohmann::json;

namespace {

std::vector<std::string> drain(LineSplitter& splitter) {
  std::vector<std::string> lines;
  while (const auto line = splitter.next()) lines.emplace_back(*line);
  return lines;
}

std::vector<std::string> split(std::string_view stream, std::size_t cut, std::size_t cap = 1 << 20) {
  LineSplitter splitter(cap);
  std::vector<std::string> lines;
  for (const auto part : {stream.substr(0, cut), stream.substr(cut)}) {
    splitter.append(part);
    for (auto& line : drain(splitter)) lines.push_back(std::move(line));
  }
  return lines;
}

void check_one_line(const std::string& line) {
  REQUIRE(line.ends_with('\n'));
  const std::string_view body(line.data(), line.size() - 1);
  CHECK(utf8::is_valid(body));
  for (auto rest = body; !rest.empty(); rest.remove_prefix(utf8::decode(rest).bytes)) {
    const char32_t c = utf8::decode(rest).code_point;
    CAPTURE(static_cast<unsigned>(c));
    CHECK((c >= 0x20 && (c < 0x7F || c > 0x9F)));
  }
}

std::string hostile() {
  std::string text;
  for (char32_t c = 0; c < 0xA0; ++c) utf8::append(text, c);
  return text + "\xff\xfe\x9b\xc2\"\\";
}

}  // namespace

TEST_CASE("a stream cut anywhere gives the same lines", "[frame]") {
  const std::string stream =
      "one\ntwo\r\n\n\r\nthree\rmore\n\xe4\xb8\xad\xff\n" + std::string("\0\n", 2) + "rest";
  const std::vector<std::string> expected{
      "one", "two", "", "", "three\rmore", "\xe4\xb8\xad\xff", std::string("\0", 1)};
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    CAPTURE(cut);
    CHECK(split(stream, cut) == expected);
  }
  LineSplitter bytewise(64);
  std::vector<std::string> lines;
  for (const char c : stream) {
    bytewise.append(std::string_view(&c, 1));
    for (auto& line : drain(bytewise)) lines.push_back(std::move(line));
  }
  CHECK(lines == expected);
  CHECK_FALSE(bytewise.empty());
}

TEST_CASE("a line of the cap's length is taken, one byte more ends the stream", "[frame]") {
  constexpr std::size_t kCap = 100;
  LineSplitter exact(kCap);
  CHECK(exact.room() == kCap + 1);
  exact.append(std::string(kCap, 'x'));
  CHECK_FALSE(exact.next());
  CHECK_FALSE(exact.too_long());
  CHECK(exact.room() == 1);
  exact.append("\n");
  CHECK_FALSE(exact.too_long());
  REQUIRE(exact.next() == std::string(kCap, 'x'));
  CHECK(exact.empty());
  CHECK(exact.room() == kCap + 1);

  LineSplitter over(kCap);
  over.append(std::string(kCap, 'x'));
  over.append("x");
  CHECK(over.room() == 0);
  CHECK_FALSE(over.next());
  CHECK(over.too_long());
}

TEST_CASE("only the line that has begun counts against the cap", "[frame]") {
  LineSplitter splitter(10);
  std::size_t count = 0;
  std::string stream;
  for (int i = 0; i < 50'000; ++i) stream += std::to_string(i % 1000) + "\n";
  for (std::string_view rest = stream; !rest.empty();) {
    const auto piece = rest.substr(0, splitter.room());
    REQUIRE_FALSE(piece.empty());
    splitter.append(piece);
    rest.remove_prefix(piece.size());
    count += drain(splitter).size();
    REQUIRE_FALSE(splitter.too_long());
  }
  CHECK(count == 50'000);
  CHECK(splitter.empty());
}

TEST_CASE("long lines in a row cost no more than their bytes", "[frame]") {
  LineSplitter splitter(1 << 20);
  const std::string line(300'000, 'y');
  for (int i = 0; i < 50; ++i) {
    std::string_view rest = line;
    for (; !rest.empty(); rest.remove_prefix(std::min<std::size_t>(rest.size(), 4096))) {
      splitter.append(rest.substr(0, 4096));
      if (rest.size() > 4096) REQUIRE_FALSE(splitter.next());
    }
    splitter.append("\nstart");
    REQUIRE(splitter.next() == line);
    splitter.append("\n");
    REQUIRE(splitter.next() == "start");
  }
}

TEST_CASE("a request is read", "[frame]") {
  std::string id;
  const auto frame = parse_request(R"({"jsonrpc":"2.0","id":7,"method":"list","params":{"a":[1]}})", 64, id);
  REQUIRE(frame);
  CHECK(frame->id == "7");
  CHECK(frame->method == "list");
  CHECK_FALSE(frame->is_notification);
  CHECK(*frame->params == json{{"a", {1}}});
  const auto bare = parse_request(R"({"jsonrpc":"2.0","method":"cancel"})", 64, id);
  REQUIRE(bare);
  CHECK(bare->is_notification);
  CHECK(*bare->params == json::object());
  const auto named = parse_request(R"({"jsonrpc":"2.0","id":"a\u007f\"","method":"list"})", 64, id);
  REQUIRE(named);
  CHECK(named->id == "\"a\\u007f\\\"\"");
  CHECK(id == named->id);
}

TEST_CASE("a bad request is refused with as much of its id as could be read", "[frame]") {
  const auto [line, id, said] = GENERATE(table<std::string, std::string, std::string>({
      {"", "null", "not a JSON message"},
      {"{", "null", "not a JSON message"},
      {"\xff", "null", "not a JSON message"},
      {"[]", "null", "a request is a JSON object"},
      {R"([{"jsonrpc":"2.0","id":1,"method":"list"}])", "null", "batches"},
      {"3", "null", "a request is a JSON object"},
      {R"({"id":7})", "7", "'jsonrpc'"},
      {R"({"id":7,"jsonrpc":"1.0","method":"list"})", "7", "'jsonrpc'"},
      {R"({"id":7,"jsonrpc":2.0,"method":"list"})", "7", "'jsonrpc'"},
      {R"({"id":"x","jsonrpc":"2.0"})", "\"x\"", "'method'"},
      {R"({"id":7,"jsonrpc":"2.0","method":7})", "7", "'method'"},
      {R"({"id":7,"jsonrpc":"2.0","method":"list","params":[]})", "7", "'params'"},
      {R"({"id":7,"jsonrpc":"2.0","method":"list","params":null})", "7", "'params'"},
      {R"({"id":7,"jsonrpc":"2.0","method":"list","param":{}})", "7", "did you mean 'params'?"},
      {R"({"id":null,"jsonrpc":"2.0","method":"list"})", "null", "'id'"},
      {R"({"id":1.5,"jsonrpc":"2.0","method":"list"})", "null", "'id'"},
      {R"({"id":{},"jsonrpc":"2.0","method":"list"})", "null", "'id'"},
      {R"({"id":true,"jsonrpc":"2.0","method":"list"})", "null", "'id'"},
      {R"({"id":")" + std::string(300, 'x') + R"(","jsonrpc":"2.0","method":"list"})", "null", "256"},
  }));
  CAPTURE(line);
  std::string read = "left over";
  const auto frame = parse_request(line, 64, read);
  REQUIRE_FALSE(frame);
  CHECK(frame.error().code == ErrorCode::invalid_argument);
  CHECK(frame.error().message.find(said) != std::string::npos);
  CHECK(read == id);
  check_one_line(error_line(read, frame.error()));
}

TEST_CASE("a request's depth is the whole line's", "[frame]") {
  std::string id;
  const auto at = [](std::size_t levels) {
    return R"({"jsonrpc":"2.0","id":1,"method":"list","params":{"a":)" + std::string(levels - 2, '[') +
           std::string(levels - 2, ']') + "}}";
  };
  CHECK(parse_request(at(64), 64, id));
  CHECK_FALSE(parse_request(at(65), 64, id));
}

TEST_CASE("T19: a reply is one line of UTF-8 without control characters, whatever the program printed",
          "[frame]") {
  Snapshot::Reply reply;
  reply.text = hostile();
  reply.screen.emplace();
  reply.screen->title = hostile();
  reply.screen->lines = {hostile(), "plain"};
  const std::string line = reply_line_of("\"a\"", reply);
  check_one_line(line);
  const auto frame = parse_reply(std::string_view(line).substr(0, line.size() - 1));
  REQUIRE(frame);
  CHECK(frame->id == "\"a\"");
  CHECK_FALSE(frame->error);
  const json result = json::parse(frame->result);
  CHECK(result["ok"] == true);
  CHECK(result["text"] == utf8::to_valid(hostile()));
}

TEST_CASE("T19: an error is one line, and comes out of it as it went in", "[frame]") {
  for (const auto& row : kErrors) {
    const Error sent{row.code, "what " + hostile(), "detail " + hostile()};
    const std::string line = error_line("12", sent);
    check_one_line(line);
    const auto frame = parse_reply(std::string_view(line).substr(0, line.size() - 1));
    REQUIRE(frame);
    REQUIRE(frame->error);
    CHECK(frame->id == "12");
    CHECK(frame->error->code == row.code);
    CHECK(frame->error->message == utf8::to_valid(sent.message));
    CHECK(frame->error->detail == utf8::to_valid(sent.detail));
    const json wire = json::parse(line);
    CHECK(wire["error"]["code"] == row.number);
    CHECK(wire["error"]["data"]["code"] == std::string(row.name));
    check_one_line(error_json(sent) + "\n");
    const json shown = json::parse(error_json(sent));
    CHECK(shown["ok"] == false);
    CHECK(shown["error"]["code"] == std::string(row.name));
  }
}

TEST_CASE("a request line is read back", "[frame]") {
  const std::string line = request_line(42, "status", R"({"sid":"x"})");
  check_one_line(line);
  std::string id;
  const auto frame = parse_request(std::string_view(line).substr(0, line.size() - 1), 64, id);
  REQUIRE(frame);
  CHECK(frame->id == "42");
  CHECK(frame->method == "status");
  CHECK((*frame->params)["sid"] == "x");
}

TEST_CASE("what is no reply is an error, never a crash", "[frame]") {
  const auto line = GENERATE(as<std::string>{}, "", "{", "[]", "null", "7", "\"x\"", "{}", R"({"id":1})",
                             R"({"result":{}})", R"({"error":{}})", "\xff\xff", "HTTP/1.1 400 Bad Request");
  CAPTURE(line);
  const auto frame = parse_reply(line);
  REQUIRE_FALSE(frame);
  CHECK(frame.error().code == ErrorCode::internal);
}

TEST_CASE("an error of any shape is an error, and one whose code is not known counts as a bug", "[frame]") {
  const auto [body, message] = GENERATE(table<std::string, std::string>({
      {"null", ""},
      {"5", ""},
      {"\"x\"", ""},
      {"[]", ""},
      {"{}", ""},
      {R"({"message":5})", ""},
      {R"({"message":"m","data":5})", "m"},
      {R"({"message":"m","data":{"code":7,"detail":[]}})", "m"},
      {R"({"code":-32000,"message":"m","data":{"code":"new_one","detail":"d"}})", "m"},
  }));
  CAPTURE(body);
  const auto frame = parse_reply(R"({"jsonrpc":"2.0","id":1,"error":)" + body + "}");
  REQUIRE(frame);
  REQUIRE(frame->error);
  CHECK(frame->error->code == ErrorCode::internal);
  CHECK(frame->error->message == message);
}

TEST_CASE("a piece of a streamed answer is a notification with the request's id and a number", "[frame]") {
  Read::Chunk chunk;
  chunk.lines.push_back({5, "te\"xt", std::nullopt, std::nullopt});
  chunk.last = 5;
  chunk.end = 9;
  const auto line = stream_line_of("\"a\"", 3, chunk);
  CHECK(line ==
        R"({"jsonrpc":"2.0","method":"stream","params":{"id":"a","end":9,"last":5,"lines":[{"line":5,)"
        R"("text":"te\"xt"}],"seq":3}})"
        "\n");
  const auto frame = parse_reply(line.substr(0, line.size() - 1));
  REQUIRE(frame);
  CHECK(frame->is_stream);
  CHECK(frame->id == "\"a\"");
  const auto back = decode_text<Read::Chunk>(frame->result);
  REQUIRE(back);
  CHECK(back->lines.at(0).text == "te\"xt");
  CHECK_FALSE(parse_reply(R"({"jsonrpc":"2.0","method":"stream","params":{}})"));
  CHECK_FALSE(parse_reply(R"({"jsonrpc":"2.0","method":"other","params":{"id":1}})"));
}

TEST_CASE("a streamed answer is one object again", "[codec]") {
  CHECK(merge_stream({}, R"({"lines":[3],"ok":true})") == R"({"lines":[3],"ok":true})");
  CHECK(merge_stream({R"({"id":1,"seq":0,"lines":[1]})", R"({"id":1,"seq":1,"lines":[2]})"},
                     R"({"lines":[3],"ok":true})") == R"({"lines":[1,2,3],"ok":true})");
}

TEST_CASE("the bytes that a text takes in JSON are counted, rather too many than too few", "[codec]") {
  for (const std::string text : {"", "plain", "\"\\\"", "\x1b\n", "\u4e2d\u00e9", "\u0085\x7f"}) {
    CAPTURE(text);
    CHECK(json_bytes(text) + 2 >= dump_json(nlohmann::json(text)).size());
  }
  CHECK(json_bytes("plain") == 5);
}
