// Whether the account of a series can be kept at all: it has a number for every person and every protected value.
#pragma once

#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/global/account.h"
#include "io/encode.h"

namespace pentimento {

// kStorage, naming the column with the most values, where the account of these people would need more memory than this
// process may have. Reckoned from below, so what fits is never refused.
Status RequireAccountFits(const BoundPolicy& bound, const EncodedInput& input, const Account& account);

}  // namespace pentimento
