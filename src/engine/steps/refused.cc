#include "engine/steps/refused.h"

#include <fmt/core.h>

namespace pentimento {

Error Refused(const Refusal& refusal, const std::string& who) {
  // A limit of the program says nothing about the release.
  if (refusal.join_fault == JoinFault::kTooLarge)
    return Error{ErrorCode::kBadPolicy, fmt::format("{} cannot be verified by this version: {}. Nothing was published",
                                                    refusal.guarantee, refusal.witness)};
  return {ErrorCode::kRefused,
          fmt::format("{} does not hold: {}{}. Nothing was published.", refusal.guarantee, refusal.witness, who)};
}

}  // namespace pentimento
