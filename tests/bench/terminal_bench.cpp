// The terminal core alone, beside libvterm, libtsm and (with $SMARTCLI_XTERM_JS, a node_modules folder that
// holds it) @xterm/headless in the same run: interleaved rounds, medians. Prints a page in Markdown. Gates
// (goals) of DESIGN.md section 5. Not a timed test: it prints, and exits 0.
//
// usage: terminal_bench [ROUNDS]    `terminal_bench 1 ours`: our throughput alone, for profiling

#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "peers.hpp"
#include "streams.hpp"
#include "terminal/terminal.hpp"

using namespace smartcli::bench;
using smartcli::terminal::Terminal;

namespace {

void print_throughput(const std::vector<Stream>& streams, int rounds, bool has_peers) {
  std::printf("## Throughput, 80x24, 10 000 lines of history, MB/s\n\n");
  std::printf(
      "| stream | smartcli | gate (goal) | libvterm | libtsm | @xterm/headless "
      "|\n|---|---|---|---|---|---|\n");
  constexpr std::size_t kFew = 2 << 20;
  const std::vector<double> js = has_peers ? run_xterm_js(streams, kFew) : std::vector<double>();
  for (std::size_t n = 0; n < streams.size(); ++n) {
    const Stream& stream = streams[n];
    const std::string_view few = std::string_view(stream.bytes).substr(0, kFew);
    std::vector<double> ours, vterm, tsm;
    for (int round = 0; round < rounds; ++round) {
      ours.push_back(run_ours(stream.bytes));
      if (!has_peers) continue;
      vterm.push_back(run_vterm(few));
      tsm.push_back(run_tsm(few));
    }
    const double a = median(ours);
    std::printf("| %s | **%.0f** | %.0f (%.0f)%s |", stream.name, a, stream.gate, stream.goal,
                a < stream.gate ? " BELOW" : "");
    auto peer = [&](double speed) { std::printf(" %.0f (%.1fx) |", speed, a / speed); };
    if (has_peers) {
      peer(median(vterm));
      peer(median(tsm));
      js.empty() ? static_cast<void>(std::printf(" not run |")) : peer(js[n]);
    }
    std::printf("\n");
  }
}

void print_flatness(const std::vector<Stream>& streams) {
  std::printf("\n## Cost as output grows, MB/s of each part of one run\n\n");
  std::printf(
      "| stream | first 1 MB | 1 to 16 MB | 16 to 256 MB | 256 MB to 1 GB |\n|---|---|---|---|---|\n");
  for (const Stream& stream : streams) {
    Terminal terminal({kCols, kRows}, {kHistory, 64 << 20});
    std::printf("| %s |", stream.name);
    std::uint64_t done = 0;
    for (const std::uint64_t until : {1ull << 20, 16ull << 20, 256ull << 20, 1ull << 30}) {
      const double start = cpu_seconds();
      const std::uint64_t from = done;
      while (done < until) {
        const std::size_t at = done % stream.bytes.size();
        const auto piece =
            std::string_view(stream.bytes).substr(at, std::min<std::uint64_t>(64 << 10, until - done));
        terminal.feed(piece);
        terminal.trim_history();
        terminal.take_replies();
        terminal.take_events();
        done += piece.size();
      }
      std::printf(" %.0f |", static_cast<double>(done - from) / 1e6 / (cpu_seconds() - start));
    }
    std::printf("\n");
  }
}

/// Microseconds of one call.
template <class Call>
double microseconds(Call call) {
  std::vector<double> rounds;
  for (int round = 0; round < 9; ++round) {
    constexpr int kTimes = 200;
    const double start = cpu_seconds();
    for (int i = 0; i < kTimes; ++i) call();
    rounds.push_back((cpu_seconds() - start) * 1e6 / kTimes);
  }
  return median(rounds);
}

void print_snapshots() {
  std::printf("\n## A full screen as text, microseconds\n\n");
  std::printf("| size | history | text | gate | text and both hashes |\n|---|---|---|---|---|\n");
  struct Case {
    int cols, rows, lines;
    double gate;
  };
  for (const Case& c : {Case{80, 24, 0, 10}, Case{80, 24, 10'000, 10}, Case{200, 50, 0, 50},
                        Case{200, 50, 10'000, 50}, Case{200, 50, 1'000'000, 50}}) {
    Terminal terminal({c.cols, c.rows}, {static_cast<std::size_t>(c.lines), std::size_t{256} << 20});
    std::string line(static_cast<std::size_t>(c.cols), 'x');
    for (std::size_t i = 7; i < line.size(); i += 8) line[i] = ' ';
    for (int i = 0; i < c.lines + c.rows; ++i)
      terminal.feed("\033[3" + std::to_string(i % 8) + "m" + line + "\r\n");
    terminal.trim_history();
    std::size_t used = 0;
    const double text = microseconds([&] { used += terminal.screen_text().size(); });
    const double all = microseconds(
        [&] { used += terminal.screen_text().size() + terminal.text_hash() + terminal.visual_hash(); });
    if (used == 0) std::abort();
    std::printf("| %dx%d | %d | **%.1f** | %.0f%s | %.1f |\n", c.cols, c.rows, c.lines, text, c.gate,
                text > c.gate ? " ABOVE" : "", all);
  }
}

void print_memory() {
  std::printf("\n## Memory\n\n| what | bytes | gate |\n|---|---|---|\n");
  auto in_use = [] {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const auto before = in_use();
  Terminal terminal({kCols, kRows}, {kHistory, 64 << 20});
  terminal.feed("\033[?1049h$ \033[?1049l$ ");
  const auto idle = in_use() - before;
  std::printf("| idle session of 80x24, both screens | %zu | 65536%s |\n", idle,
              idle > 65536 ? " ABOVE" : "");
  std::string line(80, 'x');
  for (std::size_t i = 0; i < kHistory + kRows; ++i) terminal.feed(line + "\r\n");
  terminal.trim_history();
  const auto full = in_use() - before - idle;
  std::printf("| 10 000 lines of 80 columns | %zu | 1200000%s |\n", full, full > 1'200'000 ? " ABOVE" : "");
}

/// No sequence costs more than a few screens.
void print_repeats() {
  std::printf(
      "\n## The largest counts, 200x50, milliseconds of one sequence (gate 1)\n\n| sequence | ms "
      "|\n|---|---|\n");
  double worst = 0;
  for (const char* final :
       {"A", "B", "C", "D", "E", "F",  "G",  "H",  "I",  "L",  "M",  "P",  "S",  "T",  "X",  "Z", "@", "`",
        "a", "b", "d", "e", "^", " @", " A", "'}", "'~", "$v", "$x", "$z", "${", "$r", "$t", "J", "K"}) {
    Terminal terminal({200, 50}, {kHistory, 64 << 20});
    terminal.feed("\033#8x");
    const double us = microseconds([&] {
      terminal.feed("x\033[99999999");
      terminal.feed(final);
      terminal.trim_history();
    });
    worst = std::max(worst, us);
    if (us > 100)
      std::printf("| `CSI 99999999 %s` | %.3f%s |\n", final, us / 1000, us > 1000 ? " ABOVE" : "");
  }
  std::printf("| the costliest of 35 | %.3f |\n", worst / 1000);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  const bool has_peers = argc <= 2;
  const std::vector<Stream> streams = make_streams(16 << 20);
  print_throughput(streams, rounds, has_peers);
  if (!has_peers) return 0;
  print_flatness(streams);
  print_snapshots();
  print_memory();
  print_repeats();
  return 0;
}
