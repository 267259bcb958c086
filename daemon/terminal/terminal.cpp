#include "terminal/terminal.hpp"

#include <algorithm>

#include "terminal/snapshot.hpp"
#include "terminal/terminal_state.hpp"

namespace smartcli::terminal {

namespace {

// Stamps are swept where the offset crosses a multiple of this, so that a sweep does not depend on how output
// is cut.
constexpr std::uint64_t kSweepBytes = std::uint64_t{1} << 30;

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

}  // namespace

Terminal::Terminal(Size size, HistoryLimits limits) : impl_(std::make_unique<Impl>(size, limits)) {}
Terminal::~Terminal() = default;
Terminal::Terminal(Terminal&&) noexcept = default;
Terminal& Terminal::operator=(Terminal&&) noexcept = default;

void Terminal::feed(std::string_view bytes) {
  while (!bytes.empty()) bytes.remove_prefix(feed_some(bytes, kNoLimit));
}

std::size_t Terminal::feed_some(std::string_view bytes, std::uint64_t max_work) {
  Impl& in = *impl_;
  const std::uint64_t work = in.screen().work();
  in.interpreter.work_limit =
      max_work > kNoLimit - work ? kNoLimit : work + std::max<std::uint64_t>(1, max_work);
  const std::uint64_t room = kSweepBytes - in.parser.offset() % kSweepBytes;
  const std::size_t taken = in.parser.feed(bytes.substr(0, room), in.interpreter);
  in.screen().at(in.parser.offset());
  if (taken > 0 && in.parser.offset() % kSweepBytes == 0) in.screen().clamp_stamps();
  return taken;
}

std::uint64_t Terminal::offset() const {
  return impl_->parser.offset();
}

void Terminal::set_offset(std::uint64_t offset) {
  impl_->parser.set_offset(offset);
  impl_->screen().at(offset);
  impl_->screen().age_all_stamps();
}

void Terminal::resize(Size size) {
  impl_->screen().resize(clamp_cols(size.cols), clamp_rows(size.rows));
  impl_->interpreter.report_resize();
}

void Terminal::clear(Keep keep) {
  impl_->screen().wipe(keep == Keep::line);
}

void Terminal::reset() {
  impl_->parser.reset();
  impl_->interpreter.full_reset();
  impl_->screen().wipe();
  impl_->interpreter.forget_titles();
  impl_->interpreter.palette = {};
}

void Terminal::trim_history() {
  impl_->screen().trim_history(impl_->limits.lines, impl_->limits.bytes);
}

std::vector<Reply> Terminal::take_replies() {
  return impl_->interpreter.replies.take();
}
std::vector<Event> Terminal::take_events() {
  return impl_->interpreter.events.take();
}

Size Terminal::size() const {
  return {impl_->screen().cols(), impl_->screen().rows()};
}

CursorState Terminal::cursor() const {
  const Place& place = impl_->screen().place();
  const ModeState& modes = impl_->interpreter.modes;
  return {place.row,          place.col,         place.pending_wrap, modes.cursor_visible,
          modes.cursor_shape, modes.cursor_blink};
}

Modes Terminal::modes() const {
  return impl_->interpreter.shared_modes();
}
bool Terminal::alt_screen() const {
  return impl_->screen().is_alternate();
}
const std::string& Terminal::title() const {
  return impl_->interpreter.title;
}
const std::string& Terminal::cwd() const {
  return impl_->interpreter.cwd;
}
std::uint64_t Terminal::parser_errors() const {
  return impl_->parser.errors();
}
std::uint64_t Terminal::replies_dropped() const {
  return impl_->interpreter.replies.dropped();
}
std::uint64_t Terminal::marks_dropped() const {
  return impl_->interpreter.events.dropped();
}
bool Terminal::reverse_video() const {
  return impl_->screen().flags.reverse_video;
}

std::uint64_t Terminal::first_row() const {
  return impl_->screen().history().first();
}
std::uint64_t Terminal::screen_top() const {
  return impl_->screen().top_ordinal();
}

RowText Terminal::row_text(std::uint64_t ordinal) const {
  const Screen& screen = impl_->screen();
  if (ordinal < first_row() || ordinal >= screen_top() + static_cast<std::uint64_t>(screen.rows())) return {};
  if (ordinal < screen_top()) return history_row_text(screen, ordinal);
  return screen_row_text(screen, static_cast<int>(ordinal - screen_top()));
}

bool Terminal::append_row_text(std::uint64_t ordinal, std::string& out) const {
  const Screen& screen = impl_->screen();
  if (ordinal < first_row() || ordinal >= screen_top() + static_cast<std::uint64_t>(screen.rows()))
    return false;
  if (ordinal < screen_top()) return append_history_row(screen, ordinal, out);
  return append_screen_row(screen, static_cast<int>(ordinal - screen_top()), out);
}

std::optional<std::uint32_t> Terminal::row_stamp(std::uint64_t ordinal) const {
  const Screen& screen = impl_->screen();
  if (ordinal < first_row() || ordinal >= screen_top()) {
    const auto row = row_text(ordinal);
    return row.stamps.empty() ? std::nullopt : std::optional(row.stamps.front());
  }
  const History::Text line = screen.history().text(ordinal);
  if (line.bytes.find_first_not_of('\0') == std::string_view::npos) return std::nullopt;
  return screen.stamp_of(line.newest);
}

bool Terminal::row_wraps(std::uint64_t ordinal) const {
  const Screen& screen = impl_->screen();
  if (ordinal < first_row() || ordinal >= screen_top() + static_cast<std::uint64_t>(screen.rows()))
    return false;
  if (ordinal < screen_top()) return screen.history().text(ordinal).wraps;
  return screen.grid().row(static_cast<int>(ordinal - screen_top())).wraps;
}

namespace {

/// Number of the line that the screen's first row belongs to. What stands above the alternate screen goes on
/// in the primary one.
std::uint64_t first_line_of(const Screen& screen) {
  const bool is_cut = screen.is_alternate() && screen.history().last_wraps();
  return screen.history().next_line() + 1 + is_cut;
}

}  // namespace

std::uint64_t Terminal::line_of_row(std::uint64_t ordinal) const {
  const Screen& screen = impl_->screen();
  if (ordinal < screen_top()) return screen.history().line_of(std::max(ordinal, first_row())) + 1;
  std::uint64_t line = first_line_of(screen);
  const int row =
      static_cast<int>(std::min(ordinal - screen_top(), static_cast<std::uint64_t>(screen.rows())));
  for (int r = 0; r < row; ++r) line += !screen.grid().row(r).wraps;
  return line;
}

std::uint64_t Terminal::row_of_line(std::uint64_t line) const {
  const Screen& screen = impl_->screen();
  if (line == 0) return first_row();
  if (const auto row = screen.history().record_of_line(line - 1); row < screen_top()) return row;
  std::uint64_t at = first_line_of(screen);
  for (int r = 0; r < screen.rows(); ++r) {
    if (at >= line) return screen_top() + static_cast<std::uint64_t>(r);
    at += !screen.grid().row(r).wraps;
  }
  return screen_top() + static_cast<std::uint64_t>(screen.rows());
}

std::vector<ShownCell> Terminal::row_cells(std::uint64_t ordinal) const {
  const Screen& screen = impl_->screen();
  if (ordinal < first_row() || ordinal >= screen_top() + static_cast<std::uint64_t>(screen.rows())) return {};
  if (ordinal < screen_top()) return history_row_cells(screen, ordinal);
  return screen_row_cells(screen, static_cast<int>(ordinal - screen_top()));
}

std::uint64_t Terminal::row_touched(int row) const {
  return row >= 0 && row < impl_->screen().rows() ? impl_->screen().row_touched(row) : 0;
}
std::uint64_t Terminal::row_changed(int row) const {
  return row >= 0 && row < impl_->screen().rows() ? impl_->screen().row_changed(row) : 0;
}
std::uint64_t Terminal::layout_epoch() const {
  return impl_->screen().epoch();
}
std::size_t Terminal::history_bytes() const {
  return impl_->screen().history().bytes();
}

std::vector<std::string> Terminal::screen_text() const {
  return screen_lines(impl_->screen());
}
std::vector<HighlightedSpan> Terminal::highlighted() const {
  return highlighted_spans(impl_->screen());
}
std::uint64_t Terminal::text_hash() const {
  return terminal::text_hash(impl_->screen());
}
std::uint64_t Terminal::visual_hash() const {
  return terminal::visual_hash(impl_->screen(), cursor());
}

}  // namespace smartcli::terminal
