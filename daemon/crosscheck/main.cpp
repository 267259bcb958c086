// smartcli-crosscheck: a session's journal through libtsm, beside our screen.

#include <cstdio>
#include <string>

#include "common/text.hpp"
#include "crosscheck/replay.hpp"

int main(int argc, char** argv) {
  using namespace smartcli;
  if (argc != 2 || argv[1][0] == '-') {
    std::fputs("usage: smartcli-crosscheck JOURNAL_FOLDER\nexit status: 0 alike, 1 different, 2 unreadable\n",
               stderr);
    return 2;
  }
  const auto opinion = crosscheck::replay(argv[1]);
  if (!opinion) {
    std::fprintf(stderr, "smartcli-crosscheck: %s\n", text::inert_line(opinion.error().message).c_str());
    return 2;
  }
  std::printf("output bytes %llu to %llu, screen %dx%d", static_cast<unsigned long long>(opinion->from),
              static_cast<unsigned long long>(opinion->to), opinion->cols, opinion->rows);
  if (opinion->dropped > 0)
    std::printf(", %llu bytes behind the valid part left out",
                static_cast<unsigned long long>(opinion->dropped));
  std::printf("\n");
  for (const auto& difference : opinion->differences) {
    std::printf("%s\n  smartcli  %s\n  libtsm    %s\n",
                difference.row == 0 ? "cursor" : ("row " + std::to_string(difference.row)).c_str(),
                text::inert_line(difference.ours).c_str(), text::inert_line(difference.theirs).c_str());
  }
  if (opinion->differences.empty()) std::printf("both screens are alike\n");
  return opinion->differences.empty() ? 0 : 1;
}
