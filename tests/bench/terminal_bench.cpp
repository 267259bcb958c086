// Parser and screen alone, MB/s, beside libvterm and libtsm in the same run: interleaved rounds, medians,
// ratios. Gates (goals) of DESIGN.md section 5: ASCII 200 (400), SGR 120 (200), CJK 120 (200), TUI 100 (150).

#include <libtsm.h>
#include <vterm.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/terminal.hpp"

namespace {

constexpr int kCols = 80, kRows = 24;
constexpr std::size_t kPiece = 64 << 10;
constexpr std::size_t kHistory = 10'000;

std::string repeated_to(std::size_t bytes, const std::function<void(std::string&)>& add) {
  std::string out;
  while (out.size() < bytes) add(out);
  return out;
}

struct Stream {
  const char* name;
  double gate, goal;
  std::string bytes;
};

std::vector<Stream> make_streams(std::size_t bytes) {
  std::mt19937 random(7);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto words = [&](std::string& out, int n) {
    for (int i = 0; i < n; ++i) out += below(6) == 0 ? ' ' : static_cast<char>('a' + below(26));
  };
  auto number = [&](int n) { return std::to_string(below(n)); };
  std::vector<Stream> streams;
  streams.push_back({"ASCII lines", 200, 400, repeated_to(bytes, [&](std::string& out) {
                       words(out, 40 + below(40));
                       out += "\r\n";
                     })});
  streams.push_back({"SGR-dense", 120, 200, repeated_to(bytes, [&](std::string& out) {
                       for (int i = 0; i < 10; ++i) {
                         if (below(2))
                           out += "\033[38;5;" + number(256) + "m";
                         else
                           out += "\033[1;38;2;" + number(256) + ";" + number(256) + ";" + number(256) + "m";
                         words(out, 7);
                         out += "\033[0m";
                       }
                       out += "\r\n";
                     })});
  streams.push_back({"CJK", 120, 200, repeated_to(bytes, [&](std::string& out) {
                       for (int i = 20 + below(20); i > 0; --i) {
                         const unsigned c = 0x4e00 + static_cast<unsigned>(below(0x5000));
                         out += static_cast<char>(0xe0 | c >> 12);
                         out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
                         out += static_cast<char>(0x80 | (c & 0x3f));
                       }
                       out += "\r\n";
                     })});
  streams.push_back({"TUI", 100, 150, repeated_to(bytes, [&](std::string& out) {
                       out += "\033[" + std::to_string(1 + below(kRows)) + ";" +
                              std::to_string(1 + below(60)) + "H";
                       out += "\033[" + number(2) + ";3" + number(8) + ";4" + number(8) + "m";
                       words(out, 6 + below(14));
                       switch (below(6)) {
                         case 0: out += "\033[K"; break;
                         case 1: out += "\033[m\033[2X"; break;
                         case 2: out += "\033[5;20r\033[20;1H\n\033[r"; break;
                         case 3: out += "\u2502\u2500\u2500"; break;
                         case 4: out += "\033[?25l\033[3C\033[A\033[?25h"; break;
                         default: out += "\r\n"; break;
                       }
                     })});
  return streams;
}

using Feed = std::function<void(std::string_view)>;

// Of the processor, not the clock on the wall: the machine may be shared.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double megabytes_per_second(std::string_view bytes, const Feed& feed) {
  const double start = cpu_seconds();
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) feed(bytes.substr(at, kPiece));
  return static_cast<double>(bytes.size()) / 1e6 / (cpu_seconds() - start);
}

double run_ours(std::string_view bytes) {
  smartcli::terminal::Terminal terminal({kCols, kRows}, {kHistory, 64 << 20});
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

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  const bool has_peers = argc <= 2;  // a second argument leaves them out, for profiling
  std::printf("%-12s %10s %8s %8s %10s %10s %8s %8s\n", "stream", "MB/s", "gate", "goal", "libvterm",
              "libtsm", "x vterm", "x tsm");
  for (const Stream& stream : make_streams(16 << 20)) {
    const std::string_view few = std::string_view(stream.bytes).substr(0, 2 << 20);
    std::vector<double> ours, vterm, tsm;
    for (int round = 0; round < rounds; ++round) {
      ours.push_back(run_ours(stream.bytes));
      vterm.push_back(has_peers ? run_vterm(few) : 1);
      tsm.push_back(has_peers ? run_tsm(few) : 1);
    }
    const double a = median(ours), b = median(vterm), c = median(tsm);
    std::printf("%-12s %10.1f %8.0f %8.0f %10.1f %10.1f %8.1f %8.1f%s\n", stream.name, a, stream.gate,
                stream.goal, b, c, a / b, a / c, a < stream.gate ? "  BELOW THE GATE" : "");
  }
  return 0;
}
