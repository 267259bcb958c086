#include "common/error.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <set>

using namespace smartcli;

TEST_CASE("every row of the error table is found by its code and has a name and a number of its own",
          "[error]") {
  std::set<std::string_view> names;
  std::set<int> numbers;
  for (const auto& row : kErrors) {
    CAPTURE(row.name);
    CHECK(&info(row.code) == &row);
    CHECK(names.insert(row.name).second);
    CHECK(numbers.insert(row.number).second);
    CHECK_FALSE(row.meaning.empty());
    CHECK(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos);
  }
}

TEST_CASE("every error has an exit status and a number that the contract knows", "[error]") {
  const std::set<int> statuses{1, 2, 3, 4, 5, 125, 126, 127};
  for (const auto& row : kErrors) {
    CAPTURE(row.name);
    CHECK(statuses.contains(row.exit_status));
    // JSON-RPC: the implementation's own errors are -32000 to -32099, these three have numbers of theirs.
    const bool reserved = row.number == -32601 || row.number == -32602 || row.number == -32603;
    CHECK((reserved || (row.number <= -32000 && row.number >= -32099)));
  }
  CHECK(info(ErrorCode::session_not_found).exit_status == 3);
  CHECK(info(ErrorCode::invalid_argument).number == -32602);
  CHECK(info(ErrorCode::unknown_method).number == -32601);
  CHECK(info(ErrorCode::internal).number == -32603);
}

TEST_CASE("an errno becomes a message and a detail, also one that does not exist", "[error]") {
  const Error error = errno_error(ErrorCode::resource_exhausted, "cannot open", ENOENT);
  CHECK(error.code == ErrorCode::resource_exhausted);
  CHECK(error.message == "cannot open: No such file or directory");
  CHECK(error.detail == "No such file or directory");
  CHECK(errno_error(ErrorCode::internal, "odd", 99999).message == "odd: unknown error");
}

TEST_CASE("the value of a failure that nobody looked at throws and names the error", "[error]") {
  const Result<int> failed = Error{ErrorCode::limit_exceeded, "too many"};
  CHECK_THROWS_WITH(failed.value(), Catch::Contains("limit_exceeded") && Catch::Contains("too many"));
}
