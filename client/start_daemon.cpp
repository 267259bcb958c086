#include "start_daemon.hpp"

// Boost.Process v2's process_environment does not link header-only in 1.81; the launcher's `env` member
// serves.
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/process/v2/posix/default_launcher.hpp>
#include <boost/process/v2/process.hpp>
#include <boost/process/v2/stdio.hpp>
#include <csignal>
#include <string_view>
#include <vector>

extern char** environ;

namespace smartcli::client {

Started start_daemon(const std::string& program) {
  namespace process = boost::process::v2;
  Started started;
  // An ignored SIGCHLD, as some callers leave it, would swallow the launcher's status.
  ::signal(SIGCHLD, SIG_DFL);
  std::vector<const char*> clean;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("LD_")) clean.push_back(*entry);
  }
  clean.push_back(nullptr);
  try {
    boost::asio::io_context context;
    boost::asio::readable_pipe errors(context);
    process::posix::default_launcher launcher;
    launcher.env = clean.data();
    boost::system::error_code error;
    auto child = launcher(context.get_executor(), error, program, std::vector<std::string>{},
                          process::process_stdio{nullptr, nullptr, errors});
    if (error) {
      started.message = "cannot start " + program + ": " + error.message();
      return started;
    }
    // The launcher's own copy of the pipe ends with it; the daemon has given its standard streams away.
    boost::asio::read(errors, boost::asio::dynamic_buffer(started.message), error);
    child.wait(error);
    started.status = child.exit_code();
    child.detach();  // waited for: its destructor must not ask for that pid again
  } catch (const std::exception& failure) {
    started.message = "cannot start " + program + ": " + failure.what();
  }
  while (!started.message.empty() && started.message.back() == '\n') started.message.pop_back();
  return started;
}

std::string version_of(const std::string& program) {
  namespace process = boost::process::v2;
  if (program.empty()) return {};
  ::signal(SIGCHLD, SIG_DFL);
  std::string out;
  try {
    boost::asio::io_context context;
    boost::asio::readable_pipe output(context);
    process::posix::default_launcher launcher;
    boost::system::error_code error;
    auto child = launcher(context.get_executor(), error, program, std::vector<std::string>{"--version"},
                          process::process_stdio{nullptr, output, nullptr});
    if (error) return {};
    boost::asio::read(output, boost::asio::dynamic_buffer(out), error);
    child.wait(error);
    const int status = child.exit_code();
    child.detach();
    if (status != 0) return {};
  } catch (const std::exception&) {
    return {};
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

}  // namespace smartcli::client
