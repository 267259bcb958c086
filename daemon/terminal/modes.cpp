#include "terminal/modes.hpp"

#include <algorithm>

namespace smartcli::terminal {

namespace {

constexpr ModeInfo kModes[] = {
    {4, false, Mode::insert},              // IRM
    {20, false, Mode::newline},            // LNM
    {1, true, Mode::application_cursor},   // DECCKM
    {4, true, Mode::kept},                 // DECSCLM
    {5, true, Mode::reverse_video},        // DECSCNM
    {6, true, Mode::origin},               // DECOM
    {7, true, Mode::autowrap},             // DECAWM
    {8, true, Mode::kept},                 // DECARM
    {9, true, Mode::mouse_x10},            //
    {12, true, Mode::cursor_blink},        //
    {25, true, Mode::cursor_visible},      // DECTCEM
    {40, true, Mode::kept},                // allows 132 columns; the size is ours alone, so it has no effect
    {42, true, Mode::kept},                // DECNRCM: whether SCS takes national sets
    {45, true, Mode::reverse_wrap},        //
    {47, true, Mode::alternate_47},        //
    {66, true, Mode::application_keypad},  // DECNKM
    {67, true, Mode::backarrow_sends_bs},  // DECBKM
    {69, true, Mode::side_margins},        // DECLRMM
    {1000, true, Mode::mouse_click},       //
    {1002, true, Mode::mouse_drag},        //
    {1003, true, Mode::mouse_any},         //
    {1004, true, Mode::focus},             //
    {1005, true, Mode::mouse_utf8},        //
    {1006, true, Mode::mouse_sgr},         //
    {1007, true, Mode::kept},              // wheel as arrows on the alternate screen
    {1015, true, Mode::mouse_urxvt},       //
    {1016, true, Mode::mouse_sgr_pixels},  //
    {1034, true, Mode::kept},              // 8-bit meta
    {1036, true, Mode::kept},              // Meta sends ESC
    {1039, true, Mode::kept},              // Alt sends ESC
    {1045, true, Mode::kept},              // extended reverse wrap
    {1047, true, Mode::alternate_1047},    //
    {1048, true, Mode::save_cursor},       //
    {1049, true, Mode::alternate_1049},    //
    {2004, true, Mode::bracketed_paste},   //
    {2026, true, Mode::synchronized},      //
    {2027, true, Mode::graphemes},         // clusters are always on
    {2031, true, Mode::kept},              // colour scheme reports; ours never changes
    {2048, true, Mode::resize_reports},    //
};

// Set at power-on, as in xterm.
constexpr int kKeptAtStart[] = {8, 1036};

}  // namespace

const ModeInfo* find_mode(int number, bool is_private) {
  const auto* it = std::find_if(std::begin(kModes), std::end(kModes), [&](const ModeInfo& info) {
    return info.number == number && info.is_private == is_private;
  });
  return it == std::end(kModes) ? nullptr : it;
}

bool ModeState::kept(int number) const {
  for (const Slot& slot : kept_)
    if (slot.number == number) return slot.is_on;
  return std::find(std::begin(kKeptAtStart), std::end(kKeptAtStart), number) != std::end(kKeptAtStart);
}

void ModeState::keep(int number, bool is_on) {
  for (Slot& slot : kept_)
    if (slot.number == number) {
      slot.is_on = is_on;
      return;
    }
  kept_.push_back({number, is_on});
}

void ModeState::save(const ModeInfo& info, bool is_on) {
  for (Slot& slot : saved_)
    if (slot.number == info.number) {
      slot.is_on = is_on;
      return;
    }
  saved_.push_back({info.number, is_on});
}

const bool* ModeState::saved(const ModeInfo& info) const {
  for (const Slot& slot : saved_)
    if (slot.number == info.number) return &slot.is_on;
  return nullptr;
}

void ModeState::kitty_push(bool is_alternate, unsigned flags) {
  auto& stack = kitty_[is_alternate];
  if (stack.size() == kKittyDepth) stack.erase(stack.begin());
  stack.push_back(flags & kKittyFlags);
}

void ModeState::kitty_pop(bool is_alternate, int n) {
  auto& stack = kitty_[is_alternate];
  for (; n > 0 && !stack.empty(); --n) stack.pop_back();
  if (stack.empty()) stack.push_back(0);
}

void ModeState::kitty_set(bool is_alternate, unsigned flags, int how) {
  unsigned& top = kitty_[is_alternate].back();
  flags &= kKittyFlags;
  if (how == 1) top = flags;
  if (how == 2) top |= flags;
  if (how == 3) top &= ~flags;
}

unsigned ModeState::kitty_now(bool is_alternate) const {
  return kitty_[is_alternate].back();
}

}  // namespace smartcli::terminal
