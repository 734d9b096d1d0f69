// What a release did, for people and for programs.
#pragma once

#include <string>

#include "engine/publish.h"

namespace pentimento {

std::string ReleaseText(const ReleaseOutcome& outcome);
std::string ReleaseJson(const ReleaseOutcome& outcome);

}  // namespace pentimento
