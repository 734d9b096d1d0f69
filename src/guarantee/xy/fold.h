// Earlier releases joined with each other, collapsed again: only for these is a join ever built, and only in values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/result.h"
#include "guarantee/xy/relation.h"

namespace pentimento {

// A join of earlier releases with more different rows than this, or more pairs of rows that match on the way to them,
// is not verified.
inline constexpr std::size_t kMostFoldedRows = std::size_t{1} << 23;
inline constexpr std::uint64_t kMostFoldedPairs = std::uint64_t{1} << 28;

// All pairs of rows that match, equal ones taken together. The links between the two are used up, those to other
// releases stay. Nothing where there would be too many.
std::optional<Relation> Fold(const Relation& left, const Relation& right, std::span<const JoinLink> links,
                             std::size_t most_rows = kMostFoldedRows);

// Both sides of the join of a release with others.
struct JoinSides {
  Relation one;     // the first release that takes part
  Relation others;  // all others together
  std::vector<JoinLink> links;
};

// `prepare` makes a relation smaller without changing the answer. The first of the releases is the side `one`.
Result<JoinSides> MakeSides(const NewReleaseView& view, const XyReleases& releases,
                            std::span<const std::uint32_t> taking_part, const JoinQuestion& question,
                            const std::function<void(Relation&)>& prepare);

}  // namespace pentimento
