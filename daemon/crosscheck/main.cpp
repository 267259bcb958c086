// smartcli-crosscheck: a session's journal through libtsm, beside our screen. A program of its own, so that a
// fault in the second opinion touches nothing.

#include <cstdio>
#include <string>
#include <string_view>

#include "common/text.hpp"
#include "crosscheck/replay.hpp"
#include "proto/codec.hpp"

int main(int argc, char** argv) {
  using namespace smartcli;
  const bool json = argc == 3 && std::string_view(argv[1]) == "--json";
  if (argc != (json ? 3 : 2) || argv[argc - 1][0] == '-') {
    std::fputs(
        "usage: smartcli-crosscheck [--json] JOURNAL_FOLDER\nexit status: 0 alike, 1 different, 2 "
        "unreadable\n",
        stderr);
    return 2;
  }
  const auto opinion = crosscheck::replay(argv[argc - 1]);
  if (!opinion) {
    std::fprintf(stderr, "smartcli-crosscheck: %s\n", text::inert_line(opinion.error().message).c_str());
    return 2;
  }
  if (json) {
    Doctor::Reply reply;
    reply.second_opinion = *opinion;
    std::printf("%s\n", encode_text(reply).c_str());
  } else {
    std::fputs(text_of(*opinion).c_str(), stdout);
  }
  return opinion->differences.empty() ? 0 : 1;
}
