// Prints colour_names.cpp: X11's rgb.txt as a sorted table. usage: gen_colours RGB_TXT. Run at build time.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

int main(int argc, char** argv) {
  std::ifstream in(argc > 1 ? argv[1] : "");
  std::map<std::string, unsigned> colours;
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    unsigned red, green, blue;
    std::string name;
    if (!(words >> red >> green >> blue) || !std::getline(words >> std::ws, name)) continue;  // a comment
    name.erase(name.find_last_not_of(" \t\r") + 1);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    colours[name] = red << 16 | green << 8 | blue;
  }
  if (colours.size() < 100) {
    std::fprintf(stderr, "gen_colours: %s holds no colours\n", argc > 1 ? argv[1] : "");
    return 1;
  }
  std::printf(
      "#include <algorithm>\n\n#include \"terminal/palette.hpp\"\n\nnamespace smartcli::terminal {\n\n"
      "static constexpr struct {\n  std::string_view name;\n  std::uint32_t rgb;\n} kNames[] = {\n");
  for (const auto& [name, rgb] : colours) std::printf("    {\"%s\", 0x%06x},\n", name.c_str(), rgb);
  std::printf(
      "};\n\nstd::optional<std::uint32_t> named_colour(std::string_view name) {\n"
      "  const auto* it = std::lower_bound(std::begin(kNames), std::end(kNames), name,\n"
      "                                    [](const auto& row, std::string_view n) { return row.name < n; "
      "});\n"
      "  if (it == std::end(kNames) || it->name != name) return std::nullopt;\n  return it->rgb;\n}\n\n"
      "}  // namespace smartcli::terminal\n");
}
