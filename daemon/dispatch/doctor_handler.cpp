#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/text.hpp"
#include "dispatch/handlers.hpp"
#include "helpers/helper.hpp"
#include "proto/codec.hpp"

namespace smartcli::dispatch {

namespace {

constexpr long kTmpfs = 0x01021994;                 // TMPFS_MAGIC
constexpr std::uint64_t kLittleSpace = 1ull << 30;  // less than 16 journals at their cap
constexpr long kFewTerminals = 100;
constexpr long kDescriptorsASession = 8;
constexpr int kDifferent = 1;  // exit status of smartcli-crosscheck

HealthCheck check(std::string name, Health health, std::string text) {
  HealthCheck out;
  out.name = std::move(name);
  out.health = health;
  out.text = std::move(text);
  return out;
}

/// A number that a file of the kernel's begins with; -1 if there is none.
long number_in(const char* path) {
  long n = -1;
  std::ifstream(path) >> n;
  return n;
}

HealthCheck check_user() {
  if (::geteuid() != 0) return check("user", Health::ok, "uid " + std::to_string(::geteuid()));
  return check("user", Health::warn, "runs as root: programs in its sessions may do anything");
}

HealthCheck check_runtime_folder(const std::string& folder) {
  struct statfs fs {};
  if (::statfs(folder.c_str(), &fs) != 0)
    return check("runtime folder", Health::fail,
                 folder + " is not there; `smartcli daemon stop`, then any verb");
  if (fs.f_type == kTmpfs) return check("runtime folder", Health::ok, folder);
  return check(
      "runtime folder", Health::warn,
      folder + " is not in memory: each chunk of output writes to its file system; set XDG_RUNTIME_DIR");
}

HealthCheck check_state_folder(const std::string& folder) {
  struct statvfs fs {};
  if (::statvfs(folder.c_str(), &fs) != 0 || ::access(folder.c_str(), W_OK) != 0)
    return check("state folder", Health::fail, folder + " cannot be written; journals are not kept");
  const std::uint64_t free = std::uint64_t{fs.f_bavail} * fs.f_frsize;
  const std::string words = folder + ", " + std::to_string(free >> 20) + " MiB free";
  if (free >= kLittleSpace) return check("state folder", Health::ok, words);
  return check("state folder", Health::warn, words + ": journals stop when it is full; close ended sessions");
}

HealthCheck check_descriptors(std::int64_t sessions_most) {
  struct rlimit files {};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const long wanted = kDescriptorsASession * sessions_most;
  const std::string words = std::to_string(files.rlim_cur) + " descriptors, at most " +
                            std::to_string(sessions_most) + " live sessions";
  if (files.rlim_cur >= static_cast<rlim_t>(wanted)) return check("descriptors", Health::ok, words);
  return check("descriptors", Health::warn,
               words + " want " + std::to_string(wanted) + "; raise the hard limit (ulimit -Hn)");
}

HealthCheck check_terminals() {
  const long most = number_in("/proc/sys/kernel/pty/max"), used = number_in("/proc/sys/kernel/pty/nr");
  if (most < 0 || used < 0) return check("terminals", Health::warn, "/proc/sys/kernel/pty cannot be read");
  const std::string words = std::to_string(used) + " of " + std::to_string(most) + " in use";
  if (most - used >= kFewTerminals) return check("terminals", Health::ok, words);
  return check("terminals", Health::warn, words + "; raise kernel.pty.max");
}

/// logind ends what a user left running at the last logout, unless told to let it linger.
HealthCheck check_lingering() {
  std::error_code ignored;
  if (!std::filesystem::exists("/run/systemd/system", ignored))
    return check("logout", Health::ok, "no systemd: nothing ends sessions at logout");
  const struct passwd* user = ::getpwuid(::geteuid());
  const std::string mark = std::string("/var/lib/systemd/linger/") + (user != nullptr ? user->pw_name : "");
  if (::geteuid() == 0 || (user != nullptr && std::filesystem::exists(mark, ignored)))
    return check("logout", Health::ok, "sessions go on after your last logout");
  return check("logout", Health::warn,
               "sessions may be ended at your last logout; `loginctl enable-linger` keeps them");
}

}  // namespace

Reply<Doctor::Reply> Handlers::handle(Doctor::Request request, Call call) {
  co_await table_.until_adopted();
  Doctor::Reply reply;
  reply.checks.push_back(check("daemon", Health::ok,
                               "version " + std::string(version()) + ", protocol " +
                                   std::to_string(kProtocolMin) + " to " + std::to_string(kProtocolMax)));
  reply.checks.push_back(check_user());
  reply.checks.push_back(check_runtime_folder(paths_.runtime_dir));
  reply.checks.push_back(check_state_folder(paths_.state_dir));
  reply.checks.push_back(check_descriptors(limits_[LimitId::sessions]));
  reply.checks.push_back(check_terminals());
  reply.checks.push_back(check_lingering());
  std::string degraded, lost;
  for (const auto& session : table_.all()) {
    if (session->counters().journal == JournalState::degraded) degraded += " " + session->sid();
    if (session->is_lost()) lost += " " + session->sid();
  }
  reply.checks.push_back(
      degraded.empty()
          ? check("journals", Health::ok, "all are written")
          : check("journals", Health::fail, "not written, for want of space or by a fault:" + degraded));
  reply.checks.push_back(lost.empty() ? check("shims", Health::ok, "all that should live do")
                                      : check("shims", Health::warn, "died before their programs:" + lost));
  const bool has_second = ::access(control_.crosscheck.c_str(), X_OK) == 0;
  reply.checks.push_back(has_second
                             ? check("second opinion", Health::ok, "installed")
                             : check("second opinion", Health::warn, "smartcli-crosscheck is not installed"));

  if (!request.second_opinion) co_return reply;
  auto found = co_await table_.find(request.second_opinion->text);
  if (!found) co_return found.error();
  helpers::Helper helper;
  helper.program = control_.crosscheck;
  helper.args = {"--json", (*found)->folder()};
  session::Cancellation::Token token = 0;
  auto ended = co_await helpers::run(std::move(helper), [&](std::function<void()> end) {
    if (call.cancel) token = call.cancel->subscribe(std::move(end));
  });
  if (call.cancel) call.cancel->unsubscribe(token);
  if (!ended) co_return ended.error();
  if (ended->status > kDifferent)
    co_return Error{ErrorCode::internal, "no second opinion: " + text::inert_line(ended->err)};
  auto opinion = decode_text<Doctor::Reply>(ended->out);
  if (!opinion) co_return opinion.error();
  reply.second_opinion = std::move(opinion->second_opinion);
  co_return reply;
}

}  // namespace smartcli::dispatch
