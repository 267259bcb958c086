#include "support/daemon_fixture.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/trace.hpp"

namespace smartcli::test {

DaemonFixture::DaemonFixture() {
  char name[] = "/tmp/smartcli-test-XXXXXX";
  if (::mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp");
  folder = name;
  for (const char* part : {"/run", "/state", "/home"}) ::mkdir((folder + part).c_str(), 0700);
  env = {
      {"XDG_RUNTIME_DIR", folder + "/run"},
      {"XDG_STATE_HOME", folder + "/state"},
      {"HOME", folder + "/home"},
      {"PATH", std::string(SMARTCLI_BIN) + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
      {"LANG", "C.UTF-8"},
      {"SHELL", "/bin/bash"},
      {"SMARTCLI_LOG", "debug"}};
  if (!trace_file().empty()) env["SMARTCLI_TRACE"] = trace_file();
  for (const char* kept : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* value = ::getenv(kept)) env[kept] = value;
  }
}

DaemonFixture::~DaemonFixture() {
  cwd.clear();
  env.erase("SMARTCLI_NO_AUTOSTART");
  cli({"daemon", "stop", "--end-sessions"});
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

Process DaemonFixture::start(std::vector<std::string> args, std::string input) {
  const auto words = args;
  args.insert(args.begin(), std::string(SMARTCLI_BIN) + "/smartcli");
  Process process(std::move(args), env, std::move(input), cwd);
  process.on_end([words](int status) { record({{"dir", "cli"}, {"argv", words}, {"status", status}}); });
  return process;
}

Output DaemonFixture::cli(std::vector<std::string> args, std::string input) {
  return start(std::move(args), std::move(input)).wait();
}

Output DaemonFixture::run(std::vector<std::string> argv) {
  return Process(std::move(argv), env, {}, cwd).wait();
}

std::string DaemonFixture::ok(std::vector<std::string> args, std::string input) {
  std::string line;
  for (const auto& arg : args) line += arg + " ";
  const auto output = cli(std::move(args), std::move(input));
  INFO("smartcli " << line << "\nstatus " << output.status << "\nstderr: " << output.err
                   << "stdout: " << output.out);
  REQUIRE(output.status == 0);
  auto text = output.out;
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

nlohmann::json DaemonFixture::json(std::vector<std::string> args) {
  const bool two_words = args[0] == "daemon";
  args.insert(args.begin() + (two_words ? 2 : 1), "--json");
  const auto output = cli(std::move(args));
  INFO(output.out << output.err);
  auto parsed = nlohmann::json::parse(output.out, nullptr, false);
  REQUIRE(!parsed.is_discarded());
  if (parsed.contains("error"))
    record({{"dir", "error"}, {"code", parsed["error"]["code"]}, {"detail", parsed["error"]["detail"]}});
  return parsed;
}

int DaemonFixture::daemon_pid() {
  auto status = json({"daemon", "status"});
  return status.value("pid", 0);
}

void DaemonFixture::kill_daemon() {
  const int pid = daemon_pid();
  REQUIRE(pid > 1);
  ::kill(pid, SIGKILL);
  REQUIRE(becomes_true([pid] { return !is_running(pid); }));
}

bool becomes_true(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

bool is_running(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(stat, line)) return false;
  const auto at = line.rfind(')');
  return at != std::string::npos && line.size() > at + 2 && line[at + 2] != 'Z' && line[at + 2] != 'X';
}

std::string write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace smartcli::test
