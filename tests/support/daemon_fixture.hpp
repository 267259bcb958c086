#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace smartcli::test {

/// A daemon of its own: socket, state and home in a fresh private folder. Starts by itself with the first
/// `spawn`; everything it holds is ended with the fixture.
class DaemonFixture {
 public:
  DaemonFixture();
  ~DaemonFixture();

  /// Runs `smartcli ARGS...` to its end.
  Output cli(std::vector<std::string> args, std::string input = {});
  /// As `cli`; requires exit status 0 and returns stdout without its last newline.
  std::string ok(std::vector<std::string> args, std::string input = {});
  /// As `cli` with --json (put after the verb); requires JSON on stdout, whatever the status.
  nlohmann::json json(std::vector<std::string> args);
  /// Starts it and goes on.
  Process start(std::vector<std::string> args, std::string input = {});
  /// Any other program, with this environment.
  Output run(std::vector<std::string> argv);

  int daemon_pid();
  void kill_daemon();  ///< -9, and waits until it is gone

  std::map<std::string, std::string> env;
  std::string folder;  ///< the fixture's own
  std::string cwd;     ///< of the clients; empty: the tests'
  std::string socket() const { return folder + "/run/smartcli/daemon.sock"; }
};

/// True as soon as `condition` holds; false if it does not within `limit`. Looks again every few
/// milliseconds.
bool becomes_true(const std::function<bool()>& condition,
                  std::chrono::milliseconds limit = std::chrono::seconds(10));
/// The process exists and is no zombie.
bool is_running(int pid);
/// Writes a program for the scenarios of the reports and returns its path.
std::string write_file(const std::string& path, const std::string& text);

}  // namespace smartcli::test
