// What a user should know about guarantees over a join before trusting them: what they amount to, and what is left out.
#pragma once

#include <string>
#include <vector>

#include "engine/xy/common_columns.h"
#include "engine/xy/join_claims.h"
#include "engine/xy/release_columns.h"

namespace pentimento {

// `is_generalized`: by quasi-identifier of the new release.
std::vector<std::string> JoinNotes(const Policy& policy, const ReleaseColumns& columns, const CommonColumns& common,
                                   const NamedClaims& named, const std::vector<bool>& is_generalized);

}  // namespace pentimento
