#include "cli/print.hpp"

#include <algorithm>
#include <map>
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

std::string_view name_of(EndReason reason) {
  return EnumNames<EndReason>::kNames[static_cast<std::size_t>(reason)];
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

int wait_status(Reason reason, bool is_met) {
  if (is_met) return 0;
  return reason == Reason::timeout ? 124 : 1;
}

Printed nothing(const InputReply&) {
  return {};
}

/// The note and the status of a wait on the screen that came back without what it waited for, or with it.
Printed wait_end(const WaitReply& reply, bool is_met, const std::string& what) {
  Printed printed;
  printed.status = wait_status(reply.reason, is_met);
  if (is_met) return printed;
  printed.note =
      what + ": " + std::string(name_of(reply.reason)) + " after " + std::to_string(reply.elapsed_ms) + " ms";
  if (reply.exited) printed.note += ", the program ended (" + exit_words(reply.exit, reply.exit_reason) + ")";
  for (const auto& why : reply.why) printed.note += "; " + why;
  printed.note = text::inert_line(printed.note);
  return printed;
}

constexpr std::string_view kRowFields[] = {"sid",  "state", "exit", "pid",     "command",
                                           "cols", "rows",  "cwd",  "started", "last_output"};

std::string row_field(const SessionRow& row, std::string_view name) {
  if (name == "sid") return row.sid.text;
  if (name == "state") return std::string(name_of(row.state));
  if (name == "exit") return row.exit || row.exit_reason ? exit_text(row.exit) : "-";
  if (name == "pid") return row.pid ? std::to_string(*row.pid) : "-";
  if (name == "command") return command_line(row.argv);
  if (name == "cols") return std::to_string(row.cols);
  if (name == "rows") return std::to_string(row.rows);
  if (name == "cwd") return row.cwd.data;
  if (name == "started") return row.started;
  return row.last_output;
}

/// Calls `text` with what stands between the fields and `field` with each {name}, in order. `{{` is a brace;
/// `\t` and `\n` are what they are in a shell's $'...'.
template <class Text, class FieldName>
void walk_format(std::string_view format, Text&& text, FieldName&& field) {
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char next = i + 1 < format.size() ? format[i + 1] : '\0';
    if ((format[i] == '{' || format[i] == '}') && next == format[i]) {
      text(format[i++]);
    } else if (format[i] == '\\' && (next == 't' || next == 'n')) {
      text(next == 't' ? '\t' : '\n');
      ++i;
    } else if (const auto end = format.find('}', i); format[i] == '{' && end != std::string_view::npos) {
      field(format.substr(i + 1, end - i - 1));
      i = end;
    } else {
      text(format[i]);
    }
  }
}

}  // namespace

Printed print(const Spawn::Request&, const Spawn::Reply& reply) {
  return {text::inert_line(reply.sid.text) + "\n", "", 0};
}

