// A terminal's state as bytes and back. `KeyframeFields` names each member once, for both ways.
//
// The form: Head, then the payload: links, styles and graphemes that cells name, by their place in these
// lists; then fields in the order below. Numbers are little-endian and as wide as their members. Nothing in
// it is believed: each count is held against the bytes that are left, each index against its list, each place
// against the screen.

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <unordered_map>

#include "terminal/terminal_state.hpp"
#include "terminal/width.hpp"

namespace smartcli::terminal {

namespace {

constexpr std::uint32_t kVersion = 1;

struct Head {
  char magic[4] = {'S', 'C', 'K', 'F'};
  std::uint32_t version = kVersion;
  std::uint64_t bytes = 0;  ///< of the payload
  std::uint64_t hash = 0;   ///< XXH3-64 of the payload
};
static_assert(sizeof(Head) == 24);

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  static constexpr bool kReads = false;
  bool is_good() const { return true; }

  template <Plain T>
  void operator()(const T& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(const std::string& text) {
    (*this)(static_cast<std::uint32_t>(text.size()));
    out += text;
  }
  void cells(const std::uint32_t* from, std::size_t n) {
    out.append(reinterpret_cast<const char*>(from), n * sizeof *from);
  }
  template <class T, class Each>
  void list(const T& items, std::size_t, Each each) {
    (*this)(static_cast<std::uint32_t>(items.size()));
    for (const auto& item : items) each(item);
  }
  void require(bool) {}

  std::string out;
};

class Reader {
 public:
  static constexpr bool kReads = true;
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  bool is_good() const { return good_; }
  bool is_at_end() const { return left_.empty(); }

  template <Plain T>
  void operator()(T& value) {
    if (!take(sizeof value)) return;
    if constexpr (std::is_same_v<T, bool>) {
      require(static_cast<unsigned char>(*at_) <= 1);
      value = *at_ == 1;
    } else {
      std::memcpy(&value, at_, sizeof value);
    }
  }
  void operator()(std::string& text) {
    std::uint32_t n = 0;
    (*this)(n);
    if (take(n)) text.assign(at_, n);
  }
  void cells(std::uint32_t* to, std::size_t n) {
    if (take(n * sizeof *to) && n > 0) std::memcpy(to, at_, n * sizeof *to);
  }
  /// At most `most` items.
  template <class T, class Each>
  void list(T& items, std::size_t most, Each each) {
    std::uint32_t n = 0;
    (*this)(n);
    require(n <= most && n <= left_.size());
    items.clear();
    for (; n > 0 && good_; --n) each(items.emplace_back());
  }
  void require(bool holds) { good_ = good_ && holds; }

 private:
  bool take(std::size_t n) {
    require(n <= left_.size());
    if (!good_) return false;
    at_ = left_.data();
    left_.remove_prefix(n);
    return true;
  }
  std::string_view left_;
  const char* at_ = nullptr;
  bool good_ = true;
};

/// A last value of each enumeration, to hold a byte against.
template <class Io, class E>
void bounded(Io& io, E& value, E last) {
  io(value);
  io.require(value <= last);
}

bool is_scalar(char32_t c) {
  return c >= 0x20 && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
}

bool is_colour(Colour c) {
  return (c.bits == 0) || (c.kind() == Colour::kIndex && c.value() < 256) || c.kind() == Colour::kRgb;
}

}  // namespace

struct KeyframeFields {
  /// Between the ids of a terminal's tables and places in the keyframe's lists.
  struct Lists {
    std::vector<std::string> links;  ///< by number - 1
    std::vector<Style> styles;       ///< `link` is a number of `links`
    std::vector<std::u32string> graphemes;
    std::unordered_map<std::uint32_t, std::uint32_t> link_numbers, style_numbers, grapheme_numbers;
    std::vector<std::uint32_t> link_ids, style_ids, grapheme_ids;  ///< of the terminal that is loaded
  };

  // -- To write: what is met is listed.
  struct WriterTables {
    const Tables& tables;
    Lists& lists;

