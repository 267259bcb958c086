#include "cli/app.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "client/connect.hpp"
#include "client/rpc.hpp"
#include "proto/codec.hpp"

extern char** environ;

namespace smartcli::cli {
namespace {

// --- what the client adds to a request

/// Environment, file mode mask and directory of whoever runs smartcli.
template <class R>
void fill_caller(R& request, bool is_here_otherwise) {
  std::vector<Bytes> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(Bytes{*entry});
  request.environment = std::move(environment);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  request.umask = mask;
  char here[PATH_MAX];
  const bool known = ::getcwd(here, sizeof here) != nullptr;
  if (!request.cwd) {
    if (known && is_here_otherwise) request.cwd = Bytes{here};
  } else if (!request.cwd->data.empty() && request.cwd->data[0] != '/' && known) {
    request.cwd->data = std::string(here) + "/" + request.cwd->data;
  }
}

void fill(Spawn::Request& request) {
  fill_caller(request, true);
}
void fill(Restart::Request& request) {
  fill_caller(request, false);
}
template <class R>
void fill(R& request) {
  // Every input has an id, so that it can be asked for again if the daemon dies under it: it is typed once.
  if constexpr (requires { request.request_id; }) {
    if (!request.request_id) {
      std::uint64_t random[2] = {};
      if (::getrandom(random, sizeof random, 0) == sizeof random) {
        request.request_id = std::to_string(random[0]) + "-" + std::to_string(random[1]);
      }
    }
  }
}

template <class R>
void want_detail(R& request, bool json) {
  if constexpr (requires { request.detail; }) {
    if (json) request.detail = Detail::full;
  }
}

/// The default session. `spawn` names the new one, `close --all` needs none.
template <class R>
Result<void> default_session(R& request, const Environment& env, std::string_view command) {
  const auto named = env.get_nonempty("SMARTCLI_SESSION");
  if constexpr (std::is_same_v<R, Spawn::Request>) {
    return {};
  } else if constexpr (std::is_same_v<R, Close::Request>) {
    if (!request.sid && !request.all && named) request.sid = SessionName{*named};
  } else if constexpr (requires { request.sid; }) {
    if (request.sid.text.empty() && named) request.sid.text = *named;
    if (request.sid.text.empty()) return usage("which session? give -s SID or set SMARTCLI_SESSION", command);
  }
  return {};
}

// --- what works without a daemon

template <class M>
std::optional<typename M::Reply> without_daemon(const Environment&) {
  return std::nullopt;
}
template <>
std::optional<List::Reply> without_daemon<List>(const Environment&) {
  return List::Reply{};
}
template <>
std::optional<Version::Reply> without_daemon<Version>(const Environment&) {
  return Version::Reply{};
}
template <>
std::optional<ShowLimits::Reply> without_daemon<ShowLimits>(const Environment& env) {
  ShowLimits::Reply reply;
  const auto limits = Limits::from(env);
  for (std::size_t i = 0; i < std::size(kLimits); ++i) {
    const auto& row = kLimits[i];
    LimitRow shown{std::string(row.name),
                   std::string(row.variable),
                   std::string(row.unit),
                   std::string(row.reason),
                   limits ? (*limits)[static_cast<LimitId>(i)] : row.standard,
                   row.standard,
                   row.least,
                   row.most};
    reply.limits.push_back(std::move(shown));
  }
  return reply;
}

template <class M>
client::AutoStart auto_start(const typename M::Request& request) {
  if constexpr (M::info.starts_daemon) return client::AutoStart::always;
  if constexpr (std::is_same_v<M, DaemonStatus>) return client::AutoStart::never;
  if constexpr (std::is_same_v<M, DaemonStop>) {
    return request.end_sessions ? client::AutoStart::if_sessions_are_left : client::AutoStart::never;
  }
  (void)request;
  return client::AutoStart::if_sessions_are_left;
}

/// No daemon runs and none was to be started: what each verb says then.
template <class M>
int nobody_there(const typename M::Request& request, const Error& error, bool json, const Environment& env) {
  if (auto reply = without_daemon<M>(env)) {
    if (json) {
      auto line = reply_line_of("0", *reply);
      auto frame = parse_reply(line.substr(0, line.size() - 1));
      write_all(1, frame->result + "\n");
      return 0;
    }
    const auto printed = print(request, *reply);
    write_all(1, printed.out);
    return printed.status;
  }
  if constexpr (std::is_same_v<M, DaemonStop>) {
    if (json) write_all(1, "{\"closed\":0,\"kept\":0,\"ok\":true,\"pid\":0}\n");
    write_all(2, "smartcli: no daemon runs\n");
    return 0;
  } else if constexpr (requires { request.sid; }) {
    std::string sid;
    if constexpr (std::is_same_v<M, Close>) {
      if (request.all) {
        if (json) write_all(1, "{\"closed\":0,\"exit\":null,\"ok\":true,\"survivors\":[],\"text\":\"\"}\n");
        return 0;
      }
      if (request.sid) sid = request.sid->text;
    } else if constexpr (!std::is_same_v<M, Spawn>) {
      sid = request.sid.text;
    }
    if constexpr (!std::is_same_v<M, Spawn>) {
      return fail(Error{ErrorCode::session_not_found,
                        "no session " + text::quoted(sid) + "; no daemon runs, `smartcli spawn` starts one"},
                  json);
    }
  }
  return fail(error, json);
}

// --- one verb

/// True if this word is an option whose value is the next word.
bool takes_next(const CLI::App& app, const std::string& word) {
  if (word.find('=') != std::string::npos) return false;
  const auto* option = app.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

/// Splits a spawn's words: options end at the program's name or at `--`. The program's own words never see
/// CLI11.
std::vector<Bytes> take_program(const CLI::App& app, std::vector<std::string>& args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (is_option(args[i]) && args[i] != "--") {
      if (takes_next(app, args[i])) ++i;
      continue;
    }
    std::vector<Bytes> program;
    for (std::size_t k = i + (args[i] == "--" ? 1 : 0); k < args.size(); ++k)
      program.push_back(Bytes{args[k]});
    args.resize(i);
    return program;
  }
  return {};
}

/// See kGuard.
void guard_positionals(const CLI::App& app, std::vector<std::string>& args) {
  bool options_ended = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!options_ended && args[i] == "--") {
      options_ended = true;
    } else if (!options_ended && is_option(args[i])) {
      if (takes_next(app, args[i])) ++i;
    } else {
      args[i].insert(0, 1, kGuard);
    }
  }
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Error parse_error(const CLI::App& app, const CLI::ParseError& error, std::string_view command) {
  const auto is = [&error](CLI::ExitCodes code) { return error.get_exit_code() == static_cast<int>(code); };
  std::string extra;
  for (const auto& rest : app.remaining()) {
    if (rest == "--") continue;
    if (extra.empty() || (rest.size() > 1 && rest[0] == '-' && extra[0] != '-')) extra = rest;
  }
  const bool is_option = extra.size() > 1 && extra[0] == '-';
  // CLI11 misses an argument first, though it is there and looks like an option.
  if (!extra.empty() &&
      (is(CLI::ExitCodes::ExtrasError) || (is_option && is(CLI::ExitCodes::RequiredError)))) {
    std::string message = (is_option ? "unknown option " : "one argument too many: ") + text::quoted(extra);
    if (is_option) {
      message += text::did_you_mean(extra.substr(0, extra.find('=')), option_names(app));
      message += "; text that begins with - goes after --";
    }
    return usage(message, command);
  }
  return usage(text::inert_line(error.what()), command);
}

/// What a wait without --timeout waits for; 0: for ever.
template <class M>
std::int64_t default_timeout() {
  return std::is_same_v<M, WaitExit> ? limits::wait_exit_timeout_ms.standard
                                     : limits::wait_timeout_ms.standard;
}

/// One request and its result. A daemon that dies under it is replaced and asked again where that cannot act
/// twice: what only looks, and input, which has an id. A wait goes on for the rest of its time.
/// `on_chunk` is given the pieces of a streamed answer; if they were of a daemon that died, `on_restart` may
/// change what is asked for.
template <class M>
Result<std::string> ask(typename M::Request request, const Environment& env,
                        const std::function<void(std::string)>& on_chunk = nullptr,
                        const std::function<void(typename M::Request&)>& on_restart = nullptr) {
  constexpr bool kRepeatable = M::info.access == Access::read || requires {
    request.request_id;
  };
  constexpr auto kPatience = std::chrono::seconds(10);
  const auto began = std::chrono::steady_clock::now();
  std::optional<std::chrono::steady_clock::time_point> first_failure;
  std::chrono::steady_clock::time_point last_failure{};
  for (;;) {
    auto socket = client::connect(env, auto_start<M>(request));
    if (!socket) return socket.error();
    client::Rpc rpc(std::move(*socket), env);
    Result<std::string> result(std::string{});
    bool was_asked = true;
    if constexpr (!kRepeatable) {
      auto greeting = rpc.greet();
      was_asked = greeting.has_value();
      if (!was_asked) result = greeting.error();
    }
    const auto held = std::is_same_v<M, DaemonStop> ? client::lock_inode(env) : 0;
    if (was_asked) result = rpc.call(M::info.name, encode_text(request), on_chunk);
    if (result) {
      (void)held;
      if constexpr (std::is_same_v<M, DaemonStop>) {
        rpc.wait_for_end();
        client::wait_for_lock(env, held);
      }
      return result;
    }
    const auto now = std::chrono::steady_clock::now();
    if (result.error().code == ErrorCode::version_mismatch) return client::with_sessions(result.error(), env);
    const bool has_gone =
        result.error().detail == client::Rpc::kHungUp || result.error().detail == client::Rpc::kRestart;
    if (!has_gone || (was_asked && !kRepeatable)) return result;
    // One death now and then is not a crash loop.
    if (!first_failure || now - last_failure > kPatience) first_failure = now;
    last_failure = now;
    if (now - *first_failure > kPatience) return result;
    const timespec pause{0, 20'000'000};
    ::nanosleep(&pause, nullptr);
    if (on_restart) on_restart(request);
    if constexpr (M::info.access == Access::read && requires { request.timeout_ms; }) {
      const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(now - began).count();
      const auto whole = request.timeout_ms ? request.timeout_ms->count : default_timeout<M>();
      if (whole > 0) request.timeout_ms = Millis{std::max<std::int64_t>(0, whole - spent)};
    }
  }
}

/// An answer that may come as a stream. Pieces are printed as they come; with --json they are kept, and one
/// object comes out.
Result<std::string> ask_for_lines(const Read::Request& request, bool json, const Environment& env) {
  std::vector<std::string> kept;
  std::optional<Read::Chunk> last;
  const auto take = [&](std::string text) {
    if (json) {
      kept.push_back(std::move(text));
      return;
    }
    auto chunk = decode_text<Read::Chunk>(text);
    if (!chunk) return;
    write_all(1, print_lines(chunk->lines));
    chunk->lines.clear();
    last = std::move(*chunk);
  };
  // The daemon drops who does not read for long, and it may die: what was printed is not asked for again.
  const auto go_on = [&](Read::Request& again) {
    kept.clear();
    if (!last) return;
    again.page.reset();
    again.rows.reset();
    again.start = last->last + 1;
    again.end = last->end;
  };
  auto result = ask<Read>(request, env, take, go_on);
  if (!result || kept.empty()) return result;
  return merge_stream(kept, *result);
}

/// `spawn --wait`: the program's own status. With --json both replies come as one object.
int wait_for_end(const std::string& spawned_json, const Spawn::Reply& spawned, std::optional<Millis> timeout,
                 bool json, const Environment& env) {
  if (!json) write_all(1, text::inert_line(spawned.sid.text) + "\n");
  WaitExit::Request request;
  request.sid = spawned.sid;
  request.timeout_ms = timeout;
  auto result = ask<WaitExit>(request, env);
  if (!result) return fail(result.error(), json);
  auto reply = decode_text<WaitExit::Reply>(*result);
  if (!reply) return fail(Error{ErrorCode::internal, "the daemon's reply: " + reply.error().message}, json);
  if (json) write_all(1, merge_objects(spawned_json, *result) + "\n");
  const auto printed = print_end(*reply);
  if (!printed.note.empty()) write_all(2, "smartcli: " + printed.note + "\n");
  return printed.status;
}

template <class M>
int run_verb(std::vector<std::string> args, const Environment& env) {
  const std::string command = command_name(M::info.name);
  typename M::Request request;
  CLI::App app;
  bool json = false;
  app.add_flag("--json", json);
  Options options(app, M::info);
  request.fields(options);
  constexpr bool kTakesProgram = std::is_same_v<M, Spawn> || std::is_same_v<M, Restart>;
  if constexpr (kTakesProgram) {
    request.argv = take_program(app, args);
  } else {
    if (options.has_list_argument()) guard_positionals(app, args);
  }
  const bool wants_json = std::find(args.begin(), std::find(args.begin(), args.end(), "--"), "--json") !=
                          std::find(args.begin(), args.end(), "--");
  try {
    std::vector<std::string> reversed(args.rbegin(), args.rend());  // CLI11 takes them from the back
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    write_all(1, verb_help(M::info.name));
    return 0;
  } catch (const CLI::ParseError& error) {
    return fail(parse_error(app, error, command), wants_json);
  }
  if (auto assigned = options.assign(); !assigned) return fail(assigned.error(), json);
  if (auto named = default_session(request, env, command); !named) return fail(named.error(), json);
  want_detail(request, json);
  fill(request);
  if constexpr (std::is_same_v<M, List>) {
    if (auto known = check_format(request.format); !known) return fail(known.error(), json);
  }
  if constexpr (std::is_same_v<M, Spawn>) {
    if (request.timeout_ms && !request.wait) return fail(usage("--timeout belongs to --wait", command), json);
  }

  Result<std::string> result(std::string{});
  if constexpr (std::is_same_v<M, Read>) {
    result = ask_for_lines(request, json, env);
  } else {
    result = ask<M>(request, env);
  }
  if (!result && result.error().detail == "none") return nobody_there<M>(request, result.error(), json, env);
  if (!result) return fail(result.error(), json);
  auto reply = decode_text<typename M::Reply>(*result);
  if (!reply) return fail(Error{ErrorCode::internal, "the daemon's reply: " + reply.error().message}, json);
  auto printed = print(request, *reply);
  if constexpr (std::is_same_v<M, Spawn>) {
    if (request.wait) return wait_for_end(*result, *reply, request.timeout_ms, json, env);
  }
  write_all(1, json ? *result + "\n" : printed.out);
  if (!printed.note.empty()) write_all(2, "smartcli: " + printed.note + "\n");
  return printed.status;
}

}  // namespace