Printed print(const List::Request& request, const List::Reply& reply) {
  if (!request.format.empty()) {
    Printed lines;
    for (const auto& row : reply.sessions) {
      walk_format(
          request.format, [&lines](char c) { lines.out += c; },
          [&](std::string_view name) { lines.out += text::inert_line(row_field(row, name)); });
      lines.out += '\n';
    }
    lines.out = text::inert(lines.out);
    return lines;
  }
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
    rows.push_back(
        {row.sid.text, "gone", exit_words(row.exit, {}), "-", row.ended, std::string(name_of(row.reason))});
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
  rows.push_back({"directory", reply.cwd.data});
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

Printed print(const Snapshot::Request& request, const Snapshot::Reply& reply) {
  const auto inert = [&](const std::string& text) {
    return request.ansi ? text::inert_sgr(text) : text::inert(text);
  };
  Printed printed;
  if (reply.rows) {
    for (const auto& row : *reply.rows) printed.out += std::to_string(row.row) + ":" + inert(row.text) + "\n";
  } else if (!reply.text.empty()) {
    printed.out = inert(reply.text) + "\n";
  }
  return printed;
}

std::string print_lines(const std::vector<TextLine>& lines) {
  std::string out;
  for (const auto& line : lines) {
    out += text::inert_line(line.text);
    out += '\n';
  }
  return out;
}

Printed print(const Read::Request&, const Read::Reply& reply) {
  Printed printed{print_lines(reply.lines), "", 0};
  if (!reply.reason) return printed;
  printed.status = 1;
  printed.note = std::string(name_of(*reply.reason)) + ": ended after row " + std::to_string(reply.last);
  return printed;
}

/// As grep does: `LINE:text`, context `LINE-text`, `--` where lines are left out between.
Printed print(const Search::Request& request, const Search::Reply& reply) {
  struct Shown {
    const std::string* text;
    std::int64_t after;  // the line that follows
    bool is_hit;
  };
  std::map<std::int64_t, Shown> all;
  bool has_context = false;
  for (const auto& hit : reply.hits) all[hit.line] = {&hit.text, hit.line + hit.rows.value_or(1), true};
  for (const auto& hit : reply.hits) {
    for (const auto* side : {&hit.before, &hit.after}) {
      has_context = has_context || !side->empty();
      for (const auto& line : *side) {
        all.try_emplace(line.line, Shown{&line.text, line.line + line.rows.value_or(1), false});
      }
    }
  }
  Printed printed;
  std::int64_t follows = 0;
  for (const auto& [number, line] : all) {
    if (has_context && follows != 0 && number > follows) printed.out += "--\n";
    printed.out += std::to_string(number) + (line.is_hit ? ":" : "-") + text::inert_line(*line.text) + "\n";
    follows = line.after;
  }
  if (reply.total == 0) {
    printed.status = 1;
    printed.note = "no line matches " + text::quoted(request.pattern);
  } else if (reply.next) {
    printed.note = std::to_string(reply.total) + " lines match; --skip " + std::to_string(*reply.next) +
                   " shows those after these";
  }
  if (reply.reason) {
    printed.status = 1;
    printed.note = std::string(name_of(*reply.reason)) + ": ended before all was searched";
  }
  return printed;
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
  Printed printed = wait_end(reply, reply.matched, text::quoted(request.pattern) + " did not match");
  if (reply.match) printed.out = text::inert_line(reply.match->text) + "\n";
  return printed;
}

Printed print(const WaitAny::Request& request, const WaitAny::Reply& reply) {
  std::string all;
  for (const auto& pattern : request.patterns) all += (all.empty() ? "" : ", ") + text::quoted(pattern);
  Printed printed = wait_end(reply, reply.matched, "none of " + all + " matched");
  if (reply.match) printed.out = text::inert_line(reply.match->text) + "\n";
  return printed;
}

Printed print(const WaitGone::Request& request, const WaitGone::Reply& reply) {
  return wait_end(reply, reply.gone, text::quoted(request.pattern) + " is still on the screen");
}

Printed print(const WaitChange::Request&, const WaitChange::Reply& reply) {
  return wait_end(reply, reply.changed, "the screen's text did not change");
}

Printed print(const WaitVisualChange::Request&, const WaitChange::Reply& reply) {
  return wait_end(reply, reply.changed, "the screen did not change");
}

Printed print(const WaitReady::Request&, const WaitReady::Reply& reply) {
  return wait_end(reply, reply.ready, "the screen is not ready");
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

Printed print_end(const WaitExit::Reply& reply) {
  Printed printed;
  if (reply.exited && reply.exit) {
    printed.status =
        static_cast<int>(reply.exit->code ? *reply.exit->code : 128 + reply.exit->signal.value_or(0));
    return printed;
  }
  printed.status = reply.exited || reply.reason == Reason::lost ? 125 : wait_status(reply.reason, false);
  printed.note = text::inert_line(
      reply.exit_reason ? "status unknown: " + *reply.exit_reason
                        : "the program has not ended: " + std::string(name_of(reply.reason)) + " after " +
                              std::to_string(reply.elapsed_ms) + " ms; the session goes on");
  return printed;
}

Result<void> check_format(const std::string& format) {
  Result<void> result;
  walk_format(
      format, [](char) {},
      [&result](std::string_view name) {
        const std::vector<std::string> known(std::begin(kRowFields), std::end(kRowFields));
        if (!result || std::find(known.begin(), known.end(), name) != known.end()) return;
        std::string all;
        for (const auto& field : known) all += (all.empty() ? "" : ", ") + field;
        result = Error{ErrorCode::invalid_argument,
                       "--format: no field " + text::quoted(name) + text::did_you_mean(name, known) +
                           "; there are " + all,
                       "format"};
      });
  return result;
}

Printed print(const Alive::Request&, const Alive::Reply& reply) {
  return {"", "", reply.alive ? 0 : 1};
}

Printed print(const Signal::Request&, const Signal::Reply&) {
  return {};
}

Printed print(const Clear::Request&, const Clear::Reply&) {
  return {};
}

Printed print(const Restart::Request&, const Restart::Reply&) {
  return {};
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

Printed print(const Doctor::Request&, const Doctor::Reply& reply) {
  Printed printed;
  std::vector<Row> rows;
  for (const auto& check : reply.checks) {
    rows.push_back({std::string(EnumNames<Health>::kNames[static_cast<std::size_t>(check.health)]),
                    check.name, check.text});
    if (check.health == Health::fail) printed.status = 1;
  }
  printed.out = table(std::move(rows));
  if (reply.second_opinion) {
    printed.out += "\n" + text_of(*reply.second_opinion);
    if (!reply.second_opinion->differences.empty()) printed.status = 1;
  }
  return printed;
}

Printed print(const DaemonStop::Request&, const DaemonStop::Reply& reply) {
  return {"daemon " + std::to_string(reply.pid) + " stopped; " + std::to_string(reply.closed) +
              " sessions ended, " + std::to_string(reply.kept) + " live ones go on\n",
          "", 0};
}

}  // namespace smartcli::cli
