#include "proto/schema.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "common/error.hpp"
#include "proto/keys.hpp"
#include "proto/limits.hpp"
#include "proto/registry.hpp"

using namespace smartcli;
using nlohmann::json;

namespace {

json row_of(std::string_view method) {
  for (const auto& described : describe_methods()) {
    if (described.info.name == method) return method_schema(described);
  }
  FAIL("no method " << method);
  return {};
}

}  // namespace

TEST_CASE("the schema has every method, limit, error and key once", "[schema]") {
  const json document = schema_document("1.2.3");
  CHECK(document["schema_version"] == kSchemaVersion);
  CHECK(document["version"] == "1.2.3");
  CHECK(document["protocol"] == json{{"min", kProtocolMin}, {"max", kProtocolMax}});
  std::set<std::string> methods;
  for (const auto& row : document["methods"]) CHECK(methods.insert(row["name"]).second);
  CHECK(methods.contains("hello"));
  for_each_method([&]<class M>() { CHECK(methods.contains(std::string(M::info.name))); });
  CHECK(document["limits"].size() == std::size(kLimits));
  CHECK(document["errors"].size() == std::size(kErrors));
  std::size_t names = 0;
  for (const auto& key : document["keys"]) names += 1 + key["aliases"].size();
  CHECK(names == key_names().size());
  CHECK(document["keys"][0] == json{{"name", "Enter"}, {"aliases", {"Return", "Ret", "CR"}}});
  CHECK(document["keys"][2] == json{{"name", "BackTab"}, {"aliases", {"BTab"}}, {"means", "Shift+Tab"}});
}

TEST_CASE("every exit status of an error is in the table of exit statuses", "[schema]") {
  const json document = schema_document("");
  std::set<std::string> known;
  for (const auto& row : document["exit_statuses"]) CHECK(known.insert(row["status"]).second);
  for (const auto& row : document["errors"])
    CHECK(known.contains(std::to_string(row["exit_status"].get<int>())));
}

TEST_CASE("a request is closed, bounded by the limits' rows, and says what holds without a field",
          "[schema]") {
  const json spawn = row_of("spawn")["request"];
  CHECK(spawn["additionalProperties"] == false);
  CHECK(spawn["required"].empty());
  CHECK(spawn["properties"]["cols"]["minimum"] == limits::cols.least);
  CHECK(spawn["properties"]["cols"]["maximum"] == limits::cols.most);
  CHECK(spawn["properties"]["cols"]["default"] == limits::cols.standard);
  CHECK(spawn["properties"]["clean_env"]["default"] == false);
  CHECK(spawn["properties"]["argv"]["items"]["anyOf"].size() == 2);
  CHECK(spawn["properties"]["cwd"]["description"].get<std::string>().find("default: ") != std::string::npos);
  CHECK_FALSE(spawn["properties"].contains("wait"));
  CHECK_FALSE(spawn["properties"].contains("timeout_ms"));
  const json signal = row_of("signal")["request"];
  CHECK(signal["required"] == json{"sid", "signal"});
  CHECK(signal["properties"]["to"]["enum"] == json{"foreground", "child"});
  CHECK(signal["properties"]["to"]["default"] == "foreground");
  const json hello = row_of("hello")["request"];
  CHECK(hello["properties"]["protocol"]["additionalProperties"] == false);
}

TEST_CASE("a reply is open, says ok, and has null where nothing may be", "[schema]") {
  const json reply = row_of("wait_regex")["reply"];
  CHECK_FALSE(reply.contains("additionalProperties"));
  CHECK(reply["properties"]["ok"] == json{{"const", true}});
  const std::set<std::string> required = reply["required"];
  CHECK(required.contains("ok"));
  CHECK(required.contains("match"));
  CHECK_FALSE(required.contains("screen"));
  CHECK(reply["properties"]["match"]["type"] == json{"object", "null"});
  CHECK(row_of("status")["reply"]["properties"]["pid"]["type"] == json{"integer", "null"});
}

TEST_CASE("a method's row names its options as typed", "[schema]") {
  const json close = row_of("close");
  CHECK(close["command"] == "close");
  CHECK(close["options"] == json{"-s", "--session", "--sid", "--all", "--grace", "--grace-ms", "--tree",
                                 "--json", "-h", "--help"});
  const json spawn = row_of("spawn");
  const std::set<std::string> options = spawn["options"];
  CHECK(options.contains("--no-detect-child-exit"));
  CHECK(options.contains("--wait"));
  CHECK_FALSE(options.contains("--environment"));
  CHECK_FALSE(options.contains("--argv"));
  CHECK(spawn["positional"] == "argv");
  CHECK(spawn["client_options"].size() == 2);
  CHECK(spawn["client_options"][0]["options"] == json{"--wait"});
  CHECK(row_of("daemon_stop")["command"] == "daemon stop");
  CHECK(row_of("cancel")["command"].is_null());
}

TEST_CASE("one method is found by both its names, a misspelt one is answered with the nearest", "[schema]") {
  for (const char* name : {"wait_regex", "wait-regex"}) {
    const auto text = schema_text("", name, -1);
    REQUIRE(text.has_value());
    CHECK(json::parse(*text)["name"] == "wait_regex");
    CHECK(text->find('\n') == std::string::npos);
  }
  CHECK(json::parse(*schema_text("", "daemon stop", 2))["ok"] == true);
  const auto wrong = schema_text("", "wait-regexp", -1);
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().code == ErrorCode::unknown_method);
  CHECK(wrong.error().message.find("did you mean 'wait-regex'?") != std::string::npos);
}
