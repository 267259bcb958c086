#include "streams.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "../unit/terminal/support.hpp"

namespace smartcli::bench {

namespace {

constexpr int kRows = 24;

std::string repeated_to(std::size_t bytes, const std::function<void(std::string&)>& add) {
  std::string out;
  while (out.size() < bytes) add(out);
  return out;
}

/// Each begins from power-on.
std::string recorded_programs() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(SMARTCLI_CASES "/streams"))
    files.push_back(entry);
  std::sort(files.begin(), files.end());
  std::string out;
  for (const auto& file : files) {
    out += "\033c";
    const auto recording = nlohmann::json::parse(std::ifstream(file));
    for (const auto& checkpoint : recording["checkpoints"])
      out += terminal::decode_base64(checkpoint["feed_base64"].get<std::string>());
  }
  return out;
}

}  // namespace

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
  streams.push_back({"scrolling region", 150, 200, repeated_to(bytes, [&](std::string& out) {
                       if (below(50) == 0) out += "\033[5;20r\033[20;1H";
                       words(out, 30 + below(40));
                       out += "\r\n";
                     })});
  const std::string recorded = recorded_programs();
  streams.push_back(
      {"recorded programs", 150, 200, repeated_to(bytes, [&](std::string& out) { out += recorded; })});
  return streams;
}

}  // namespace smartcli::bench
