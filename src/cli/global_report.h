// What a release under the global guarantee did, for people and for programs.
#pragma once

#include <string>

#include "engine/publish.h"

namespace pentimento {

std::string GlobalText(const GlobalOutcome& global, bool dry_run);
// An object whose keys belong into the release's own.
std::string GlobalJson(const GlobalOutcome& global);

}  // namespace pentimento
