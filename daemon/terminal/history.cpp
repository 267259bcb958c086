#include "terminal/history.hpp"

#include <algorithm>
#include <cstring>

#include "terminal/utf8.hpp"

namespace smartcli::terminal {

namespace {

// Blocks grow to this; an idle session's history takes a few KiB only.
constexpr std::size_t kBlockBytes = 64 << 10;
constexpr std::size_t kFirstBlockBytes = 4 << 10;

void put_number(std::string& out, std::uint32_t n) {
  for (; n >= 0x80; n >>= 7) out += static_cast<char>(n | 0x80);
  out += static_cast<char>(n);
}

std::uint32_t take_number(std::string_view& in) {
  std::uint32_t n = 0;
  int shift = 0;
  while (true) {
    const auto b = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    n |= static_cast<std::uint32_t>(b & 0x7f) << shift;
    if (b < 0x80) return n;
    shift += 7;
  }
}

enum StyleField : unsigned char {
  kHasFg = 1,
  kHasBg = 2,
  kHasUnderlineColour = 4,
  kHasFlags = 8,
  kHasLink = 16
};

void put_style(std::string& out, const Style& s) {
  const std::uint32_t flags = s.flags | static_cast<std::uint32_t>(s.underline) << 16;
  unsigned char fields = 0;
  if (s.fg.bits) fields |= kHasFg;
  if (s.bg.bits) fields |= kHasBg;
  if (s.underline_colour.bits) fields |= kHasUnderlineColour;
  if (flags) fields |= kHasFlags;
  if (s.link) fields |= kHasLink;
  out += static_cast<char>(fields);
  if (s.fg.bits) put_number(out, s.fg.bits);
  if (s.bg.bits) put_number(out, s.bg.bits);
  if (s.underline_colour.bits) put_number(out, s.underline_colour.bits);
  if (flags) put_number(out, flags);
  if (s.link) put_number(out, s.link);
}

Style take_style(std::string_view& in) {
  Style s;
  const auto fields = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  if (fields & kHasFg) s.fg.bits = take_number(in);
  if (fields & kHasBg) s.bg.bits = take_number(in);
  if (fields & kHasUnderlineColour) s.underline_colour.bits = take_number(in);
  if (fields & kHasFlags) {
    const std::uint32_t flags = take_number(in);
    s.flags = static_cast<std::uint16_t>(flags);
    s.underline = static_cast<Underline>(flags >> 16);
  }
  if (fields & kHasLink) s.link = take_number(in);
  return s;
}

}  // namespace

bool History::next_run(std::string_view& cells, CellRun& run) {
  if (cells.empty()) return false;
  run.count = take_number(cells);
  const std::uint32_t shape = take_number(cells);
  run.bytes = shape >> 1;
  run.is_wide = shape & 1;
  return true;
}

char* History::append(const Header& header) {
  const std::size_t n = sizeof(Header) + header.text_bytes + header.cells_bytes + header.styles_bytes;
  if (blocks_.empty() || blocks_.back().data.size() + n > blocks_.back().data.capacity()) {
    const std::size_t room = blocks_.empty() ? kFirstBlockBytes : kBlockBytes;
    Block block{end(), next_line_, {}, {}};
    block.data.reserve(std::max(room, n));
    blocks_.push_back(std::move(block));
  }
  Block& block = blocks_.back();
  const std::size_t at = block.data.size();
  block.starts.push_back(static_cast<std::uint32_t>(at));
  block.data.resize(at + n);
  std::memcpy(block.data.data() + at, &header, sizeof header);
  ++count_;
  bytes_ += n;
  if (!header.wraps) ++next_line_;
  return block.data.data() + at + sizeof header;
}

void History::push(const Row& row, bool wraps, std::uint64_t newest) {
  const std::size_t n = row.used;
  Content seen = 0;
  StyleId styled = 0;
  for (std::size_t i = 0; i < n; ++i) {
    seen |= row.content[i];
    styled |= row.style[i];
  }
  if (seen >= 0x80 || styled != 0 || (n > 0 && row.content[n - 1] == kBlank)) {
    push_cells(row.content, row.style, n, wraps, newest);
    return;
  }
  char* text = append({newest, static_cast<std::uint32_t>(n), 0, 0, wraps, 0});
  for (std::size_t i = 0; i < n; ++i) text[i] = static_cast<char>(row.content[i]);
}

void History::push(const CellLine& line, std::uint64_t newest) {
  push_cells(line.content.data(), line.style.data(), line.size(), line.wraps, newest);
}

void History::push_cells(const Content* content, const StyleId* style, std::size_t n, bool wraps,
                         std::uint64_t newest) {
  while (n > 0 && content[n - 1] == kBlank && style[n - 1] == 0) --n;
  cells_buffer_.clear();
  styles_buffer_.clear();
  CellRun run{0, 1, false};
  bool is_plain = true;
  bool has_links = false;
  std::uint32_t styled = 0;  // cells in the run of style
  StyleId run_style = 0;
  bool is_styled = false;
  auto end_run = [&] {
    if (run.count == 0) return;
    put_number(cells_buffer_, static_cast<std::uint32_t>(run.count));
    put_number(cells_buffer_, static_cast<std::uint32_t>(run.bytes << 1 | run.is_wide));
  };
  auto end_style = [&] {
    if (styled == 0) return;
    const Style& s = tables_.styles.get(run_style);
    put_number(styles_buffer_, styled);
    put_style(styles_buffer_, s);
    has_links |= s.link != 0;
    is_styled |= run_style != 0;
  };
  std::size_t filled = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Content c = content[i];
    if (c == kTail) continue;
    if (filled + 4 * kMaxCluster > text_buffer_.size()) text_buffer_.resize(filled + 4 * (n + kMaxCluster));
    char* const start = text_buffer_.data() + filled;
    char* at = start;
    if (c & kGrapheme) {
      for (char32_t p : tables_.graphemes.get(c & kValue)) at = put_utf8(at, p);
    } else {
      at = put_utf8(at, c & kValue);
    }
    const auto bytes = static_cast<std::size_t>(at - start);
    filled += bytes;
    const bool is_wide = c & kWide;
    if (bytes != run.bytes || is_wide != run.is_wide) {
      end_run();
      run = {0, bytes, is_wide};
      is_plain = false;
    }
    ++run.count;
    if (style[i] != run_style) {
      end_style();
      run_style = style[i];
      styled = 0;
    }
    ++styled;
  }
  if (is_plain)
    cells_buffer_.clear();
  else
    end_run();
  end_style();
  if (!is_styled) styles_buffer_.clear();

