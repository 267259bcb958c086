// smartcli: the thin client. Decides nothing that the daemon knows.

#include <unistd.h>
#include <csignal>
#include <string>
#include <vector>

#include "cli/app.hpp"

namespace {

/// The connection ends with us, and with it the wait; the session is untouched. SPEC section 2: 130 and 143.
void leave(int number) {
  ::_exit(128 + number);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, leave);
  std::signal(SIGTERM, leave);
  return smartcli::cli::run(std::vector<std::string>(argv + 1, argv + argc), smartcli::SystemEnvironment());
}
