// What a series of releases costs and what it gives away, release after release. Works on any releases whose cases are
// linked: those of a series that Pentimento published, and those of somebody who publishes a growing table anew each
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "anonymize/partition/partition.h"
#include "audit/every_set.h"
#include "base/interval.h"
#include "base/ratio.h"
#include "base/result.h"
#include "io/encode.h"
#include "release/incremental_history.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"
#include "utility/living.h"
#include "utility/metrics.h"

namespace pentimento {

// The yardstick for a series: what goes out when a growing table is anonymized from scratch each time, by a tool that
// forgets what it published before. Nothing of it is ever published by Pentimento.
//
// Everybody in the first `rows` rows, grouped anew; each row is a case, numbered by its place. kRefused where there are
// fewer than k.
Result<IncrementalRelease> PublishAnew(const EncodedInput& input, std::size_t rows, const PartitionOptions& options);

// An example for people to look at: somebody who is hidden in each of two releases and found by both together.
struct LoneCase {
  CaseNumber number = 0;
  Box first;     // what the first release says
  Box second;    // what the second one says
  Box together;  // what must then be true
};

// A case of both releases that is alone with what follows from them, and the only one that whoever knows the person's
// values can take for that person. Of several such cases one to which both releases contribute much. Row i of `people`
// is case i, and all cases of the releases are there. Nothing where there is none among the most telling cases.
std::optional<LoneCase> FindLoneCase(const IncrementalRelease& first, const IncrementalRelease& second,
                                     const EncodedTable& people);

struct IncrementalReading {
  Metrics metrics;                   // of everybody in the release
  std::uint64_t groups_refined = 0;  // classes of the release before with cases whose boxes are smaller now
  // From every set of the releases so far, with this release's k:
  Ratio safe = {1, 1};
  std::uint64_t unsafe = 0;  // cases that fewer than k share what some set says of them with; contradictory ones, too
  std::uint64_t alone = 0;   // cases that nobody does
  bool tried_every_set = true;              // else there may be less safety than these say
  std::optional<LivingCounts> living = {};  // nothing where it is not told who has left
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
