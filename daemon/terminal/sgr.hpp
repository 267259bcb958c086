#pragma once

#include <string>

#include "terminal/sequence.hpp"
#include "terminal/style.hpp"

namespace smartcli::terminal {

/// Applies SGR parameters from `first` on. Link and protection are no renditions and stay.
/// Ref: xterm ctlseqs, "CSI Pm m"; ITU-T T.416 for colours with colons.
void apply_sgr(const Params& params, int first, Style& style);

/// The parameters that give this style from a reset one, "0;1;38:5:196": what DECRQSS reports.
std::string sgr_parameters(const Style& style);

}  // namespace smartcli::terminal
