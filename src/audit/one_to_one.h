// One-to-one matching: what the guarantees over a join are worth to somebody who also knows that every record of the
// smaller release has a partner of its own in the other. It refuses nothing, it tells: see "One-to-one matching" in
// xy_anonymity.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "guarantee/xy/xy_view.h"
#include "release/xy_releases.h"

namespace pentimento {

// Beyond these nothing is looked for, and the outcome says so. A step takes a few nanoseconds, a pair a few bytes.
struct PairingLimits {
  std::uint64_t most_pairs = std::uint64_t{1} << 24;  // of values that match
  std::uint64_t most_steps = std::uint64_t{1} << 31;
};

enum class PairingOutcome {
  kPaired,
  kNoPairing,     // the releases are not about the same people, a record each, and nothing follows
  kTooManyPairs,  // of values that match
  kTooManySteps
};

// Values are those in all columns that are compared: records with equal ones are interchangeable.
struct ReleasePairing {
  std::uint32_t release = 0;  // number in XyReleases: from 1
  PairingOutcome outcome = PairingOutcome::kPaired;
  bool rows_are_fewer = false;  // than records; or as many
  std::uint64_t pairs = 0;      // of values that match; of kPaired alone, as all that follows
  std::uint64_t ruled_out = 0;  // those of them that are in no pairing
  // A row and a record are together in some pairing if and only if they match and are in one block.
  std::vector<std::uint32_t> block_of_row;     // by row of the input
  std::vector<std::uint32_t> block_of_record;  // by row of the earlier release, for all records like it
  std::uint32_t blocks = 0;
};

// Whether pairing can rule anything out. It cannot where all columns are compared by path and the cells of each exclude
// each other on either side: then the values fall into parts of which everything matches everything.
bool PairingCanMatter(const NewReleaseView& view, const XyReleases& releases, std::uint32_t release);

// The releases are well-formed (well_formed_join.h).
ReleasePairing PairReleases(const NewReleaseView& view, const XyReleases& releases, std::uint32_t release,
                            const PairingLimits& limits);

// One requirement, or one limit of it, over the matches that are left.
struct ClaimOneToOne {
  bool is_linkability = false;
  std::size_t claim = 0;   // in XyReleases::anonymity or ::linkability
  std::size_t target = 0;  // of a linkability
  std::string found;       // exact: the least anonymity, or the greatest share as a fraction; empty without matches
  std::string required;    // k, or the limit
  std::optional<std::string> violation;  // why it would not hold, in words, without any cell
  std::optional<std::string> not_told;   // why it could not be told whether it would
};

struct OneToOneFindings {
  std::vector<ReleasePairing> pairings;  // with the releases where pairing can matter
  std::vector<ClaimOneToOne> claims;     // those over a join that loses matches
};

// Each earlier release is paired with the new one by itself: with three at once it cannot be decided in any reasonable
// time, so more than what is found here may follow. An error is a bug of ours.
Result<OneToOneFindings> LookOneToOne(const NewReleaseView& view, const XyReleases& releases,
                                      const PairingLimits& limits = {});

}  // namespace pentimento
