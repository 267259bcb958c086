#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace smartcli::test {

/// Where this test program's messages, command lines and reached limits are recorded for `tests/contract/`: a
/// file in the folder that SMARTCLI_TEST_TRACES names; empty without it. A line each: {dir: "out" or "in",
/// method, message} as the client's SMARTCLI_TRACE writes it, {dir: "cli", argv, status}, {dir: "error",
/// code, detail} of `--json`, {dir: "limit", name}, {dir: "test", name}.
const std::string& trace_file();

void record(const nlohmann::json& line);

/// For a limit that cuts, drops or slows instead of refusing: this test has seen it do so.
void reached_limit(const std::string& name);

}  // namespace smartcli::test
