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
Printed print(const Snapshot::Request&, const Snapshot::Reply& reply);
Printed print(const SendText::Request&, const InputReply& reply);
Printed print(const SendLine::Request&, const InputReply& reply);
Printed print(const SendKeys::Request&, const InputReply& reply);
Printed print(const WaitRegex::Request&, const WaitRegex::Reply& reply);
Printed print(const WaitExit::Request&, const WaitExit::Reply& reply);
Printed print(const Resize::Request&, const Resize::Reply& reply);
Printed print(const Close::Request&, const Close::Reply& reply);
Printed print(const Version::Request&, const Version::Reply& reply);
Printed print(const ShowLimits::Request&, const ShowLimits::Reply& reply);
Printed print(const DaemonStatus::Request&, const DaemonStatus::Reply& reply);
Printed print(const DaemonStop::Request&, const DaemonStop::Reply& reply);

}  // namespace smartcli::cli
