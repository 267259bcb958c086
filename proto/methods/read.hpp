#pragma once

#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli {

struct Read {
  static constexpr MethodInfo info{.name = "read",
                                   .doc = "Print history and screen as one list of lines.",
                                   .examples =
                                       "smartcli read -s build\n"
                                       "smartcli read -s build --page 1 --rows 100\n"
                                       "smartcli read -s build --start 9990 --end 9999\n"
                                       "smartcli read -s build --start 1 > log",
                                   .core_tool = true};
  struct Request {
    SessionName sid;
    std::optional<std::int64_t> page, rows, start, end;
    bool as_shown = false;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.optional({"page",
                  "from the bottom, 0 is the newest; past the oldest: the oldest",
                  nullptr,
                  "N",
                  {},
                  Place::both,
                  "0"},
                 page);
      v.optional({"rows", "rows a page has", &limits::read_rows, "N", {}, Place::both, "the screen's height"},
                 rows);
      v.optional({"start",
                  "read lines by number, from this one",
                  nullptr,
                  "LINE",
                  {},
                  Place::both,
                  "the oldest kept, if an end is given"},
                 start);
      v.optional({"end",
                  "read lines by number, to this one",
                  nullptr,
                  "LINE",
                  {},
                  Place::both,
                  "the newest, if a start is given"},
                 end);
      v.optional({"as_shown", "keep each row apart; otherwise a line that wrapped is one line"}, as_shown);
    }
  };
  /// A piece of an answer that is longer than 64 KiB.
  struct Chunk {
    std::vector<TextLine> lines;
    std::int64_t last = 0, end = 0;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"lines", "in order; the reply's own lines come after those of all pieces"}, lines);
      v.required({"last", "number of the last of these lines"}, last);
      v.required({"end", "number of the last line of the whole answer"}, end);
    }
  };
  struct Reply {
    std::vector<TextLine> lines;
    std::int64_t first = 0, last = 0, oldest = 1, total = 0;
    std::optional<std::int64_t> page, pages;
    std::int64_t cols = 0, rows = 0;
    Cursor cursor;
    State state = State::running;
    bool alive = false;
    std::optional<Reason> reason;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"lines",
                  "oldest first, numbered from 1 since the start: a number stays with its line; a line "
                  "belongs to the page that it ends on (after those of the stream, where "
                  "the answer came as one)"},
                 lines);
      v.required({"first", "number of the first line; 0: none"}, first);
      v.required({"last", "number of the last line, after which the next read may go on; 0: none"}, last);
      v.required({"oldest", "number of the oldest line that is kept"}, oldest);
      v.required({"total", "lines kept, blank ones at the end not counted"}, total);
      v.optional({"page", "the page that this is, unless read by number"}, page);
      v.optional({"pages", "pages of that many rows there are"}, pages);
      v.required({"cols", "of the screen"}, cols);
      v.required({"rows", "of the screen"}, rows);
      v.required({"cursor", "on the screen"}, cursor);
      v.required({"state", "SPEC section 6"}, state);
      v.required({"alive", "the program runs"}, alive);
      v.optional({"reason", "CANCELLED: ended before its last line"}, reason);
    }
  };
};

struct SearchHit {
  std::int64_t line = 1;
  std::string text, match;
  std::vector<TextLine> before, after;
  std::optional<std::int64_t> rows;
  std::optional<bool> clipped;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"line", "its number, as `read` counts"}, line);
    v.required({"text", "the line without trailing blanks (untrusted)"}, text);
    v.required({"match", "what matched first in it (untrusted)"}, match);
    v.required({"before", "lines before it, with context"}, before);
    v.required({"after", "lines after it, with context"}, after);
    v.optional({"rows", "rows it takes on the screen; left out: 1"}, rows);
    v.optional({"clipped", "true: the line is longer, shown is what is around the match"}, clipped);
  }
};

struct Search {
  static constexpr MethodInfo info{.name = "search",
                                   .doc = "Find lines in everything kept, history and screen.",
                                   .positional = "pattern",
                                   .examples =
                                       "smartcli search -s build 'error:'\n"
                                       "smartcli search -s build --literal 'a[0]' --ignore-case\n"
                                       "smartcli search -s build --context 3 --limit 5 FAILED",
                                   .core_tool = true};
  struct Request {
    SessionName sid;
    std::string pattern;
    bool literal = false, ignore_case = false;
    std::optional<std::int64_t> limit;
    std::int64_t skip = 0;
    std::optional<std::int64_t> context;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.required({"pattern", "RE2 regular expression, tried on each line, wraps joined", nullptr, "PATTERN"},
                 pattern);
      v.optional({"literal", "the pattern is text, not an expression"}, literal);
      v.optional({"ignore_case", "letters match in either case"}, ignore_case);
      v.optional({"limit", "hits to reply with", &limits::search_hits, "N"}, limit);
      v.optional({"skip", "hits to pass over first", nullptr, "N"}, skip);
      v.optional({"context", "lines to show before and after each hit", &limits::search_context, "N"},
                 context);
    }
  };
  struct Reply {
    std::vector<SearchHit> hits;
    std::int64_t total = 0;
    std::optional<std::int64_t> next;
    std::int64_t oldest = 1, rows = 0;
    std::optional<Reason> reason;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"hits", "oldest first"}, hits);
      v.required({"total", "lines that match, shown or not"}, total);
      v.optional({"next", "there are more hits: the `skip` that goes on after these"}, next);
      v.required({"oldest", "number of the oldest line that is kept"}, oldest);
      v.required({"rows", "rows searched"}, rows);
      v.optional({"reason", "CANCELLED: ended before all was searched"}, reason);
    }
  };
};

}  // namespace smartcli
