// Releases whose rows are linked case by case, as boxes: what the attacks on a series need (src/audit/inference.h).
//
// 1. A column that a release does not show, or a label that nobody understands, is the whole domain: it tells nothing.
// 2. A release of changes is laid over the one before it.
// 3. Somebody is withdrawn in a release where the row has no sensitive value any more, and had one before.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "audit/breach.h"
#include "audit/inference.h"
#include "base/result.h"
#include "engine/audit/attacks.h"
#include "release/incremental_history.h"

namespace pentimento {

struct SeriesColumns {
  std::vector<std::size_t> domains;  // of all releases, each once
  std::vector<std::string> names;
};

struct SeriesBreach {
  std::vector<std::size_t> releases;  // places in the link
  std::uint64_t k = 0;
  std::uint64_t cases = 0;
  std::uint64_t unsafe = 0;
  std::uint64_t alone = 0;
  std::vector<std::pair<BreachKind, std::uint64_t>> kinds;  // why, where it is two releases
  CaseNumber witness = 0;
};

struct LinkedSeries {
  SeriesColumns columns;
  IncrementalHistory history;
  std::vector<std::vector<CaseNumber>> withdrawn;  // by release
  std::uint64_t k = 0;
  std::uint64_t cases = 0;
  std::uint64_t unsafe = 0;  // by every set of releases
  std::uint64_t alone = 0;
  std::uint64_t contradictory = 0;  // by all releases together
  bool tried_every_set = true;
  std::vector<std::pair<BreachKind, std::uint64_t>> kinds;  // over all breaches of two releases
  std::vector<SeriesBreach> breaches;
};

// The boxes alone: of two tables there are none, which is an error with the reason.
Result<LinkedSeries> LaySeries(const AuditView& view, const LinkedPeople& link);
// With all that is found in them.
Result<LinkedSeries> ReadLinkedSeries(const AuditView& view, const LinkedPeople& link);

// The inference table of all releases, in labels.
ShownInference ShowInference(const AuditView& view, const LinkedPeople& link, const LinkedSeries& series);

}  // namespace pentimento
