#include "common/log.hpp"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "common/text.hpp"

namespace smartcli::log {
namespace {
std::shared_ptr<spdlog::logger>& logger() {
  static std::shared_ptr<spdlog::logger> instance;
  return instance;
}
}  // namespace

void open(const std::string& path, std::string_view level) {
  try {
    auto created = std::make_shared<spdlog::logger>(
        "smartclid", std::make_shared<spdlog::sinks::rotating_file_sink_st>(path, 1 << 20, 3));
    created->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    auto wanted = spdlog::level::info;
    if (level == "error") wanted = spdlog::level::err;
    if (level == "warning") wanted = spdlog::level::warn;
    if (level == "debug") wanted = spdlog::level::debug;
    created->set_level(wanted);
    created->flush_on(spdlog::level::info);
    logger() = std::move(created);
  } catch (const spdlog::spdlog_ex&) {
    logger() = nullptr;  // a daemon without a log still serves
  }
}

void write(Level level, std::string_view line) {
  if (!logger()) return;
  auto as = spdlog::level::info;
  if (level == Level::error) as = spdlog::level::err;
  if (level == Level::warning) as = spdlog::level::warn;
  if (level == Level::debug) as = spdlog::level::debug;
  logger()->log(as, text::inert_line(line));
}

}  // namespace smartcli::log
