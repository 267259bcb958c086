#include "cli/print.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "common/utf8.hpp"

using namespace smartcli;
using cli::print;
using cli::Printed;

namespace {

std::string hostile() {
  std::string text = "\x1b]52;c;eA==\x07\x1b[2J\r\b";
  for (char32_t c = 0x7F; c < 0xA0; ++c) utf8::append(text, c);
  return text + "\xe2\x80\xae\x9b\xff\n\t\xf3\xa0\x81\x81";
}

void check_inert(const std::string& text) {
  REQUIRE(utf8::is_valid(text));
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(utf8::decode(rest).bytes)) {
    const char32_t c = utf8::decode(rest).code_point;
    CAPTURE(static_cast<unsigned>(c));
    CHECK((c == '\n' || c == '\t' || c >= 0x20));
    CHECK_FALSE((c >= 0x7F && c <= 0x9F));
    CHECK((c != 0x202E && c != 0xE0041));
  }
}

void check_inert(const Printed& printed) {
  check_inert(printed.out);
  check_inert(printed.note);
  // What goes to stderr is one line.
  CHECK(printed.note.find('\n') == std::string::npos);
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

ExitState hostile_exit() {
  return {std::nullopt, 9, hostile()};
}

}  // namespace

TEST_CASE("T18: what a person sees of a reply is inert, whatever a program or a name holds", "[print]") {
  check_inert(print(Spawn::Request{}, Spawn::Reply{{hostile()}, 1, {}, 80, 24, {hostile()}, hostile()}));
  List::Reply list;
  SessionRow row;
  row.sid = {hostile()};
  row.argv = {{hostile()}, {"x"}};
  row.cwd = {hostile()};
  row.started = hostile();
  row.exit = hostile_exit();
  list.sessions = {row};
  list.tombstones = {{{hostile()}, EndReason::evicted, hostile(), hostile(), hostile_exit()}};
  const Printed listed = print(List::Request{}, list);
  check_inert(listed);
  CHECK(lines_in(listed.out) == 3);  // T23: no row can pass for two

  Status::Reply status;
  status.sid = {hostile()};
  status.argv = {{hostile()}};
  status.title = status.started = status.last_output = hostile();
  status.cwd.data = hostile();
  const std::size_t plain = lines_in(print(Status::Request{}, Status::Reply{}).out);
  CHECK(lines_in(print(Status::Request{}, status).out) == plain);
  status.foreground = {5, hostile()};
  status.exit = hostile_exit();
  status.exit_reason = hostile();
  check_inert(print(Status::Request{}, status));

  Snapshot::Reply snapshot;
  snapshot.text = hostile() + "\n" + hostile();
  check_inert(print(Snapshot::Request{}, snapshot));

  WaitRegex::Request wanted;
  wanted.pattern = hostile();
  WaitRegex::Reply matched;
  matched.matched = true;
  matched.reason = Reason::marker;
  matched.match = PatternMatch{hostile(), 1, 1, {hostile()}};
  check_inert(print(wanted, matched));
  WaitRegex::Reply missed;
  missed.why = {hostile(), hostile()};
  missed.exited = true;
  missed.exit = hostile_exit();
  check_inert(print(wanted, missed));

  WaitExit::Reply ended;
  ended.exit_reason = hostile();
  check_inert(print(WaitExit::Request{}, ended));
  ended.exited = true;
  ended.exit = hostile_exit();
  check_inert(print(WaitExit::Request{}, ended));

  Close::Reply closed;
  closed.survivors = {{1, hostile()}, {2, hostile()}};
  closed.text = hostile();
  check_inert(print(Close::Request{}, closed));

  check_inert(print(Version::Request{}, Version::Reply{hostile(), {}}));
  ShowLimits::Reply limits;
  limits.limits = {{hostile(), hostile(), hostile(), hostile(), 1, 1, 1, 1}};
  check_inert(print(ShowLimits::Request{}, limits));
  CHECK(lines_in(print(ShowLimits::Request{}, limits).out) == 2);
  Doctor::Reply doctor;
  doctor.checks = {{hostile(), hostile(), Health::ok}, {hostile(), hostile(), Health::warn}};
  CHECK(lines_in(print(Doctor::Request{}, doctor).out) == 2);
  CHECK(print(Doctor::Request{}, doctor).status == 0);
  doctor.second_opinion =
      SecondOpinion{0, 9, 0, 80, 24, {{1, hostile(), hostile()}, {0, hostile(), hostile()}}};
  check_inert(print(Doctor::Request{}, doctor));
  CHECK(print(Doctor::Request{}, doctor).status == 1);
  DaemonStatus::Reply daemon;
  const std::size_t daemon_lines = lines_in(print(DaemonStatus::Request{}, daemon).out);
  daemon.version = daemon.socket = daemon.state_dir = daemon.log = daemon.started = hostile();
  check_inert(print(DaemonStatus::Request{}, daemon));
  CHECK(lines_in(print(DaemonStatus::Request{}, daemon).out) == daemon_lines);
}

