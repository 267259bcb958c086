#include "cli/help.hpp"

#include <algorithm>

#include "proto/describe.hpp"
#include "proto/registry.hpp"

namespace smartcli::cli {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = [] {
    std::vector<Verb> list;
    for_each_method([&list]<class M>() {
      if (M::info.is_command) list.push_back({command_name(M::info.name), std::string(M::info.doc)});
    });
    for (const auto& row : kCommands) list.push_back({std::string(row.name), std::string(row.doc)});
    return list;
  }();
  return all;
}

std::string command_help(const Command& command) {
  return std::string(command.doc) + "\n";
}

std::string main_help() {
  std::string help =
      "smartcli drives live terminal programs: start, type, wait, read the screen, end.\n"
      "\n"
      "First steps:\n"
      "  sid=$(smartcli spawn python3)          start it on a terminal of its own\n"
      "  smartcli wait-regex -s $sid '>>> $'    block until its prompt is there\n"
      "  smartcli send-line -s $sid 'print(6*7)'\n"
      "  smartcli wait-regex -s $sid '^42$'     output counts, the echo does not\n"
      "  smartcli snapshot -s $sid              what a person would see\n"
      "  smartcli close -s $sid\n"
      "\n"
      "Verbs:\n";
  std::string line = " ";
  for (const auto& verb : verbs()) {
    if (line.size() + verb.name.size() + 2 > 78) {
      help += line + "\n";
      line = " ";
    }
    line += " " + verb.name + (&verb == &verbs().back() ? "" : ",");
  }
  help += line + "\n";
  help +=
      "\n"
      "  smartcli VERB --help   its options and examples     --json   any reply as JSON\n"
      "  SMARTCLI_SESSION=SID   the default for -s SID       --version\n"
      "Exit status: 0 done; 1 condition not met; 2 usage; 3 no such session;\n"
      "4 daemon, limit or policy; 5 a bug; 124 timed out; spawn 125, 126, 127.\n";
  return help;
}

}  // namespace smartcli::cli
