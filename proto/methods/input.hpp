#pragma once

#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli {

/// What every input verb replies.
struct InputReply {
  std::int64_t fence = 0;
  std::int64_t bytes_sent = 0;
  std::optional<bool> repeated;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"fence", "revision at which the last of it was written, exactly"}, fence);
    v.required({"bytes_sent", "bytes the terminal took"}, bytes_sent);
    v.optional({"repeated", "true: this request_id was typed before, nothing was typed now"}, repeated);
  }
};

/// What the verbs that type one text ask.
struct TextToType {
  SessionName sid;
  Bytes text;
  std::optional<Millis> timeout_ms;
  std::optional<std::string> request_id;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required(field::sid, sid);
    v.required({"text", "what to type; `-` reads standard input", nullptr, "TEXT"}, text);
    v.optional(field::input_timeout, timeout_ms);
    v.optional(field::request_id, request_id);
  }
};

struct SendText {
  static constexpr MethodInfo info{.name = "send_text",
                                   .doc = "Type text as it stands; a newline in it is Enter.",
                                   .family = Family::input,
                                   .access = Access::write,
                                   .positional = "text",
                                   .examples =
                                       "smartcli send-text -s edit 'ihello'\n"
                                       "smartcli send-text -s edit -- '-----BEGIN'\n"
                                       "printf 'a\\nb\\n' | smartcli send-text -s edit -",
                                   .core_tool = true};
  struct Request : TextToType {};
  using Reply = InputReply;
};

struct SendLine {
  static constexpr MethodInfo info{.name = "send_line",
                                   .doc = "Type text and press Enter.",
                                   .family = Family::input,
                                   .access = Access::write,
                                   .positional = "text",
                                   .examples =
                                       "smartcli send-line -s py 'print(6*7)'\n"
                                       "smartcli send-line -s sh -- '-n'",
                                   .core_tool = true};
  struct Request : TextToType {};
  using Reply = InputReply;
};

struct SendKeys {
  static constexpr MethodInfo info{.name = "send_keys",
                                   .doc = "Press keys by name: Enter, C-c, M-x, F5, Ctrl+Shift+Left, ...",
                                   .family = Family::input,
                                   .access = Access::write,
                                   .positional = "keys",
                                   .examples =
                                       "smartcli send-keys -s edit Escape\n"
                                       "smartcli send-keys -s sh C-c\n"
                                       "smartcli send-keys -s top --count 3 Down",
                                   .core_tool = true};
  struct Request {
    SessionName sid;
    std::vector<std::string> keys;
    std::int64_t count = 1;
    bool literal = false;
    std::optional<Millis> timeout_ms;
    std::optional<std::string> request_id;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.required({"keys", "key names, pressed in order", nullptr, "KEY"}, keys);
      v.optional({"count", "press the whole list so often", &limits::key_count}, count);
      v.optional({"literal", "type what is no key name instead of refusing it"}, literal);
      v.optional(field::input_timeout, timeout_ms);
      v.optional(field::request_id, request_id);
    }
  };
  using Reply = InputReply;
};

}  // namespace smartcli
