// The accountant's everyday verifier: what everybody has spent so far, and one new release. It need not see the earlier
// releases. Never more generous than FindGlobalViolation over the whole series, and stricter by a hair only
// (global_guarantee.md).
#pragma once

#include <optional>
#include <vector>

#include "base/log_budget.h"
#include "base/result.h"
#include "guarantee/global/exposure.h"
#include "release/global_claim.h"

namespace pentimento {

// By person, one number per item of the claim: nothing for somebody new. Only ChargeRelease makes them, from nothing,
// and under one claim: where l or the items of a series change, its releases are charged again from the first one.
using SpentBudgets = std::vector<LogCost>;

struct ChargedRelease {
  // The person with the smallest number whose budget is too small for the release, and of its items the first. The
  // exposures are those of the new release alone; the chance is over all releases, exact for somebody with nothing
  // spent and otherwise the accountant's, rounded up.
  std::optional<GlobalViolation> violation;
  SpentBudgets spent;  // with the new release; of no use where there is a violation
};

// Takes what was spent and gives it back charged; `number` is that of the new release. There are budgets for at least
// the people of the release. Somebody with nothing spent is verified exactly, so one release may use up the whole
// limit. Who is absent pays nothing, and neither does who is in a class without holders, unless it may be confused with
// one that has some. Errors as in FindGlobalViolation.
Result<ChargedRelease> ChargeRelease(const GlobalClaim& claim, const ReleaseClasses& release, std::uint32_t number,
                                     SpentBudgets spent);

}  // namespace pentimento
