#include <array>

#include "terminal/interpreter.hpp"
#include "terminal/sgr.hpp"

namespace smartcli::terminal {

namespace {

using Action = void (*)(Interpreter&, const Params&);

struct Entry {
  const char* key;  ///< prefix, intermediate, final, as in the standards: "?$p"
  Action action;
};

#define DO(statement) [](Interpreter& in, [[maybe_unused]] const Params& p) { statement; }

using Erase = Screen::Erase;

// A row a line.
// clang-format off

/// THE table of control sequences; what is not here is swallowed. Counts are `at_least_one`, all other
/// parameters `get` with what they mean where left out. Ref: xterm ctlseqs, DEC STD 070; the kitty keyboard
/// protocol for `u`.
constexpr Entry kCsi[] = {
    // Cursor
    {"A", DO(in.screen.up(p.at_least_one(0)))},                                    // CUU
    {"B", DO(in.screen.down(p.at_least_one(0)))},                                  // CUD
    {"C", DO(in.screen.right(p.at_least_one(0)))},                                 // CUF
    {"D", DO(in.screen.left(p.at_least_one(0)))},                                  // CUB
    {"E", DO(in.screen.down(p.at_least_one(0)); in.screen.carriage_return())},     // CNL
    {"F", DO(in.screen.up(p.at_least_one(0)); in.screen.carriage_return())},       // CPL
    {"G", DO(in.screen.move_to_col(p.at_least_one(0) - 1))},                       // CHA
    {"`", DO(in.screen.move_to_col(p.at_least_one(0) - 1))},                       // HPA
    {"H", DO(in.screen.move_to(p.at_least_one(0) - 1, p.at_least_one(1) - 1))},    // CUP
    {"f", DO(in.screen.move_to(p.at_least_one(0) - 1, p.at_least_one(1) - 1))},    // HVP
    {"d", DO(in.screen.move_to_row(p.at_least_one(0) - 1))},                       // VPA
    {"a", DO(in.screen.move_by_col(p.at_least_one(0)))},                           // HPR
    {"e", DO(in.screen.move_by_row(p.at_least_one(0)))},                           // VPR
    {"I", DO(in.screen.tab(p.at_least_one(0)))},                                   // CHT
    {"Z", DO(in.screen.back_tab(p.at_least_one(0)))},                              // CBT
    {"g", DO(in.clear_tabs(p.get(0, 0)))},                                         // TBC
    {"?W", DO(if (p.get(0, 0) == 5) in.screen.default_tabs())},                    // DECST8C
    {"u", DO(in.screen.restore_cursor())},                                         // SCORC
    {"s", DO(in.save_or_set_side_margins(p))},                                     // SCOSC, DECSLRM
    {" q", DO(in.set_cursor_style(p.get(0, 0)))},                                  // DECSCUSR

    // Erase and edit
    {"J", DO(in.erase_display(p.get(0, 0), Erase::all))},                          // ED
    {"?J", DO(in.erase_display(p.get(0, 0), Erase::unprotected))},                 // DECSED
    {"K", DO(in.screen.erase_line(p.get(0, 0), Erase::all))},                      // EL
    {"?K", DO(in.screen.erase_line(p.get(0, 0), Erase::unprotected))},             // DECSEL
    {"X", DO(in.screen.erase_chars(p.at_least_one(0)))},                           // ECH
    {"@", DO(in.screen.insert_chars(p.at_least_one(0)))},                          // ICH
    {"P", DO(in.screen.delete_chars(p.at_least_one(0)))},                          // DCH
    {"L", DO(in.screen.insert_lines(p.at_least_one(0)))},                          // IL
    {"M", DO(in.screen.delete_lines(p.at_least_one(0)))},                          // DL
    {"S", DO(in.screen.scroll_up(p.at_least_one(0)))},                             // SU
    {"T", DO(in.scroll_down(p))},                                                  // SD
    {"^", DO(in.screen.scroll_down(p.at_least_one(0)))},                           // SD of ECMA-48
    {" @", DO(in.screen.scroll_left(p.at_least_one(0)))},                          // SL
    {" A", DO(in.screen.scroll_right(p.at_least_one(0)))},                         // SR
    {"'}", DO(in.screen.insert_cols(p.at_least_one(0)))},                          // DECIC
    {"'~", DO(in.screen.delete_cols(p.at_least_one(0)))},                          // DECDC
    {"b", DO(in.screen.repeat(p.at_least_one(0)))},                                // REP
    {"\"q", DO(in.protect_cells(Screen::Protection::dec, p.get(0, 0) == 1))},      // DECSCA

    // Rectangles
    {"$v", DO(in.copy_rect(p))},                                                   // DECCRA
    {"$x", DO(in.fill_rect(p))},                                                   // DECFRA
    {"$z", DO(in.erase_rect(p, Erase::regardless))},                                      // DECERA
    {"${", DO(in.erase_rect(p, Erase::rectangle))},                              // DECSERA
    {"$r", DO(in.restyle_rect(p, false))},                                         // DECCARA
    {"$t", DO(in.restyle_rect(p, true))},                                          // DECRARA
    {"*x", DO(in.set_restyle_extent(p.get(0, 0)))},                                // DECSACE

    // Margins, modes, resets
    {"r", DO(in.set_margins(p))},                                                  // DECSTBM
    {"h", DO(in.set_modes(p, false, true))},                                       // SM
    {"l", DO(in.set_modes(p, false, false))},                                      // RM
    {"?h", DO(in.set_modes(p, true, true))},                                       // DECSET
    {"?l", DO(in.set_modes(p, true, false))},                                      // DECRST
    {"?s", DO(in.save_modes(p))},                                                  // XTSAVE
    {"?r", DO(in.restore_modes(p))},                                               // XTRESTORE
    {"!p", DO(in.soft_reset())},                                                   // DECSTR
    {"\"p", DO(in.soft_reset())},                                                  // DECSCL: always UTF-8, no C1

    // Rendition
    {"m", DO(in.set_rendition(p))},                                                // SGR
    {"#{", DO(in.push_pen())},                                                     // XTPUSHSGR
    {"#p", DO(in.push_pen())},
    {"#}", DO(in.pop_pen())},                                                      // XTPOPSGR
    {"#q", DO(in.pop_pen())},

    // Keyboard
    {">m", DO(if (p.get(0, 0) == 4) in.set_other_keys(p.get(1, 0)))},              // XTMODKEYS
    {">n", DO(if (p.get(0, 0) == 4) in.set_other_keys(0))},
    {"?m", DO(in.keyboard_query(p))},                                              // XTQMODKEYS
    {"?u", DO(in.answer(Answer::kitty_flags, {in.modes.kitty_now(in.screen.is_alternate())}))},
    {">u", DO(in.kitty_push(p.get(0, 0)))},
    {"<u", DO(in.kitty_pop(p.at_least_one(0)))},
    {"=u", DO(in.kitty_set(p.get(0, 0), p.get(1, 1)))},

    // Queries
    {"c", DO(if (p.get(0, 0) == 0) in.answer(Answer::da1))},                       // DA1
    {">c", DO(if (p.get(0, 0) == 0) in.answer(Answer::da2))},                      // DA2
    {"=c", DO(if (p.get(0, 0) == 0) in.answer(Answer::da3))},                      // DA3
    {">q", DO(if (p.get(0, 0) == 0) in.answer(Answer::xtversion))},                // XTVERSION
    {"n", DO(in.device_status(p))},                                                // DSR, CPR
    {"?n", DO(in.private_device_status(p))},
    {"$p", DO(in.report_mode(p, false))},                                          // DECRQM
    {"?$p", DO(in.report_mode(p, true))},
    {"t", DO(in.window_operation(p))},                                             // XTWINOPS
};

/// THE table of escape sequences. The names of character sets (ESC ( and its like) stand in charset.cpp.
constexpr Entry kEsc[] = {
    {"7", DO(in.screen.save_cursor())},                                            // DECSC
    {"8", DO(in.screen.restore_cursor())},                                         // DECRC
    {"6", DO(in.screen.back_index())},                                             // DECBI
    {"9", DO(in.screen.forward_index())},                                          // DECFI
    {"D", DO(in.screen.index())},                                                  // IND
    {"E", DO(in.screen.carriage_return(); in.screen.index())},                     // NEL
    {"M", DO(in.screen.reverse_index())},                                          // RI
    {"H", DO(in.screen.set_tab())},                                                // HTS
    {"V", DO(in.protect_cells(Screen::Protection::iso, true))},                    // SPA
    {"W", DO(in.protect_cells(Screen::Protection::iso, false))},                   // EPA
    {"c", DO(in.full_reset())},                                                    // RIS
    {"#8", DO(in.screen.alignment_test())},                                        // DECALN
    {"=", DO(in.set_keypad(true))},                                                // DECKPAM
    {">", DO(in.set_keypad(false))},                                               // DECKPNM
    {"N", DO(in.screen.charsets.single = 2)},                                      // SS2
    {"O", DO(in.screen.charsets.single = 3)},                                      // SS3
    {"n", DO(in.screen.charsets.gl = 2)},                                          // LS2
    {"o", DO(in.screen.charsets.gl = 3)},                                          // LS3
};

// clang-format on

#undef DO

// (prefix, intermediate, final) as one number; finals of ESC begin at 0x30, of CSI at 0x40.
constexpr int kPrefixes = 5, kIntermediates = 17, kFinals = 0x7f - 0x30;
constexpr int kKeys = kPrefixes * kIntermediates * kFinals;

constexpr int key_of(char prefix, char intermediate, char final) {
  const int p = prefix == 0 ? 0 : prefix - '<' + 1;
  const int i = intermediate == 0 ? 0 : intermediate - ' ' + 1;
  return (p * kIntermediates + i) * kFinals + (final - 0x30);
}

template <std::size_t N>
constexpr std::array<std::uint8_t, kKeys> index_of(const Entry (&entries)[N]) {
  std::array<std::uint8_t, kKeys> index{};
  for (std::size_t n = 0; n < N; ++n) {
    const char* at = entries[n].key;
    // A lone character is a final, also where it could be a prefix: ESC = and ESC > have none.
    const char prefix = at[1] != 0 && *at >= '<' && *at <= '?' ? *at++ : '\0';
    const char intermediate = at[1] != 0 ? *at++ : '\0';
    auto& slot = index[static_cast<std::size_t>(key_of(prefix, intermediate, *at))];
    if (slot != 0) throw "two entries have the same key";
    slot = static_cast<std::uint8_t>(n + 1);
  }
  return index;
}

constexpr auto kCsiIndex = index_of(kCsi);
constexpr auto kEscIndex = index_of(kEsc);

const Entry* find(const Entry* entries, const std::array<std::uint8_t, kKeys>& index, const Sequence& s) {
  if (s.second_intermediate != 0) return nullptr;
  const int n = index[static_cast<std::size_t>(key_of(s.prefix, s.intermediate, s.final))];
  return n == 0 ? nullptr : &entries[n - 1];
}

}  // namespace

void Interpreter::csi(const Sequence& s, std::uint64_t offset) {
  screen.at(offset);
  // Only renditions have parameters with colons; elsewhere nobody can say what was meant.
  const bool is_clear = !s.params.has_sub() || s.final == 'm' || s.intermediate == '$';
  const Entry* entry = is_clear ? find(kCsi, kCsiIndex, s) : nullptr;
  if (entry != nullptr) entry->action(*this, s.params);
  screen.forget_last_char();
}

void Interpreter::esc(const Sequence& s, std::uint64_t offset) {
  screen.at(offset);
  screen.forget_last_char();
  // SCS: ESC ( ) * + and the set's name.
  if (s.intermediate >= '(' && s.intermediate <= '+') {
    if (!s.has_more_intermediates)
      screen.charsets.designate(s.intermediate - '(', s.second_intermediate, s.final, modes.kept(42));
  } else if (const Entry* entry = find(kEsc, kEscIndex, s)) {
    entry->action(*this, s.params);
  }
}

void Interpreter::execute(unsigned char control, std::uint64_t offset) {
  screen.at(offset);
  screen.forget_last_char();
  switch (control) {
    case 0x07: events.push(EventKind::bell, offset); break;
    case 0x08: screen.left(1); break;
    case 0x09: screen.tab(1); break;
    case 0x0a:
    case 0x0b:
    case 0x0c: screen.line_feed(); break;
    case 0x0d: screen.carriage_return(); break;
    case 0x0e: screen.charsets.gl = 1; break;
    case 0x0f: screen.charsets.gl = 0; break;
    default: break;
  }
}

void Interpreter::set_rendition(const Params& params) {
  Style pen = screen.pen();
  apply_sgr(params, 0, pen);
  screen.set_pen(pen);
}

void Interpreter::erase_display(int part, Screen::Erase what) {
  if (part == 3)
    screen.clear_history();
  else
    screen.erase_display(part, what);
}

// In xterm 0, and more than one parameter, are mouse highlight tracking and scroll nothing.
void Interpreter::scroll_down(const Params& p) {
  if (p.size() <= 1 && p.get(0, 1) != 0) screen.scroll_down(p.get(0, 1));
}

void Interpreter::clear_tabs(int which) {
  if (which == 0) screen.clear_tab();
  if (which == 3) screen.clear_tabs();
}

void Interpreter::set_margins(const Params& p) {
  screen.set_margins(p.at_least_one(0) - 1, p.get(1, 0) > 0 ? p.get(1, 0) : screen.rows());
}

void Interpreter::save_or_set_side_margins(const Params& p) {
  if (!screen.flags.side_margins)
    screen.save_cursor();
  else
    screen.set_side_margins(p.at_least_one(0) - 1, p.get(1, 0) > 0 ? p.get(1, 0) : screen.cols());
}

}  // namespace smartcli::terminal
