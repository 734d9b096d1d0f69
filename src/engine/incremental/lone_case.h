// An example for people to look at: somebody who is hidden in each of two releases and found by both together.
#pragma once

#include <optional>

#include "base/interval.h"
#include "release/incremental_history.h"
#include "table/encoded_table.h"

namespace pentimento {

struct LoneCase {
  CaseNumber number = 0;
  Box first;     // what the first release says
  Box second;    // what the second one says
  Box together;  // what must then be true
};

// A case of both releases that is alone with what follows from them, and the only one that whoever knows the person's
// values can take for that person. Of several such cases one to which both releases contribute much. Row i of `people`
// is case i, and all cases of the releases are there. Nothing where there is none among the most telling cases.
std::optional<LoneCase> FindLoneCase(const IncrementalRelease& first, const IncrementalRelease& second,
                                     const EncodedTable& people);

}  // namespace pentimento
