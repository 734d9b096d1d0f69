// Ids that are known under another form: with blanks around them, or without the zeros in front. Whoever writes ids in
// another way than before takes everybody for somebody else.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/hash.h"
#include "base/result.h"
#include "engine/steps/release_run.h"

namespace pentimento {

// Reads the ids of these rows of the input once more, and asks of each whether it would be known in another form. Says
// how many would, and in which form, as a part of a sentence: "12 ids would be known without the zeros in front of
// them". Empty where none would, or where the table cannot be read twice.
Result<std::string> TellOtherForms(const ReleaseRun& run, std::span<const std::uint32_t> rows,
                                   const std::function<bool(const IdentityHash&)>& is_known);

}  // namespace pentimento
