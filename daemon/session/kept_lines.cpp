#include "session/kept_lines.hpp"

#include <algorithm>

#include "common/text.hpp"

namespace smartcli::session {
namespace {

constexpr std::uint64_t kBlankRows = 20'000;   ///< looked through for the last row with text
constexpr std::uint64_t kCellsInLine = 65536;  ///< about; a longer line comes in pieces
constexpr std::uint64_t kRowsInLine = 1024;
constexpr std::size_t kBlockBytes = 16 << 10;  ///< looked at with one call of the pattern

std::uint64_t end_of_rows(const terminal::Terminal& terminal) {
  return terminal.screen_top() + static_cast<std::uint64_t>(terminal.size().rows);
}

/// Rows of a piece of a line that is too long.
std::uint64_t stride(const terminal::Terminal& terminal) {
  return std::clamp<std::uint64_t>(kCellsInLine / static_cast<std::uint64_t>(terminal.size().cols), 1,
                                   kRowsInLine);
}

/// What stands above the alternate screen goes on in the primary one.
bool goes_on(const terminal::Terminal& terminal, std::uint64_t row, bool wraps) {
  return wraps && row + 1 < end_of_rows(terminal) &&
         !(row + 1 == terminal.screen_top() && terminal.alt_screen());
}
bool goes_on(const terminal::Terminal& terminal, std::uint64_t row) {
  return goes_on(terminal, row, terminal.row_wraps(row));
}

void trim(std::string& text, std::size_t from) {
  std::size_t end = text.size();
  while (end > from && text[end - 1] == ' ') --end;
  text.resize(end);
}

std::size_t character_at_or_before(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

}  // namespace

std::uint64_t end_of_text(const terminal::Terminal& terminal) {
  const std::uint64_t first = terminal.first_row();
  std::uint64_t end = end_of_rows(terminal);
  std::string text;
  for (std::uint64_t looked = 0; end > first && looked < kBlankRows; ++looked, --end) {
    text.clear();
    terminal.append_row_text(end - 1, text);
    if (text.find_first_not_of(' ') != std::string::npos) break;
  }
  return end;
}

std::uint64_t line_begin(const terminal::Terminal& terminal, std::uint64_t row) {
  const std::uint64_t oldest = terminal.first_row(), most = stride(terminal);
  std::uint64_t begin = row;
  while (begin > oldest && row - begin < most && goes_on(terminal, begin - 1)) --begin;
  bool is_long = row - begin >= most;
  if (!is_long) {
    std::uint64_t last = begin;
    while (last - begin < most && goes_on(terminal, last)) ++last;
    is_long = last - begin >= most;
  }
  return is_long ? std::max(row - row % most, begin) : begin;
}

std::uint64_t append_line(const terminal::Terminal& terminal, std::uint64_t row, Wraps wraps,
                          std::string& out) {
  if (row < terminal.first_row() || row >= end_of_rows(terminal)) return 0;
  const std::size_t start = out.size();
  bool more = terminal.append_row_text(row, out);
  if (wraps == Wraps::as_shown || !goes_on(terminal, row, more)) {
    trim(out, start);
    return 1;
  }
  const std::uint64_t most = stride(terminal);
  std::uint64_t rows = 1, cut_rows = 0;
  std::size_t cut_size = 0;
  for (;;) {
    if ((row + rows) % most == 0 && cut_rows == 0) {
      cut_rows = rows;
      cut_size = out.size();
    }
    if (rows == most) {
      out.resize(cut_size);
      rows = cut_rows;
      break;
    }
    more = terminal.append_row_text(row + rows, out);
    ++rows;
    if (!goes_on(terminal, row + rows - 1, more)) break;
  }
  trim(out, start);
  return rows;
}

bool clip(std::string& text, std::size_t most) {
  if (text.size() <= most) return false;
  text.resize(character_at_or_before(text, most));
  return true;
}

// --- Reading

void Reading::begin_at(std::uint64_t row, std::uint64_t end) {
  next_ = row;
  end_ = end;
  if (wraps_ == Wraps::joined && next_ < end_) next_ = line_begin(terminal_, next_);
  if (next_ >= end_) return;
  line_ = terminal_.line_of_row(next_);
  last_line_ = terminal_.line_of_row(end_ - 1);
}

Reading::Reading(const terminal::Terminal& terminal, Page page, Wraps wraps)
    : terminal_(terminal), wraps_(wraps), epoch_(terminal.layout_epoch()) {
  const std::uint64_t first = terminal.first_row(), end = end_of_text(terminal);
  oldest_ = terminal.line_of_row(first);
  total_ = end > first ? terminal.line_of_row(end - 1) - oldest_ + 1 : 0;
  const std::uint64_t rows = std::max<std::uint64_t>(1, page.rows);
  pages_ = std::max<std::uint64_t>(1, (end - first + rows - 1) / rows);
  page_ = std::min(page.number, pages_ - 1);
  is_cut_below_ = page_ > 0;
  const std::uint64_t page_end = end - page_ * rows;
  begin_at(page_end - first > rows ? page_end - rows : first, page_end);
}

Reading::Reading(const terminal::Terminal& terminal, Range range, Wraps wraps)
    : terminal_(terminal), wraps_(wraps), epoch_(terminal.layout_epoch()) {
  const std::uint64_t first = terminal.first_row(), end = end_of_text(terminal);
  oldest_ = terminal.line_of_row(first);
  total_ = end > first ? terminal.line_of_row(end - 1) - oldest_ + 1 : 0;
  begin_at(terminal.row_of_line(range.first),
           range.last < UINT64_MAX ? std::min(end, terminal.row_of_line(range.last + 1)) : end);
}

std::optional<KeptLine> Reading::take(std::size_t most) {
  if (terminal_.layout_epoch() != epoch_) {
    epoch_ = terminal_.layout_epoch();
    next_ = terminal_.row_of_line(line_);
    end_ = std::min(end_of_text(terminal_), terminal_.row_of_line(last_line_ + 1));
  }
  if (next_ < terminal_.first_row()) {
    next_ = terminal_.first_row();
    line_ = terminal_.line_of_row(next_);
  }
  if (is_done()) return std::nullopt;
  KeptLine line;
  line.number = line_;
  line.row = next_;
  line.rows = append_line(terminal_, next_, wraps_, line.text);
  if (line.rows == 0 || (is_cut_below_ && line.row + line.rows > end_)) {
    next_ = end_;
    return std::nullopt;
  }
  line.is_clipped = clip(line.text, most);
  next_ += line.rows;
  line_ += !goes_on(terminal_, next_ - 1);
  return line;
}

// --- LineSearch

LineSearch::LineSearch(const terminal::Terminal& terminal, Pattern pattern, std::optional<Pattern> filter,
                       Options options)
    : terminal_(&terminal),
      pattern_(std::move(pattern)),
      filter_(std::move(filter)),
      options_(options),
      oldest_(terminal.line_of_row(terminal.first_row())),
      next_(terminal.first_row()),
      end_(end_of_text(terminal)),
      line_(oldest_),
      epoch_(terminal.layout_epoch()) {}

Result<LineSearch> LineSearch::make(const terminal::Terminal& terminal, std::string_view text,
                                    Pattern::Options how, Options options) {
  auto pattern = Pattern::compile(text, how);
  if (!pattern) return pattern.error();
  std::optional<Pattern> filter;
  if (how.literal || may_look_at_many(text)) {
    how.multi_line = true;
    // The flag may be what is too much for a pattern as long as one may be.
    if (auto made = Pattern::compile(text, how)) filter.emplace(std::move(*made));
  }
  return LineSearch(terminal, std::move(*pattern), std::move(filter), options);
}

bool LineSearch::is_done() const {
  return at_ == pieces_.size() && next_ >= end_;
}

/// After a reflow, or where what comes next left the history meanwhile.
void LineSearch::follow_rows() {
  if (terminal_->layout_epoch() != epoch_) {
    epoch_ = terminal_->layout_epoch();
    next_ = terminal_->row_of_line(line_);
    end_ = end_of_text(*terminal_);
  }
  if (next_ < terminal_->first_row()) {
    next_ = terminal_->first_row();
    line_ = terminal_->line_of_row(next_);
  }
}

void LineSearch::fill() {
  block_.clear();
  pieces_.clear();
  at_ = 0;
  follow_rows();
  while (next_ < end_ && block_.size() < kBlockBytes) {
    const std::size_t begin = block_.size();
    const auto rows = append_line(*terminal_, next_, Wraps::joined, block_);
    if (rows == 0) {  // the screen has fewer rows now
      next_ = end_;
      break;
    }
    pieces_.push_back({begin, block_.size(), next_, rows, line_});
    block_ += '\n';
    next_ += rows;
    line_ += !goes_on(*terminal_, next_ - 1);
    rows_ += rows;
  }
}

void LineSearch::step(Deadline deadline, const std::function<bool(Hit)>& on_hit) {
  while (!is_done()) {
    if (at_ == pieces_.size()) fill();
    const std::string_view all(block_);
    while (at_ < pieces_.size()) {
      if (filter_) {
        // Where the first match begins, no line before it has one.
        const auto begin = filter_->begin_of(all, pieces_[at_].begin);
        while (at_ < pieces_.size() && (!begin || pieces_[at_].end < *begin)) ++at_;
        if (at_ == pieces_.size()) break;
      }
      const Piece& piece = pieces_[at_++];
      look(piece, all.substr(piece.begin, piece.end - piece.begin), on_hit);
      if (std::chrono::steady_clock::now() >= deadline) return;
    }
    if (std::chrono::steady_clock::now() >= deadline) return;
  }
}

void LineSearch::look(const Piece& piece, std::string_view text, const std::function<bool(Hit)>& on_hit) {
  const std::uint64_t wanted_to = options_.skip + options_.limit;
  if (!takes_hits_ || total_ < options_.skip || total_ >= wanted_to) {
    if (pattern_.matches(text)) ++total_;
    return;
  }
  Pattern::Match match;
  if (!pattern_.find(text, 0, match)) return;
  ++total_;
  Hit hit;
  hit.line.number = piece.number;
  hit.line.row = piece.row;
  hit.line.rows = piece.rows;
  std::size_t from = 0;
  if (text.size() > options_.text_bytes) {
    hit.line.is_clipped = true;
    const std::size_t lead = options_.text_bytes / 4;
    from = std::min(match.begin > lead ? match.begin - lead : 0, text.size() - options_.text_bytes);
    from = character_at_or_before(text, from);
  }
  hit.line.text = text.substr(from, text.size());
  clip(hit.line.text, options_.text_bytes);
  hit.match = text.substr(match.begin, std::min(match.end, from + hit.line.text.size()) - match.begin);
  // Rows of a block that was looked at before a reflow say nothing any more.
  if (options_.context > 0 && terminal_->layout_epoch() == epoch_) {
    hit.before = above(piece);
    hit.after = below(piece);
  }
  takes_hits_ = on_hit(std::move(hit));
}

std::vector<KeptLine> LineSearch::above(const Piece& piece) const {
  std::vector<KeptLine> lines;
  const std::uint64_t oldest = terminal_->first_row();
  std::uint64_t row = piece.row, number = piece.number;
  while (lines.size() < options_.context && row > oldest) {
    KeptLine line;
    number -= !goes_on(*terminal_, row - 1);
    line.number = number;
    line.row = line_begin(*terminal_, row - 1);
    line.rows = append_line(*terminal_, line.row, Wraps::joined, line.text);
    line.is_clipped = clip(line.text, options_.text_bytes);
    row = line.row;
    lines.push_back(std::move(line));
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

std::vector<KeptLine> LineSearch::below(const Piece& piece) const {
  std::vector<KeptLine> lines;
  std::uint64_t row = piece.row + piece.rows, number = piece.number;
  while (lines.size() < options_.context && row < end_) {
    KeptLine line;
    number += !goes_on(*terminal_, row - 1);
    line.number = number;
    line.row = row;
    line.rows = append_line(*terminal_, row, Wraps::joined, line.text);
    if (line.rows == 0) break;
    line.is_clipped = clip(line.text, options_.text_bytes);
    row += line.rows;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace smartcli::session
