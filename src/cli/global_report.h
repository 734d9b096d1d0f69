// What a release under the global guarantee did, for people and for programs.
#pragma once

#include <string>

#include "engine/publish.h"

namespace pentimento {

// What the persistence meter says of one item, as JSON.
std::string PersistenceJson(const MeasuredPersistence& measured);

std::string GlobalText(const GlobalOutcome& global);
// An object.
std::string GlobalJson(const GlobalOutcome& global);

}  // namespace pentimento
