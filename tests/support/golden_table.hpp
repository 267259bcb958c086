#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// The tables of tests/golden/keys: sections of rows, bytes spelled as they are shown.

namespace smartcli {

struct GoldenSection {
  std::string name, base;                      ///< `[name] base`
  std::vector<std::vector<std::string>> rows;  ///< words
};

/// The sections of a table; words of lines before the first one are the section without a name. `# ` begins a
/// comment.
inline std::vector<GoldenSection> read_golden_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<GoldenSection> out(1);
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.starts_with("# ")) continue;
    if (const auto end = line.find(']'); line[0] == '[' && line[1] != ' ' && end != line.npos) {
      out.push_back({line.substr(1, end - 1), end + 2 < line.size() ? line.substr(end + 2) : "", {}});
      continue;
    }
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    out.back().rows.push_back(std::move(words));
  }
  return out;
}

/// Bytes as the tables have them: `^[` for ESC, `\xNN` for what is no printable ASCII, `-` for nothing.
inline std::string spelled_bytes(const std::string& bytes) {
  if (bytes.empty()) return "-";
  static const char* const kHex = "0123456789abcdef";
  std::string out;
  for (const char byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    if (c == 0x1B) {
      out += "^[";
    } else if (c <= 0x20 || c >= 0x7F || c == '\\') {
      out += std::string("\\x") + kHex[c >> 4U] + kHex[c & 15U];
    } else {
      out += byte;
    }
  }
  return out;
}

}  // namespace smartcli
