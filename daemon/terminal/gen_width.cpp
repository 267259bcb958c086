// Prints width_tables.cpp: one byte of properties for each code point, in two stages. Run at build time, so
// that the terminal pays one load a character and does not link utf8proc.

#include <utf8proc.h>

#include <cstdio>
#include <map>
#include <vector>

#include "width.hpp"

namespace {

using namespace smartcli::terminal;

bool is_between(int c, int low, int high) {
  return low <= c && c <= high;
}

// utf8proc knows assigned characters only and differs from xterm in the corners; where it does, xterm is
// followed.
int width_of(int c, const utf8proc_property_t& p) {
  if (c < 0x20 || is_between(c, 0x7f, 0x9f)) return 0;
  if (is_between(c, 0x4dc0, 0x4dff)) return 2;                                   // hexagrams
  if (is_between(c, 0x1160, 0x11ff) || is_between(c, 0xd7b0, 0xd7ff)) return 0;  // medial and final jamo
  switch (p.category) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME: return 0;
    case UTF8PROC_CATEGORY_CF: {
      const bool is_shown = c == 0xad || is_between(c, 0x600, 0x605) || c == 0x6dd || c == 0x70f ||
                            c == 0x890 || c == 0x891 || c == 0x8e2 || c == 0x110bd || c == 0x110cd;
      return is_shown ? 1 : 0;
    }
    case UTF8PROC_CATEGORY_CN: return 1;
    default: return utf8proc_charwidth(c) == 2 ? 2 : 1;
  }
}

unsigned properties_of(int c) {
  const utf8proc_property_t& p = *utf8proc_get_property(c);
  unsigned bits = static_cast<unsigned>(width_of(c, p));
  if (p.boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC) bits |= kPictograph;
  if (p.boundclass == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR) bits |= kRegional;
  if (is_between(c, 0x1f3fb, 0x1f3ff)) bits |= kSkinTone;
  // xterm keeps none of these; ZWNJ and ZWJ stay with their cluster, where they have a meaning.
  if (c == 0x200b || c == 0x200e || c == 0x200f || is_between(c, 0x202a, 0x202e) ||
      is_between(c, 0x2060, 0x2064) || is_between(c, 0x2066, 0x206f) || c == 0xfeff)
    bits |= kDropped;
  return bits;
}

}  // namespace

int main() {
  std::map<std::vector<unsigned>, unsigned> seen;
  std::vector<std::vector<unsigned>> blocks;
  std::vector<unsigned> stage1;
  for (int block = 0; block < 0x110000 >> 8; ++block) {
    std::vector<unsigned> values;
    for (int i = 0; i < 256; ++i) values.push_back(properties_of(block << 8 | i));
    auto [it, is_new] = seen.emplace(values, blocks.size());
    if (is_new) blocks.push_back(values);
    stage1.push_back(it->second);
  }
  std::printf("#include \"terminal/width.hpp\"\n\nnamespace smartcli::terminal::tables {\n\n");
  std::printf("// Unicode %s\nconst std::uint8_t stage1[%zu] = {", utf8proc_unicode_version(), stage1.size());
  for (std::size_t i = 0; i < stage1.size(); ++i) std::printf("%s%u,", i % 32 ? "" : "\n", stage1[i]);
  std::printf("\n};\n\nconst std::uint8_t stage2[%zu] = {", blocks.size() * 256);
  for (const auto& block : blocks)
    for (std::size_t i = 0; i < block.size(); ++i) std::printf("%s%u,", i % 64 ? "" : "\n", block[i]);
  std::printf("\n};\n\n}  // namespace smartcli::terminal::tables\n");
  return blocks.size() <= 256 ? 0 : 1;
}
