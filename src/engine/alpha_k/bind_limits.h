// The policy's limits on sensitive values and the table's values, brought together: texts become codes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anonymize/limits/signatures.h"
#include "engine/bind/bind.h"
#include "io/encode.h"
#include "release/alpha_k_claim.h"
#include "table/code_column.h"
#include "table/values.h"

namespace pentimento {

// The values of one sensitive column, by the text that a policy would write.
// Points to the column, which must stay where it is.
class ValueTexts {
 public:
  explicit ValueTexts(const ValueColumn& column);

  const ValueColumn& column() const { return column_; }
  // By code; the missing value is an empty text.
  const std::vector<std::string>& texts() const { return texts_; }

  // Ascending, one for each value. A value that no row has gets a code beyond those of the column; `absent` receives
  // it.
  std::vector<Code> Find(const std::vector<std::string>& values, std::vector<std::string>& absent) const;

 private:
  std::string_view View(Code code) const { return texts_[code]; }

  const ValueColumn& column_;
  std::vector<std::string> texts_;
  std::vector<Code> by_text_;
};

// Points into the input it was bound to, which must stay where it is.
struct BoundAlphaK {
  AlphaKAnonymityPolicy guarantee;
  std::vector<const ValueColumn*> columns;  // the sensitive ones, in the order of the policy
  std::vector<const CodeColumn*> codes;     // theirs
  std::vector<Code> value_counts;
  AlphaKClaim claim;
  // By limit of the claim: the values as the policy writes them; nothing where it is for every value.
  std::vector<std::vector<std::string>> named_values;
  Signatures signatures;
  std::vector<std::string> warnings;  // what the steward should know of values that the policy names
  std::vector<std::string> idle;      // in words: limits on values of which no row has any, so that they protect nobody
};

// Nothing where the policy asks for no alpha-k-anonymity. Limits come in the order that alpha_k_claim.h fixes. A value
// that the policy names and no row has is told in a note: it may be misspelt. What is suggested for it is in the
// policy, too: values that are in the data alone are not for messages.
std::optional<BoundAlphaK> BindLimits(const BoundPolicy& bound, const EncodedInput& input);

}  // namespace pentimento
