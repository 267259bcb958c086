#include "session/echo.hpp"

#include <algorithm>
#include <cctype>

namespace smartcli::session {
namespace {

/// ECHOCTL: a control character is shown as ^X; a tab moves, so it matches any run of blanks (see
/// `matched_bytes`).
std::string rendering(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      out += c;
    } else if (byte < 0x20) {
      out += '^';
      out += static_cast<char>(byte + 0x40);
    } else if (byte == 0x7F) {
      out += "^?";
    } else {
      out += c;
    }
  }
  return out;
}

/// How many bytes of `text` from `from` on are a beginning of `shown`; `whole` is set if all of it is there.
std::size_t matched_bytes(std::string_view text, std::size_t from, std::string_view shown, bool& whole) {
  std::size_t at = from;
  std::size_t i = 0;
  for (; i < shown.size(); ++i) {
    if (shown[i] == '\t') {
      while (at < text.size() && text[at] == ' ') ++at;
      continue;
    }
    // Blanks at the end of a line that nobody wrote are not in its text.
    if (at >= text.size()) {
      whole = shown.find_first_not_of(" \t", i) == std::string_view::npos;
      return at - from;
    }
    if (text[at] != shown[i]) break;
    ++at;
  }
  whole = i == shown.size();
  return at - from;
}

/// Prompts end in a sign; words before a repeated word (`got hello`) do not.
bool looks_like_prompt(std::string_view before) {
  const auto last = before.find_last_not_of(' ');
  if (last == std::string_view::npos) return false;
  const auto c = static_cast<unsigned char>(before[last]);
  return std::isalnum(c) == 0 && c != ',' && c != '"' && c != '\'';
}

/// The same where the kernel showed the line already: programs answer `You said: hello` and `x = 5`, so it
/// takes a sign that line editors' prompts end in (`$`, `>>>`, `(gdb)`, `In [1]:`, an arrow).
bool looks_like_editor_prompt(std::string_view before) {
  auto last = before.find_last_not_of(' ');
  if (last == std::string_view::npos) return false;
  if (before[last] == ':' && last > 0 && (before[last - 1] == ']' || before[last - 1] == ')')) return true;
  constexpr std::string_view kSigns = "$#%>)]}";
  return kSigns.find(before[last]) != std::string_view::npos ||
         static_cast<unsigned char>(before[last]) >= 0x80;
}

}  // namespace

void EchoTracker::add_to_line(std::string_view part) {
  for (const char c : part) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0x7F || byte == 0x08) {  // erase: the kernel and line editors alike
      while (!line_.empty() && (static_cast<unsigned char>(line_.back()) & 0xC0) == 0x80) line_.pop_back();
      if (!line_.empty()) line_.pop_back();
    } else if (byte < 0x20 && c != '\t') {
      line_.clear();  // interrupt, kill, end of file, the start of a key's sequence: what stood there is gone
                      // or unknown
    } else if (line_.size() < kLongest) {
      line_ += c;
    }
  }
}

void EchoTracker::untyped(std::uint64_t key) {
  for (const auto& one : typed_) {
    if (one.key == key && one.first_of_key) line_ = one.line_before;
  }
  std::erase_if(typed_, [key](const Typed& one) { return one.key == key; });
}

void EchoTracker::reached_unknown(Position cursor, std::size_t bytes, bool ends_line) {
  Typed one;
  one.was_reached = true;
  one.mode = LineMode::canonical;
  one.at = cursor;
  one.ends_line = ends_line;
  one.blind = bytes;
  typed_.push_back(std::move(one));
  if (typed_.size() > kKept) typed_.pop_front();
}

void EchoTracker::typed(std::uint64_t key, std::string_view bytes) {
  bool first = true;
  while (!bytes.empty()) {
    const auto end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    const bool ends = end != std::string_view::npos;
    bytes.remove_prefix(ends ? end + 1 : bytes.size());
    Typed one;
    one.line_before = line_;
    add_to_line(part);
    one.key = key;
    one.shown = part.size() <= kLongest ? rendering(part) : std::string();
    one.whole = line_;
    one.ends_line = ends;
    one.first_of_key = first;
    first = false;
    if (ends) line_.clear();
    if (one.shown.empty() && one.whole.empty()) continue;
    // Single keys of one line: only the newest needs to know the whole line.
    if (!typed_.empty() && !typed_.back().ends_line) typed_.back().whole.clear();
    typed_.push_back(std::move(one));
    if (typed_.size() > kKept) typed_.pop_front();
  }
}

