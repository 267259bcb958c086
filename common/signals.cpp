#include "common/signals.hpp"

#include <charconv>
#include <csignal>
#include <cstring>

#include "common/text.hpp"

namespace smartcli {

std::string signal_name(int number) {
  if (const char* name = ::sigabbrev_np(number); name != nullptr) return name;
  // glibc keeps the first two real-time signals for itself; users count from its SIGRTMIN.
  if (number >= SIGRTMIN && number <= SIGRTMAX) {
    return number == SIGRTMIN ? "RTMIN" : "RTMIN+" + std::to_string(number - SIGRTMIN);
  }
  return std::to_string(number);
}

std::vector<std::string> signal_names() {
  std::vector<std::string> names;
  for (int i = 1; i < SIGRTMIN; ++i) {
    if (const char* name = ::sigabbrev_np(i); name != nullptr) names.emplace_back(name);
  }
  return names;
}

Result<int> parse_signal(std::string_view text) {
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc{} && end == text.data() + text.size() && number >= 1 && number <= SIGRTMAX)
    return number;
  std::string name(text);
  for (auto& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  if (name.starts_with("SIG")) name.erase(0, 3);
  std::vector<std::string> known;
  for (int i = 1; i <= SIGRTMAX; ++i) {
    known.push_back(signal_name(i));
    if (known.back() == name) return i;
  }
  return Error{ErrorCode::invalid_argument,
               "no signal " + text::quoted(text) + text::did_you_mean(name, known) +
                   "; give a name as `kill -l` has it, or a number from 1 to " + std::to_string(SIGRTMAX)};
}

}  // namespace smartcli
