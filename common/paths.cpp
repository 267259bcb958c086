#include "common/paths.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "common/fd.hpp"
#include "common/text.hpp"

namespace smartcli::paths {
namespace {

bool is_absolute(const std::string& path) {
  return !path.empty() && path[0] == '/';
}

/// FNV-1a, 64 bits: a stable name, not a secret.
std::string key_of(const std::string& path) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
  return hex;
}

bool is_our_directory(const std::string& path, unsigned uid) {
  struct stat st {};
  return ::lstat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == uid &&
         (st.st_mode & 077) == 0;
}

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::string home_of(const Environment& env, unsigned uid, const std::string& passwd) {
  const auto is_home = [](const std::string& path) {
    struct stat st {};
    return is_absolute(path) && path.find_first_not_of('/') != std::string::npos &&
           ::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
  };
  if (auto home = env.get("HOME").value_or(""); is_home(home)) return home;
  std::ifstream entries(passwd);
  for (std::string line; std::getline(entries, line);) {
    std::istringstream entry(line);
    std::string name, password, number, group, comment, home;
    for (auto* field : {&name, &password, &number, &group, &comment, &home}) std::getline(entry, *field, ':');
    if (number == std::to_string(uid)) return is_home(home) ? home : std::string();
  }
  return {};
}

Result<Paths> find(const Environment& env, unsigned uid, const std::string& home) {
  Paths paths;
  auto socket = env.get_nonempty("SMARTCLI_SOCKET");
  std::string named_by = "SMARTCLI_SOCKET";
  if (const auto host = env.get_nonempty("SMARTCLI_HOST"); host && !socket) {
    if (!host->starts_with("unix:")) {
      return Error{ErrorCode::invalid_argument,
                   "SMARTCLI_HOST=" + text::quoted(*host) + ": this version reaches unix:PATH only"};
    }
    socket = host->substr(5);
    named_by = "SMARTCLI_HOST";
  }
  if (socket) {
    if (!is_absolute(*socket) || socket->ends_with('/')) {
      return Error{ErrorCode::invalid_argument,
                   named_by + " must name a socket by its absolute path, not " + text::quoted(*socket)};
    }
    paths.socket = *socket;
    paths.runtime_dir = parent_of(*socket);
  } else {
    const auto runtime = env.get_nonempty("XDG_RUNTIME_DIR");
    const std::string user_dir = "/run/user/" + std::to_string(uid);
    if (runtime && is_absolute(*runtime)) {
      paths.runtime_dir = *runtime + "/smartcli";
    } else if (is_our_directory(user_dir, uid)) {
      paths.runtime_dir = user_dir + "/smartcli";
    } else {
      paths.runtime_dir = "/tmp/smartcli-" + std::to_string(uid);
    }
    paths.socket = paths.runtime_dir + "/daemon.sock";
  }
  if (paths.socket.size() > kSocketPathBytes) {
    return Error{ErrorCode::invalid_argument,
                 "the socket path " + text::quoted(paths.socket, 200) + " has " +
                     std::to_string(paths.socket.size()) + " bytes, the system's limit is " +
                     std::to_string(kSocketPathBytes) +
                     "; set SMARTCLI_SOCKET or XDG_RUNTIME_DIR to a shorter one"};
  }
  paths.lock = paths.socket + ".lock";
  paths.shims_dir = paths.socket + ".d";
  const auto state = env.get_nonempty("XDG_STATE_HOME");
  if (state && is_absolute(*state)) {
    paths.state_dir = *state + "/smartcli/" + key_of(paths.socket);
  } else if (!home.empty()) {
    paths.state_dir = home + "/.local/state/smartcli/" + key_of(paths.socket);
  } else {
    paths.state_dir = paths.socket + ".state";
  }
  paths.log = paths.state_dir + "/daemon.log";
  paths.sessions_dir = paths.state_dir + "/sessions";
  return paths;
}

Result<void> make_private(const std::string& folder, unsigned uid) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return errno_error(ErrorCode::resource_exhausted, "cannot make the folder " + text::quoted(folder, 200),
                       errno);
  }
  // Through a descriptor, so that what is checked is what stands there, not what a link points to.
  const Fd fd(::open(folder.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat st {};
  if (!fd || ::fstat(fd.get(), &st) != 0) {
    return errno_error(ErrorCode::resource_exhausted,
                       "cannot look at the folder " + text::quoted(folder, 200), errno);
  }
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::policy_denied, "will not use " + text::quoted(folder, 200) + ": " + why +
                                               "; remove it, or set XDG_RUNTIME_DIR to a folder of your own"};
  };
  if (S_ISLNK(st.st_mode)) return refuse("it is a symbolic link");
  if (!S_ISDIR(st.st_mode)) return refuse("it is not a directory");
  if (st.st_uid != uid) return refuse("it belongs to uid " + std::to_string(st.st_uid));
  if ((st.st_mode & 077) != 0) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(st.st_mode & 07777));
    return refuse(std::string("its mode ") + mode + " lets others in (0700 is needed)");
  }
  return {};
}

Result<void> make_private_tree(const std::string& folder, unsigned uid) {
  for (std::size_t at = folder.find('/', 1); at != std::string::npos; at = folder.find('/', at + 1)) {
    const std::string part = folder.substr(0, at);
    struct stat st {};
    if (::stat(part.c_str(), &st) == 0) continue;
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return errno_error(ErrorCode::resource_exhausted, "cannot make the folder " + text::quoted(part, 200),
                         errno);
    }
  }
  return make_private(folder, uid);
}

}  // namespace smartcli::paths
