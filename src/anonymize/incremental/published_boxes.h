// What a series publishes: from the tree and its members to boxes, for all members or for those a release changed.
#pragma once

#include <span>

#include "anonymize/incremental/series_view.h"
#include "base/category_form.h"
#include "release/draft.h"
#include "release/series_change.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// Everybody's codes, by member.
EncodedTable CodesOfMembers(const SeriesView& series, std::span<const Domain> domains);

// Everybody's box, by member: the publishable cover of the leaf's region.
Draft BoxesOfMembers(const SeriesView& series, std::span<const Domain> domains, CategoryForm form);

// How a region is published.
void AppendCover(std::span<const Interval> region, std::span<const Domain> domains, CategoryForm form, Box& boxes);

struct DescribedChange {
  EncodedTable table;  // the codes of the rows of `change`
  SeriesChange change;
};

// What the last segment of `series` changed, with every member as a row, for whoever wants to look at all of them.
DescribedChange DescribeEverything(const SeriesView& series, std::span<const Domain> domains, CategoryForm form);

}  // namespace pentimento
