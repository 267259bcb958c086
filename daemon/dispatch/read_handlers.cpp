// What is kept, as lines: `read` and `search`. Both go in steps of less than a millisecond, others between
// them.

#include "dispatch/handlers.hpp"
#include "dispatch/screen_reply.hpp"
#include "proto/codec.hpp"
#include "session/kept_lines.hpp"

namespace smartcli::dispatch {
namespace {

using namespace std::chrono_literals;

constexpr auto kStep = 500us;
constexpr int kLinesAtOnce = 16;                 ///< between two looks at the clock
constexpr std::size_t kChunkBytes = 64 << 10;    ///< of a stream's piece
constexpr std::size_t kSearchBytes = 512 << 10;  ///< of the hits in one reply
constexpr std::size_t kLineCost = 64;            ///< a line's names and numbers in JSON, about
constexpr std::size_t kHitCost = 128;

TextLine shown(session::KeptLine line) {
  TextLine out;
  out.line = static_cast<std::int64_t>(line.number);
  out.text = std::move(line.text);
  if (line.rows > 1) out.rows = static_cast<std::int64_t>(line.rows);
  if (line.is_clipped) out.clipped = true;
  return out;
}

std::size_t cost_of(const TextLine& line) {
  return json_bytes(line.text) + kLineCost;
}

std::vector<TextLine> shown(std::vector<session::KeptLine> lines, std::size_t& cost) {
  std::vector<TextLine> out;
  for (auto& line : lines) {
    out.push_back(shown(std::move(line)));
    cost += cost_of(out.back());
  }
  return out;
}

session::Deadline in_a_step() {
  return std::chrono::steady_clock::now() + kStep;
}

session::Reading reading_of(const Read::Request& request, const terminal::Terminal& terminal) {
  const auto wraps = request.as_shown ? session::Wraps::as_shown : session::Wraps::joined;
  if (request.start || request.end) {
    session::Reading::Range range;
    if (request.start) range.first = static_cast<std::uint64_t>(*request.start);
    if (request.end) range.last = static_cast<std::uint64_t>(*request.end);
    return {terminal, range, wraps};
  }
  session::Reading::Page page;
  page.number = static_cast<std::uint64_t>(request.page.value_or(0));
  page.rows = static_cast<std::uint64_t>(request.rows.value_or(terminal.size().rows));
  return {terminal, page, wraps};
}

}  // namespace

Reply<Read::Reply> Handlers::handle(Read::Request request, Call call) {
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  const auto session = *found;
  const State state = (co_await session->facts()).state;
  co_await session->settle_frame();
  const auto& terminal = session->terminal();
  auto reading = reading_of(request, terminal);
  Read::Reply reply;
  reply.oldest = static_cast<std::int64_t>(reading.oldest());
  reply.total = static_cast<std::int64_t>(reading.total());
  if (!request.start && !request.end) {
    reply.page = static_cast<std::int64_t>(reading.page());
    reply.pages = static_cast<std::int64_t>(reading.pages());
  }
  const auto line_limit = static_cast<std::size_t>(limits_[LimitId::line_bytes]);
  const std::size_t chunk_bytes = std::min(kChunkBytes, line_limit / 8);

  while (!reading.is_done()) {
    // One piece in the making for each client, and none while it does not read those before.
    const auto turn = co_await call.stream->turn();
    if (!turn) {
      reply.reason = Reason::cancelled;
      break;
    }
    auto deadline = in_a_step();
    for (std::size_t bytes = 0; bytes < chunk_bytes && !reading.is_done();) {
      if (std::chrono::steady_clock::now() >= deadline) {
        co_await session->let_others();
        if (call.cancel->fired()) break;
        // The screen is read as it stands between two frames.
        if (reading.next() >= terminal.screen_top()) co_await session->settle_frame();
        deadline = in_a_step();
      }
      for (int i = 0; i < kLinesAtOnce && bytes < chunk_bytes; ++i) {
        auto line = reading.take(line_limit / 4);
        if (!line) break;
        if (reply.first == 0) reply.first = static_cast<std::int64_t>(line->number);
        reply.last = static_cast<std::int64_t>(line->number);
        reply.lines.push_back(shown(std::move(*line)));
        bytes += cost_of(reply.lines.back());
      }
    }
    if (reading.is_done()) break;
    call.stream->send(
        Read::Chunk{std::move(reply.lines), reply.last, static_cast<std::int64_t>(reading.last_line())});
    reply.lines.clear();
    co_await session->let_others();
  }
  reply.cols = terminal.size().cols;
  reply.rows = terminal.size().rows;
  reply.cursor = shown_cursor(terminal);
  reply.state = state;
  reply.alive = session->alive();
  co_return reply;
}

Reply<Search::Reply> Handlers::handle(Search::Request request, Call call) {
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  const auto session = *found;
  co_await session->settle_frame();
  const auto& terminal = session->terminal();
  session::LineSearch::Options options;
  options.limit = static_cast<std::uint64_t>(request.limit.value_or(limits_[LimitId::search_hits]));
  options.skip = static_cast<std::uint64_t>(request.skip);
  options.context = static_cast<std::uint64_t>(request.context.value_or(limits_[LimitId::search_context]));
  auto made = session::LineSearch::make(terminal, request.pattern,
                                        {request.literal, request.ignore_case, false}, options);
  if (!made) co_return made.error();
  auto& search = *made;

  Search::Reply reply;
  const auto line_limit = static_cast<std::size_t>(limits_[LimitId::line_bytes]);
  const std::size_t budget = std::min(kSearchBytes, line_limit - line_limit / 8);
  std::size_t bytes = 0;
  const auto take = [&](session::LineSearch::Hit found_hit) {
    SearchHit hit;
    std::size_t cost = kHitCost + json_bytes(found_hit.line.text) + json_bytes(found_hit.match);
    hit.line = static_cast<std::int64_t>(found_hit.line.number);
    hit.text = std::move(found_hit.line.text);
    hit.match = std::move(found_hit.match);
    if (found_hit.line.rows > 1) hit.rows = static_cast<std::int64_t>(found_hit.line.rows);
    if (found_hit.line.is_clipped) hit.clipped = true;
    const std::size_t alone = cost;
    hit.before = shown(std::move(found_hit.before), cost);
    hit.after = shown(std::move(found_hit.after), cost);
    if (bytes + cost > budget) {
      if (!reply.hits.empty()) return false;
      // Even one would be too much: the hit itself.
      hit.before.clear();
      hit.after.clear();
      hit.clipped = true;
      cost = alone;
    }
    bytes += cost;
    reply.hits.push_back(std::move(hit));
    return true;
  };
  while (!search.is_done()) {
    search.step(in_a_step(), take);
    if (search.is_done()) break;
    co_await session->let_others();
    if (call.cancel->fired()) {
      reply.reason = Reason::cancelled;
      break;
    }
    if (search.next() >= terminal.screen_top()) co_await session->settle_frame();
  }
  reply.total = static_cast<std::int64_t>(search.total());
  const auto shown_to = request.skip + static_cast<std::int64_t>(reply.hits.size());
  if (reply.total > shown_to) reply.next = shown_to;
  reply.oldest = static_cast<std::int64_t>(search.oldest());
  reply.rows = static_cast<std::int64_t>(search.rows());
  co_return reply;
}

}  // namespace smartcli::dispatch