    std::uint32_t link(std::uint32_t id) {
      if (id == 0) return 0;
      const auto [it, is_new] =
          lists.link_numbers.try_emplace(id, static_cast<std::uint32_t>(lists.links.size() + 1));
      if (is_new) lists.links.push_back(tables.links.get(id));
      return it->second;
    }
    Style plain(Style style) {
      style.link = link(style.link);
      return style;
    }
    std::uint32_t style(StyleId id) {
      const auto [it, is_new] =
          lists.style_numbers.try_emplace(id, static_cast<std::uint32_t>(lists.styles.size()));
      if (is_new) lists.styles.push_back(plain(tables.styles.get(id)));
      return it->second;
    }
    Content content(Content c) {
      if (!(c & kGrapheme)) return c;
      const auto [it, is_new] =
          lists.grapheme_numbers.try_emplace(c & kValue, static_cast<std::uint32_t>(lists.graphemes.size()));
      if (is_new) lists.graphemes.push_back(tables.graphemes.get(c & kValue));
      return (c & ~kValue) | it->second;
    }
  };

  template <class Io>
  static void style(Io& io, Style& style, std::size_t links) {
    io(style.fg.bits);
    io(style.bg.bits);
    io(style.underline_colour.bits);
    io(style.flags);
    bounded(io, style.underline, Underline::dashed);
    io(style.link);
    io.require(style.link <= links && is_colour(style.fg) && is_colour(style.bg) &&
               is_colour(style.underline_colour) && style.flags < 2 * kProtected);
  }

  template <class Io>
  static void lists(Io& io, Lists& lists) {
    constexpr std::size_t kMany = 1 << 24;
    io.list(lists.links, kMany, [&](auto& uri) { io(uri); });
    io.list(lists.styles, kMany, [&](auto& each) {
      Style copy = each;
      style(io, copy, lists.links.size());
      if constexpr (Io::kReads) each = copy;
    });
    io.list(lists.graphemes, kMany, [&](auto& text) {
      std::uint32_t n = static_cast<std::uint32_t>(text.size());
      io(n);
      io.require(n >= 2 && n <= kMaxCluster);
      if constexpr (Io::kReads) text.resize(io.is_good() ? n : 0);
      for (auto& c : text) {
        io(c);
        io.require(is_scalar(c));
      }
    });
  }

  // -- Fields of each part.

  /// One that was kept may be outside a screen that became smaller: whoever takes it up again clamps it.
  template <class Io>
  static void place(Io& io, Place& place, int cols = kMaxCols, int rows = kMaxRows) {
    io(place.row);
    io(place.col);
    io(place.pending_wrap);
    io.require(place.row >= 0 && place.row < rows && place.col >= 0 && place.col < cols);
  }

  template <class Io>
  static void charsets(Io& io, Charsets& charsets) {
    for (auto& set : charsets.g) bounded(io, set, static_cast<Charsets::Set>(Charsets::kSets - 1));
    io(charsets.gl);
    io(charsets.single);
    io.require(charsets.gl >= 0 && charsets.gl < 4 && charsets.single >= -1 && charsets.single < 4);
  }

  template <class Io>
  static void pen(Io& io, Style& pen, Lists& lists, const Screen& screen) {
    Style copy = pen;
    if constexpr (!Io::kReads) copy = WriterTables{screen.tables_, lists}.plain(copy);
    style(io, copy, lists.links.size());
    if constexpr (Io::kReads) {
      if (io.is_good() && copy.link != 0) copy.link = lists.link_ids[copy.link - 1];
      pen = copy;
    }
  }