  const Header header{newest,
                      static_cast<std::uint32_t>(filled),
                      static_cast<std::uint32_t>(cells_buffer_.size()),
                      static_cast<std::uint32_t>(styles_buffer_.size()),
                      wraps,
                      has_links};
  char* at = append(header);
  at = std::copy_n(text_buffer_.data(), filled, at);
  at = std::copy(cells_buffer_.begin(), cells_buffer_.end(), at);
  std::copy(styles_buffer_.begin(), styles_buffer_.end(), at);
  if (has_links) use_links(record(end() - 1), true);
}

const History::Block& History::block_of(std::uint64_t ordinal) const {
  // Who goes through all lines asks for the next one.
  const auto is_in = [&](std::size_t i) {
    return i < blocks_.size() && ordinal >= blocks_[i].first &&
           ordinal - blocks_[i].first < blocks_[i].starts.size();
  };
  if (!is_in(last_block_) && !is_in(++last_block_)) {
    const auto next = std::upper_bound(blocks_.begin(), blocks_.end(), ordinal,
                                       [](std::uint64_t o, const Block& b) { return o < b.first; });
    last_block_ = static_cast<std::size_t>(next - blocks_.begin()) - 1;
  }
  return blocks_[last_block_];
}

History::Header History::header_of(const char* record) {
  Header header;
  std::memcpy(&header, record, sizeof header);
  return header;
}

std::uint64_t History::line_of(std::uint64_t ordinal) const {
  const Block& block = block_of(ordinal);
  std::uint64_t line = block.first_line;
  for (std::uint64_t at = block.first; at < ordinal; ++at) line += !header_of(record_in(block, at)).wraps;
  return line;
}

std::uint64_t History::record_of_line(std::uint64_t line) const {
  if (count_ == 0) return end();
  // A line may go on from the block before: that one has its first record.
  auto after = std::lower_bound(blocks_.begin(), blocks_.end(), line,
                                [](const Block& b, std::uint64_t l) { return b.first_line < l; });
  if (after != blocks_.begin()) --after;
  for (; after != blocks_.end(); ++after) {
    std::uint64_t at_line = after->first_line;
    const std::uint64_t block_end = after->first + after->starts.size();
    for (std::uint64_t at = after->first; at < block_end; ++at) {
      if (at_line >= line && at >= first_) return at;
      at_line += !header_of(record_in(*after, at)).wraps;
    }
  }
  return end();
}