TEST_CASE("text mode prints the thing asked for and nothing else", "[print]") {
  CHECK(print(Spawn::Request{}, Spawn::Reply{{"py-1"}, 1, {}, 80, 24, {}, ""}).out == "py-1\n");
  CHECK(print(SendLine::Request{}, InputReply{5, 6, {}}).out.empty());
  CHECK(print(Resize::Request{}, Resize::Reply{80, 24, 1}).out.empty());
  Snapshot::Reply snapshot;
  CHECK(print(Snapshot::Request{}, snapshot).out.empty());
  snapshot.text = "a\n  b";
  CHECK(print(Snapshot::Request{}, snapshot).out == "a\n  b\n");
  CHECK(print(List::Request{}, List::Reply{}).out.empty());
}

TEST_CASE("a wait's outcome is its exit status", "[print]") {
  const auto [reason, matched, status] = GENERATE(table<Reason, bool, int>({
      {Reason::marker, true, 0},
      {Reason::timeout, false, 124},
      {Reason::exited, false, 1},
      {Reason::cancelled, false, 1},
      {Reason::closed, false, 1},
      {Reason::evicted, false, 1},
      {Reason::lost, false, 1},
  }));
  WaitRegex::Request request;
  request.pattern = "x";
  WaitRegex::Reply reply;
  reply.matched = matched;
  reply.reason = reason;
  const Printed printed = print(request, reply);
  CHECK(printed.status == status);
  CHECK(printed.note.empty() == matched);
}

TEST_CASE("wait-exit prints the program's status, 128 and the signal, or unknown", "[print]") {
  const auto shown = [](std::optional<ExitState> exit, Reason reason, bool exited) {
    WaitExit::Reply reply;
    reply.exit = std::move(exit);
    reply.reason = reason;
    reply.exited = exited;
    if (exited && !reply.exit) reply.exit_reason = "nobody could collect it";
    return print(WaitExit::Request{}, reply);
  };
  const Printed three = shown(ExitState{3, {}, {}}, Reason::exited, true);
  CHECK(three.out == "3\n");
  CHECK(three.status == 0);
  CHECK(shown(ExitState{{}, 9, "KILL"}, Reason::exited, true).out == "137\n");
  const Printed unknown = shown(std::nullopt, Reason::exited, true);
  CHECK(unknown.out == "unknown\n");
  CHECK(unknown.status == 1);
  CHECK(shown(std::nullopt, Reason::lost, false).out == "unknown\n");
  CHECK(shown(std::nullopt, Reason::lost, false).status == 1);
  const Printed late = shown(std::nullopt, Reason::timeout, false);
  CHECK(late.out.empty());
  CHECK(late.status == 124);
}

