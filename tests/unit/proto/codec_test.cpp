#include "proto/codec.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "common/utf8.hpp"
#include "support/shown.hpp"
#include "unit/proto/samples.hpp"

using namespace smartcli;
using test::fields_of;
using test::json;

namespace {

template <class M>
Result<typename M::Request> read(const json& object, UnknownFields unknown = UnknownFields::refuse) {
  return decode<typename M::Request>(object, unknown);
}

/// What was refused: one field by its path, in a message that may be shown. Past a limit the detail names
/// that.
template <class Request>
void check_refused(const Result<Request>& result, std::string_view path, const Limit* past = nullptr) {
  REQUIRE_FALSE(result.has_value());
  const Error& error = result.error();
  CAPTURE(error.message);
  CHECK(error.code == ErrorCode::invalid_argument);
  CHECK(error.detail.starts_with(past != nullptr ? past->name : path));
  CHECK(error.message.find(path) != std::string::npos);
  CHECK(error.message.size() < 1000);
  CHECK(utf8::is_valid(error.message));
  for (const char c : error.message) CHECK(static_cast<unsigned char>(c) >= 0x20);
}

SessionName name(std::string text) {
  return SessionName{std::move(text)};
}

}  // namespace

TEST_CASE("every method has a name, a line of help, and fields that are spelled once", "[codec]") {
  std::set<std::string_view> names;
  test::for_each_message([&]<class M>() {
    CAPTURE(M::info.name);
    CHECK(names.insert(M::info.name).second);
    CHECK(M::info.doc.ends_with("."));
    std::set<std::string> fields;
    for (const auto& field : fields_of<typename M::Request>()) CHECK(fields.insert(field.name).second);
    if (!M::info.positional.empty()) CHECK(fields.contains(std::string(M::info.positional)));
  });
}

TEST_CASE("every request survives the wire, with its required fields and with all of them", "[codec]") {
  test::for_each_message([]<class M>() {
    for (const bool with_optional : {false, true}) {
      const json sent = test::sample<typename M::Request>(with_optional);
      CAPTURE(M::info.name, sent.dump());
      const auto request = read<M>(sent);
      REQUIRE(request);
      const std::string text = encode_text(*request);
      if (with_optional) CHECK(json::parse(text) == sent);
      const auto parsed = parse_json(text, 64);
      REQUIRE(parsed);
      const auto again = read<M>(*parsed);
      REQUIRE(again);
      CHECK(encode_text(*again) == text);
    }
  });
}

TEST_CASE("every default request survives the wire", "[codec]") {
  test::for_each_message([]<class M>() {
    CAPTURE(M::info.name);
    typename M::Request request;
    if constexpr (requires { request.sid.text; }) request.sid.text = "s";  // no session has an empty name
    const std::string text = encode_text(request);
    const auto parsed = parse_json(text, 64);
    REQUIRE(parsed);
    const auto again = read<M>(*parsed);
    REQUIRE(again);
    CHECK(encode_text(*again) == text);
  });
}

TEST_CASE("a missing field is named", "[codec]") {
  test::for_each_message([]<class M>() {
    for (const auto& field : fields_of<typename M::Request>()) {
      if (!field.is_required) continue;
      json sent = test::sample<typename M::Request>(true);
      sent.erase(field.name);
      CAPTURE(M::info.name, field.name);
      check_refused(read<M>(sent), field.name);
      CHECK(read<M>(sent).error().message.starts_with("missing field"));
    }
  });
}

TEST_CASE("a field of the wrong type is named, with what was found", "[codec]") {
  test::for_each_message([]<class M>() {
    for (const auto& field : fields_of<typename M::Request>()) {
      for (const json& wrong : test::misfits(field.kind)) {
        json sent = test::sample<typename M::Request>(true);
        sent[field.name] = wrong;
        CAPTURE(M::info.name, field.name, wrong.dump());
        check_refused(read<M>(sent), field.name, wrong.is_number_integer() ? field.limit : nullptr);
      }
    }
  });
}

TEST_CASE("null stands for an optional field that is left out, never for a required one", "[codec]") {
  test::for_each_message([]<class M>() {
    for (const auto& field : fields_of<typename M::Request>()) {
      if (field.kind == test::Kind::raw) continue;
      json sent = test::sample<typename M::Request>(true);
      sent[field.name] = nullptr;
      CAPTURE(M::info.name, field.name);
      const auto with_null = read<M>(sent);
      if (field.is_required) {
        check_refused(with_null, field.name);
        continue;
      }
      REQUIRE(with_null);
      sent.erase(field.name);
      CHECK(encode_text(*with_null) == encode_text(*read<M>(sent)));
    }
  });
}

TEST_CASE("a number is taken at its bounds and refused one past them, with the range", "[codec]") {
  test::for_each_message([]<class M>() {
    for (const auto& field : fields_of<typename M::Request>()) {
      if (field.limit == nullptr) continue;
      CAPTURE(M::info.name, field.name);
      json sent = test::sample<typename M::Request>(true);
      for (const auto good : {field.limit->least, field.limit->most}) {
        sent[field.name] = good;
        CHECK(read<M>(sent));
      }
      for (const auto bad : {field.limit->least - 1, field.limit->most + 1, INT64_MAX, INT64_MIN}) {
        sent[field.name] = bad;
        CAPTURE(bad);
        check_refused(read<M>(sent), field.name, field.limit);
        const std::string message = read<M>(sent).error().message;
        CHECK(message.find(std::to_string(field.limit->least)) != std::string::npos);
        CHECK(message.find(std::to_string(field.limit->most)) != std::string::npos);
      }
    }
  });
}

