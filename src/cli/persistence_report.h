// What the persistence meter of a series says, for people and programs.
#pragma once

#include <string>

#include "engine/publish.h"

namespace pentimento {

// A line for each name of an item, about the one that stays most; nothing in a first release.
std::string PersistenceText(const GlobalOutcome& global);

// Numbers of one item, as JSON.
std::string PersistenceJson(const MeasuredPersistence& measured);

}  // namespace pentimento
