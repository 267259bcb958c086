#include "session/reply_queue.hpp"

#include <catch2/catch.hpp>

using namespace smartcli;
using namespace std::chrono_literals;
using session::ReplyQueue;

namespace {

constexpr std::int32_t kGroup = 100;
constexpr ReplyQueue::Facts kRaw{true, false, kGroup}, kCanonical{true, true, kGroup},
    kBusy{false, false, kGroup};

struct Queue {
  ReplyQueue queue;
  ReplyQueue::Time now{1000s};

  void add(std::uint64_t offset, std::string bytes) {
    queue.add({{offset, 0, std::move(bytes)}}, kGroup, now);
  }
  /// What goes out, and what is dropped after a "-".
  std::string decide(ReplyQueue::Facts facts) {
    std::string out;
    const auto decision = queue.decide(facts, now);
    for (const auto& reply : decision.send) out += reply.bytes;
    for (const auto& reply : decision.drop) out += "-" + reply.bytes;
    return out;
  }
};

}  // namespace

TEST_CASE("an answer goes out at once where a program reads keys", "[reply_queue]") {
  Queue q;
  CHECK(q.queue.empty());
  q.add(10, "a");
  CHECK_FALSE(q.queue.empty());
  CHECK(q.decide(kRaw) == "a");
  CHECK(q.queue.empty());
  CHECK(q.decide(kRaw).empty());
  CHECK(q.queue.dropped() == 0);
}

TEST_CASE("an answer is held until all output is parsed", "[reply_queue]") {
  Queue q;
  q.add(10, "a");
  CHECK(q.decide(kBusy).empty());
  CHECK(q.decide(kRaw) == "a");
}

TEST_CASE("an answer is held while the terminal is canonical, and goes out when it is raw in time",
          "[reply_queue]") {
  Queue q;
  q.add(10, "a");
  CHECK(q.decide(kCanonical).empty());
  q.now += 450ms;
  CHECK(q.decide(kCanonical).empty());
  // A line editor goes raw a moment before its prompt: that moment is waited for.
  CHECK(q.decide(kRaw).empty());
  q.now += 19ms;
  CHECK(q.decide(kRaw).empty());
  q.now += 1ms;
  CHECK(q.decide(kRaw) == "a");
}

TEST_CASE("B204 a prompt right after the change to raw mode drops the answer", "[reply_queue]") {
  Queue q;
  q.add(10, "a");
  CHECK(q.decide(kCanonical).empty());
  CHECK(q.decide(kRaw).empty());
  q.queue.prompt_seen(40);
  CHECK(q.decide(kRaw) == "-a");
  // Of a shell the canonical moment may have gone by unseen.
  q.add(50, "b");
  CHECK(q.decide({true, false, kGroup, true}).empty());
  q.now += 20ms;
  CHECK(q.decide({true, false, kGroup, true}) == "b");
}

TEST_CASE("after 500 ms an answer is dropped and counted, raw or not", "[reply_queue]") {
  const auto facts = GENERATE(kRaw, kCanonical, kBusy);
  Queue q;
  q.add(10, "a");
  q.now += 500ms;
  CHECK(q.decide(facts) == "-a");
  CHECK(q.queue.dropped() == 1);
  CHECK(q.queue.empty());
}

TEST_CASE("a prompt after the query drops its answer, a prompt before it does not", "[reply_queue]") {
  Queue q;
  q.add(10, "a");
  q.add(30, "b");
  q.queue.prompt_seen(20);
  CHECK(q.decide(kRaw) == "b-a");
  CHECK(q.queue.dropped() == 1);
}

TEST_CASE("an answer is dropped when another program has the terminal", "[reply_queue]") {
  Queue q;
  q.add(10, "a");
  CHECK(q.decide({true, false, kGroup + 1}) == "-a");
  q.add(20, "b");
  CHECK(q.decide({true, false, -1}) == "-b");
}

TEST_CASE("answers keep their order", "[reply_queue]") {
  Queue q;
  q.add(10, "a");
  CHECK(q.decide(kCanonical).empty());
  q.now += 100ms;
  q.queue.add({{20, 0, "b"}, {20, 1, "c"}}, kGroup, q.now);
  CHECK(q.decide(kCanonical).empty());
  CHECK(q.decide(kRaw).empty());
  q.now += 20ms;
  CHECK(q.decide(kRaw) == "abc");
}

TEST_CASE("of two held answers only the one that is too old is dropped", "[reply_queue]") {
  Queue q;
  q.add(10, "a");
  q.now += 300ms;
  q.add(20, "b");
  q.now += 200ms;
  CHECK(q.decide(kCanonical) == "-a");
  CHECK(q.decide(kRaw).empty());
  q.now += 20ms;
  CHECK(q.decide(kRaw) == "b");
}

TEST_CASE("the next look comes soon, then less often, and never after the answer's end", "[reply_queue]") {
  Queue q;
  q.add(10, "a");
  const auto end = q.now + ReplyQueue::kLatest;
  CHECK(q.queue.next_look() == q.now + 1ms);
  int looks = 0;
  auto step = 0ms;
  while (true) {
    const auto decided = q.decide(kCanonical);
    if (!decided.empty()) break;
    ++looks;
    const auto next = q.queue.next_look();
    REQUIRE(next > q.now);
    REQUIRE(next <= end);
    step = std::chrono::duration_cast<std::chrono::milliseconds>(next - q.now);
    CHECK(step <= 50ms);
    q.now = next;
  }
  CHECK(q.now == end);
  CHECK(looks < 30);
}

TEST_CASE("a sign of a prompt is found, the last one of several, at the offset past it", "[reply_queue]") {
  session::PromptSigns signs;
  CHECK(signs.find("text", 100) == 0);
  CHECK(signs.find("\x1b[?2004h", 104) == 112);
  CHECK(signs.find("x\x1b]133;A\x07\x1b]133;D;0\x07$ ", 112) == 112 + 1 + 8 + 1 - 1 + 7);
  CHECK(signs.find("\x1b]133;B\x07\x1b]133;C\x07\x1b[?2004l", 200) == 0);
}

TEST_CASE("a sign of a prompt is found wherever the output was cut", "[reply_queue]") {
  for (const std::string& sign :
       {std::string("\x1b[?2004h"), std::string("\x1b]133;A"), std::string("\x1b]133;D")}) {
    const std::string stream = "ab" + sign + "cd";
    const std::uint64_t expected = 50 + 2 + sign.size();
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
      CAPTURE(sign, cut);
      session::PromptSigns signs;
      const auto first = signs.find(stream.substr(0, cut), 50);
      const auto second = signs.find(stream.substr(cut), 50 + cut);
      CHECK(first + second == expected);  // by one of the two, once
    }
    session::PromptSigns bytewise;
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < stream.size(); ++i) {
      if (const auto at = bytewise.find(stream.substr(i, 1), 50 + i); at != 0) {
        CHECK(found == 0);
        found = at;
      }
    }
    CHECK(found == expected);
  }
}

TEST_CASE("bytes that do not follow make no sign together", "[reply_queue]") {
  session::PromptSigns signs;
  CHECK(signs.find("\x1b[?20", 10) == 0);
  CHECK(signs.find("04h", 16) == 0);
}
