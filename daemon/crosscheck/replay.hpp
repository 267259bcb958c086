#pragma once

#include <string>

#include "common/error.hpp"
#include "proto/methods/doctor.hpp"

namespace smartcli::crosscheck {

/// A session's journal, as far as it is whole, through our screen and through libtsm's: what each shows in
/// the end. Errors: invalid_argument (no journal in that folder), internal (unreadable).
Result<SecondOpinion> replay(const std::string& folder);

}  // namespace smartcli::crosscheck
