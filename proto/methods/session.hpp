#pragma once

#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli {

struct Spawn {
  static constexpr MethodInfo info{
      .name = "spawn",
      .doc = "Start a program on a terminal of its own and print its session's name.",
      .family = Family::session,
      .access = Access::write,
      .positional = "argv",
      .examples =
          "smartcli spawn python3\n"
          "smartcli spawn -s edit2 --cols 100 --rows 30 vim notes.txt\n"
          "smartcli spawn --cwd /tmp --env LANG=C -- sh -c 'echo $PWD; exec cat'\n"
          "smartcli spawn --wait --timeout 5m --shell-command 'ls | wc -l'",
      .core_tool = true,
      .starts_daemon = true};
  struct Request {
    std::optional<SessionName> sid;
    std::vector<Bytes> argv;
    std::optional<Bytes> shell_command;
    std::optional<std::int64_t> cols, rows;
    std::optional<Bytes> cwd;
    std::vector<Bytes> env;
    bool clean_env = false;
    std::optional<std::int64_t> scrollback;
    bool login = false;
    bool evict = false;
    std::optional<Millis> idle_timeout_ms;
    bool detect_child_exit = true;
    bool wait = false;
    std::optional<Millis> timeout_ms;
    std::optional<std::vector<Bytes>> environment;
    std::optional<std::int64_t> umask;

    template <class Visitor>
    void fields(Visitor& v) {
      v.optional({"sid", "name of the new session", nullptr, "NAME", "-s,--session", Place::both,
                  "made from the program's name"},
                 sid);
      v.optional({"argv",
                  "program and arguments",
                  nullptr,
                  "PROGRAM ARG...",
                  {},
                  Place::both,
                  "your shell, interactive"},
                 argv);
      v.optional({"shell_command", "a line for your shell to run ($SHELL -c), instead of a program", nullptr,
                  "LINE"},
                 shell_command);
      v.optional({"cols", "columns", &limits::cols}, cols);
      v.optional({"rows", "rows", &limits::rows}, rows);
      v.optional({"cwd",
                  "working directory of the program",
                  nullptr,
                  "DIR",
                  {},
                  Place::both,
                  "where smartcli runs; on the wire HOME"},
                 cwd);
      v.optional({"env", "a variable for the program, NAME=VALUE; again for more", nullptr, "K=V"}, env);
      v.optional({"clean_env",
                  "of your environment pass on only HOME, LANG, LC_*, LOGNAME, PATH, SHELL, TZ and USER"},
                 clean_env);
      v.optional({"scrollback", "lines of history to keep above the screen", &limits::scrollback},
                 scrollback);
      v.optional({"login", "start the shell as a login shell"}, login);
      v.optional({"evict", "at the cap of live sessions end the one least recently used instead of refusing"},
                 evict);
      v.optional({"idle_timeout_ms",
                  "end the session after so long without request or output, 1m to 720h",
                  &limits::idle_timeout_ms,
                  "D",
                  {},
                  Place::both,
                  "never"},
                 idle_timeout_ms);
      v.optional({"detect_child_exit", "waits end when the program does"}, detect_child_exit);
      v.optional({"wait",
                  "wait for the program's end and exit with its status",
                  nullptr,
                  {},
                  {},
                  Place::command_line},
                 wait);
      v.optional({"timeout_ms",
                  "with --wait: then exit with 124; the program goes on",
                  &limits::wait_exit_timeout_ms,
                  "D",
                  {},
                  Place::command_line,
                  "none"},
                 timeout_ms);
      v.optional({"environment",
                  "the caller's environment, NAME=VALUE",
                  nullptr,
                  {},
                  {},
                  Place::wire,
                  "the daemon's"},
                 environment);
      v.optional({"umask", "the caller's file mode mask, 0 to 511", nullptr, {}, {}, Place::wire, "63 (077)"},
                 umask);
    }
  };
  struct Reply {
    SessionName sid;
    std::int64_t pid = 0;
    std::vector<Bytes> argv;
    std::int64_t cols = 0, rows = 0;
    Bytes cwd;
    std::string started;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"sid", "the session's name"}, sid);
      v.required({"pid", "of the program"}, pid);
      v.required({"argv", "as executed"}, argv);
      v.required({"cols", "columns"}, cols);
      v.required({"rows", "rows"}, rows);
      v.required({"cwd", "directory it was started in"}, cwd);
      v.required({"started", "RFC 3339, UTC"}, started);
    }
  };
};

