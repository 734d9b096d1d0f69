// What the search for cuts is given, the same for all nodes of a tree.
#pragma once

#include <span>

#include "anonymize/partition/column_cuts.h"
#include "anonymize/serial/capped_items.h"
#include "anonymize/serial/published_widths.h"

namespace pentimento::serial {

struct CutSearch {
  std::span<const partition::ColumnShape> shapes;
  std::span<const PublishedWidths> widths;  // of the same columns
  const partition::CutPrices& prices;
  const CappedItems& items;
};

}  // namespace pentimento::serial
