#pragma once

#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli {

struct Snapshot {
  static constexpr MethodInfo info{.name = "snapshot",
                                   .doc = "Print what a person would see now.",
                                   .examples = "smartcli snapshot -s edit\nsmartcli snapshot -s edit --json",
                                   .core_tool = true};
  struct Request {
    SessionName sid;
    Detail detail = Detail::text;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.optional(field::detail, detail);
    }
  };
  struct Reply {
    std::string text;
    std::int64_t revision = 0;
    std::string hash, visual_hash;
    std::optional<Screen> screen;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(
          {"text", "rows joined by newlines, trailing blanks and trailing empty rows dropped (untrusted)"},
          text);
      v.required({"revision", "of this screen"}, revision);
      v.required({"hash", "of the text, 16 hex digits"}, hash);
      v.required({"visual_hash", "of text, style, cursor and selection, 16 hex digits"}, visual_hash);
      v.optional({"screen", "with detail: full"}, screen);
    }
  };
};

}  // namespace smartcli
