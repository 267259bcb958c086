#include "dispatch/handlers.hpp"
#include "dispatch/screen_reply.hpp"
#include "proto/codec.hpp"
#include "terminal/coloured.hpp"

namespace smartcli::dispatch {
namespace {

std::string row_text(std::span<const terminal::ShownCell> row, bool ansi) {
  return ansi ? terminal::coloured_text(row) : terminal::plain_text(row);
}

void drop_empty_rows(std::vector<std::string>& rows) {
  while (!rows.empty() && rows.back().empty()) rows.pop_back();
}

std::string join(const std::vector<std::string>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) text += (i > 0 ? "\n" : "") + rows[i];
  return text;
}

Cell shown(const terminal::ShownCell& from, std::int64_t row, std::int64_t col) {
  Cell cell;
  cell.row = row;
  cell.col = col;
  cell.text = from.text.empty() && !from.is_second_half ? " " : from.text;
  cell.fg = terminal::colour_name(from.style.fg);
  cell.bg = terminal::colour_name(from.style.bg);
  cell.underline_colour = terminal::colour_name(from.style.underline_colour);
  if (!from.link.empty()) cell.link = from.link;
  const auto flag = [](std::optional<bool>& field, bool is_set) {
    if (is_set) field = true;
  };
  flag(cell.bold, from.style.flags & terminal::kBold);
  flag(cell.dim, from.style.flags & terminal::kDim);
  flag(cell.italic, from.style.flags & terminal::kItalic);
  flag(cell.blink, from.style.flags & terminal::kBlink);
  flag(cell.inverse, from.style.flags & terminal::kInverse);
  flag(cell.hidden, from.style.flags & terminal::kHidden);
  flag(cell.strike, from.style.flags & terminal::kStrike);
  flag(cell.wide, from.is_wide);
  flag(cell.continuation, from.is_second_half);
  if (from.style.underline != terminal::Underline::none)
    cell.underline = static_cast<UnderlineStyle>(from.style.underline);
  return cell;
}

/// Bytes that it takes in JSON, at most.
std::size_t cost_of(const Cell& cell) {
  std::size_t cost = 40 + json_bytes(cell.text);
  for (const auto* flag : {&cell.bold, &cell.dim, &cell.italic, &cell.blink, &cell.inverse, &cell.hidden,
                           &cell.strike, &cell.wide, &cell.continuation}) {
    if (*flag) cost += 20;
  }
  for (const auto* colour : {&cell.fg, &cell.bg, &cell.underline_colour}) {
    if (*colour) cost += 30;
  }
  if (cell.underline) cost += 24;
  if (cell.link) cost += 10 + json_bytes(*cell.link);
  return cost;
}

/// Errors: invalid_argument with the screen's size, where the region is outside.
Result<Region> on_screen(Region region, const terminal::Terminal& terminal) {
  const auto size = terminal.size();
  if (region.row > size.rows || region.col > size.cols) {
    return Error{ErrorCode::invalid_argument,
                 "'region' begins at row " + std::to_string(region.row) + ", column " +
                     std::to_string(region.col) + ", outside the screen: it has " +
                     std::to_string(size.rows) + " rows and " + std::to_string(size.cols) + " columns",
                 "region"};
  }
  region.rows = std::min(region.rows, size.rows - region.row + 1);
  region.cols = std::min(region.cols, size.cols - region.col + 1);
  return region;
}

/// Text and cells of a part of the screen. Errors: limit_exceeded.
Result<void> show_region(const Region& region, bool ansi, const terminal::Terminal& terminal,
                         std::int64_t line_bytes, Snapshot::Reply& reply) {
  std::vector<std::string> rows;
  reply.cells.emplace();
  std::size_t bytes = 0;
  const auto left = static_cast<std::size_t>(region.col) - 1,
             right = left + static_cast<std::size_t>(region.cols);
  for (std::int64_t row = region.row; row < region.row + region.rows; ++row) {
    auto cells = terminal.row_cells(terminal.screen_top() + static_cast<std::uint64_t>(row) - 1);
    rows.push_back(row_text(terminal::cut_columns(cells, left, right), ansi));
    cells.resize(std::max(cells.size(), right));
    for (std::size_t col = left; col < right; ++col) {
      reply.cells->push_back(shown(cells[col], row, static_cast<std::int64_t>(col) + 1));
      bytes += cost_of(reply.cells->back());
    }
    bytes += json_bytes(rows.back());
  }
  if (bytes > static_cast<std::size_t>(line_bytes))
    return over_limit(
        LimitId::line_bytes, line_bytes,
        "the region's cells take about " + std::to_string(bytes) + " bytes; ask for a part of it");
  drop_empty_rows(rows);
  reply.text = join(rows);
  return {};
}

}  // namespace

Reply<Snapshot::Reply> Handlers::handle(Snapshot::Request request, Call call) {
  auto found = co_await table_.find(request.sid.text);
  if (!found) co_return found.error();
  const auto session = *found;
  const bool is_full = request.detail == Detail::full && !request.region && !request.since;
  // Facts first: nothing may come between the settled frame and the look at it.
  State state = State::running;
  if (is_full) state = (co_await session->facts()).state;
  co_await session->settle_frame();
  const auto& terminal = session->terminal();
  Snapshot::Reply reply;
  reply.revision = static_cast<std::int64_t>(session->revision());
  reply.hash = hash_text(terminal.text_hash());
  reply.visual_hash = hash_text(terminal.visual_hash());
  if (request.region) {
    auto region = on_screen(*request.region, terminal);
    if (!region) co_return region.error();
    if (auto admitted = admission.admit_cells(region->rows * region->cols); !admitted)
      co_return admitted.error();
    auto done = show_region(*region, request.ansi, terminal, limits_[LimitId::line_bytes], reply);
    if (!done) co_return done.error();
    co_return reply;
  }
  if (request.since && *request.since > reply.revision) {
    co_return Error{ErrorCode::invalid_argument,
                    "'since' is " + std::to_string(*request.since) + ", in the future: the revision is " +
                        std::to_string(reply.revision),
                    "since"};
  }
  // The whole screen is known to this client now.
  session->saw(call.client_id);
  if (!request.since && !request.ansi) {
    if (is_full) reply.screen = full_screen(*session, state);
    reply.text = screen_text(terminal);
    co_return reply;
  }
  const auto since = static_cast<std::uint64_t>(request.since.value_or(0));
  const bool all = !request.since || session->is_redrawn_since(since);
  const std::uint64_t offset = session->offset_of(since);
  std::vector<std::string> rows;
  std::vector<ScreenRow> changed;
  for (int row = 0; row < static_cast<int>(terminal.size().rows); ++row) {
    if (!all && terminal.row_touched(row) <= offset) continue;
    rows.push_back(
        row_text(terminal.row_cells(terminal.screen_top() + static_cast<std::uint64_t>(row)), request.ansi));
    changed.push_back({row + 1, rows.back()});
  }
  if (!request.since) drop_empty_rows(rows);
  reply.text = join(rows);
  if (request.since) reply.rows = std::move(changed);
  if (is_full) reply.screen = full_screen(*session, state);
  co_return reply;
}

}  // namespace smartcli::dispatch
