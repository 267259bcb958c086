#include "peers.hpp"

#include <libtsm.h>
#include <vterm.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "terminal/terminal.hpp"

namespace smartcli::bench {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

double megabytes_per_second(std::string_view bytes, const std::function<void(std::string_view)>& feed) {
  constexpr std::size_t kPiece = 64 << 10;
  const double start = cpu_seconds();
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) feed(bytes.substr(at, kPiece));
  return static_cast<double>(bytes.size()) / 1e6 / (cpu_seconds() - start);
}

double run_ours(std::string_view bytes) {
  terminal::Terminal terminal({kCols, kRows}, {kHistory, 64 << 20});
  return megabytes_per_second(bytes, [&](std::string_view piece) {
    terminal.feed(piece);
    terminal.trim_history();
    terminal.take_replies();
    terminal.take_events();
  });
}

double run_vterm(std::string_view bytes) {
  VTerm* vt = vterm_new(kRows, kCols);
  vterm_set_utf8(vt, 1);
  vterm_screen_enable_altscreen(vterm_obtain_screen(vt), 1);
  vterm_screen_reset(vterm_obtain_screen(vt), 1);
  const double speed = megabytes_per_second(
      bytes, [&](std::string_view piece) { vterm_input_write(vt, piece.data(), piece.size()); });
  vterm_free(vt);
  return speed;
}

double run_tsm(std::string_view bytes) {
  tsm_screen* screen = nullptr;
  tsm_vte* vte = nullptr;
  if (tsm_screen_new(&screen, nullptr, nullptr) < 0) std::abort();
  tsm_screen_set_max_sb(screen, kHistory);
  tsm_screen_resize(screen, kCols, kRows);
  if (tsm_vte_new(
          &vte, screen, [](tsm_vte*, const char*, size_t, void*) {}, nullptr, nullptr, nullptr) < 0)
    std::abort();
  const double speed = megabytes_per_second(
      bytes, [&](std::string_view piece) { tsm_vte_input(vte, piece.data(), piece.size()); });
  tsm_vte_unref(vte);
  tsm_screen_clear_sb(screen);
  tsm_screen_unref(screen);
  return speed;
}

std::vector<double> run_xterm_js(const std::vector<Stream>& streams, std::size_t bytes) {
  const char* modules = std::getenv("SMARTCLI_XTERM_JS");
  if (modules == nullptr) return {};
  const auto folder = std::filesystem::temp_directory_path() / ("bench-" + std::to_string(std::rand()));
  std::filesystem::create_directory(folder);
  std::string command = std::string("node " SMARTCLI_BENCH "/xterm_js.mjs '") + modules + "'";
  for (std::size_t n = 0; n < streams.size(); ++n) {
    const auto file = folder / std::to_string(n);
    std::ofstream(file, std::ios::binary) << streams[n].bytes.substr(0, bytes);
    command += " '" + file.string() + "'";
  }
  std::vector<double> out;
  if (FILE* pipe = popen(command.c_str(), "r")) {
    double speed = 0;
    while (std::fscanf(pipe, "%lf", &speed) == 1) out.push_back(speed);
    if (pclose(pipe) != 0 || out.size() != streams.size()) out.clear();
  }
  std::filesystem::remove_all(folder);
  return out;
}

}  // namespace smartcli::bench
