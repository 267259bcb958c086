#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>

#include "common/text.hpp"
#include "proto/frame.hpp"

namespace smartcli::cli {

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

int fail(const Error& error, bool json) {
  if (json) write_all(1, error_json(error) + "\n");
  write_all(2, "smartcli: " + text::inert_line(error.message) + "\n");
  return info(error.code).exit_status;
}

Error usage(std::string message, std::string_view command) {
  return Error{ErrorCode::invalid_argument,
               std::move(message) + " (smartcli " + std::string(command) + " --help)"};
}

}  // namespace smartcli::cli