  /// Cells as content, style, stamp; `is_line`: of history, without stamps.
  template <class Io>
  static void cells(Io& io, Content* content, StyleId* styles, std::size_t n, Lists& lists,
                    const Screen& screen) {
    if constexpr (Io::kReads) {
      io.cells(content, n);
      io.cells(styles, n);
      if (!io.is_good()) return;
      for (std::size_t i = 0; i < n; ++i) {
        Content& c = content[i];
        const Content value = c & kValue;
        if (c == kTail) {
          io.require(i > 0 && content[i - 1] & kWide);
        } else if (c & kGrapheme) {
          io.require(!(c & ~(kGrapheme | kWide | kValue)) && value < lists.grapheme_ids.size());
          if (!io.is_good()) return;
          c = (c & ~kValue) | lists.grapheme_ids[value];
        } else if (c != kBlank) {
          io.require(!(c & ~(kWide | kValue)) && is_scalar(value));
        }
        if (c & kWide) io.require(i + 1 < n && content[i + 1] == kTail);
        io.require(styles[i] < lists.style_ids.size());
        if (!io.is_good()) return;
        styles[i] = lists.style_ids[styles[i]];
      }
    } else {
      WriterTables tables{screen.tables_, lists};
      std::vector<std::uint32_t> line(content, content + n);
      for (auto& c : line) c = tables.content(c);
      io.cells(line.data(), n);
      // Runs of one style are the rule.
      StyleId last = 0;
      std::uint32_t number = n > 0 ? tables.style(last = styles[0]) : 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (styles[i] != last) number = tables.style(last = styles[i]);
        line[i] = number;
      }
      io.cells(line.data(), n);
    }
  }

  template <class Io>
  static void grid(Io& io, Grid& grid, Lists& lists, Screen& screen) {
    bool is_made = grid.is_made();
    io(is_made);
    if (!is_made || !io.is_good()) return;
    if constexpr (Io::kReads) grid = Grid(screen.cols_, screen.rows_);
    for (int r = 0; r < screen.rows_ && io.is_good(); ++r) {
      Row& row = grid.row(r);
      std::uint16_t used = row.used;
      io(used);
      io.require(used <= screen.cols_);
      if (!io.is_good()) return;
      io(row.wraps);
      io(row.touched);
      cells(io, row.content, row.style, used, lists, screen);
      io.cells(row.stamp, used);
      if constexpr (Io::kReads) {
        if (io.is_good()) row.used = used;
      }
    }
  }

  template <class Io>
  static void history(Io& io, Screen& screen, std::size_t lines, Lists& lists) {
    History& history = screen.history_;
    std::uint32_t count = 0;
    std::uint64_t first = 0, first_line = 0;
    if constexpr (!Io::kReads) {
      count = static_cast<std::uint32_t>(std::min(lines, history.size()));
      first = history.end() - count;
      first_line = count > 0 ? history.line_of(first) : history.next_line();
    }
    io(count);
    io(first);
    io(first_line);
    if constexpr (Io::kReads) {
      if (io.is_good()) history.clear(first, first_line);
    }
    for (std::uint32_t i = 0; i < count && io.is_good(); ++i) {
      CellLine line;
      std::uint64_t newest = 0;
      std::uint32_t n = 0;
      if constexpr (!Io::kReads) {
        line = history.cells(first + i, 0);
        newest = history.text(first + i).newest;
        n = static_cast<std::uint32_t>(line.size());
      }
      io(n);
      io(newest);
      io(line.wraps);
      io.require(n <= kMaxCols);
      if (!io.is_good()) return;
      if constexpr (Io::kReads) {
        line.content.resize(n);
        line.style.resize(n);
        line.stamp.resize(n);
      }
      cells(io, line.content.data(), line.style.data(), n, lists, screen);
      if constexpr (Io::kReads) {
        if (io.is_good()) history.push(line, newest);
      }
    }
  }

