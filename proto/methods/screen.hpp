#pragma once

#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli {

/// A row of the screen that changed.
struct ScreenRow {
  std::int64_t row = 1;
  std::string text;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"row", "from 1"}, row);
    v.required({"text", "without trailing blanks (untrusted)"}, text);
  }
};

struct Snapshot {
  static constexpr MethodInfo info{.name = "snapshot",
                                   .doc = "Print what a person would see now.",
                                   .examples =
                                       "smartcli snapshot -s edit\n"
                                       "smartcli snapshot -s edit --json\n"
                                       "smartcli snapshot -s edit --region 1,1,2,80 --ansi\n"
                                       "smartcli snapshot -s edit --since 120",
                                   .core_tool = true};
  struct Request {
    SessionName sid;
    std::optional<Region> region;
    bool ansi = false;
    std::optional<std::int64_t> since;
    Detail detail = Detail::text;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.optional({"region", "only this part of the screen, with its cells; counted from 1, cut at the edges",
                  nullptr, "R,C,ROWS,COLS"},
                 region);
      v.optional({"ansi", "keep colours: the text holds SGR sequences, and no other"}, ansi);
      v.optional({"since",
                  "only rows changed since this revision; all after a resize, clear or restart",
                  nullptr,
                  "REV",
                  {},
                  Place::both,
                  "the whole screen"},
                 since);
      v.optional(field::detail, detail);
    }
  };
  struct Reply {
    std::string text;
    std::int64_t revision = 0;
    std::string hash, visual_hash;
    std::optional<std::vector<Cell>> cells;
    std::optional<std::vector<ScreenRow>> rows;
    std::optional<Screen> screen;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(
          {"text",
           "rows joined by newlines, trailing blanks and trailing empty rows dropped (untrusted); of the "
           "region, or of the changed rows, where these were asked for"},
          text);
      v.required({"revision", "of this screen"}, revision);
      v.required({"hash", "of the whole screen's text, 16 hex digits"}, hash);
      v.required({"visual_hash", "of its text, style, cursor and selection, 16 hex digits"}, visual_hash);
      v.optional({"cells", "with region: row by row, a cell for each column"}, cells);
      v.optional({"rows", "with since: the rows that changed"}, rows);
      v.optional({"screen", "with detail: full, but not with region or since"}, screen);
    }
  };
};

}  // namespace smartcli
