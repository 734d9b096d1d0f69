// What a release under the global guarantee did, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/publish.h"

namespace pentimento {

std::string GlobalText(const GlobalOutcome& global, bool dry_run);
void AddGlobalJson(const GlobalOutcome& global, const StepSeconds& seconds, nlohmann::ordered_json& json);

}  // namespace pentimento