/// One row of `list`.
struct SessionRow {
  SessionName sid;
  State state = State::running;
  std::optional<std::int64_t> pid;
  std::vector<Bytes> argv;
  std::int64_t cols = 0, rows = 0;
  Bytes cwd;
  std::string started, last_output;
  std::optional<ExitState> exit;
  std::optional<std::string> exit_reason;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"sid", "the session's name"}, sid);
    v.required({"state", "what goes on, in one word"}, state);
    v.required({"pid", "of the program; null once it ended"}, pid);
    v.required({"argv", "as executed"}, argv);
    v.required({"cols", "columns"}, cols);
    v.required({"rows", "rows"}, rows);
    v.required({"cwd", "directory it was started in"}, cwd);
    v.required({"started", "RFC 3339, UTC"}, started);
    v.required({"last_output", "RFC 3339, UTC; empty before the first"}, last_output);
    v.required({"exit", "how the program ended; null while it runs or if unknown"}, exit);
    v.optional({"exit_reason", "why the exit is unknown"}, exit_reason);
  }
};

struct Tombstone {
  SessionName sid;
  EndReason reason = EndReason::idle;
  std::string ended, expires;
  std::optional<ExitState> exit;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"sid", "the session's name"}, sid);
    v.required({"reason", "why the system ended it, or dropped what had ended"}, reason);
    v.required({"ended", "RFC 3339, UTC"}, ended);
    v.required({"expires", "RFC 3339, UTC"}, expires);
    v.required({"exit", "how its program ended; null if unknown"}, exit);
  }
};

struct List {
  static constexpr MethodInfo info{.name = "list",
                                   .doc = "List the sessions, live and ended.",
                                   .family = Family::session,
                                   .examples =
                                       "smartcli list\n"
                                       "smartcli list --live -q\n"
                                       "smartcli list --format '{sid} {state} {exit}'\n"
                                       "smartcli list --json",
                                   .core_tool = true};
  struct Request {
    bool live = false;
    bool quiet = false;
    std::string format;

    template <class Visitor>
    void fields(Visitor& v) {
      v.optional({"live", "only sessions whose program runs"}, live);
      v.optional({"quiet", "print the names only", nullptr, {}, "-q", Place::command_line}, quiet);
      v.optional({"format",
                  "print a line a session: text with {sid}, {state}, ... of a row's fields",
                  nullptr,
                  "TEXT",
                  {},
                  Place::command_line},
                 format);
    }
  };
  struct Reply {
    std::vector<SessionRow> sessions;
    std::vector<Tombstone> tombstones;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"sessions", "oldest first"}, sessions);
      v.required({"tombstones", "sessions that the system ended"}, tombstones);
    }
  };
};

struct ForegroundProcess {
  std::int64_t pid = 0;
  std::string name;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"pid", "process"}, pid);
    v.required({"name", "as the kernel has it (untrusted)"}, name);
  }
};

struct Status {
  static constexpr MethodInfo info{.name = "status",
                                   .doc = "Tell all that is known of one session.",
                                   .family = Family::session,
                                   .examples = "smartcli status -s edit\nsmartcli status -s edit --json",
                                   .core_tool = true};
  struct Request {
    SessionName sid;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
    }
  };
  struct Reply {
    SessionName sid;
    bool alive = false;
    State state = State::running;
    std::optional<ExitState> exit;
    std::optional<std::string> exit_reason;
    std::optional<std::int64_t> pid;
    std::vector<Bytes> argv;
    std::string title;
    Bytes cwd;
    std::optional<ForegroundProcess> foreground;
    std::int64_t cols = 0, rows = 0;
    bool alt_screen = false;
    Modes modes;
    std::int64_t revision = 0, offset = 0, fence = 0;
    std::string hash, visual_hash, started, last_output;
    Counters counters;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"sid", "the session's name"}, sid);
      v.required({"alive", "the program runs"}, alive);
      v.required({"state", "what goes on, in one word"}, state);
      v.required({"exit", "how the program ended; null while it runs or if unknown"}, exit);
      v.optional({"exit_reason", "why the exit is unknown"}, exit_reason);
      v.required({"pid", "of the program; null once it ended"}, pid);
      v.required({"argv", "as executed"}, argv);
      v.required({"title", "as the program set it (untrusted)"}, title);
      v.required({"cwd", "working directory: the kernel's word for the program, else as reported"}, cwd);
      v.required({"foreground", "leader of the terminal's foreground group"}, foreground);
      v.required({"cols", "columns"}, cols);
      v.required({"rows", "rows"}, rows);
      v.required({"alt_screen", "the alternate screen is shown"}, alt_screen);
      v.required({"modes", "terminal modes in force"}, modes);
      v.required({"revision", "grows with every change"}, revision);
      v.required({"offset", "bytes of output so far"}, offset);
      v.required({"fence", "revision at which the last input was written"}, fence);
      v.required({"hash", "of the text, 16 hex digits"}, hash);
      v.required({"visual_hash", "of text, style, cursor and selection, 16 hex digits"}, visual_hash);
      v.required({"started", "RFC 3339, UTC"}, started);
      v.required({"last_output", "RFC 3339, UTC; empty before the first"}, last_output);
      v.required({"counters", "what went wrong quietly"}, counters);
    }
  };
};

