// A release as the verifier of the global guarantee sees it, counted from what would be published; and whether such
// counts are in order: the accountant counts again what it can count, and relies on nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "release/classes.h"
#include "release/global_claim.h"
#include "table/code_column.h"

namespace pentimento {

// `person_of_row`: numbers over the whole series. Somebody may have several rows. `sensitive`: the columns that the
// items speak of.
ReleaseClasses ClassesOfRelease(const GlobalClaim& claim, std::span<const CodeColumn* const> sensitive,
                                std::span<const ClassNumber> class_of_row, std::uint32_t classes,
                                std::span<const std::uint32_t> person_of_row, std::size_t people);

// What is wrong with the release, or nothing. Afterwards each class has as many rows as it says.
std::optional<std::string> FindMalformedClasses(const ReleaseClasses& release, std::size_t items);

}  // namespace pentimento
