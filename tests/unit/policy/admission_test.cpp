#include "policy/admission.hpp"

#include <catch2/catch.hpp>

#include "support/shown.hpp"

using namespace smartcli;
using policy::Admission;

namespace {

struct House {
  Limits limits;
  Admission admission{limits};
};

Spawn::Request program(std::vector<std::string> words) {
  Spawn::Request request;
  for (auto& word : words) request.argv.push_back(Bytes{std::move(word)});
  return request;
}

void check_limit(const Result<void>& result, std::string_view row) {
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::limit_exceeded);
  CHECK(result.error().detail == row);
}

void check_invalid(const Result<void>& result, std::string_view said) {
  REQUIRE_FALSE(result.has_value());
  CAPTURE(result.error().message);
  CHECK(result.error().code == ErrorCode::invalid_argument);
  CHECK(result.error().message.find(said) != std::string::npos);
}

}  // namespace

TEST_CASE("a screen of 100 000 cells is admitted, one cell more is not", "[admission]") {
  const House house;
  Spawn::Request request;
  request.cols = 1000;
  request.rows = 100;
  CHECK(house.admission.admit(request));
  request.rows = 101;
  check_limit(house.admission.admit(request), "cells");
  request.cols = 200;
  request.rows = 500;
  CHECK(house.admission.admit(request));
  request.cols = 201;
  check_limit(house.admission.admit(request), "cells");
}

TEST_CASE("a resize needs columns, rows or both", "[admission]") {
  const House house;
  check_invalid(house.admission.admit(Resize::Request{SessionName{"s"}, {}, {}}), "--cols");
  CHECK(house.admission.admit(Resize::Request{SessionName{"s"}, 1, {}}));
  CHECK(house.admission.admit(Resize::Request{SessionName{"s"}, {}, 1}));
}

TEST_CASE("arguments of 128 KiB with their ends are admitted, one byte more is not", "[admission]") {
  House house;
  const std::size_t most = 128 << 10;
  CHECK(house.admission.admit(program({std::string(most - 1, 'x')})));
  check_limit(house.admission.admit(program({std::string(most, 'x')})), "argv_bytes");
  CHECK(house.admission.admit(program({std::string(most - 3, 'x'), "y"})));
  check_limit(house.admission.admit(program({std::string(most - 2, 'x'), "y"})), "argv_bytes");
  house.limits.set(LimitId::argv_bytes, 10);
  CHECK(house.admission.admit(program({"123456789"})));
  check_limit(house.admission.admit(program({"1234567890"})), "argv_bytes");
}

TEST_CASE("no program and any bytes but NUL are admitted as arguments", "[admission]") {
  const House house;
  CHECK(house.admission.admit(Spawn::Request{}));
  CHECK(house.admission.admit(program({"echo", "", "\xff\n"})));
  check_invalid(house.admission.admit(program({""})), "empty");
  check_invalid(house.admission.admit(program({"a", std::string("b\0c", 3)})), "NUL");
}

TEST_CASE("256 variables are admitted, one more is not", "[admission]") {
  const House house;
  Spawn::Request request;
  for (int i = 0; i < 256; ++i) request.env.push_back(Bytes{"V" + std::to_string(i) + "=x"});
  CHECK(house.admission.admit(request));
  request.env.push_back(Bytes{"MORE=x"});
  check_limit(house.admission.admit(request), "env_entries");
}

TEST_CASE("T40: a variable is NAME=VALUE with a plain name of its own", "[admission]") {
  const House house;
  const auto [entry, said] = GENERATE(table<std::string, std::string>({
      {"A=B", ""},
      {"_a1=", ""},
      {"A=B=C", ""},
      {"A=\n\xff", ""},
      {"TERM=vt100", ""},
      {"A", "NAME=VALUE"},
      {"", "NAME=VALUE"},
      {"=B", "a name is"},
      {"1A=B", "a name is"},
      {"A B=C", "a name is"},
      {"A-B=C", "a name is"},
      {"\xc3\xa9=C", "a name is"},
      {"BASH_FUNC_x%%=() { :; }", "a name is"},
      {std::string("A=\0", 3), "NUL"},
      {std::string("A\0=B", 4), "NUL"},
      {"SMARTCLI_SID=x", "reserved"},
      {"SMARTCLI_=x", "reserved"},
      {"SMARTCLI=x", ""},
  }));
  CAPTURE(entry);
  Spawn::Request request;
  request.env = {Bytes{entry}};
  const auto admitted = house.admission.admit(request);
  if (said.empty()) {
    CHECK(admitted);
  } else {
    check_invalid(admitted, said);
  }
}

TEST_CASE("the caller's environment passes as it is, up to 1 MiB", "[admission]") {
  const House house;
  Spawn::Request request;
  request.environment = {{"BASH_FUNC_x%%=() { :; }"}, {"odd entry"}, {"SMARTCLI_LOG=debug"}, {"X=\xff"}};
  CHECK(house.admission.admit(request));
  request.environment = {{"X=" + std::string((1 << 20) - 3, 'x')}};
  CHECK(house.admission.admit(request));
  request.environment->push_back(Bytes{""});
  check_limit(house.admission.admit(request), "environment_bytes");
  request.environment = {{std::string("X=\0", 3)}};
  check_invalid(house.admission.admit(request), "NUL");
}

TEST_CASE("a directory is a path, and a mask has nine bits", "[admission]") {
  const House house;
  Spawn::Request request;
  request.cwd = Bytes{"/tmp/\xff"};
  for (const std::int64_t mask : {0, 0777}) {
    request.umask = mask;
    CHECK(house.admission.admit(request));
  }
  for (const std::int64_t mask : {std::int64_t{-1}, std::int64_t{01000}, INT64_MAX}) {
    request.umask = mask;
    check_invalid(house.admission.admit(request), "umask");
  }
  request.umask.reset();
  request.cwd = Bytes{""};
  check_invalid(house.admission.admit(request), "cwd");
  request.cwd = Bytes{std::string("/a\0b", 4)};
  check_invalid(house.admission.admit(request), "cwd");
}

