// What a series of releases costs and what it gives away, release after release. Works on any releases whose cases are
// linked: those of a series that Pentimento published, and those of somebody who publishes a growing table anew each
// time.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/every_set.h"
#include "base/ratio.h"
#include "release/incremental_history.h"
#include "taxonomy/domain.h"
#include "utility/metrics.h"

namespace pentimento {

struct IncrementalReading {
  Metrics metrics;                   // of everybody in the release
  std::uint64_t groups_refined = 0;  // classes of the release before with cases whose boxes are smaller now
  // From every set of the releases so far, with this release's k:
  Ratio safe = {1, 1};
  std::uint64_t unsafe = 0;  // cases that fewer than k share what some set says of them with; contradictory ones, too
  std::uint64_t alone = 0;   // cases that nobody does
  bool tried_every_set = true;  // else there may be less safety than these say
};

// `changes` over `before`: a case of both has the box of `changes`.
IncrementalRelease Overlay(const IncrementalRelease& before, const IncrementalRelease& changes);

class IncrementalMeter {
 public:
  // One domain per quasi-identifier of every release.
  explicit IncrementalMeter(std::vector<Domain> domains) : domains_(std::move(domains)) {}

  // The next release, with everybody in it.
  IncrementalReading Add(const IncrementalRelease& release, std::uint64_t k);

  // Equal boxes have one number.
  const IncrementalRelease& last() const { return last_; }

 private:
  std::vector<Domain> domains_;
  IncrementalRelease last_;
  EverySet known_;
};

}  // namespace pentimento
