#pragma once

#include "proto/method.hpp"
#include "proto/types.hpp"

namespace smartcli {

/// Versions of the wire that this build speaks.
inline constexpr std::int64_t kProtocolMin = 1, kProtocolMax = 1;

struct ProtocolRange {
  std::int64_t min = kProtocolMin, max = kProtocolMax;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"min", "oldest version spoken"}, min);
    v.required({"max", "newest version spoken"}, max);
  }
};

struct Hello {
  static constexpr MethodInfo info{.name = "hello",
                                   .doc = "First message of a connection: who speaks, and which versions.",
                                   .family = Family::daemon,
                                   .access = Access::control,
                                   .is_command = false};
  struct Request {
    std::string client;
    std::optional<std::string> client_id;
    ProtocolRange protocol;
    std::optional<std::string> token;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"client", "program and version, for the log"}, client);
      v.optional({"client_id", "a name under which `last seen` and `last input` are kept apart"}, client_id);
      v.required({"protocol", "versions the client speaks"}, protocol);
      v.optional({"token", "over TCP"}, token);
    }
  };
  struct Reply {
    std::int64_t protocol = kProtocolMax;
    std::string version;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"protocol", "the version both speak from now on"}, protocol);
      v.required({"version", "of the daemon"}, version);
    }
  };
};

struct Cancel {
  static constexpr MethodInfo info{
      .name = "cancel",
      .doc = "End a request of this connection that is in flight; a wait replies CANCELLED.",
      .family = Family::daemon,
      .access = Access::control,
      .is_command = false};
  struct Request {
    RawJson id;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"id", "of the request to end"}, id);
    }
  };
  struct Reply {
    bool found = false;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"found", "such a request was in flight"}, found);
    }
  };
};

struct Version {
  static constexpr MethodInfo info{.name = "version",
                                   .doc = "Print the versions of client and daemon.",
                                   .family = Family::daemon,
                                   .examples = "smartcli version\nsmartcli version --json"};
  struct Request {
    template <class Visitor>
    void fields(Visitor&) {}
  };
  struct Reply {
    std::string daemon;
    ProtocolRange protocol;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"daemon", "version of the daemon"}, daemon);
      v.required({"protocol", "versions of the wire it speaks"}, protocol);
    }
  };
};

struct LimitRow {
  std::string name, variable, unit, reason;
  std::int64_t value = 0, standard = 0, least = 0, most = 0;

  template <class Visitor>
  void fields(Visitor& v) {
    v.required({"name", "of the limit"}, name);
    v.required({"variable", "environment variable of the daemon that sets it"}, variable);
    v.required({"value", "in force"}, value);
    v.required({"default", "without the variable"}, standard);
    v.required({"min", "least value"}, least);
    v.required({"max", "greatest value"}, most);
    v.required({"unit", "of the numbers"}, unit);
    v.required({"reason", "why there is a bound"}, reason);
  }
};

struct ShowLimits {
  static constexpr MethodInfo info{.name = "limits",
                                   .doc = "Print every limit: value, default, range, variable, reason.",
                                   .family = Family::daemon,
                                   .examples = "smartcli limits\nsmartcli limits --json"};
  struct Request {
    template <class Visitor>
    void fields(Visitor&) {}
  };
  struct Reply {
    std::vector<LimitRow> limits;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"limits", "in the table's order"}, limits);
    }
  };
};

struct DaemonStatus {
  static constexpr MethodInfo info{.name = "daemon_status",
                                   .doc = "Tell whether the daemon runs, where, and what it holds.",
                                   .family = Family::daemon,
                                   .access = Access::read,
                                   .examples = "smartcli daemon status\nsmartcli daemon status --json"};
  struct Request {
    template <class Visitor>
    void fields(Visitor&) {}
  };
  struct Reply {
    std::int64_t pid = 0;
    std::string version, socket, state_dir, log, started;
    std::int64_t sessions_live = 0, sessions_ended = 0, clients = 0, waits = 0;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"pid", "of the daemon"}, pid);
      v.required({"version", "of the daemon"}, version);
      v.required({"socket", "where it listens"}, socket);
      v.required({"state_dir", "where journals and logs are"}, state_dir);
      v.required({"log", "its log file"}, log);
      v.required({"started", "RFC 3339, UTC"}, started);
      v.required({"sessions_live", "sessions with a running program"}, sessions_live);
      v.required({"sessions_ended", "sessions whose program ended"}, sessions_ended);
      v.required({"clients", "connections now"}, clients);
      v.required({"waits", "waits now"}, waits);
    }
  };
};

struct DaemonStop {
  static constexpr MethodInfo info{
      .name = "daemon_stop",
      .doc = "Stop the daemon; sessions go on under their shims unless told otherwise.",
      .family = Family::daemon,
      .access = Access::control,
      .examples = "smartcli daemon stop\nsmartcli daemon stop --end-sessions"};
  struct Request {
    bool end_sessions = false;
    bool restart = false;

    template <class Visitor>
    void fields(Visitor& v) {
      v.optional({"end_sessions", "close every session first"}, end_sessions);
      v.optional({"restart",
                  "another daemon follows: waits are answered with daemon_unreachable and the detail "
                  "`restart`, and ask it",
                  nullptr,
                  {},
                  {},
                  Place::wire},
                 restart);
    }
  };
  struct Reply {
    std::int64_t pid = 0, closed = 0, kept = 0;

    template <class Visitor>
    void fields(Visitor& v) {
      v.required({"pid", "of the daemon that goes"}, pid);
      v.required({"closed", "sessions ended"}, closed);
      v.required({"kept", "live sessions that go on"}, kept);
    }
  };
};

}  // namespace smartcli
