#pragma once

#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli {

struct PatternMatch {
  std::string text;
  std::int64_t row = 0, col = 0;
  std::vector<std::string> groups;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"text", "what matched (untrusted)"}, text);
    v.required(
        {"row",
         "row of its first cell on the screen, from 1; 0 or less: that far above the screen's first row"},
        row);
    v.required({"col", "column of its first cell, from 1"}, col);
    v.required({"groups", "capture groups, unset ones empty"}, groups);
  }
};

struct WaitRegex {
  static constexpr MethodInfo info{
      .name = "wait_regex",
      .doc = "Block until a pattern matches what the program wrote since the last input.",
      .positional = "pattern",
      .examples =
          "smartcli wait-regex -s py '>>> $'\n"
          "smartcli wait-regex -s build --timeout 5m 'finished|error:'\n"
          "smartcli wait-regex -s py --anywhere Python",
      .core_tool = true};
  struct Request {
    SessionName sid;
    std::string pattern;
    std::optional<Millis> timeout_ms;
    bool anywhere = false;
    std::optional<std::int64_t> after;
    Detail detail = Detail::text;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"sid", "session", nullptr, "SID", "-s,--session"}, sid);
      v.required({"pattern", "RE2 pattern, unanchored, tried line by line", nullptr, "PATTERN"}, pattern);
      v.optional({"timeout_ms", "then reply matched: false; default 30s", &limits::wait_timeout_ms, "D"},
                 timeout_ms);
      v.optional(
          {"anywhere", "all that is on the screen and 200 rows above it count, also old text and echo"},
          anywhere);
      v.optional({"after", "what was written since that revision counts", nullptr, "REV"}, after);
      v.optional({"detail", "`full` adds the structured screen", nullptr, {}, {}, FilledBy::client}, detail);
    }
  };
  struct Reply {
    bool matched = false;
    std::optional<PatternMatch> match;
    Reason reason = Reason::timeout;
    bool alive = false, exited = false;
    std::optional<ExitState> exit;
    std::optional<std::string> exit_reason;
    State state = State::running;
    std::int64_t revision = 0;
    std::string hash, visual_hash;
    std::int64_t elapsed_ms = 0;
    std::vector<std::string> why;
    std::string text;
    std::optional<Screen> screen;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"matched", "the pattern matched"}, matched);
      v.required({"match", "the match; null without"}, match);
      v.required({"reason", "why the wait came back"}, reason);
      v.required({"alive", "the program runs now"}, alive);
      v.required({"exited", "the wait ended because the program did"}, exited);
      v.required({"exit", "how the program ended; null while it runs or if unknown"}, exit);
      v.optional({"exit_reason", "why the exit is unknown"}, exit_reason);
      v.required({"state", "SPEC section 6"}, state);
      v.required({"revision", "of the screen in this reply"}, revision);
      v.required({"hash", "of the text, 16 hex digits"}, hash);
      v.required({"visual_hash", "of text, style, cursor and selection, 16 hex digits"}, visual_hash);
      v.required({"elapsed_ms", "how long the wait took"}, elapsed_ms);
      v.required({"why", "facts that explain a timeout; empty otherwise"}, why);
      v.required({"text", "the screen (untrusted)"}, text);
      v.optional({"screen", "with detail: full"}, screen);
    }
  };
};

struct WaitExit {
  static constexpr MethodInfo info{
      .name = "wait_exit",
      .doc = "Block until the program has ended and its output is drained; print its status.",
      .examples = "smartcli wait-exit -s build\nsmartcli wait-exit -s build --timeout 10m",
      .core_tool = true};
  struct Request {
    SessionName sid;
    std::optional<Millis> timeout_ms;
    Detail detail = Detail::text;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"sid", "session", nullptr, "SID", "-s,--session"}, sid);
      v.optional(
          {"timeout_ms", "then reply reason TIMEOUT; default: none", &limits::wait_exit_timeout_ms, "D"},
          timeout_ms);
      v.optional({"detail", "`full` adds the structured screen", nullptr, {}, {}, FilledBy::client}, detail);
    }
  };
  struct Reply {
    Reason reason = Reason::exited;
    bool alive = false, exited = false;
    std::optional<ExitState> exit;
    std::optional<std::string> exit_reason;
    State state = State::exited;
    std::int64_t revision = 0;
    std::string hash, visual_hash;
    std::int64_t elapsed_ms = 0;
    std::string text;
    std::optional<Screen> screen;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"reason", "why the wait came back"}, reason);
      v.required({"alive", "the program runs now"}, alive);
      v.required({"exited", "the program has ended and its output is drained"}, exited);
      v.required({"exit", "how the program ended; null while it runs or if unknown"}, exit);
      v.optional({"exit_reason", "why the exit is unknown"}, exit_reason);
      v.required({"state", "SPEC section 6"}, state);
      v.required({"revision", "of the screen in this reply"}, revision);
      v.required({"hash", "of the text, 16 hex digits"}, hash);
      v.required({"visual_hash", "of text, style, cursor and selection, 16 hex digits"}, visual_hash);
      v.required({"elapsed_ms", "how long the wait took"}, elapsed_ms);
      v.required({"text", "the screen (untrusted)"}, text);
      v.optional({"screen", "with detail: full"}, screen);
    }
  };
};

}  // namespace smartcli
