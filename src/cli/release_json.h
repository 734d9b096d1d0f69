// What a release did, for programs: `release --json`, and the Python library.
#pragma once

#include <string>

#include "engine/steps/release_outcome.h"

namespace pentimento {

// A JSON object with a line break at its end.
std::string ReleaseJson(const ReleaseOutcome& outcome);

}  // namespace pentimento
