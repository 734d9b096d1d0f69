// What a release promised, as far as other releases of the same people can break it: read from the parameters that the
// ledger keeps of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ratio.h"
#include "guarantee/history/composition.h"

namespace pentimento {

// How frequent values of a sensitive column may be.
struct PromisedLimit {
  std::string column;
  Ratio at_most;
  std::vector<std::string> values = {};  // as the policy writes them; none: every value
  bool together = false;                 // they count as one; otherwise each by itself
};

struct PromiseOnRecord {
  std::string release;
  std::uint64_t k = 0;                           // 0: it does not say
  Membership membership = Membership::kUnknown;  // the attacker that its k names
  bool spans_releases = false;                   // a series, or the history
  bool is_of_series = false;                     // growing, or under the global guarantee
  std::vector<PromisedLimit> limits = {};        // (alpha,k)-anonymity, and alpha of the history
  bool limits_join = false;                      // values, over the join with the releases in `against`
  std::vector<std::string> against = {};         // that its guarantees over a join name
  std::string global_series = {};                // whose account
  std::vector<std::string> accounted = {};       // its columns

  // Whether this release or the other one is part of a join that the promise of one of them is about.
  bool IsJoinedWith(const PromiseOnRecord& other) const;
};

// Parameters that cannot be read promise nothing.
PromiseOnRecord ReadPromise(const std::string& release, std::string_view parameters_json);

// Whether a broken promise is refused where the policy does not say: one of them spans several releases or limits
// sensitive values. A limit over a join is no reason where every release is part of such a join: that guarantee was
// verified over all of them.
bool RefusesByDefault(const std::vector<PromiseOnRecord>& promises);

}  // namespace pentimento
