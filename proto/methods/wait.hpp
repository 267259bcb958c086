#pragma once

#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli {

/// What every wait replies beside its own words. SPEC section 4, "Common fields".
struct WaitReply {
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
    v.required({"reason", "why the wait came back"}, reason);
    v.required({"alive", "the program runs now"}, alive);
    v.required({"exited", "the wait ended because the program did"}, exited);
    v.required({"exit", "how the program ended; null while it runs or if unknown"}, exit);
    v.optional({"exit_reason", "why the exit is unknown"}, exit_reason);
    v.required({"state", "what goes on, in one word"}, state);
    v.required({"revision", "of the screen in this reply"}, revision);
    v.required({"hash", "of the text, 16 hex digits"}, hash);
    v.required({"visual_hash", "of text, style, cursor and selection, 16 hex digits"}, visual_hash);
    v.required({"elapsed_ms", "how long the wait took"}, elapsed_ms);
    v.required({"why", "facts that explain a timeout; empty otherwise"}, why);
    v.required({"text", "the screen (untrusted)"}, text);
    v.optional({"screen", "with detail: full"}, screen);
  }
};

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

/// Which text counts for a pattern. SPEC section 4, "What a pattern sees".
struct PatternScope {
  bool anywhere = false;
  std::optional<std::int64_t> after;

  template <class Visitor>
  void fields(Visitor& v) {
    v.optional({"anywhere", "all that is on the screen and 200 rows above it counts, also old text and echo"},
               anywhere);
    v.optional({"after",
                "what was written since that revision counts",
                nullptr,
                "REV",
                {},
                Place::both,
                "since the last input"},
               after);
  }
};

struct WaitRegex {
  static constexpr MethodInfo info{
      .name = "wait_regex",
      .doc = "Block until a pattern matches what the program wrote since the last input.",
      .family = Family::wait,
      .positional = "pattern",
      .examples =
          "smartcli wait-regex -s py '>>> $'\n"
          "smartcli wait-regex -s build --timeout 5m 'finished|error:'\n"
          "smartcli wait-regex -s py --anywhere Python",
      .core_tool = true};
  struct Request : PatternScope {
    SessionName sid;
    std::string pattern;
    std::optional<Millis> timeout_ms;
    Detail detail = Detail::text;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.required({"pattern", "RE2 pattern, unanchored, tried line by line", nullptr, "PATTERN"}, pattern);
      v.optional(field::wait_timeout, timeout_ms);
      PatternScope::fields(v);
      v.optional(field::detail, detail);
    }
  };
  struct Reply : WaitReply {
    bool matched = false;
    std::optional<PatternMatch> match;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"matched", "the pattern matched"}, matched);
      v.required({"match", "the match; null without"}, match);
      WaitReply::fields(v);
    }
  };
};

struct WaitAny {
  static constexpr MethodInfo info{
      .name = "wait_any",
      .doc = "Block until one of several patterns matches what the program wrote since the last input.",
      .family = Family::wait,
      .positional = "patterns",
      .examples =
          "smartcli wait-any -s build 'finished' 'error: .*'\n"
          "smartcli wait-any -s py --timeout 10s '>>> $' 'Error'",
      .core_tool = true};
  struct Request : PatternScope {
    SessionName sid;
    std::vector<std::string> patterns;
    std::optional<Millis> timeout_ms;
    Detail detail = Detail::text;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.required(
          {"patterns", "RE2 patterns; the first that matches in this order counts", nullptr, "PATTERN"},
          patterns);
      v.optional(field::wait_timeout, timeout_ms);
      PatternScope::fields(v);
      v.optional(field::detail, detail);
    }
  };
  struct Reply : WaitReply {
    bool matched = false;
    std::int64_t index = -1;
    std::optional<PatternMatch> match;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"matched", "a pattern matched"}, matched);
      v.required({"index", "which one, from 0; -1 without"}, index);
      v.required({"match", "the match; null without"}, match);
      WaitReply::fields(v);
    }
  };
};

