// One space of codes for a quasi-identifier, whichever audited releases show it: columns of one name are one column.
//
// 1. Numbers of one name share one domain: from the smallest declared end to the largest, as fine as any label is. So
// do
//    dates.
// 2. Categories share one where their taxonomies are the same. Of others nobody can tell which labels overlap: they are
//    domains of their own, and only people connect them.
// 3. A missing value is allowed everywhere, so that "*" may stand for one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/result.h"
#include "engine/published/manifest.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct SharedDomain {
  std::string name;
  Domain domain;
};

// A column of one of the tables.
struct ColumnToShare {
  const PublishedColumn* column = nullptr;
  const std::vector<std::string>* labels = nullptr;
  bool is_foreign = false;  // another tool wrote the labels
};

struct SharedDomains {
  std::vector<SharedDomain> domains;
  std::vector<std::size_t> of_column;  // parallel to the columns
};

// `numbers_of`: by name, texts that are points of numeric columns besides the labels.
struct MorePoints {
  std::string name;
  const std::vector<std::string>* texts = nullptr;
};
Result<SharedDomains> ShareDomains(std::span<const ColumnToShare> columns, std::span<const MorePoints> more);

// What each text stands for, or more than that where its values do not lie side by side; nothing where nobody
// understands it. `missing`: texts of a missing value. Texts of other tools are read as foreign_label.h does.
std::vector<std::optional<Interval>> MeaningsOf(const Domain& domain, std::span<const std::string> texts,
                                                std::span<const std::string> missing, bool is_foreign);

}  // namespace pentimento
