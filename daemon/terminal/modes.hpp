#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "proto/types.hpp"

namespace smartcli::terminal {

/// What a mode number means to us. `kept` ones are remembered for DECRQM and do nothing here.
enum class Mode : std::uint8_t {
  insert,
  newline,
  application_cursor,
  reverse_video,
  origin,
  autowrap,
  mouse_x10,
  cursor_blink,
  cursor_visible,
  reverse_wrap,
  alternate_47,
  application_keypad,
  backarrow_sends_bs,
  side_margins,
  mouse_click,
  mouse_drag,
  mouse_any,
  focus,
  mouse_utf8,
  mouse_sgr,
  mouse_urxvt,
  mouse_sgr_pixels,
  alternate_1047,
  save_cursor,
  alternate_1049,
  bracketed_paste,
  synchronized,
  graphemes,
  resize_reports,
  kept,
};

struct ModeInfo {
  int number;
  bool is_private;
  Mode mode;
};

/// THE table of modes (SM, RM, DECSET, DECRST, DECRQM); null for a number that is not in it.
const ModeInfo* find_mode(int number, bool is_private);

/// Modes that other programs want to know, and the ones that are only remembered.
class ModeState {
 public:
  Modes shared;  ///< what `status` and the key encoder read; kitty flags are set by kitty_now()
  bool cursor_visible = true;
  CursorShape cursor_shape = CursorShape::block;
  bool cursor_blink = false;
  bool resize_reports = false;

  bool kept(int number) const;
  void keep(int number, bool is_on);

  // XTSAVE and XTRESTORE: one slot a mode.
  void save(const ModeInfo& info, bool is_on);
  /// Null if it was never saved.
  const bool* saved(const ModeInfo& info) const;

  // kitty keyboard flags: a stack for each screen, the oldest entry goes when it is full.
  static constexpr std::size_t kKittyDepth = 16;
  static constexpr unsigned kKittyFlags = 31;
  void kitty_push(bool is_alternate, unsigned flags);
  void kitty_pop(bool is_alternate, int n);
  /// `how`: 1 sets all, 2 adds, 3 removes.
  void kitty_set(bool is_alternate, unsigned flags, int how);
  unsigned kitty_now(bool is_alternate) const;

 private:
  friend struct KeyframeFields;

  struct Slot {
    int number;
    bool is_on;
  };
  std::vector<Slot> kept_, saved_;
  std::array<std::vector<unsigned>, 2> kitty_{{{0}, {0}}};
};

}  // namespace smartcli::terminal
