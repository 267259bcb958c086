#pragma once

#include <string>

#include "proto/registry.hpp"

namespace smartcli::cli {

/// What a person sees of a reply: `out` for stdout, `note` for stderr, `status` for the shell. All of it
/// inert.
struct Printed {
  std::string out, note;
  int status = 0;
};

Printed print(const Spawn::Request&, const Spawn::Reply& reply);
Printed print(const List::Request& request, const List::Reply& reply);
Printed print(const Status::Request&, const Status::Reply& reply);
Printed print(const Snapshot::Request& request, const Snapshot::Reply& reply);
Printed print(const Read::Request&, const Read::Reply& reply);
Printed print(const Search::Request& request, const Search::Reply& reply);
Printed print(const SendText::Request&, const InputReply& reply);
Printed print(const SendLine::Request&, const InputReply& reply);
Printed print(const SendKeys::Request&, const InputReply& reply);
Printed print(const WaitRegex::Request&, const WaitRegex::Reply& reply);
Printed print(const WaitAny::Request&, const WaitAny::Reply& reply);
Printed print(const WaitGone::Request&, const WaitGone::Reply& reply);
Printed print(const WaitChange::Request&, const WaitChange::Reply& reply);
Printed print(const WaitVisualChange::Request&, const WaitChange::Reply& reply);
Printed print(const WaitReady::Request&, const WaitReady::Reply& reply);
Printed print(const WaitExit::Request&, const WaitExit::Reply& reply);
Printed print(const Alive::Request&, const Alive::Reply& reply);
Printed print(const Signal::Request&, const Signal::Reply& reply);
Printed print(const Resize::Request&, const Resize::Reply& reply);
Printed print(const Clear::Request&, const Clear::Reply& reply);
Printed print(const Restart::Request&, const Restart::Reply& reply);
Printed print(const Close::Request&, const Close::Reply& reply);
Printed print(const Version::Request&, const Version::Reply& reply);
Printed print(const ShowLimits::Request&, const ShowLimits::Reply& reply);
Printed print(const DaemonStatus::Request&, const DaemonStatus::Reply& reply);
Printed print(const Doctor::Request&, const Doctor::Reply& reply);
Printed print(const DaemonStop::Request&, const DaemonStop::Reply& reply);

/// Each on a line of its own.
std::string print_lines(const std::vector<TextLine>& lines);

/// How `spawn --wait` ends: with the program's own status.
Printed print_end(const WaitExit::Reply& reply);

/// Errors: invalid_argument, for a --format that names no field of a session.
Result<void> check_format(const std::string& format);

}  // namespace smartcli::cli
