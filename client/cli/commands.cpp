#include "cli/commands.hpp"

#include <unistd.h>

#include <algorithm>

#include "cli/complete.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"
#include "client/connect.hpp"
#include "client/rpc.hpp"
#include "client/start_daemon.hpp"
#include "common/text.hpp"
#include "proto/codec.hpp"
#include "proto/registry.hpp"
#include "proto/schema.hpp"

namespace smartcli::cli {
namespace {

int start_daemon(bool json, const Environment& env) {
  auto socket = client::connect(env, client::AutoStart::always);
  if (!socket) return fail(socket.error(), json);
  client::Rpc rpc(std::move(*socket), env);
  auto result = rpc.call(DaemonStatus::info.name, "{}");
  if (!result) return fail(client::with_sessions(result.error(), env), json);
  auto reply = decode_text<DaemonStatus::Reply>(*result);
  if (!reply) return fail(reply.error(), json);
  write_all(
      1, json ? *result + "\n"
              : "daemon " + std::to_string(reply->pid) + " serves " + text::inert_line(reply->socket) + "\n");
  return 0;
}

/// A fresh daemon in the place of the running one. The program that is to follow is tried first.
int restart_daemon(bool json, const Environment& env) {
  const auto program = client::find_program("smartclid");
  if (const auto version = client::version_of(program); version.empty()) {
    return fail(
        Error{ErrorCode::daemon_unreachable,
              text::quoted(program, 200) + " does not run; the daemon that serves now was left alone"},
        json);
  }
  std::int64_t before = 0;
  if (auto socket = client::connect(env, client::AutoStart::never)) {
    client::Rpc rpc(std::move(*socket), env);
    const auto held = client::lock_inode(env);
    DaemonStop::Request request;
    request.restart = true;
    auto stopped = rpc.call(DaemonStop::info.name, encode_text(request));
    if (!stopped && stopped.error().code == ErrorCode::invalid_argument)
      stopped = rpc.call(DaemonStop::info.name, "{}");  // an older daemon: its waits end as cancelled
    if (!stopped) return fail(stopped.error(), json);
    if (auto reply = decode_text<DaemonStop::Reply>(*stopped)) before = reply->pid;
    rpc.wait_for_end();
    client::wait_for_lock(env, held);
  } else if (socket.error().detail != "none") {
    return fail(socket.error(), json);
  }
  if (before > 0 && !json) write_all(1, "daemon " + std::to_string(before) + " stopped\n");
  return start_daemon(json, env);
}

int print_socket(bool json, const Environment& env) {
  const auto paths = client::own_paths(env);
  if (!paths) return fail(paths.error(), json);
  if (auto socket = client::connect(env, client::AutoStart::always); !socket)
    return fail(socket.error(), json);
  write_all(1, (json ? socket_json(paths->socket) : text::inert_line(paths->socket)) + "\n");
  return 0;
}

int print_schema(const std::string& method, bool json) {
  constexpr int kIndent = 2;
  auto text = schema_text(SMARTCLI_VERSION, method, json ? -1 : kIndent);
  if (!text) return fail(text.error(), json);
  write_all(1, *text + "\n");
  return 0;
}

int print_completion(const Command& command, const std::string& shell) {
  if (shell.empty())
    return fail(usage("which shell? give " + std::string(command.argument_doc), command.name), false);
  const auto script = completion_script(shell);
  if (!script) return fail(script.error(), false);
  write_all(1, *script);
  return 0;
}

int print_help(const std::string& about) {
  if (about.empty()) {
    write_all(1, main_help() + "\n" + topics_help());
    return 0;
  }
  const auto help = help_on(about);
  if (!help) return fail(help.error(), false);
  write_all(1, *help);
  return 0;
}

/// The sessions by name; none where no daemon answers at once.
std::vector<Candidate> sessions(const Environment& env) {
  // Somebody waits at a prompt: SIGALRM ends a client whose daemon does not answer.
  constexpr unsigned kPatienceSeconds = 2;
  std::vector<Candidate> names;
  ::alarm(kPatienceSeconds);
  auto socket = client::connect(env, client::AutoStart::never);
  if (socket) {
    client::Rpc rpc(std::move(*socket), env);
    const auto result = rpc.call(List::info.name, "{}");
    const auto reply = result ? decode_text<List::Reply>(*result) : result.error();
    if (reply) {
      for (const auto& row : reply->sessions) {
        std::vector<std::string> argv;
        for (const auto& word : row.argv) argv.push_back(word.data);
        names.push_back({row.sid.text, text::quoted(text::shell_words(argv))});
      }
    }
  }
  ::alarm(0);
  return names;
}

}  // namespace

int run_command(const Command& command, const std::vector<std::string>& args, const Environment& env) {
  const bool json = command.takes_json && std::find(args.begin(), args.end(), "--json") != args.end();
  std::string argument;
  for (const auto& arg : args) {
    if (arg == "--help" || arg == "-h") {
      write_all(1, command_help(command));
      return 0;
    }
    if (command.takes_json && arg == "--json") continue;
    if (arg.size() > 1 && arg[0] == '-') {
      std::vector<std::string> known{"--help"};
      if (command.takes_json) known.push_back("--json");
      return fail(usage("unknown option " + text::quoted(arg) + text::did_you_mean(arg, known), command.name),
                  json);
    }
    // A verb may be two words, and then is one argument.
    const bool joins = argument == "daemon" && (command.name == "help" || command.name == "schema");
    if (command.argument.empty() || (!argument.empty() && !joins))
      return fail(usage("one argument too many: " + text::quoted(arg), command.name), json);
    argument += (joins ? " " : "") + arg;
  }
  if (command.name == "daemon start") return start_daemon(json, env);
  if (command.name == "daemon restart" || command.name == "daemon upgrade") return restart_daemon(json, env);
  if (command.name == "get-sockname") return print_socket(json, env);
  if (command.name == "schema") return print_schema(argument, json);
  if (command.name == "completion") return print_completion(command, argument);
  if (command.name == "help") return print_help(argument);
  return fail(Error{ErrorCode::internal, "nobody runs `smartcli " + std::string(command.name) + "`"}, json);
}

int run_complete(std::vector<std::string> words, const Environment& env) {
  if (!words.empty() && words[0] == "--") words.erase(words.begin());
  const Completion found = complete(std::move(words), [&env] { return sessions(env); });
  std::string out;
  for (const auto& candidate : found.candidates) {
    out += candidate.word + (candidate.doc.empty() ? "" : "\t" + candidate.doc) + "\n";
  }
  switch (found.rest) {
    case Completion::Rest::none: break;
    case Completion::Rest::files: out += ":files\n"; break;
    case Completion::Rest::directories: out += ":directories\n"; break;
    case Completion::Rest::programs: out += ":programs\n"; break;
  }
  write_all(1, out);
  return 0;
}

}  // namespace smartcli::cli
