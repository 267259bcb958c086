#pragma once

#include <string>
#include <string_view>

namespace smartcli::log {

enum class Level { error, warning, info, debug };

/// Opens the rotating log file (0600, 1 MiB, three kept). Before that, and if it cannot be opened, nothing is
/// written.
/// @param level  "error", "warning", "info" or "debug" (`SMARTCLI_LOG`); anything else is info
void open(const std::string& path, std::string_view level);
/// One line, made inert first (T23). Never a secret, never a program's output.
void write(Level level, std::string_view line);
inline void error(std::string_view line) {
  write(Level::error, line);
}
inline void warning(std::string_view line) {
  write(Level::warning, line);
}
inline void info(std::string_view line) {
  write(Level::info, line);
}
inline void debug(std::string_view line) {
  write(Level::debug, line);
}

}  // namespace smartcli::log