  template <class Io>
  static void screen(Io& io, Screen& s, std::size_t history_lines, Lists& lists) {
    auto& f = s.flags;
    for (bool* flag :
         {&f.origin, &f.insert, &f.autowrap, &f.reverse_wrap, &f.side_margins, &f.newline, &f.reverse_video})
      io(*flag);
    charsets(io, s.charsets);
    bounded(io, s.protection, Screen::Protection::dec);
    io(s.now_);
    place(io, s.place_, s.cols_, s.rows_);
    for (auto& saved : s.saved_) {
      place(io, saved.place);
      pen(io, saved.pen, lists, s);
      charsets(io, saved.charsets);
      io(saved.origin);
      bounded(io, saved.protection, Screen::Protection::dec);
      io(saved.is_saved);
    }
    for (int* edge : {&s.top_, &s.bottom_, &s.left_, &s.right_}) io(*edge);
    io.require(0 <= s.top_ && s.top_ < s.bottom_ && s.bottom_ <= s.rows_ && 0 <= s.left_ &&
               s.left_ < s.right_ && s.right_ <= s.cols_);
    for (int col = 0; col < s.cols_; ++col) {
      bool is_set = s.tabs_[static_cast<std::size_t>(col)];
      io(is_set);
      if constexpr (Io::kReads) s.tabs_[static_cast<std::size_t>(col)] = is_set;
    }
    Style the_pen = s.pen_;
    pen(io, the_pen, lists, s);
    if constexpr (Io::kReads) {
      s.set_pen(the_pen);
      s.is_erase_new_ = true;
    }
    io(s.last_char_);
    io.require(s.last_char_ == 0 || is_scalar(s.last_char_));
    io(s.last_col_);
    io.require(s.last_col_ >= -1 && s.last_col_ < kMaxCols);
    place(io, s.after_last_);
    io(s.all_touched_);
    io(s.scrolled_at_);
    io(s.epoch_);
    grid(io, s.primary_, lists, s);
    io.require(s.primary_.is_made());
    grid(io, s.alternate_, lists, s);
    bool is_alternate = s.is_alternate();
    io(is_alternate);
    io.require(!is_alternate || s.alternate_.is_made());
    if constexpr (Io::kReads) {
      if (io.is_good()) s.grid_ = is_alternate ? &s.alternate_ : &s.primary_;
    }
    history(io, s, history_lines, lists);
  }

  template <class Io>
  static void modes(Io& io, ModeState& m) {
    Modes& s = m.shared;
    for (bool* flag : {&s.application_cursor, &s.application_keypad, &s.bracketed_paste, &s.focus,
                       &s.synchronized, &s.newline, &s.backarrow_sends_bs})
      io(*flag);
    bounded(io, s.mouse, MouseMode::any);
    bounded(io, s.mouse_encoding, MouseEncoding::sgr_pixels);
    io(s.kitty_flags);
    io(s.modify_other_keys);
    io.require(s.kitty_flags >= 0 && s.kitty_flags <= ModeState::kKittyFlags && s.modify_other_keys >= 0 &&
               s.modify_other_keys <= 2);
    io(m.cursor_visible);
    bounded(io, m.cursor_shape, CursorShape::bar);
    io(m.cursor_blink);
    io(m.resize_reports);
    constexpr std::size_t kModes = 256;  // more than the table has
    for (auto* slots : {&m.kept_, &m.saved_}) {
      io.list(*slots, kModes, [&](auto& slot) {
        io(slot.number);
        io(slot.is_on);
        io.require(find_mode(slot.number, true) != nullptr || find_mode(slot.number, false) != nullptr);
      });
    }
    for (auto& stack : m.kitty_) {
      io.list(stack, ModeState::kKittyDepth, [&](auto& flags) {
        io(flags);
        io.require(flags <= ModeState::kKittyFlags);
      });
      io.require(!stack.empty());
    }
  }

  template <class Io>
  static void palette(Io& io, Palette& palette) {
    std::uint32_t n = static_cast<std::uint32_t>(palette.set_.size());
    io(n);
    io.require(n <= Palette::kSize);
    if constexpr (Io::kReads) {
      for (; n > 0 && io.is_good(); --n) {
        unsigned index = 0;
        std::uint32_t rgb = 0;
        io(index);
        io(rgb);
        io.require(index < Palette::kSize && rgb <= 0xffffff);
        palette.set_[index] = rgb;
      }
    } else {
      for (const auto& [index, rgb] : palette.set_) {
        io(index);
        io(rgb);
      }
    }
    for (auto& colour : palette.screen_) {
      bool is_set = colour.has_value();
      std::uint32_t rgb = colour.value_or(0);
      io(is_set);
      io(rgb);
      io.require(rgb <= 0xffffff);
      if constexpr (Io::kReads) colour = is_set ? std::optional(rgb) : std::nullopt;
    }
  }

