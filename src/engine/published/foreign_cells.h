// A column of quasi-identifiers whose labels another tool wrote: of an import, or of a stranger's table that is
// audited. What its cells stand for, what of it nobody understands, and the column in our own labels, for readers that
// know no others.
//
// 1. A cell is a missing value only where the policy lists its text, an empty one like any other.
// 2. Labels that are not understood are counted and never shown.
// 3. The unit of a numeric column is the finest of its declared ends and of the numbers that its labels name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/published/manifest.h"
#include "table/values.h"
#include "taxonomy/domain.h"
#include "taxonomy/foreign_label.h"

namespace pentimento {

struct LabelCount {
  std::uint64_t labels = 0;  // different ones
  std::uint64_t rows = 0;
};

// The labels of a column without an exact reading. Who wants bounds can use those that are wider.
struct UnreadLabels {
  std::string column;
  bool is_numeric = false;
  LabelCount unknown;         // LabelReading::kUnknown
  LabelCount beyond;          // kBeyond
  LabelCount wider;           // kWider
  std::size_t first_row = 0;  // from 0; nothing is said of it where there are none

  std::uint64_t labels() const { return unknown.labels + beyond.labels + wider.labels; }
  std::uint64_t rows() const { return unknown.rows + beyond.rows + wider.rows; }
  bool empty() const { return labels() == 0; }
};

// "column 'age': 12 different labels in 340 rows are not understood (9 of no known form, 3 outside of its domain)".
std::string InWords(const UnreadLabels& unread);

// A domain that has the ends of all labels among its points, as far as they lie in the declared range; labels of ours
// count as well.
Result<Domain> DomainOfForeignLabels(const PublishedColumn& column, const std::vector<std::string>& labels,
                                     bool allows_missing);

struct ForeignColumn {
  Domain domain;
  std::vector<ForeignLabel> of_code;  // by code of the column
  std::vector<std::string> own;       // by code: the same in our labels; nothing is meant by it where it is not exact
  UnreadLabels unread;
};

// `missing`: the texts that stand for a missing value. REQUIRES: `column` has a taxonomy or a range.
Result<ForeignColumn> ReadForeignColumn(const PublishedColumn& column, const ValueColumn& values,
                                        std::span<const std::string> missing);

// The column in our own labels; those that mean the same and are written alike become one.
// REQUIRES: nothing in it is unread.
ValueColumn InOwnLabels(const ForeignColumn& column, const ValueColumn& values);

}  // namespace pentimento
