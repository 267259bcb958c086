#pragma once

#include "shim/proc.hpp"
#include "shim/pty.hpp"
#include "shim_abi/messages.hpp"

namespace smartcli::shim {

inline constexpr std::uint32_t kFactsProcesses = 64;

/// As it goes over the wire.
struct FactsReply {
  shim_abi::Reply reply;
  shim_abi::Facts facts;
  shim_abi::ProcessFacts processes[kFactsProcesses];
};

/// What the kernel says about the terminal and the processes of its foreground group.
/// @param has_slave  some process has the terminal open; if none, opening it for a look would disturb the
/// hang-up
void gather_facts(const Pty& pty, bool has_slave, const OwnPrograms& own, FactsReply* reply);

}  // namespace smartcli::shim
