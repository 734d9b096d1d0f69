// What several releases tell together, in words.
#pragma once

#include <string>
#include <vector>

#include "engine/steps/release_outcome.h"

namespace pentimento {

// "'r1', 'r2' and 'r3'"
std::string QuotedNames(const std::vector<std::string>& names);

// "Together with 'r1': 12 of 40 people have a crowd below 5 (smallest 1); ..."
std::string CountsInWords(const CompositionOutcome& composition);

// "This breaks what 'r1' and 'r2' promised (k = 5); what 'r3' promised (alpha = 1/2 ...)." Where nobody can show it:
// "This may break ...". Empty where nothing is broken.
std::string BrokenInWords(const CompositionOutcome& composition);

// For the screen: a sentence or more; empty where there is nothing to tell.
std::vector<std::string> CompositionInWords(const CompositionOutcome& composition);

}  // namespace pentimento
