#include "proto/topics.hpp"

#include "common/error.hpp"
#include "proto/keys.hpp"
#include "proto/limits.hpp"
#include "proto/statuses.hpp"
#include "proto/variables.hpp"

namespace smartcli {
namespace {

using Table = std::vector<std::vector<std::string>>;

Table exit_codes() {
  Table table{{"EXIT", "MEANING"}};
  for (const auto& row : kExitStatuses) table.push_back({std::string(row.status), std::string(row.meaning)});
  return table;
}

Table errors() {
  Table table{{"ERROR", "NUMBER", "EXIT", "MEANING"}};
  for (const auto& row : kErrors) {
    table.push_back({std::string(row.name), std::to_string(row.number), std::to_string(row.exit_status),
                     std::string(row.meaning)});
  }
  return table;
}

std::string_view without_number(std::string_view name) {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

/// A row a key; numbered ones that follow each other are one row, `F1 to F24`.
Table keys() {
  struct Group {
    std::vector<std::string_view> first, last;  // names of the first and of the last key
    std::string means;
  };
  std::vector<Group> groups;
  NamedKey key = NamedKey::none;
  unsigned modifiers = 0;
  for (const auto& row : key_names()) {
    if (row.key == key && row.modifiers == modifiers) {
      auto& group = groups.back();
      (group.last.empty() ? group.first : group.last).push_back(row.name);
      continue;
    }
    key = row.key;
    modifiers = row.modifiers;
    const auto stem = without_number(row.name);
    if (stem != row.name && !groups.empty() && without_number(groups.back().first[0]) == stem) {
      groups.back().last = {row.name};
    } else {
      groups.push_back({{row.name}, {}, modifiers != 0 ? spell_key({key, 0, modifiers}) : ""});
    }
  }
  Table table{{"KEY", "OTHER NAMES"}};
  for (const auto& group : groups) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < group.first.size(); ++i) {
      names.emplace_back(group.first[i]);
      if (i < group.last.size()) names.back() += " to " + std::string(group.last[i]);
    }
    std::string others = group.means;
    for (std::size_t i = 1; i < names.size(); ++i) others += (others.empty() ? "" : ", ") + names[i];
    table.push_back({names[0], others});
  }
  return table;
}

Table environment() {
  Table table{{"VARIABLE", "MEANING"}};
  for (const auto& row : kVariables) table.push_back({std::string(row.name), std::string(row.meaning)});
  return table;
}

Table limits_table() {
  Table table{{"LIMIT", "DEFAULT", "RANGE", "UNIT", "VARIABLE: REASON"}};
  for (const auto& row : kLimits) {
    table.push_back({std::string(row.name), std::to_string(row.standard),
                     std::to_string(row.least) + " to " + std::to_string(row.most), std::string(row.unit),
                     std::string(row.variable) + ": " + std::string(row.reason)});
  }
  return table;
}

}  // namespace

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {"values",
       "how durations, text, session names and bytes are written",
       R"(
A duration is `500ms`, `30s`, `5m`, `1h` or `2d`; a bare number is seconds and
may have a fraction. On the wire it is a field `x_ms` in milliseconds; the
option is then `--x D`, and `--x-ms N` is accepted too.

A session's name is a letter or digit, then up to 63 of `A-Z a-z 0-9 _ . -`.
`-s`, `--session` and `--sid` name it; without them SMARTCLI_SESSION does.

Text to type stands as it is; `-` reads it from standard input. Text that
begins with `-` goes after `--`:

    smartcli send-line -s sh -- '-n'

Bytes that are no UTF-8 (text, arguments, environment, directories) travel as
`{"b64": "..."}`, all others as a string.

Rows, columns and lines count from 1.
)",
       {}},
      {"patterns",
       "what a pattern is, and which text it sees",
       R"(
Patterns are RE2 (no look-around, no back-references), unanchored, and tried
line by line; `^` and `$` match at every line's ends, `(?i)` ignores case.
Lines that the terminal wrapped count as one. A line is tried without its
trailing blanks, and with those that the program wrote up to the cursor: `>>> $`
and `>>>$` both find a prompt.

On the primary screen, what was written since the last input counts: the echo
of that input does not, old text does not, and lines that have scrolled away
since do. On the alternate screen (vim, less, htop) all of the screen counts.

`--anywhere`: all that is on the screen and 200 rows above it.
`--after REV`: what was written since that revision.

In a shell a pattern belongs in single quotes: `'[$#] $'`.
)",
       {}},
      {"waits",
       "when a wait ends, and what it says",
       R"(
A wait ends by an event, never by polling, and looks at what is there first:
what has happened before the call is not missed. Any number may run at once.
It ends early when the program ends, unless the session was spawned with
`--no-detect-child-exit`. `--timeout D` bounds it; see `smartcli VERB --help`
for what holds without.

A timeout is an answer, not an error: the reply is `ok: true` with its reason.

- MARKER, GONE, CHANGED, STABLE: what was waited for came. Exit 0.
- EXITED: the program ended first. Exit 1; `wait-exit` waits for that and
  exits 0.
- TIMEOUT: exit 124. `why` in the reply, and the line on standard error, hold
  facts that may explain it.
- CANCELLED, CLOSED, EVICTED, LOST: the wait or the session was ended from
  outside. Exit 1.

Every reply has `revision`, `hash` and `visual_hash` of the screen it speaks of.
To miss no change between two calls, give them to the next wait: `--after REV`,
`wait-change --hash H`, `wait-visual-change --visual-hash H`.
)",
       {}},
      {"json",
       "what --json prints",
       R"(
`--json` prints the reply as the daemon sent it, one object on one line of
standard output, with `"ok": true`. Waits and `snapshot` have the structured
screen in it (rows, cursor, modes, highlighted spans) beside its text.

    smartcli snapshot -s edit --json | jq .screen.cursor

An error is one object too, and one line on standard error; the exit status is
the same as without `--json`:

    {"ok": false, "error": {"code": "session_not_found", "message": "...", "detail": ""}}

An `exit` is `{"code": 7}`, `{"signal": 9, "name": "KILL"}` or null with a
reason beside it. New fields may be added: ignore those that you do not know.
`smartcli schema VERB` has every field of a reply as JSON Schema.
)",
       {}},
      {"wire",
       "how to speak to the daemon without smartcli",
       R"(
JSON-RPC 2.0, UTF-8, one message a line, over the Unix socket that
`smartcli get-sockname` names (and starts the daemon behind it). The first
message is `hello`; where no version fits it is answered with version_mismatch
and both ranges, and the connection is closed.

    {"jsonrpc":"2.0","id":0,"method":"hello","params":{"client":"me 1.0","protocol":{"min":1,"max":1}}}
    {"jsonrpc":"2.0","id":1,"method":"wait_regex","params":{"sid":"py","pattern":">>> $"}}

Many requests may be in flight; replies come as they are ready, by `id`. Input
into one session is typed in the order of its arrival. `cancel` ends a request;
a connection that closes cancels its waits. An input with a `request_id` is
typed once, however often it is sent.

Unknown fields of a request are refused with the nearest known one. A field
that may be left out may also be null. Unknown fields of a reply are to be
ignored. An error is

    {"jsonrpc":"2.0","id":1,"error":{"code":-32012,"message":"...","data":{"code":"session_not_found","detail":""}}}

A long answer comes as notifications `stream` with the request's id before its
reply. `smartcli schema METHOD` has every field.
)",
       {}},
      {"keys", "names of keys for send-keys", R"(
A key is a character (`x`, `B`, `é`) or a name of the table, in any case. Before
it may stand modifiers: `C- M- S- ^` as tmux has them (`C-x`, `M-B`, `^C`,
`C-M-x`), or `Ctrl+ Alt+ Shift+ Super+` (`Ctrl+c`, `Ctrl+Shift+Left`). After
`C-` and `M-` a letter's case counts, after words the letter is a key: `Alt+B`
is `M-b`. Arrows, Home, End and the keypad follow the modes that the program
set, and its kitty keyboard flags or modifyOtherKeys are followed. A program
that asked for event types (kitty flag 2) is told too that the key is let go,
at once.
What has no encoding is refused before anything is typed; `--literal` types what
is no name. The bytes are xterm's; where xterm would drop a modifier (`S-Enter`
is Enter there, `C-1` is 1, `C-S-c` is `C-c`) the key has no encoding until the
program asks for more. F13 to F24 are terminfo's kf13 to kf24.
)",
       keys()},
      {"exit-codes", "what smartcli's exit status says", R"(
)",
       exit_codes()},
      {"errors", "codes of errors, and the exit status of each", R"(
An error says what was wrong, the bound, and the next step.
)",
       errors()},
      {"environment", "variables that smartcli heeds", R"(
Each limit has a variable too: `smartcli help limits`.
)",
       environment()},
      {"limits", "bounds of everything that can grow", R"(
A variable counts in the environment of the daemon when it starts.
`smartcli limits` prints the values in force.
)",
       limits_table()},
  };
  return all;
}

}  // namespace smartcli
