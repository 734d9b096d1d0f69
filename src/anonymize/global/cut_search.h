// What the search for cuts is given, the same for all nodes of a tree.
#pragma once

#include <span>

#include "anonymize/global/capped_items.h"
#include "anonymize/global/published_widths.h"
#include "anonymize/global/taxonomy_paths.h"
#include "anonymize/partition/column_cuts.h"

namespace pentimento::global {

struct CutSearch {
  std::span<const partition::ColumnShape> shapes;
  std::span<const PublishedWidths> widths;  // of the same columns
  std::span<const TaxonomyPaths> paths;     // likewise
  const partition::CutPrices& prices;
  const CappedItems& items;
};

}  // namespace pentimento::global
