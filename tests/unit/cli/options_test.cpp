#include "cli/options.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "common/fd.hpp"
#include "proto/registry.hpp"
#include "support/shown.hpp"
#include "support/temp_folder.hpp"

using namespace smartcli;

namespace {

/// A command line of one verb, as a request; what CLI11 itself refuses is an error too.
template <class M>
Result<typename M::Request> parse(std::vector<std::string> args) {
  typename M::Request request;
  CLI::App app;
  cli::Options options(app, M::info);
  request.fields(options);
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) {
    return Error{ErrorCode::invalid_argument, error.what(), "CLI11"};
  }
  if (auto done = options.assign(); !done) return done.error();
  return request;
}

template <class Request>
void check_refused(const Result<Request>& result, std::string_view said) {
  REQUIRE_FALSE(result.has_value());
  CAPTURE(result.error().message);
  CHECK(result.error().code == ErrorCode::invalid_argument);
  CHECK(result.error().message.find(said) != std::string::npos);
}

/// Standard input is this text meanwhile.
class TypedInput {
 public:
  explicit TypedInput(const std::string& text) : before_(::fcntl(0, F_DUPFD_CLOEXEC, 3)) {
    test::put(folder_.file("in"), text);
    const Fd file(::open(folder_.file("in").c_str(), O_RDONLY | O_CLOEXEC));
    ::dup2(file.get(), 0);
  }
  ~TypedInput() { ::dup2(before_.get(), 0); }

 private:
  test::TempFolder folder_;
  Fd before_;
};

}  // namespace

