#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace smartcli::terminal {

/// The colours that indices and defaults stand for, as the program left them: OSC 4, 10, 11, 12 set them, OSC
/// 104, 110, 111, 112 take them back. All are 0xRRGGBB.
class Palette {
 public:
  static constexpr unsigned kSize = 256;
  static constexpr std::uint32_t kForeground = 0xe5e5e5, kBackground = 0x000000;
  enum class Screen : std::uint8_t { foreground, background, cursor };  ///< OSC 10, 11, 12
  static constexpr unsigned kScreenColours = 3;

  /// `index` below kSize.
  std::uint32_t get(unsigned index) const;
  std::uint32_t get(Screen which) const;
  void set(unsigned index, std::uint32_t rgb) { set_[index] = rgb; }
  void set(Screen which, std::uint32_t rgb) { screen_[static_cast<unsigned>(which)] = rgb; }
  void reset(unsigned index) { set_.erase(index); }
  void reset(Screen which) { screen_[static_cast<unsigned>(which)].reset(); }
  /// All indices; the screen's colours stay, as in xterm's RIS.
  void reset_indices() { set_.clear(); }

 private:
  friend struct KeyframeFields;

  std::map<unsigned, std::uint32_t> set_;
  std::optional<std::uint32_t> screen_[kScreenColours];
};

/// A colour as XParseColor takes it: `rgb:h/h/h` with 1 to 4 hex digits each, `#` and 3, 6, 9 or 12 of them,
/// or a name of X11's rgb.txt in any case. 0xRRGGBB; nothing for what is none. Ref: XParseColor(3).
std::optional<std::uint32_t> parse_colour(std::string_view text);

/// rgb.txt, made at build time: the colour of a name in lower case.
std::optional<std::uint32_t> named_colour(std::string_view name);

}  // namespace smartcli::terminal