int run(const std::vector<std::string>& args, const Environment& env) {
  if (args.empty() || args[0] == "--help" || args[0] == "-h") {
    write_all(args.empty() ? 2 : 1, main_help());
    return args.empty() ? 2 : 0;
  }
  if (args[0] == "--version") {
    write_all(1, "smartcli " SMARTCLI_VERSION "\n");
    return 0;
  }
  std::string command = args[0];
  std::size_t used = 1;
  if (const std::string family = family_help(command); !family.empty()) {
    const bool help = args.size() > 1 && (args[1] == "--help" || args[1] == "-h");
    if (args.size() < 2 || help) {
      write_all(help ? 1 : 2, family);
      return help ? 0 : 2;
    }
    command += " " + args[1];
    used = 2;
  }
  if (command == "__complete") return run_complete({args.begin() + 1, args.end()}, env);
  std::vector<std::string> rest(args.begin() + static_cast<std::ptrdiff_t>(used), args.end());
  for (const auto& row : kCommands) {
    if (row.name == command) return run_command(row, rest, env);
  }
  std::optional<int> status;
  for_each_method([&]<class M>() {
    if constexpr (M::info.is_command) {
      if (!status && command_name(M::info.name) == command) status = run_verb<M>(std::move(rest), env);
    }
  });
  if (status) return *status;
  std::vector<std::string> names;
  for (const auto& verb : verbs()) names.push_back(verb.name);
  return fail(Error{ErrorCode::invalid_argument, "unknown verb " + text::quoted(command) +
                                                     text::did_you_mean(command, names) +
                                                     " (smartcli --help lists them)"},
              std::find(args.begin(), args.end(), "--json") != args.end());
}

}  // namespace smartcli::cli
