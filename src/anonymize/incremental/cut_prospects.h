// Whether a group could be cut at all. Looking for the best cut takes many times as long, and of the groups that
// newcomers join few have one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/incremental/boundary.h"
#include "anonymize/partition/column_cuts.h"
#include "base/category_form.h"
#include "base/interval.h"
#include "taxonomy/domain.h"

namespace pentimento {

class CutProspects {
 public:
  CutProspects(std::span<const Domain> domains, CategoryForm form, std::uint64_t k);

  // False: no column has a legal cut. `codes`: row after row, with room as in boundary.h. region_of(column): that of
  // the group, asked for where it matters.
  template <typename Lane, typename RegionOf>
  bool MayBeCut(const Lane* codes, std::size_t rows, const RegionOf& region_of) const {
    const ColumnSet found = ColumnsWithBoundary(codes, rows, shapes_.size(), k_, free_columns_);
    if (found == kUnknownColumns || (found & free_columns_) != 0 || rows > kMostRows) return found != 0;
    Code of_rows[kMostRows];
    for (std::size_t c = 0; c < shapes_.size(); ++c) {
      if ((found >> c & 1) == 0) continue;
      for (std::size_t row = 0; row < rows; ++row) of_rows[row] = codes[row * shapes_.size() + c];
      if (MayBeCutAlongTaxonomy(c, region_of(c), {of_rows, rows})) return true;
    }
    return false;
  }

 private:
  // Larger groups are few, and nearly always have a cut.
  static constexpr std::size_t kMostRows = 256;

  bool MayBeCutAlongTaxonomy(std::size_t column, Interval region, std::span<const Code> codes) const;

  std::vector<partition::ColumnShape> shapes_;
  ColumnSet free_columns_ = 0;  // those in which every boundary is a cut
  std::uint64_t k_;
};

}  // namespace pentimento
