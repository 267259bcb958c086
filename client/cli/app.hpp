#pragma once

#include <string>
#include <vector>

#include "common/env.hpp"

namespace smartcli::cli {

/// Runs one command line (without the program's name). Returns the exit status of SPEC section 2.
int run(const std::vector<std::string>& args, const Environment& env);

}  // namespace smartcli::cli
