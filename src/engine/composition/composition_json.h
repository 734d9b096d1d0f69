// What several releases tell together, as JSON: for --json, for the ledger, which reads it back, and for
// datapackage.json, which everybody may read.
//
// 1. Null where no other release is on record. What nobody can tell is null, too, never 0 and never an empty list.
// 2. What is public names no release that was imported, or is not on record, and nobody who is in one: see
//    docs/formats/datapackage.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/steps/release_outcome.h"

namespace pentimento {

// All of it. Private.
std::string CompositionJson(const std::optional<CompositionOutcome>& composition);

// What CompositionJson wrote. Nothing for "null", and where a text is none of its.
std::optional<CompositionOutcome> ParseComposition(std::string_view json);

// What may be published with the release.
std::string PublicCompositionJson(const std::optional<CompositionOutcome>& composition);

}  // namespace pentimento