TEST_CASE("close takes one session or all, never both and never neither", "[admission]") {
  const House house;
  Close::Request request;
  check_invalid(house.admission.admit(request), "--all");
  request.all = true;
  CHECK(house.admission.admit(request));
  request.sid = SessionName{"s"};
  check_invalid(house.admission.admit(request), "not both");
  request.all = false;
  CHECK(house.admission.admit(request));
}

TEST_CASE("a request id has 1 to 64 characters, whatever is typed", "[admission]") {
  const House house;
  const auto [id, is_taken] = GENERATE(table<std::string, bool>({
      {"a", true},
      {std::string(64, 'x'), true},
      {"", false},
      {std::string(65, 'x'), false},
  }));
  SendText::Request text{{SessionName{"s"}, Bytes{"x"}, {}, id}};
  SendLine::Request line{{SessionName{"s"}, Bytes{"x"}, {}, id}};
  SendKeys::Request keys{SessionName{"s"}, {"Enter"}, 1, false, {}, id};
  CHECK(house.admission.admit(text).has_value() == is_taken);
  CHECK(house.admission.admit(line).has_value() == is_taken);
  CHECK(house.admission.admit(keys).has_value() == is_taken);
}

TEST_CASE("keys to press are at least one", "[admission]") {
  const House house;
  check_invalid(house.admission.admit(SendKeys::Request{SessionName{"s"}, {}, 1, false, {}, {}}), "'keys'");
}

TEST_CASE("waits are admitted below their cap", "[admission]") {
  House house;
  CHECK(house.admission.admit_wait(4095));
  check_limit(house.admission.admit_wait(4096), "waits");
  house.limits.set(LimitId::waits, 1);
  CHECK(house.admission.admit_wait(0));
  check_limit(house.admission.admit_wait(1), "waits");
}

TEST_CASE("every pattern of a wait is admitted by its size, and so is their number", "[admission]") {
  const House house;
  const std::string longest(4096, 'a'), too_long(4097, 'a');
  WaitAny::Request any;
  check_invalid(house.admission.admit(any), "'patterns'");
  any.patterns.assign(64, longest);
  CHECK(house.admission.admit(any));
  any.patterns.back() = too_long;
  check_limit(house.admission.admit(any), "pattern_bytes");
  any.patterns.assign(65, "a");
  check_limit(house.admission.admit(any), "patterns");
  WaitGone::Request gone;
  gone.pattern = longest;
  CHECK(house.admission.admit(gone));
  gone.pattern = too_long;
  check_limit(house.admission.admit(gone), "pattern_bytes");
  WaitReady::Request ready;
  CHECK(house.admission.admit(ready));
  ready.marker = longest;
  CHECK(house.admission.admit(ready));
  ready.marker = too_long;
  check_limit(house.admission.admit(ready), "pattern_bytes");
}

TEST_CASE("a region counts from 1 and a revision is not negative", "[policy]") {
  const House house;
  Snapshot::Request request;
  CHECK(house.admission.admit(request));
  request.region = Region{1, 1, 1000, 1000};  // cut at the screen's edges
  CHECK(house.admission.admit(request));
  const auto bad = GENERATE(Region{0, 1, 1, 1}, Region{1, 0, 1, 1}, Region{1, 1, 0, 1}, Region{1, 1, 1, -1});
  request.region = bad;
  check_invalid(house.admission.admit(request), "count from 1");
  request.region = Region{};
  request.since = 5;
  check_invalid(house.admission.admit(request), "not both");
  request.region.reset();
  CHECK(house.admission.admit(request));
  request.since = -1;
  check_invalid(house.admission.admit(request), "'since'");
}

TEST_CASE("a region of too many cells names the row of the limit", "[policy]") {
  House house;
  CHECK(house.admission.admit_cells(16384));
  check_limit(house.admission.admit_cells(16385), "reply_cells");
  house.limits.set(LimitId::reply_cells, 10);
  check_limit(house.admission.admit_cells(11), "reply_cells");
}

TEST_CASE("lines are read by page or by number, never both, and never negative", "[policy]") {
  House house;
  Read::Request request;
  CHECK(house.admission.admit(request));
  request.page = 1;
  request.rows = 1000;
  CHECK(house.admission.admit(request));
  house.limits.set(LimitId::read_rows, 500);
  check_limit(house.admission.admit(request), "read_rows");
  request.rows.reset();
  request.start = 1;
  check_invalid(house.admission.admit(request), "not both");
  request.page.reset();
  CHECK(house.admission.admit(request));
  request.end = 0;
  check_invalid(house.admission.admit(request), "past 'end'");
  request.end = INT64_MAX;
  CHECK(house.admission.admit(request));
  request.start = -1;
  check_invalid(house.admission.admit(request), "'start' must not be negative");
  request = {};
  request.page = -1;
  check_invalid(house.admission.admit(request), "'page' must not be negative");
  request = {};
  request.end = -5;
  check_invalid(house.admission.admit(request), "'end' must not be negative");
}

TEST_CASE("a search passes over no negative number of hits", "[policy]") {
  const House house;
  Search::Request request;
  request.pattern = std::string(4097, 'x');
  check_limit(house.admission.admit(request), "pattern_bytes");
  request.pattern = "x";
  CHECK(house.admission.admit(request));
  request.skip = -1;
  check_invalid(house.admission.admit(request), "'skip'");
}