struct WaitGone {
  static constexpr MethodInfo info{.name = "wait_gone",
                                   .doc = "Block until a pattern no longer matches the screen.",
                                   .family = Family::wait,
                                   .positional = "pattern",
                                   .examples =
                                       "smartcli wait-gone -s build 'Compiling'\n"
                                       "smartcli wait-gone -s build --timeout 1m '[0-9]+%'",
                                   .core_tool = true};
  struct Request {
    SessionName sid;
    std::string pattern;
    std::optional<Millis> timeout_ms;
    Detail detail = Detail::text;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.required({"pattern", "RE2 pattern; all that is on the screen counts", nullptr, "PATTERN"}, pattern);
      v.optional(field::wait_timeout, timeout_ms);
      v.optional(field::detail, detail);
    }
  };
  struct Reply : WaitReply {
    bool gone = false;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"gone", "the pattern does not match the screen"}, gone);
      WaitReply::fields(v);
    }
  };
};

struct WaitChange {
  static constexpr MethodInfo info{.name = "wait_change",
                                   .doc = "Block until the screen's text differs from what was last seen.",
                                   .family = Family::wait,
                                   .examples =
                                       "smartcli wait-change -s clock\n"
                                       "smartcli wait-change -s clock --hash 0123456789abcdef",
                                   .core_tool = true};
  struct Request {
    SessionName sid;
    std::optional<std::string> hash;
    std::optional<Millis> timeout_ms;
    Detail detail = Detail::text;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.optional({"hash",
                  "differ from this text, by a reply's `hash`",
                  nullptr,
                  "HASH",
                  {},
                  Place::both,
                  "the screen before the last input, or in the last snapshot or wait reply, whichever is "
                  "later"},
                 hash);
      v.optional(field::wait_timeout, timeout_ms);
      v.optional(field::detail, detail);
    }
  };
  struct Reply : WaitReply {
    bool changed = false;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"changed", "the screen's text differs"}, changed);
      WaitReply::fields(v);
    }
  };
};

struct WaitVisualChange {
  static constexpr MethodInfo info{
      .name = "wait_visual_change",
      .doc = "Block until text, style, selection or cursor differ from what was last seen.",
      .family = Family::wait,
      .examples =
          "smartcli wait-visual-change -s clock\n"
          "smartcli wait-visual-change -s clock --visual-hash 0123456789abcdef",
      .core_tool = true};
  struct Request {
    SessionName sid;
    std::optional<std::string> visual_hash;
    std::optional<Millis> timeout_ms;
    Detail detail = Detail::text;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.optional({"visual_hash",
                  "differ from this screen, by a reply's `visual_hash`",
                  nullptr,
                  "HASH",
                  {},
                  Place::both,
                  "the screen before the last input, or in the last snapshot or wait reply, whichever is "
                  "later"},
                 visual_hash);
      v.optional(field::wait_timeout, timeout_ms);
      v.optional(field::detail, detail);
    }
  };
  using Reply = WaitChange::Reply;
};

struct WaitReady {
  static constexpr MethodInfo info{
      .name = "wait_ready",
      .doc = "Block until the program has painted and its screen is quiet, or a pattern matches.",
      .family = Family::wait,
      .examples =
          "smartcli wait-ready -s edit\n"
          "smartcli wait-ready -s py --marker '>>> $'\n"
          "smartcli wait-ready -s edit --quiet 500ms --timeout 10s",
      .core_tool = true};
  struct Request {
    SessionName sid;
    std::optional<std::string> marker;
    std::optional<Millis> quiet_ms;
    std::optional<Millis> timeout_ms;
    Detail detail = Detail::text;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.optional(
          {"marker", "a pattern that ends the wait too; it sees what wait-regex sees", nullptr, "PATTERN"},
          marker);
      v.optional({"quiet_ms", "no visible change for so long", &limits::quiet_ms, "D"}, quiet_ms);
      v.optional(field::wait_timeout, timeout_ms);
      v.optional(field::detail, detail);
    }
  };
  struct Reply : WaitReply {
    bool ready = false;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"ready", "reason is MARKER or STABLE"}, ready);
      WaitReply::fields(v);
    }
  };
};

struct WaitExit {
  static constexpr MethodInfo info{
      .name = "wait_exit",
      .doc = "Block until the program has ended and its output is drained; print its status.",
      .family = Family::wait,
      .examples = "smartcli wait-exit -s job\nsmartcli wait-exit -s job --timeout 10m",
      .core_tool = true};
  struct Request {
    SessionName sid;
    std::optional<Millis> timeout_ms;
    Detail detail = Detail::text;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.optional(field::endless_timeout, timeout_ms);
      v.optional(field::detail, detail);
    }
  };
  using Reply = WaitReply;
};

}  // namespace smartcli
