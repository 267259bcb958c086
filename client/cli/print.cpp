#include "cli/print.hpp"

#include <algorithm>
#include <vector>

#include "common/text.hpp"
#include "common/utf8.hpp"

namespace smartcli::cli {
namespace {

using Row = std::vector<std::string>;

/// Columns two blanks apart, the last one as it is. A cell is one inert line, whatever it holds.
std::string table(std::vector<Row> rows) {
  for (auto& row : rows) {
    for (auto& cell : row) cell = text::inert_line(cell);
  }
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], utf8::length(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - utf8::length(row[i]) + 2, ' ');
    }
    out += line + "\n";
  }
  return out;
}

std::string_view name_of(State state) {
  return EnumNames<State>::kNames[static_cast<std::size_t>(state)];
}
std::string_view name_of(Reason reason) {
  return EnumNames<Reason>::kNames[static_cast<std::size_t>(reason)];
}

std::string exit_text(const std::optional<ExitState>& exit) {
  if (!exit) return "unknown";
  if (exit->code) return std::to_string(*exit->code);
  return std::to_string(128 + exit->signal.value_or(0));
}

std::string exit_words(const std::optional<ExitState>& exit, const std::optional<std::string>& reason) {
  if (!exit) return reason ? "unknown: " + *reason : "";
  if (exit->code) return std::to_string(*exit->code);
  return "signal " + std::to_string(exit->signal.value_or(0)) + " (" + exit->name.value_or("?") + ")";
}

std::string command_line(const std::vector<Bytes>& argv) {
  std::vector<std::string> words;
  for (const auto& word : argv) words.push_back(word.data);
  return text::shell_words(words);
}

std::string lines(const std::string& text) {
  return text.empty() ? "" : text::inert(text) + "\n";
}

int wait_status(Reason reason, bool is_met) {
  if (is_met) return 0;
  return reason == Reason::timeout ? 124 : 1;
}

Printed nothing(const InputReply&) {
  return {};
}

}  // namespace

Printed print(const Spawn::Request&, const Spawn::Reply& reply) {
  return {text::inert_line(reply.sid.text) + "\n", "", 0};
}

Printed print(const List::Request& request, const List::Reply& reply) {
  if (request.quiet) {
    Printed names;
    for (const auto& row : reply.sessions) names.out += text::inert_line(row.sid.text) + "\n";
    return names;
  }
  if (reply.sessions.empty() && reply.tombstones.empty()) return {};
  std::vector<Row> rows{{"SESSION", "STATE", "EXIT", "SIZE", "STARTED", "COMMAND"}};
  for (const auto& row : reply.sessions) {
    rows.push_back({row.sid.text, std::string(name_of(row.state)),
                    row.exit || row.exit_reason ? (row.exit ? exit_words(row.exit, {}) : "unknown") : "-",
                    std::to_string(row.cols) + "x" + std::to_string(row.rows), row.started,
                    command_line(row.argv)});
  }
  for (const auto& row : reply.tombstones) {
    rows.push_back({row.sid.text, "gone", exit_words(row.exit, {}), "-", row.ended, row.reason});
  }
  return {table(std::move(rows)), "", 0};
}

Printed print(const Status::Request&, const Status::Reply& reply) {
  std::vector<Row> rows{{"session", reply.sid.text},
                        {"state", std::string(name_of(reply.state))},
                        {"command", command_line(reply.argv)}};
  if (reply.pid) rows.push_back({"pid", std::to_string(*reply.pid)});
  if (!reply.alive) rows.push_back({"exit", exit_words(reply.exit, reply.exit_reason)});
  if (reply.foreground) {
    rows.push_back(
        {"foreground", reply.foreground->name + " (" + std::to_string(reply.foreground->pid) + ")"});
  }
  rows.push_back({"title", reply.title});
  rows.push_back({"directory", reply.cwd});
  rows.push_back({"size", std::to_string(reply.cols) + "x" + std::to_string(reply.rows)});
  rows.push_back({"screen", reply.alt_screen ? "alternate" : "primary"});
  rows.push_back({"revision", std::to_string(reply.revision)});
  rows.push_back({"fence", std::to_string(reply.fence)});
  rows.push_back({"output", std::to_string(reply.offset) + " bytes"});
  rows.push_back({"started", reply.started});
  rows.push_back({"last output", reply.last_output});
  rows.push_back({"journal", reply.counters.journal == JournalState::ok ? "ok" : "degraded"});
  return {table(std::move(rows)), "", 0};
}

