// What one step of a series changes in what is published, for the judge and for whoever publishes changes only.
#pragma once

#include <cstdint>
#include <span>

#include "anonymize/incremental/cut_leaves.h"
#include "anonymize/incremental/published_boxes.h"
#include "table/encoded_table.h"

namespace pentimento {

// First the newcomers, in their order, then all earlier members of the leaves that were cut. Groups are the leaves of
// the new segment, in the same order: `uncut`, joined leaves that stay, then those of the pieces.
DescribedChange DescribeChange(const StepContext& step, EncodedTable batch, const SegmentView& segment,
                               std::span<const std::uint32_t> uncut, std::span<const CutPiece> pieces);

}  // namespace pentimento