struct Alive {
  static constexpr MethodInfo info{.name = "alive",
                                   .doc = "Exit with 0 if the session's program runs, with 1 if it ended.",
                                   .family = Family::session,
                                   .examples =
                                       "smartcli alive -s edit && echo yes\n"
                                       "smartcli alive -s edit --json"};
  struct Request {
    SessionName sid;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
    }
  };
  struct Reply {
    bool alive = false;
    std::optional<ExitState> exit;
    std::optional<std::string> exit_reason;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"alive", "the program runs"}, alive);
      v.required({"exit", "how the program ended; null while it runs or if unknown"}, exit);
      v.optional({"exit_reason", "why the exit is unknown"}, exit_reason);
    }
  };
};

struct Resize {
  static constexpr MethodInfo info{
      .name = "resize",
      .doc = "Change the size of a session's terminal; the program gets SIGWINCH.",
      .family = Family::session,
      .access = Access::write,
      .examples =
          "smartcli resize -s edit --cols 120 --rows 40\n"
          "smartcli resize -s edit --rows 50",
      .core_tool = true};
  struct Request {
    SessionName sid;
    std::optional<std::int64_t> cols, rows;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.optional({"cols", "columns", &limits::cols, {}, {}, Place::both, "as they are"}, cols);
      v.optional({"rows", "rows", &limits::rows, {}, {}, Place::both, "as they are"}, rows);
    }
  };
  struct Reply {
    std::int64_t cols = 0, rows = 0, revision = 0;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"cols", "columns in force"}, cols);
      v.required({"rows", "rows in force"}, rows);
      v.required({"revision", "after the resize"}, revision);
    }
  };
};

struct Clear {
  static constexpr MethodInfo info{
      .name = "clear",
      .doc = "Wipe a session's screen and history; the program lives on, a prompt stays.",
      .family = Family::session,
      .access = Access::write,
      .examples = "smartcli clear -s sh\nsmartcli clear -s build --json"};
  struct Request {
    SessionName sid;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
    }
  };
  struct Reply {
    std::int64_t revision = 0;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"revision", "after it"}, revision);
    }
  };
};

