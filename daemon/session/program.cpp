#include "session/program.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/text.hpp"
#include "session/state.hpp"

namespace smartcli::session {
namespace {

std::string_view name_of(std::string_view entry) {
  return entry.substr(0, entry.find('='));
}

enum class Found { no, yes, not_executable };

Found look(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return errno == EACCES ? Found::not_executable : Found::no;
  if (!S_ISREG(st.st_mode) || ::access(path.c_str(), X_OK) != 0) return Found::not_executable;
  return Found::yes;
}

void set(std::vector<std::string>& env, std::string entry) {
  const auto name = name_of(entry);
  std::erase_if(env, [&](const std::string& other) { return name_of(other) == name; });
  env.push_back(std::move(entry));
}

}  // namespace

std::string value_of(const std::vector<std::string>& env, std::string_view name) {
  for (const auto& entry : env) {
    if (name_of(entry) == name && entry.size() > name.size()) return entry.substr(name.size() + 1);
  }
  return {};
}

Result<std::string> find_program(const std::string& name, const std::vector<std::string>& env,
                                 const std::string& cwd) {
  const auto denied = [&](const std::string& path) {
    return Error{ErrorCode::not_executable,
                 "cannot execute " + text::quoted(path, 200) + ": not an executable file", path};
  };
  if (name.find('/') != std::string::npos) {
    const std::string path = name[0] == '/' ? name : cwd + "/" + name;
    const auto found = look(path);
    if (found == Found::not_executable) return denied(name);
    if (found == Found::no) {
      return Error{ErrorCode::program_not_found,
                   "cannot execute " + text::quoted(name, 200) + ": no such file", name};
    }
    return path;
  }
  std::string path = value_of(env, "PATH");
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  std::string refused;
  std::string_view rest = path;
  for (;;) {
    const auto colon = rest.find(':');
    std::string folder(rest.substr(0, colon));
    if (folder.empty()) folder = cwd;  // POSIX: an empty prefix is the working directory
    if (folder[0] != '/') folder = cwd + "/" + folder;
    const std::string candidate = folder + "/" + name;
    const auto found = look(candidate);
    if (found == Found::yes) return candidate;
    if (found == Found::not_executable && refused.empty()) refused = candidate;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (!refused.empty()) return denied(refused);
  return Error{ErrorCode::program_not_found,
               "no program " + text::quoted(name, 200) + " in PATH (" + text::quoted(path, 200) + ")", name};
}

Result<Command> command_of(std::vector<std::string> argv, std::optional<std::string> line, bool login,
                           const std::vector<std::string>& env) {
  if (line && !argv.empty()) {
    return Error{ErrorCode::invalid_argument,
                 "give a program or a line for the shell (--shell-command), not both", "shell_command"};
  }
  Command command;
  command.argv = std::move(argv);
  if (command.argv.empty()) command.argv.push_back(user_shell(env));
  if (line) command.argv.insert(command.argv.end(), {"-c", std::move(*line)});
  command.file = command.argv[0];
  if (!login) return command;
  if (!is_shell(command.file)) {
    return Error{ErrorCode::invalid_argument,
                 "--login is for shells; " + text::quoted(command.file) + " is none that is known", "login"};
  }
  command.argv[0] = "-" + command.file.substr(command.file.rfind('/') + 1);
  return command;
}

std::vector<std::string> clean_environment(std::vector<std::string> env) {
  std::erase_if(env, [](const std::string& entry) {
    const auto name = name_of(entry);
    for (const char* kept : {"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TZ", "USER"}) {
      if (name == kept) return false;
    }
    return !name.starts_with("LC_");
  });
  return env;
}

std::string user_shell(const std::vector<std::string>& env) {
  if (auto shell = value_of(env, "SHELL"); !shell.empty()) return shell;
  if (const auto* entry = ::getpwuid(::getuid());
      entry != nullptr && entry->pw_shell != nullptr && *entry->pw_shell != 0) {
    return entry->pw_shell;
  }
  return "/bin/sh";
}

std::vector<std::string> program_environment(std::vector<std::string> base,
                                             const std::vector<std::string>& extra) {
  std::erase_if(base, [](const std::string& entry) {
    const auto name = name_of(entry);
    return name == "COLUMNS" || name == "LINES" || name == "SMARTCLI_SID" || name == "TERM" ||
           name == "COLORTERM" || name.empty();
  });
  base.emplace_back("TERM=xterm-256color");
  base.emplace_back("COLORTERM=truecolor");
  for (const auto& entry : extra) set(base, entry);
  return base;
}

}  // namespace smartcli::session
