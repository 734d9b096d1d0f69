// Whether releases and requirements fit together at all. A fault here is a bug of ours; it is still only a value, so
// that nothing is published.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "guarantee/xy/xy_view.h"
#include "release/xy_releases.h"

namespace pentimento {

// What is wrong, or nothing: every column is there, every cell in order, every row of an earlier release has records.
// The draft is well-formed (one_table_form.h).
std::optional<std::string> FindMalformedJoin(const NewReleaseView& view, const XyReleases& releases,
                                             std::span<const std::uint32_t> against);

// Likewise of the columns that a requirement names: each is in a release that takes part, and none of X says who.
std::optional<std::string> FindMalformedQuestion(const NewReleaseView& view, const XyReleases& releases,
                                                 std::span<const std::uint32_t> against,
                                                 std::span<const ReleaseColumn> x, std::span<const ReleaseColumn> y);

}  // namespace pentimento