  template <class Io>
  static void interpreter(Io& io, Interpreter& in, std::size_t history_lines, Lists& lists) {
    screen(io, in.screen, history_lines, lists);
    modes(io, in.modes);
    palette(io, in.palette);
    constexpr std::size_t kText = 8 << 10;
    for (std::string* text : {&in.title, &in.icon_title, &in.cwd}) {
      io(*text);
      io.require(text->size() <= kText);
    }
    io(in.restyles_stream_);
    constexpr std::size_t kDepth = 16;
    io.list(in.pens_, kDepth, [&](auto& each) {
      Style copy = each;
      pen(io, copy, lists, in.screen);
      if constexpr (Io::kReads) each = copy;
    });
    io.list(in.titles_, kDepth, [&](auto& titles) {
      io(titles.title);
      io(titles.icon_title);
    });
    io(in.replies.dropped_);
    io(in.events.dropped_);
  }

  template <class Io>
  static void parser(Io& io, Parser& parser) {
    io(parser.offset_);
    io(parser.errors_);
  }

  static void intern(Lists& lists, Tables& tables) {
    for (const auto& uri : lists.links) lists.link_ids.push_back(tables.links.intern(uri));
    for (Style style : lists.styles) {
      if (style.link != 0) style.link = lists.link_ids[style.link - 1];
      lists.style_ids.push_back(tables.styles.intern(style));
    }
    for (const auto& text : lists.graphemes) lists.grapheme_ids.push_back(tables.graphemes.intern(text));
  }
  static Tables& tables(Screen& screen) { return screen.tables_; }
};

bool Terminal::is_at_ground() const {
  return impl_->parser.is_at_ground();
}

std::string Terminal::keyframe(std::size_t history_lines) const {
  if (!is_at_ground()) return {};
  Impl& in = *impl_;  // only looked at
  KeyframeFields::Lists lists;
  Writer fields;
  KeyframeFields::parser(fields, in.parser);
  KeyframeFields::interpreter(fields, in.interpreter, history_lines, lists);
  Writer writer;
  Head head;
  writer.out.resize(sizeof head);
  writer(in.interpreter.screen.cols());
  writer(in.interpreter.screen.rows());
  KeyframeFields::lists(writer, lists);
  writer.out += fields.out;
  head.bytes = writer.out.size() - sizeof head;
  head.hash = XXH3_64bits(writer.out.data() + sizeof head, head.bytes);
  std::memcpy(writer.out.data(), &head, sizeof head);
  return std::move(writer.out);
}

Result<Terminal> Terminal::from_keyframe(std::string_view bytes, HistoryLimits limits) {
  const auto damaged = [](const char* what) {
    return Error{ErrorCode::internal, std::string("a damaged keyframe: ") + what};
  };
  Head head;
  if (bytes.size() < sizeof head || bytes.substr(0, sizeof head.magic) != "SCKF") return damaged("no head");
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.version != kVersion) {
    return Error{ErrorCode::version_mismatch, "a keyframe of version " + std::to_string(head.version) +
                                                  ", this build reads " + std::to_string(kVersion)};
  }
  bytes.remove_prefix(sizeof head);
  if (head.bytes != bytes.size() || head.hash != XXH3_64bits(bytes.data(), bytes.size()))
    return damaged("its bytes are not those that were written");
  Reader reader(bytes);
  int cols = 0, rows = 0;
  reader(cols);
  reader(rows);
  reader.require(cols >= 1 && cols <= kMaxCols && rows >= 1 && rows <= kMaxRows);
  if (!reader.is_good()) return damaged("its size");
  KeyframeFields::Lists lists;
  KeyframeFields::lists(reader, lists);
  if (!reader.is_good()) return damaged("its lists");
  Terminal terminal({cols, rows}, limits);
  Impl& in = *terminal.impl_;
  KeyframeFields::intern(lists, KeyframeFields::tables(in.interpreter.screen));
  KeyframeFields::parser(reader, in.parser);
  KeyframeFields::interpreter(reader, in.interpreter, 0, lists);
  if (!reader.is_good() || !reader.is_at_end()) return damaged("its fields");
  return terminal;
}

}  // namespace smartcli::terminal
