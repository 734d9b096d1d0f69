// The join of the earlier releases among each other, for one claim: collapsed after every step to what is still looked
// at, so that its size is that of the answer and not the product of the releases.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "release/xy_releases.h"

namespace pentimento {

// Products of record counts; whoever binds the releases makes sure that they fit.
__extension__ using JoinCount = unsigned __int128;

struct JoinClaim;

struct EarlierRows {
  using Cells = std::vector<Interval>;

  // The columns of a row: those on X, on Y, and those that the new release is matched with. Where the record itself is
  // a value on Y there is a column {release, kWho}: which of its different rows it is, as [number, number].
  std::vector<ReleaseColumn> columns;
  std::vector<std::pair<Cells, JoinCount>> rows;            // ascending; how many combinations of records are like each
  std::map<std::uint32_t, std::vector<JoinCount>> records;  // by release with a column kWho: of each of its rows
  bool is_too_large = false;                                // then there are no rows
};

// More than this is not joined: rows, or pairs of rows that match on the way.
inline constexpr std::uint64_t kMostEarlierRows = std::uint64_t{1} << 22;
inline constexpr std::uint64_t kMostEarlierPairs = std::uint64_t{1} << 26;

EarlierRows JoinEarlier(const XyReleases& releases, const JoinClaim& claim);

}  // namespace pentimento