void EchoTracker::reached(std::uint64_t key, Position cursor, LineMode mode) {
  for (auto& one : typed_) {
    if (one.key != key || one.was_reached) continue;
    one.was_reached = true;
    one.mode = mode;
    if (one.first_of_key) one.at = cursor;
  }
}

void EchoTracker::forget_positions() {
  for (auto& one : typed_) {
    one.at.reset();
    one.again.reset();
  }
}

void EchoTracker::find_in(const LineTexts& texts, std::vector<std::size_t>& lines) const {
  for (const auto& one : typed_) {
    if (!one.was_reached) continue;
    if (one.at) {
      const auto after = std::upper_bound(
          texts.places.begin(), texts.places.end(), one.at->row,
          [](std::uint64_t row, const LineTexts::Place& place) { return row < place.first_row; });
      // The next one too: a block of several lines is echoed at once.
      const auto n = static_cast<std::size_t>(after - texts.places.begin());
      if (n > 0) lines.push_back(n - 1);
      if (n < texts.places.size()) lines.push_back(n);
    }
    if (one.mode == LineMode::raw && one.echoed) continue;
    for (const std::string* shown : {&one.whole, &one.shown}) {
      if (shown->empty()) continue;
      for (auto at = texts.text.find(*shown); at != std::string::npos;) {
        const auto line = texts.line_of(at);
        lines.push_back(line);
        if (line + 1 >= texts.places.size()) break;
        at = texts.text.find(*shown, texts.places[line + 1].begin);
      }
    }
  }
}

void EchoTracker::mark(Line& line) {
  const auto set = [&line](std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < std::min(from + count, line.echo.size()); ++i) line.echo[i] = true;
  };
  for (std::size_t n = 0; n < typed_.size(); ++n) {
    auto& one = typed_[n];
    if (!one.was_reached) continue;
    if (one.at && one.blind > 0 && one.at->row >= line.first_row && one.at->row <= line.last_row) {
      const auto start = static_cast<std::size_t>(
          std::lower_bound(line.positions.begin(), line.positions.end(), *one.at) - line.positions.begin());
      set(start, one.blind);
    }
    if (one.at && one.at->row >= line.first_row && one.at->row <= line.last_row && !one.shown.empty() &&
        one.mode != LineMode::silent) {
      const auto start = static_cast<std::size_t>(
          std::lower_bound(line.positions.begin(), line.positions.end(), *one.at) - line.positions.begin());
      bool whole = false;
      set(start, matched_bytes(line.text, start, one.shown, whole));
      if (whole) {
        one.echoed = true;
        // The kernel echoes a block of several lines at once: the next one starts the next row.
        if (one.ends_line && one.mode == LineMode::canonical && n + 1 < typed_.size() &&
            typed_[n + 1].key == one.key) {
          typed_[n + 1].at = Position{line.last_row + 1, 0};
        }
      }
    }
    // Shown again after a prompt. In raw mode the line editor is the only one to show it, wherever its prompt
    // came.
    const bool may_reappear = one.mode != LineMode::raw || !one.echoed;
    if (one.whole.empty() || !may_reappear) continue;
    if (one.again && (one.again->row < line.first_row || one.again->row > line.last_row)) continue;
    // A line that was begun by single keys may have been eaten meanwhile: its last part alone is tried too.
    for (const std::string* shown : {&one.whole, &one.shown}) {
      if (shown->empty() || (shown == &one.shown && one.shown == one.whole)) continue;
      bool found = false;
      for (std::size_t at = line.text.find(*shown); at != std::string::npos;
           at = line.text.find(*shown, at + 1)) {
        if (at == 0 || line.echo[at]) continue;
        const bool at_end = at + shown->size() >= line.trimmed;
        const std::string_view before = std::string_view(line.text).substr(0, at);
        if (!at_end || !(one.echoed ? looks_like_editor_prompt(before) : looks_like_prompt(before))) continue;
        if (one.at && line.positions[at] < *one.at) continue;  // older than the input
        one.again = line.positions[at];
        set(at, shown->size());
        found = true;
        break;
      }
      if (found) break;
    }
  }
}

}  // namespace smartcli::session
