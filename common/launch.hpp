#pragma once

namespace smartcli {

/// Exit status of the daemon's launcher where another daemon holds the lock: the client waits for that one.
inline constexpr int kAlreadyRuns = 9;

}  // namespace smartcli