TEST_CASE("a duration is an option without its unit, and one in milliseconds", "[options]") {
  using Words = std::vector<std::string>;
  const auto [words, millis] = GENERATE(table<Words, std::int64_t>({
      {Words{"--timeout", "500ms"}, 500},
      {Words{"--timeout", "30s"}, 30'000},
      {Words{"--timeout=5m"}, 300'000},
      {Words{"--timeout", "1.5"}, 1'500},
      {Words{"--timeout", "0"}, 0},
      {Words{"--timeout", "1h"}, 3'600'000},
      {Words{"--timeout-ms", "1500"}, 1'500},
      {Words{"--timeout-ms=0"}, 0},
      {Words{"--timeout", "1s", "--timeout", "2s"}, 2'000},
  }));
  Words line{"-s", "x", "pattern"};
  line.insert(line.end(), words.begin(), words.end());
  CAPTURE(words);
  const auto request = parse<WaitRegex>(line);
  REQUIRE(request);
  REQUIRE(request->timeout_ms);
  CHECK(request->timeout_ms->count == millis);
}

TEST_CASE("a duration that is none, or past its bounds, is refused by the option's name", "[options]") {
  check_refused(parse<WaitRegex>({"-s", "x", "p", "--timeout", "soon"}), "--timeout");
  check_refused(parse<WaitRegex>({"-s", "x", "p", "--timeout", "3601s"}), "--timeout");
  check_refused(parse<WaitRegex>({"-s", "x", "p", "--timeout", ""}), "--timeout");
  check_refused(parse<WaitRegex>({"-s", "x", "p", "--timeout-ms", "3600001"}), "--timeout");
  check_refused(parse<WaitRegex>({"-s", "x", "p", "--timeout-ms", "1.5"}), "--timeout");
  check_refused(parse<WaitRegex>({"-s", "x", "p", "--timeout-ms", "5s"}), "--timeout");
  check_refused(parse<WaitRegex>({"-s", "x", "p", "--timeout-ms", std::string(400, '9')}), "--timeout");
  check_refused(parse<WaitRegex>({"-s", "x", "p", "--timeout", "1s", "--timeout-ms", "5"}), "timeout");
  CHECK_FALSE(parse<WaitRegex>({"-s", "x", "p"})->timeout_ms);
}

TEST_CASE("the positional argument stands before or after the options", "[options]") {
  using Words = std::vector<std::string>;
  const auto words =
      GENERATE(Words{"-s", "x", "--anywhere", ">>> $"}, Words{">>> $", "-s", "x", "--anywhere"},
               Words{"--anywhere", ">>> $", "--session", "x"}, Words{"--sid=x", "--anywhere", "--", ">>> $"});
  CAPTURE(words);
  const auto request = parse<WaitRegex>(words);
  REQUIRE(request);
  CHECK(request->sid.text == "x");
  CHECK(request->pattern == ">>> $");
  CHECK(request->anywhere);
}

TEST_CASE("text that begins with a dash goes after --", "[options]") {
  const auto request = parse<SendLine>({"-s", "x", "--", "-n"});
  REQUIRE(request);
  CHECK(request->text.data == "-n");
  CHECK_FALSE(parse<SendLine>({"-s", "x", "-n"}));
}

TEST_CASE("any bytes are text, also none", "[options]") {
  CHECK(parse<SendText>({"-s", "x", ""})->text.data.empty());
  CHECK(parse<SendText>({"-s", "x", "a\xff\n\"'"})->text.data == "a\xff\n\"'");
  CHECK(parse<SendText>({"-s", "x", "[a,b]"})->text.data == "[a,b]");
  CHECK(parse<SendText>({"-s", "x", "%% a #b; =c"})->text.data == "%% a #b; =c");
  CHECK(parse<SendText>({"-s", "x", "'quoted'"})->text.data == "'quoted'");
  CHECK(parse<SendText>({"-s", "x", "\"quoted\""})->text.data == "\"quoted\"");
}

TEST_CASE("a single dash reads standard input, to its end, where text is expected", "[options]") {
  const std::string typed = "one\ntwo\xff\n" + std::string(200'000, 'y');
  const TypedInput input(typed);
  CHECK(parse<SendText>({"-s", "x", "-"})->text.data == typed);
  // A pattern is none of that.
  CHECK(parse<WaitRegex>({"-s", "x", "-"})->pattern == "-");
}

TEST_CASE("a list takes all its words, and an option that repeats one word each", "[options]") {
  const auto keys = parse<SendKeys>({"-s", "x", "--count", "3", "Escape", "[", "C-c", "--literal"});
  REQUIRE(keys);
  CHECK(keys->keys == std::vector<std::string>{"Escape", "[", "C-c"});
  CHECK(keys->count == 3);
  CHECK(keys->literal);
  const auto spawn = parse<Spawn>({"--env", "A=1", "--env", "B=[x,y]", "sh", "-s", "x"});
  REQUIRE(spawn);
  CHECK(spawn->env == std::vector<Bytes>{{"A=1"}, {"B=[x,y]"}});
  CHECK(spawn->argv == std::vector<Bytes>{{"sh"}});
  CHECK(spawn->sid == SessionName{"x"});
}

TEST_CASE("a number is taken at its bounds and refused past them, with the range", "[options]") {
  CHECK(parse<Spawn>({"--cols", "1"})->cols == 1);
  CHECK(parse<Spawn>({"--cols", "1000"})->cols == 1000);
  check_refused(parse<Spawn>({"--cols", "0"}), "1 to 1000");
  check_refused(parse<Spawn>({"--cols", "1001"}), "1 to 1000");
  CHECK(parse<Spawn>({"--cols", "1001"}).error().detail == "cols");
  CHECK(parse<Spawn>({"--cols", "99999999999999999999"}).error().detail == "cols");
  CHECK(parse<Spawn>({"--cols", "8x"}).error().detail == "cols");
  CHECK(parse<WaitRegex>({"-s", "x", "p", "--timeout", "2h"}).error().detail == "wait_timeout_ms");
  for (const char* wrong : {"", "x", "8x", "8.0", "99999999999999999999", "\x1b[31m"}) {
    CAPTURE(wrong);
    check_refused(parse<Spawn>({"--cols", wrong}), "--cols");
    const auto refused = parse<Spawn>({"--cols", wrong});
    CHECK(refused.error().message.find('\x1b') == std::string::npos);
  }
  check_refused(parse<WaitRegex>({"-s", "x", "p", "--after", "x"}), "--after: must be a whole number");
}

TEST_CASE("what is left out keeps its default", "[options]") {
  const auto spawn = parse<Spawn>({});
  REQUIRE(spawn);
  CHECK_FALSE(spawn->sid);
  CHECK(spawn->argv.empty());
  CHECK_FALSE(spawn->cols.has_value());
  CHECK_FALSE(spawn->environment);
  CHECK_FALSE(parse<Close>({"--all"})->sid);
}

TEST_CASE("a required positional argument is asked for", "[options]") {
  CHECK_FALSE(parse<WaitRegex>({"-s", "x"}));
  CHECK_FALSE(parse<SendKeys>({"-s", "x"}));
}

TEST_CASE("what the client fills is no option", "[options]") {
  CHECK_FALSE(parse<Spawn>({"--umask", "7"}));
  CHECK_FALSE(parse<Snapshot>({"-s", "x", "--detail", "full"}));
}

TEST_CASE("every command makes options of its request without a clash", "[options]") {
  for_each_method([]<class M>() {
    if constexpr (M::info.is_command) {
      CAPTURE(M::info.name);
      typename M::Request request;
      CLI::App app;
      cli::Options options(app, M::info);
      REQUIRE_NOTHROW(request.fields(options));
      CHECK_FALSE(app.help().empty());
    }
  });
}

TEST_CASE("a region is one word of four numbers", "[options]") {
  const auto request = parse<Snapshot>({"-s", "x", "--region", "3,1,20,80", "--ansi"});
  REQUIRE(request);
  REQUIRE(request->region);
  CHECK(request->region->row == 3);
  CHECK(request->region->col == 1);
  CHECK(request->region->rows == 20);
  CHECK(request->region->cols == 80);
  CHECK(request->ansi);
  for (const char* wrong : {"", "1", "1,2,3", "1,2,3,4,5", "1,2,3,4,", ",1,2,3", "1,,2,3", "0,1,1,1",
                            "1,1,1,-1", "1,1,1,x", "1, 1,1,1", "1;1;1;1", "1,1,1,99999999999999999999"}) {
    CAPTURE(wrong);
    check_refused(parse<Snapshot>({"-s", "x", "--region", wrong}), "--region");
  }
}

TEST_CASE("read and search take their numbers within the limits", "[options]") {
  const auto read = parse<Read>({"-s", "x", "--start", "10", "--end", "20", "--as-shown"});
  REQUIRE(read);
  CHECK(read->start == 10);
  CHECK(read->end == 20);
  CHECK(read->as_shown);
  check_refused(parse<Read>({"-s", "x", "--rows", "0"}), "1 to 1000");
  const auto search = parse<Search>({"-s", "x", "a.b", "--limit", "5", "--skip", "2", "--context", "3"});
  REQUIRE(search);
  CHECK(search->pattern == "a.b");
  CHECK(search->limit == 5);
  CHECK(search->skip == 2);
  CHECK(search->context == 3);
  check_refused(parse<Search>({"-s", "x", "a", "--limit", "10001"}), "1 to 10000");
}
