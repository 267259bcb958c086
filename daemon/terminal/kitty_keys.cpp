#include "terminal/kitty_keys.hpp"

namespace smartcli::terminal {
namespace {

using namespace key_tables;

constexpr int kKittyKeypad = 57399, kKittyF13 = 57376;

/// A key event of the kitty protocol: `CSI number:alternate ; modifiers:event ; text final`.
struct KittyKey {
  char32_t number = 0;
  char final = 'u';
  char32_t alternate = 0;  ///< the shifted key, where it is another
  unsigned modifiers = 0;
  char32_t text = 0;
};

enum class KittyEvent { press = 1, release = 3 };

/// What is 0, or a default that nothing follows, is left out.
std::string written(const KittyKey& key, KittyEvent event) {
  const auto decimal = [](char32_t c) { return std::to_string(static_cast<std::uint32_t>(c)); };
  const bool is_release = event == KittyEvent::release;
  const char32_t text = is_release ? 0 : key.text;
  const bool has_second = key.modifiers != 0 || is_release;
  std::string out(kCsi);
  if (key.number != 1 || has_second) out += decimal(key.number);
  if (key.alternate != 0) out += ':' + decimal(key.alternate);
  if (has_second || text != 0) out += ';';
  if (has_second) out += parameter(key.modifiers);
  if (is_release) out += ':' + std::to_string(static_cast<int>(event));
  if (text != 0) out += ';' + decimal(text);
  return out + key.final;
}

/// The control keys that stay bytes: a shell must be usable after a program that did not take its flags back.
bool stays_legacy(NamedKey key) {
  return key == enter || key == tab || key == backspace;
}

/// The character that a press types; nothing where Ctrl, Alt or Super is held, or on the keypad any modifier.
std::optional<char32_t> typed_character(const Key& key, const std::optional<TextKey>& text) {
  if (const KeypadKey* row = find_row(kKeypadKeys, key.named)) {
    if (row->key == kp_enter || key.modifiers != 0) return std::nullopt;
    return static_cast<char32_t>(row->text);
  }
  if (!text || (key.modifiers & (kCtrl | kAlt | kSuper)) != 0) return std::nullopt;
  return text->character;
}

KittyKey kitty_key(const Key& key, const std::optional<TextKey>& text, std::int64_t flags) {
  KittyKey out;
  out.modifiers = key.modifiers;
  if ((flags & kReportAll) != 0 && (flags & kText) != 0) out.text = typed_character(key, text).value_or(0);
  if (const KeypadKey* row = find_row(kKeypadKeys, key.named)) {
    // Without disambiguation the keypad's keys are reported as their equivalents.
    const bool is_itself = (flags & (kDisambiguate | kReportAll)) != 0;
    out.number = is_itself ? kKittyKeypad + static_cast<char32_t>(row - kKeypadKeys)
                           : static_cast<char32_t>(row->text);
  } else if (key.named == f3) {
    out.number = 13;  // `CSI R` would be a cursor position report
    out.final = '~';
  } else if (key.named >= f13 && key.named <= f24) {
    out.number = kKittyF13 + static_cast<char32_t>(key.named) - static_cast<char32_t>(f13);
  } else if (const FunctionKey* function = find_row(kFunctionKeys, key.named)) {
    out.number = static_cast<char32_t>(function->number);
    out.final = function->final;
  } else if (text) {
    out.number = text->base;
    out.modifiers = text->modifiers;
    if ((flags & kAlternates) != 0 && text->base != text->character) out.alternate = text->character;
  } else {
    switch (key.named) {
      case enter: out.number = U'\r'; break;
      case tab: out.number = U'\t'; break;
      case escape: out.number = U'\x1b'; break;
      case backspace: out.number = U'\x7f'; break;
      // Shift on a key whose shifted character is not known here: told as it is, with no text.
      default: out.number = key.character; break;
    }
  }
  return out;
}

}  // namespace

std::string encode_kitty(const Key& key, const std::optional<TextKey>& text,
                         const std::optional<std::string>& legacy, std::int64_t flags) {
  const bool reports_all = (flags & kReportAll) != 0, has_events = (flags & kEventTypes) != 0;
  const auto typed = typed_character(key, text);
  const KittyKey event = kitty_key(key, text, flags);
  std::string press = written(event, KittyEvent::press);
  if (reports_all) return has_events ? press + written(event, KittyEvent::release) : press;

  const bool has_form_of_its_own = find_row(kFunctionKeys, key.named) != nullptr;
  if (typed) {
    press = as_utf8(*typed);
  } else if ((flags & kDisambiguate) == 0) {
    // Legacy where that loses nothing. F13 and on have no legacy form in the protocol; with event types the
    // others need CSI, which takes the event that SS3 has no place for.
    const bool is_csi = has_form_of_its_own && (has_events || key.named >= f13);
    if (legacy && !is_csi) press = *legacy;
  } else if (key.modifiers == 0 && stays_legacy(key.named)) {
    press = legacy.value_or(press);
  }
  // What types sends text alone, and the keys that stay bytes have no releases.
  const bool has_release = has_events && !typed && !stays_legacy(key.named);
  return has_release ? press + written(event, KittyEvent::release) : press;
}

}  // namespace smartcli::terminal