TEST_CASE("a table's columns stand under each other, wide text too", "[print]") {
  List::Reply list;
  for (const char* name : {"a", "a-long-name"}) {
    SessionRow row;
    row.sid = {name};
    row.argv = {{"sh"}, {"-c"}, {"echo 'x'"}};
    row.started = "now";
    row.cols = 80;
    row.rows = 24;
    list.sessions.push_back(row);
  }
  const std::string out = print(List::Request{}, list).out;
  CHECK(out ==
        "SESSION      STATE    EXIT  SIZE   STARTED  COMMAND\n"
        "a            running  -     80x24  now      sh -c 'echo '\\''x'\\'''\n"
        "a-long-name  running  -     80x24  now      sh -c 'echo '\\''x'\\'''\n");
}

TEST_CASE("T18: read, search and coloured screens are inert, but for SGR", "[print]") {
  Read::Reply read;
  read.lines = {{1, hostile(), std::nullopt, std::nullopt}, {2, "x", std::nullopt, std::nullopt}};
  check_inert(print(Read::Request{}, read));
  CHECK(lines_in(print(Read::Request{}, read).out) == 2);
  Search::Request wanted;
  wanted.pattern = hostile();
  Search::Reply found;
  check_inert(print(wanted, found));
  found.hits = {{3, hostile(), hostile(), {{2, hostile(), {}, {}}}, {{4, hostile(), {}, {}}}, {}, {}}};
  found.total = 2;
  found.next = 1;
  check_inert(print(wanted, found));
  CHECK(lines_in(print(wanted, found).out) == 3);
  Snapshot::Request ansi;
  ansi.ansi = true;
  Snapshot::Reply screen;
  screen.text = hostile();
  check_inert(print(ansi, screen));
  screen.text = "\x1b[0;31mred\x1b[0m\x1b[2J";
  CHECK(print(ansi, screen).out == "\x1b[0;31mred\x1b[0m\\u{1b}[2J\n");
  CHECK(print(Snapshot::Request{}, screen).out.find('\x1b') == std::string::npos);
}

TEST_CASE("changed rows are printed with their numbers", "[print]") {
  Snapshot::Reply reply;
  reply.text = "a\n\nb";
  reply.rows = {{3, "a"}, {5, ""}, {24, "b"}};
  CHECK(print(Snapshot::Request{}, reply).out == "3:a\n5:\n24:b\n");
  reply.rows->clear();
  CHECK(print(Snapshot::Request{}, reply).out.empty());
}

TEST_CASE("search prints as grep does, its status says whether there was a hit", "[print]") {
  const auto line = [](std::int64_t number, std::string text, std::optional<std::int64_t> rows = {}) {
    return TextLine{number, std::move(text), rows, {}};
  };
  Search::Request request;
  request.pattern = "hit";
  Search::Reply reply;
  CHECK(print(request, reply).status == 1);
  CHECK(print(request, reply).out.empty());
  reply.total = 3;
  reply.hits = {{3, "hit a", "hit", {line(1, "x", 2)}, {line(4, "hit b")}, {}, {}},
                {4, "hit b", "hit", {line(3, "hit a")}, {line(5, "y", 3)}, {}, {}},
                {9, "hit c", "hit", {line(8, "z")}, {}, {}, {}}};
  const auto shown = print(request, reply);
  CHECK(shown.status == 0);
  CHECK(shown.out == "1-x\n3:hit a\n4:hit b\n5-y\n8-z\n9:hit c\n");
  CHECK(shown.note.empty());
  reply.hits[2].before.clear();
  CHECK(print(request, reply).out == "1-x\n3:hit a\n4:hit b\n5-y\n--\n9:hit c\n");
  for (auto& hit : reply.hits) hit.before.clear(), hit.after.clear();
  CHECK(print(request, reply).out == "3:hit a\n4:hit b\n9:hit c\n");
  reply.total = 7;
  reply.next = 3;
  CHECK(print(request, reply).note.find("--skip 3") != std::string::npos);
}
