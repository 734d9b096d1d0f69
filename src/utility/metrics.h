// How much a release has lost. Reads only what is published, so that it serves any release. For people, not for
// verdicts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"
#include "release/draft.h"
#include "release/grouping.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct Metrics {
  std::uint64_t rows = 0;
  std::uint64_t classes = 0;         // sets of rows with equal published quasi-identifiers
  std::uint64_t smallest_class = 0;  // in rows
  std::uint64_t largest_class = 0;
  __extension__ unsigned __int128 discernibility = 0;  // sum over classes of size squared (exact)
  double c_avg = 0;                                    // rows / (classes * k); 0 where no k is known
  double ncp_percent = 0;                              // mean over all cells of RelativeWidth, in percent
  double categorical_distortion = 0;  // levels climbed, per record, summed over the categorical columns
  double numeric_distortion = 0;      // (b-a)/(hi-lo), per record, summed over the numeric columns
  std::vector<double> ncp_percent_by_column;
};

// Of a release in two tables: the sizes of its classes. Its quasi-identifiers are as they came, so nothing of them is
// lost. `columns`: how many there are.
Metrics MeasureClasses(std::span<const ClassNumber> class_of_row, std::uint32_t classes, std::size_t columns,
                       std::uint64_t k);

Metrics Measure(const Draft& draft, std::span<const Domain> domains, std::uint64_t k);

// Of a release whose groups have numbers: each is a class of its own, also where boxes are equal.
Metrics MeasureNumbered(const Draft& draft, std::span<const Domain> domains, std::uint64_t k);

}  // namespace pentimento
