// A release as the verifier of the global guarantee sees it, counted from what would be published.
#pragma once

#include <cstdint>
#include <span>

#include "release/classes.h"
#include "release/global_claim.h"
#include "table/code_column.h"

namespace pentimento {

// `person_of_row`: numbers over the whole series. Somebody may have several rows. `sensitive`: the columns that the
// items speak of.
ReleaseClasses ClassesOfRelease(const GlobalClaim& claim, std::span<const CodeColumn* const> sensitive,
                                std::span<const ClassNumber> class_of_row, std::uint32_t classes,
                                std::span<const std::uint32_t> person_of_row, std::size_t people);

}  // namespace pentimento