Printed print(const Snapshot::Request&, const Snapshot::Reply& reply) {
  return {lines(reply.text), "", 0};
}
Printed print(const SendText::Request&, const InputReply& reply) {
  return nothing(reply);
}
Printed print(const SendLine::Request&, const InputReply& reply) {
  return nothing(reply);
}
Printed print(const SendKeys::Request&, const InputReply& reply) {
  return nothing(reply);
}

Printed print(const WaitRegex::Request& request, const WaitRegex::Reply& reply) {
  Printed printed;
  printed.status = wait_status(reply.reason, reply.matched);
  if (reply.match) printed.out = text::inert_line(reply.match->text) + "\n";
  if (reply.matched) return printed;
  printed.note = text::quoted(request.pattern) + " did not match: " + std::string(name_of(reply.reason)) +
                 " after " + std::to_string(reply.elapsed_ms) + " ms";
  if (reply.exited) printed.note += ", the program ended (" + exit_words(reply.exit, reply.exit_reason) + ")";
  for (const auto& why : reply.why) printed.note += "; " + why;
  printed.note = text::inert_line(printed.note);
  return printed;
}

Printed print(const WaitExit::Request&, const WaitExit::Reply& reply) {
  Printed printed;
  if (reply.exited) {
    printed.out = exit_text(reply.exit) + "\n";
    printed.status = reply.exit ? 0 : 1;
    return printed;
  }
  printed.status = wait_status(reply.reason, false);
  if (reply.reason == Reason::lost) printed.out = "unknown\n";
  printed.note = "the program has not ended: " + std::string(name_of(reply.reason)) + " after " +
                 std::to_string(reply.elapsed_ms) + " ms";
  if (reply.exit_reason) printed.note = text::inert_line("status unknown: " + *reply.exit_reason);
  return printed;
}

Printed print(const Resize::Request&, const Resize::Reply&) {
  return {};
}

Printed print(const Close::Request&, const Close::Reply& reply) {
  Printed printed;
  for (const auto& survivor : reply.survivors) {
    printed.note += (printed.note.empty() ? "left running (--tree ends them too): " : ", ") + survivor.name +
                    " (" + std::to_string(survivor.pid) + ")";
  }
  printed.note = text::inert_line(printed.note);
  return printed;
}

Printed print(const Version::Request&, const Version::Reply& reply) {
  std::string out = "smartcli " SMARTCLI_VERSION ", protocol " + std::to_string(kProtocolMin) + " to " +
                    std::to_string(kProtocolMax) + "\n";
  if (!reply.daemon.empty()) {
    out += "smartclid " + text::inert_line(reply.daemon) + ", protocol " +
           std::to_string(reply.protocol.min) + " to " + std::to_string(reply.protocol.max) + "\n";
  }
  return {std::move(out), "", 0};
}

Printed print(const ShowLimits::Request&, const ShowLimits::Reply& reply) {
  std::vector<Row> rows{{"LIMIT", "VALUE", "DEFAULT", "RANGE", "UNIT", "VARIABLE", "REASON"}};
  for (const auto& row : reply.limits) {
    rows.push_back({row.name, std::to_string(row.value), std::to_string(row.standard),
                    std::to_string(row.least) + ".." + std::to_string(row.most), row.unit, row.variable,
                    row.reason});
  }
  return {table(std::move(rows)), "", 0};
}

Printed print(const DaemonStatus::Request&, const DaemonStatus::Reply& reply) {
  std::vector<Row> rows{{"pid", std::to_string(reply.pid)},
                        {"version", reply.version},
                        {"socket", reply.socket},
                        {"state", reply.state_dir},
                        {"log", reply.log},
                        {"started", reply.started},
                        {"sessions", std::to_string(reply.sessions_live) + " live, " +
                                         std::to_string(reply.sessions_ended) + " ended"},
                        {"clients", std::to_string(reply.clients)},
                        {"waits", std::to_string(reply.waits)}};
  return {table(std::move(rows)), "", 0};
}

Printed print(const DaemonStop::Request&, const DaemonStop::Reply& reply) {
  return {"daemon " + std::to_string(reply.pid) + " stopped; " + std::to_string(reply.closed) +
              " sessions ended, " + std::to_string(reply.kept) + " live ones go on\n",
          "", 0};
}

}  // namespace smartcli::cli
