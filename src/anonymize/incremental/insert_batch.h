// One step of a series: newcomers find their leaves, and the leaves that now have enough people are cut. See
// algorithm.md for the paper, what we do otherwise and why, and the cost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "anonymize/incremental/incremental_view.h"
#include "anonymize/incremental/leaf_lookup.h"
#include "anonymize/incremental/published_boxes.h"
#include "base/category_form.h"
#include "base/result.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct InsertOptions {
  std::uint64_t k = 2;
  CategoryForm form = CategoryForm::kTaxonomy;
  bool hides_arrivals = false;
  bool describes_change = true;  // whoever looks at everybody anyway does not need it
  // Asked before records of earlier segments are read.
  RequireIntact require_intact = {};
  // Gets the new segment as soon as it is complete, while the change is still to be described.
  std::function<void(std::shared_ptr<const SegmentData>)> segment_is_made = {};
};

struct IncrementalStep {
  std::shared_ptr<const SegmentData> segment;  // may be in the hands of others, too, who save it meanwhile
  // First the newcomers, in their order, then all earlier members of the leaves that were cut.
  DescribedChange described;
  std::size_t leaves_joined = 0;   // that got new members
  std::size_t leaves_refined = 0;  // of these, how many were cut
};

// `batch`: the newcomers, one row each, in the order in which they are numbered; its columns become those of the
// described table. `withdrawn`: members who leave with this release, ascending; they stay where they are, but nobody is
// cut on their account. Leaves that got no newcomer are not touched. kRefused where the series has fewer than k people
// to begin with, kCorruptLedger where records are not intact.
Result<IncrementalStep> InsertBatch(const IncrementalView& series, std::span<const Domain> domains, EncodedTable batch,
                                    std::span<const CaseNumber> withdrawn, const InsertOptions& options);

}  // namespace pentimento
