#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/grid.hpp"
#include "terminal/intern.hpp"

namespace smartcli::terminal {

/// A line of cells apart from any grid; as long as its last cell that is not blank.
struct CellLine {
  std::vector<Content> content;
  std::vector<StyleId> style;
  std::vector<std::uint32_t> stamp;
  bool wraps = false;

  std::size_t size() const { return content.size(); }
};

/// Lines that left the primary screen at its top: a ring of records, each about the size of its text.
/// Numbered by ordinals that grow. A record is a header, the text, then only where needed the cells' lengths
/// and the runs of style.
class History {
 public:
  explicit History(Tables& tables) : tables_(tables) {}

  std::uint64_t first() const { return first_; }
  std::uint64_t end() const { return first_ + count_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return bytes_; }

  /// `newest`: offset of its newest character.
  void push(const Row& row, bool wraps, std::uint64_t newest);
  /// The same, for a line that is in no grid.
  void push(const CellLine& line, std::uint64_t newest);

  /// True if the last line goes on in what follows it.
  bool last_wraps() const;
  /// Says that it does not any more: what it went on in was erased.
  void cut_last();

  struct Text {
    std::string_view bytes;  ///< UTF-8, NUL where a cell was never written
    std::string_view cells;  ///< lengths, see `CellRun`; empty if each byte is one cell
    std::string_view styles;
    std::uint64_t newest = 0;
    bool wraps = false;
  };
  /// `ordinal` is one of first() .. end() - 1.
  Text text(std::uint64_t ordinal) const;
  /// The line as cells, all with that stamp. Interns what it names, and never sweeps.
  CellLine cells(std::uint64_t ordinal, std::uint32_t stamp) const;

  // Lines as people count them, soft wraps joined, from 0; a number stays with its line whatever reflow does.
  /// The line that goes on, or begins, in what follows the last record.
  std::uint64_t next_line() const { return next_line_; }
  /// Of a record that is kept.
  std::uint64_t line_of(std::uint64_t ordinal) const;
  /// The first record kept of that line or of a later one; end() if there is none.
  std::uint64_t record_of_line(std::uint64_t line) const;

  /// Takes the last line off. A line pushed later gets its ordinal.
  void pop_back();
  void pop_front();
  void trim(std::size_t max_lines, std::size_t max_bytes);
  /// Forgets all lines; the next one pushed gets ordinal `next` and belongs to line `next_line`.
  void clear(std::uint64_t next, std::uint64_t next_line);

  /// Consecutive cells alike: `count` cells of `bytes` each, of one or two columns.
  struct CellRun {
    std::size_t count, bytes;
    bool is_wide;
  };
  static bool next_run(std::string_view& cells, CellRun& run);

  /// Goes through a line cell by cell; a wide one comes once.
  class Reader {
   public:
    explicit Reader(const Text& line)
        : line_(line), is_plain_(line.cells.empty()), run_{is_plain_ ? line.bytes.size() : 0, 1, false} {}
    /// Sets the fields to the next cell's; false at the end.
    bool next();

    std::string_view text;
    Style style;
    bool is_wide = false;

   private:
    Text line_;
    bool is_plain_;
    CellRun run_;
    std::uint32_t styled_ = 0;
  };

 private:
  struct Block {
    std::uint64_t first;  ///< ordinal of its first record, also of one that was trimmed
    std::uint64_t first_line;
    std::string data;
    std::vector<std::uint32_t> starts;
  };
  struct Header {
    std::uint64_t newest;
    std::uint32_t text_bytes;
    std::uint32_t cells_bytes;
    std::uint32_t styles_bytes : 31;
    std::uint32_t wraps : 1;
    std::uint32_t has_links;
  };

  char* append(const Header& header);
  void push_cells(const Content* content, const StyleId* style, std::size_t n, bool wraps,
                  std::uint64_t newest);
  const Block& block_of(std::uint64_t ordinal) const;
  static const char* record_in(const Block& block, std::uint64_t ordinal) {
    return block.data.data() + block.starts[ordinal - block.first];
  }
  static Header header_of(const char* record);
  const char* record(std::uint64_t ordinal) const { return record_in(block_of(ordinal), ordinal); }
  void use_links(const char* record, bool is_added);

  Tables& tables_;
  std::deque<Block> blocks_;
  std::uint64_t first_ = 0;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t next_line_ = 0;
  mutable std::size_t last_block_ = 0;  // where the last record was found
  // Kept, so that a push does not allocate; `text_buffer_` is as long as it ever was.
  std::string text_buffer_, cells_buffer_, styles_buffer_;
};

}  // namespace smartcli::terminal
