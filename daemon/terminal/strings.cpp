#include <array>
#include <optional>

#include "terminal/interpreter.hpp"
#include "terminal/utf8.hpp"

namespace smartcli::terminal {

namespace {

constexpr std::size_t kTextLimit = 4 << 10;         // title, link, cwd
constexpr std::size_t kClipboardLimit = 100 << 10;  // decoded
constexpr std::size_t kLongOscLimit = 1 << 20;      // raw, OSC 52 only
constexpr std::size_t kTitleDepth = 10, kPenDepth = 10;

/// Valid UTF-8 of at most kTextLimit bytes, without C1 characters (the parser has taken C0 out).
std::string clean_text(std::string_view bytes) {
  std::string out;
  Utf8Decoder decoder;
  auto add = [&](char32_t c) {
    if (c < 0x7f || c > 0x9f) append_utf8(out, c);
  };
  for (std::size_t i = 0; i < bytes.size() && out.size() < kTextLimit;) {
    switch (decoder.push(static_cast<unsigned char>(bytes[i]))) {
      case Utf8Decoder::Step::more: ++i; break;
      case Utf8Decoder::Step::done:
        add(decoder.value());
        ++i;
        break;
      case Utf8Decoder::Step::broken:
        add(U'\ufffd');
        ++i;
        break;
      case Utf8Decoder::Step::broken_before: add(U'\ufffd'); break;
    }
  }
  if (decoder.is_inside() && out.size() < kTextLimit) add(U'\ufffd');
  while (out.size() > kTextLimit) {
    while ((static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();
    out.pop_back();
  }
  return out;
}

constexpr std::array<signed char, 256> base64_values() {
  std::array<signed char, 256> values{};
  values.fill(-1);
  const char* alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 64; ++i) values[static_cast<unsigned char>(alphabet[i])] = static_cast<signed char>(i);
  return values;
}

std::optional<std::string> decode_base64(std::string_view text) {
  static constexpr auto kValues = base64_values();
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string out;
  unsigned bits = 0;
  int have = 0;
  for (char c : text) {
    const int value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<unsigned>(value);
    have += 6;
    if (have >= 8) {
      have -= 8;
      out += static_cast<char>(bits >> have);
      bits &= (1u << have) - 1;
    }
  }
  return out;
}

}  // namespace

std::size_t Interpreter::osc_limit(std::string_view start) const {
  return start.starts_with("52;") ? kLongOscLimit : 0;
}

void Interpreter::osc(std::string_view text, std::uint64_t offset, bool ended_by_bel) {
  screen.at(offset);
  replies.answer_with_bel(ended_by_bel);  // as xterm does: an answer ends as its query did
  screen.forget_last_char();
  const std::size_t end = text.find(';');
  const std::string_view number = text.substr(0, end);
  const std::string_view rest = end == text.npos ? std::string_view() : text.substr(end + 1);
  static constexpr struct {
    std::string_view number;
    void (*action)(Interpreter&, std::string_view);
  } kTable[] = {
      {"0",
       [](Interpreter& in, std::string_view t) {
         in.set_icon_title(t);
         in.set_title(t);
       }},
      {"1", [](Interpreter& in, std::string_view t) { in.set_icon_title(t); }},
      {"2", [](Interpreter& in, std::string_view t) { in.set_title(t); }},
      {"4", [](Interpreter& in, std::string_view t) { in.index_colours(t); }},
      {"7", [](Interpreter& in, std::string_view t) { in.set_cwd(t); }},
      {"8", [](Interpreter& in, std::string_view t) { in.set_link(t); }},
      {"9", [](Interpreter& in, std::string_view t) { in.conemu_mark(t); }},
      {"10", [](Interpreter& in, std::string_view t) { in.screen_colours(Palette::Screen::foreground, t); }},
      {"11", [](Interpreter& in, std::string_view t) { in.screen_colours(Palette::Screen::background, t); }},
      {"12", [](Interpreter& in, std::string_view t) { in.screen_colours(Palette::Screen::cursor, t); }},
      {"52", [](Interpreter& in, std::string_view t) { in.set_clipboard(t); }},
      {"104", [](Interpreter& in, std::string_view t) { in.reset_index_colours(t); }},
      {"110",
       [](Interpreter& in, std::string_view t) { in.reset_screen_colour(Palette::Screen::foreground, t); }},
      {"111",
       [](Interpreter& in, std::string_view t) { in.reset_screen_colour(Palette::Screen::background, t); }},
      {"112",
       [](Interpreter& in, std::string_view t) { in.reset_screen_colour(Palette::Screen::cursor, t); }},
      {"133", [](Interpreter& in, std::string_view t) { in.shell_mark(t); }},
      {"633", [](Interpreter& in, std::string_view t) { in.vscode_mark(t); }},
      {"1337", [](Interpreter& in, std::string_view t) { in.iterm_mark(t); }},
  };
  for (const auto& entry : kTable)
    if (entry.number == number) entry.action(*this, rest);
}

void Interpreter::set_title(std::string_view text) {
  title = clean_text(text);
  events.push(EventKind::title, screen.now(), title);
}

void Interpreter::set_icon_title(std::string_view text) {
  icon_title = clean_text(text);
  events.push(EventKind::icon_title, screen.now(), icon_title);
}

void Interpreter::set_cwd(std::string_view text) {
  if (text.size() > kTextLimit) return;  // half a path is another path
  cwd = clean_text(text);
  events.push(EventKind::cwd, screen.now(), cwd);
}

// OSC 8: parameters, then the address.
void Interpreter::set_link(std::string_view text) {
  const std::size_t end = text.find(';');
  const std::string_view uri = end == text.npos ? std::string_view() : text.substr(end + 1);
  screen.set_link(uri.size() > kTextLimit ? std::string() : clean_text(uri));
}

// OSC 52: selections, then base64. A query gets no answer: what the user copied is nobody's business.
void Interpreter::set_clipboard(std::string_view text) {
  const std::size_t end = text.find(';');
  if (end == text.npos) return;
  const auto bytes = decode_base64(text.substr(end + 1));
  if (bytes && bytes->size() <= kClipboardLimit) events.push(EventKind::clipboard, screen.now(), *bytes);
}

// CSI 22 t, CSI 23 t: 0 both, 1 the icon's, 2 the window's title.
void Interpreter::push_titles(int which) {
  if (which > 2) return;
  if (titles_.size() == kTitleDepth) titles_.erase(titles_.begin());
  titles_.push_back({title, icon_title});
}

void Interpreter::pop_titles(int which) {
  if (which > 2 || titles_.empty()) return;
  const Titles titles = std::move(titles_.back());
  titles_.pop_back();
  if (which != 2) set_icon_title(titles.icon_title);
  if (which != 1) set_title(titles.title);
}

void Interpreter::forget_titles() {
  title.clear();
  icon_title.clear();
  cwd.clear();
  titles_.clear();
}

void Interpreter::push_pen() {
  if (pens_.size() == kPenDepth) pens_.erase(pens_.begin());
  pens_.push_back(screen.pen());
}

void Interpreter::pop_pen() {
  if (pens_.empty()) return;
  Style pen = pens_.back();
  pens_.pop_back();
  // A link and a protection are no rendition.
  pen.link = screen.pen().link;
  pen.flags = static_cast<std::uint16_t>((pen.flags & ~kProtected) | (screen.pen().flags & kProtected));
  screen.set_pen(pen);
}

}  // namespace smartcli::terminal