struct Restart {
  static constexpr MethodInfo info{
      .name = "restart",
      .doc =
          "End a session's program and start it again, or another, under the same name with an empty screen.",
      .family = Family::session,
      .access = Access::write,
      .positional = "argv",
      .examples =
          "smartcli restart -s py\n"
          "smartcli restart -s top --cols 120 --rows 40\n"
          "smartcli restart -s sh --env LANG=C -- bash --norc"};
  struct Request {
    SessionName sid;
    std::vector<Bytes> argv;
    std::optional<std::int64_t> cols, rows;
    std::optional<Bytes> cwd;
    std::vector<Bytes> env;
    std::optional<Millis> grace_ms;
    std::optional<std::vector<Bytes>> environment;
    std::optional<std::int64_t> umask;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.optional({"argv",
                  "another program and its arguments",
                  nullptr,
                  "PROGRAM ARG...",
                  {},
                  Place::both,
                  "the same again"},
                 argv);
      v.optional({"cols", "columns", &limits::cols, {}, {}, Place::both, "as they are"}, cols);
      v.optional({"rows", "rows", &limits::rows, {}, {}, Place::both, "as they are"}, rows);
      v.optional({"cwd", "another working directory", nullptr, "DIR", {}, Place::both, "the same again"},
                 cwd);
      v.optional({"env", "a variable for the program, NAME=VALUE; again for more", nullptr, "K=V"}, env);
      v.optional({"grace_ms", "between TERM and KILL", &limits::grace_ms, "D"}, grace_ms);
      v.optional(
          {"environment",
           "the caller's environment, NAME=VALUE; taken where a program, a directory or a variable is given, "
           "else the program gets its own again",
           nullptr,
           {},
           {},
           Place::wire,
           "the daemon's"},
          environment);
      v.optional({"umask",
                  "the caller's file mode mask, 0 to 511, likewise",
                  nullptr,
                  {},
                  {},
                  Place::wire,
                  "63 (077)"},
                 umask);
    }
  };
  struct Reply {
    SessionName sid;
    std::int64_t pid = 0;
    std::vector<Bytes> argv;
    std::int64_t cols = 0, rows = 0;
    Bytes cwd;
    std::string started;
    std::int64_t revision = 0;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"sid", "the session's name"}, sid);
      v.required({"pid", "of the new program"}, pid);
      v.required({"argv", "as executed"}, argv);
      v.required({"cols", "columns"}, cols);
      v.required({"rows", "rows"}, rows);
      v.required({"cwd", "directory it was started in"}, cwd);
      v.required({"started", "RFC 3339, UTC"}, started);
      v.required({"revision", "after it"}, revision);
    }
  };
};

/// Who gets a signal.
enum class SignalTo { foreground, child };
template <>
struct EnumNames<SignalTo> {
  static constexpr std::string_view kNames[] = {"foreground", "child"};
};

struct Signal {
  static constexpr MethodInfo info{.name = "signal",
                                   .doc = "Send a signal to what runs in the session's foreground.",
                                   .family = Family::session,
                                   .access = Access::write,
                                   .positional = "signal",
                                   .examples =
                                       "smartcli signal -s sh INT\n"
                                       "smartcli signal -s build --to child TERM",
                                   .core_tool = true};
  struct Request {
    SessionName sid;
    std::string signal;
    SignalTo to = SignalTo::foreground;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required(field::sid, sid);
      v.required({"signal", "its name, with or without SIG, or its number", nullptr, "SIGNAL"}, signal);
      v.optional(
          {"to", "the terminal's foreground process group, or the session's own program", nullptr, "WHOM"},
          to);
    }
  };
  struct Reply {
    std::string signal;
    std::int64_t number = 0;
    SignalTo to = SignalTo::foreground;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"signal", "its name without SIG"}, signal);
      v.required({"number", "on this system"}, number);
      v.required({"to", "who got it"}, to);
    }
  };
};

struct Survivor {
  std::int64_t pid = 0;
  std::string name;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"pid", "process"}, pid);
    v.required({"name", "as the kernel has it (untrusted)"}, name);
  }
};

struct Close {
  static constexpr MethodInfo info{
      .name = "close",
      .doc = "End a session's program (hang up, TERM, then KILL) and forget the session.",
      .family = Family::session,
      .access = Access::write,
      .examples = "smartcli close -s edit\nsmartcli close -s build --grace 10s --tree\nsmartcli close --all",
      .core_tool = true};
  struct Request {
    std::optional<SessionName> sid;
    bool all = false;
    std::optional<Millis> grace_ms;
    bool tree = false;

    template <class Visitor>
    void fields(Visitor& v) {
      v.optional(field::sid, sid);
      v.optional({"all", "every session instead of one"}, all);
      v.optional({"grace_ms", "between TERM and KILL", &limits::grace_ms, "D"}, grace_ms);
      v.optional({"tree", "end descendants too that left by setsid"}, tree);
    }
  };
  struct Reply {
    std::int64_t closed = 0;
    std::optional<ExitState> exit;
    std::optional<std::string> exit_reason;
    std::string text;
    std::vector<Survivor> survivors;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"closed", "number of sessions closed"}, closed);
      v.required({"exit", "how the program ended; null if unknown, or with `all`"}, exit);
      v.optional({"exit_reason", "why the exit is unknown"}, exit_reason);
      v.required({"text", "the final screen; empty with `all`"}, text);
      v.required({"survivors", "descendants that left by setsid and were not ended"}, survivors);
    }
  };
};

}  // namespace smartcli
