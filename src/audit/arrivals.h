// Crowds among those who came and went: for whoever knows with which release a person came, left or came back, and who
// is still there. A case_id shows all of that on purpose, so k cases in a class may be one newcomer among them.
//
// 1. The living of a release are its cases without those that are withdrawn in it. A newcomer was in no release before;
//    who came back was, and was not living in the one before; a leaver was living in the one before and is not now.
// 2. A crowd of newcomers, of those who came back and of the living are those with equal boxes in this release. One of
//    leavers are those with equal boxes in the release before, and in this one where the withdrawn still have a row.
// 3. All numbers are exact. They are of what these two releases show: what boxes say together over a longer series is
//    told by inference.h, for all cases alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "release/incremental_history.h"

namespace pentimento {

struct ArrivalQuestion {
  const IncrementalHistory& history;
  std::uint64_t k = 0;
  // By release: those of its cases that have left, whose rows are there all the same, visibly; ascending. Empty where
  // no release has any.
  std::span<const std::vector<CaseNumber>> withdrawn = {};
};

struct Crowds {
  std::uint64_t people = 0;
  std::uint64_t alone = 0;                // in a crowd of one
  std::uint64_t below_k = 0;              // in a crowd of fewer than k, the alone included
  std::optional<std::uint64_t> smallest;  // nothing where there is nobody
  std::optional<CaseNumber> witness;      // the first case in a smallest crowd

  friend bool operator==(const Crowds&, const Crowds&) = default;
};

struct ReleaseArrivals {
  Crowds newcomers;  // of the first release: everybody
  Crowds returned;
  Crowds leavers;  // between the release before and this one
  Crowds living;
  std::uint64_t withdrawn = 0;  // rows of those who have left

  friend bool operator==(const ReleaseArrivals&, const ReleaseArrivals&) = default;
};

// By release. REQUIRES: releases as in inference.h; who is withdrawn in a release is one of its cases.
std::vector<ReleaseArrivals> CountArrivals(const ArrivalQuestion& question);

}  // namespace pentimento
