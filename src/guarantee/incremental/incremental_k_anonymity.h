// k-anonymity of everything that can be inferred from a growing series: see incremental_k_anonymity.md for what is
// promised and why looking at the change is enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "release/incremental_change.h"
#include "release/incremental_history.h"

namespace pentimento {

// One release, as a change of a series that was k-anonymous before: the classes that its cases are published with from
// now on, and where they come from. In words, for people; names rows and classes by number, never a value.
std::optional<std::string> FindViolationOfChange(const Classes& classes, const IncrementalChange& change,
                                                 std::uint64_t k, bool hides_arrivals);

struct HistoryViolation {
  // kTooFew: a class of equal inferred boxes has fewer than k cases. kContradiction: the boxes of a case have nothing
  // in common. kUndecided: the series is not monotone and has so many releases that not every set of them could be
  // tried.
  enum class Kind { kTooFew, kContradiction, kUndecided };
  Kind kind = Kind::kTooFew;
  std::vector<std::size_t> releases;  // the set of releases that shows it, numbered from 0
  CaseNumber witness = 0;
  std::uint64_t members = 0;  // of the class of the witness
};

// Any history, monotone or not, over every set of releases, counted twice: with everybody who is in one of them, and
// with those alone who are in the last of them. Exact. Where every box nests in the one before it and
// nobody leaves, each release is looked at once; otherwise every set of up to kMostReleases releases is.
inline constexpr std::size_t kMostReleases = 20;
std::optional<HistoryViolation> FindViolationOfHistory(const IncrementalHistory& history, std::uint64_t k);

}  // namespace pentimento