TEST_CASE("an unknown field is refused by name with the nearest known one, or ignored where that is wanted",
          "[codec]") {
  test::for_each_message([]<class M>() {
    json sent = test::sample<typename M::Request>(true);
    sent["frobnicate"] = 1;
    CAPTURE(M::info.name);
    check_refused(read<M>(sent), "frobnicate");
    CHECK(read<M>(sent, UnknownFields::ignore));
    for (const auto& field : fields_of<typename M::Request>()) {
      json misspelt = test::sample<typename M::Request>(true);
      misspelt[field.name + "x"] = 1;
      const auto refused = read<M>(misspelt);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().message.find("did you mean '" + field.name + "'?") != std::string::npos);
    }
  });
}

TEST_CASE("a misspelt choice is refused with all there are and the nearest", "[codec]") {
  json sent = test::sample<Signal::Request>(true);
  sent["to"] = "chidl";
  const auto refused = read<Signal>(sent);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message ==
        "'to' must be one of foreground, child, not 'chidl': did you mean 'child'?");
}

TEST_CASE("a field inside a field is named by its path", "[codec]") {
  json hello = test::sample<Hello::Request>(true);
  hello["protocol"]["max"] = "one";
  check_refused(read<Hello>(hello), "protocol.max");
  hello["protocol"]["max"] = 1;
  hello["protocol"]["mix"] = 1;
  check_refused(read<Hello>(hello), "protocol.mix");
  hello["protocol"].erase("mix");
  hello["protocol"].erase("min");
  check_refused(read<Hello>(hello), "protocol.min");
  json keys = test::sample<SendKeys::Request>(true);
  keys["keys"] = {"Enter", 5};
  check_refused(read<SendKeys>(keys), "keys[1]");
}

TEST_CASE("parameters that are no object are refused", "[codec]") {
  for (const json& wrong : {json(nullptr), json(1), json("x"), json::array(), json(true)}) {
    const auto refused = read<List>(wrong);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("the parameters must be an object") != std::string::npos);
  }
}

TEST_CASE("an unknown field's name of any length and kind gives a short message", "[codec]") {
  for (const std::string& hostile :
       {std::string(1 << 20, 'x'), std::string(1 << 20, '\x7f'), std::string("\x1b[31m\n"),
        std::string("a\0b", 3), std::string("\xe2\x80\xae")}) {
    json sent = json::object();
    sent[hostile] = 1;
    const auto refused = read<List>(sent);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.size() < 1000);
    CHECK(refused.error().detail.size() < 1000);
    for (const char c : refused.error().message) CHECK(static_cast<unsigned char>(c) >= 0x20);
  }
}

TEST_CASE("T40: a session's name is a letter or digit, then up to 63 of a closed set", "[codec]") {
  const auto [text, is_taken] = GENERATE(table<std::string, bool>({
      {"a", true},
      {"0", true},
      {"Az09_.-", true},
      {std::string(64, 'x'), true},
      {"a..b", true},
      {std::string(65, 'x'), false},
      {"", false},
      {".", false},
      {"..", false},
      {".a", false},
      {"-a", false},
      {"_a", false},
      {"a/b", false},
      {"../a", false},
      {std::string("a\0b", 3), false},
      {"a\n", false},
      {"a b", false},
      {"a\x1b[0m", false},
      {"\xc3\xa9", false},
      {"a\xef\xbc\x8e", false},
  }));
  CAPTURE(text);
  const auto read_as_session = read<Status>(json{{"sid", text}});
  CHECK(read_as_session.has_value() == is_taken);
  if (!is_taken) {
    CHECK(read_as_session.error().code == ErrorCode::invalid_argument);
    CHECK(read_as_session.error().detail == (text.size() > 64 ? "sid_bytes" : "sid"));
  }
  CHECK(read<Spawn>(json{{"sid", text}}).has_value() == is_taken);
}

TEST_CASE("bytes travel as text where they are UTF-8 and as b64 where they are not", "[codec]") {
  const auto [bytes, wire] = GENERATE(table<std::string, json>({
      {"plain", "plain"},
      {"", ""},
      {"caf\xc3\xa9", "caf\xc3\xa9"},
      {std::string("a\0b", 3), std::string("a\0b", 3)},
      {"caf\xe9", json{{"b64", "Y2Fm6Q=="}}},
      {"\xed\xa0\x80", json{{"b64", "7aCA"}}},
  }));
  SendText::Request request{{name("s"), Bytes{bytes}, {}, {}}};
  const json sent = json::parse(encode_text(request));
  CHECK(sent["text"] == wire);
  const auto back = read<SendText>(sent);
  REQUIRE(back);
  CHECK(back->text.data == bytes);
}

TEST_CASE("what a struct holds that is no UTF-8 leaves as U+FFFD", "[codec]") {
  WaitRegex::Request request;
  request.sid = name("s");
  request.pattern =
      "a\xff"
      "b";
  CHECK(json::parse(encode_text(request))["pattern"] ==
        "a\xef\xbf\xbd"
        "b");
}

TEST_CASE("a client takes a newer daemon's reply, and one that lacks a field", "[codec]") {
  const auto reply =
      decode_text<Resize::Reply>(R"({"ok":true,"cols":3,"rows":4,"revision":5,"new":{"x":[1]}})");
  REQUIRE(reply);
  CHECK(reply->cols == 3);
  CHECK(reply->revision == 5);
  const auto old = decode_text<Resize::Reply>(R"({"ok":true,"cols":3})");
  REQUIRE(old);
  CHECK(old->rows == 0);
  CHECK_FALSE(decode_text<Resize::Reply>(R"({"cols":"3"})"));
  CHECK_FALSE(decode_text<Resize::Reply>("[]"));
  CHECK_FALSE(decode_text<Resize::Reply>(""));
}
