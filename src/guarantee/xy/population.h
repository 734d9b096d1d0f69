// Who of which release is in no match of the join: the paper's assumption that all releases are about the same people,
// held against what they show.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "guarantee/xy/xy_view.h"
#include "release/xy_releases.h"

namespace pentimento {

// How many records take part in no match: of the new release, then of each release in `against`. Cells are taken as
// they are, so the new release is best handed over unabridged, with boxes [code, code]: generalizing hides what
// dangles.
Result<std::vector<std::uint64_t>> CountDangling(const NewReleaseView& view, const XyReleases& releases,
                                                 std::span<const std::uint32_t> against);

}  // namespace pentimento