History::Text History::text(std::uint64_t ordinal) const {
  const char* at = record(ordinal);
  Header header;
  std::memcpy(&header, at, sizeof header);
  at += sizeof header;
  Text text;
  text.bytes = {at, header.text_bytes};
  text.cells = {at + header.text_bytes, header.cells_bytes};
  text.styles = {at + header.text_bytes + header.cells_bytes, header.styles_bytes};
  text.newest = header.newest;
  text.wraps = header.wraps;
  return text;
}

bool History::Reader::next() {
  if (run_.count == 0 && (is_plain_ || !next_run(line_.cells, run_))) return false;
  --run_.count;
  if (styled_ == 0 && !line_.styles.empty()) {
    styled_ = take_number(line_.styles);
    style = take_style(line_.styles);
  }
  if (styled_ > 0) --styled_;
  text = line_.bytes.substr(0, run_.bytes);
  line_.bytes.remove_prefix(run_.bytes);
  is_wide = run_.is_wide;
  return true;
}

CellLine History::cells(std::uint64_t ordinal, std::uint32_t stamp) const {
  const Text line = text(ordinal);
  CellLine out;
  out.wraps = line.wraps;
  std::u32string points;
  for (Reader reader(line); reader.next();) {
    points.clear();
    Utf8Decoder decoder;
    for (char b : reader.text)
      if (decoder.push(static_cast<unsigned char>(b)) == Utf8Decoder::Step::done) points += decoder.value();
    Content c = points.size() == 1 ? points[0] : kGrapheme | tables_.graphemes.intern(points);
    if (reader.is_wide) c |= kWide;
    const StyleId style = tables_.styles.intern(reader.style);
    for (int half = 0; half <= reader.is_wide; ++half) {
      out.content.push_back(half == 0 ? c : kTail);
      out.style.push_back(style);
      out.stamp.push_back(stamp);
    }
  }
  return out;
}

bool History::last_wraps() const {
  return count_ > 0 && text(end() - 1).wraps;
}

void History::cut_last() {
  if (!last_wraps()) return;
  char* at = const_cast<char*>(record(end() - 1));
  Header header;
  std::memcpy(&header, at, sizeof header);
  header.wraps = 0;
  std::memcpy(at, &header, sizeof header);
  ++next_line_;
}

void History::use_links(const char* record, bool is_added) {
  Header header;
  std::memcpy(&header, record, sizeof header);
  if (!header.has_links) return;
  std::string_view styles(record + sizeof header + header.text_bytes + header.cells_bytes,
                          header.styles_bytes);
  while (!styles.empty()) {
    take_number(styles);
    const Style s = take_style(styles);
    if (s.link == 0) continue;
    if (is_added)
      tables_.links.add_history_use(s.link);
    else
      tables_.links.drop_history_use(s.link);
  }
}

void History::pop_back() {
  const char* last = record(end() - 1);
  use_links(last, false);
  if (!header_of(last).wraps) --next_line_;
  Block& block = blocks_.back();
  bytes_ -= block.data.size() - block.starts.back();
  block.data.resize(block.starts.back());
  block.starts.pop_back();
  --count_;
  if (block.starts.empty() || block.first + block.starts.size() <= first_) blocks_.pop_back();
}

void History::pop_front() {
  const char* at = record(first_);
  Header header;
  std::memcpy(&header, at, sizeof header);
  use_links(at, false);
  bytes_ -= sizeof header + header.text_bytes + header.cells_bytes + header.styles_bytes;
  ++first_;
  --count_;
  if (blocks_.front().first + blocks_.front().starts.size() <= first_) blocks_.pop_front();
}

void History::trim(std::size_t max_lines, std::size_t max_bytes) {
  while (count_ > 0 && (count_ > max_lines || bytes_ > max_bytes)) pop_front();
}

void History::clear(std::uint64_t next, std::uint64_t next_line) {
  while (count_ > 0) pop_back();
  blocks_.clear();
  first_ = next;
  next_line_ = next_line;
}

}  // namespace smartcli::terminal
