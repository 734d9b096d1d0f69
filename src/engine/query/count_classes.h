// Counts from two tables, many queries at once: for each query which rows of NSS and which entries of SS meet it, and
// what follows for each class.
#pragma once

#include <span>
#include <vector>

#include "engine/query/match_index.h"
#include "utility/count_estimate.h"

namespace pentimento {

// A query over tables that share a layout. Of an SS table every entry is in its class as often as it is counted, so
// each class has as many bits there as in NSS; which bit is whose says nothing.
struct ClassQuery {
  std::vector<std::vector<ColumnMatch>> of_table;  // first NSS, then the SS tables; none: nothing is asked of it
};

// The answers in the order of the queries, the same with any number of threads. `tables` as in ClassQuery; one that was
// not read, and has no columns, cannot be asked.
std::vector<CountEstimate> CountInClasses(const ClassLayout& layout, std::span<const MatchIndex> tables,
                                          std::span<const ClassQuery> queries);

}  // namespace pentimento
