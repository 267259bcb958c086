#pragma once

#include <string>
#include <string_view>

#include "common/error.hpp"

namespace smartcli::cli {

/// All of it, or as much as its reader takes.
void write_all(int fd, std::string_view text);

/// Says the error on stderr, with `json` as one object on stdout too. Returns its exit status.
int fail(const Error& error, bool json);

/// An error of who typed the command, which ends by naming its help.
Error usage(std::string message, std::string_view command);

}  // namespace smartcli::cli
