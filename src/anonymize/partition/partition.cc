#include "anonymize/partition/partition.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "anonymize/partition/column_cuts.h"
#include "anonymize/partition/equal_boxes.h"
#include "anonymize/partition/packed_rows.h"
#include "anonymize/partition/tree.h"
#include "base/check.h"

namespace pentimento {
namespace {

using partition::ColumnShape;
using partition::PackedRows;
using partition::PartitionTree;
using partition::SubtreeLeaves;

// Numbers the groups in the order of the leaves, which follows from the cuts alone and not from threads.
template <typename Rows>
Draft MakeDraft(const Rows& rows, std::vector<SubtreeLeaves> subtrees, bool can_be_equal) {
  Draft draft{.columns = rows.columns(), .boxes = {}, .group_of_row = {}};
  std::size_t leaf_count = 0;
  for (const SubtreeLeaves& subtree : subtrees) leaf_count += subtree.ends.size();
  draft.boxes.reserve(leaf_count * draft.columns);
  std::vector<std::uint32_t> first_leaf;
  for (SubtreeLeaves& subtree : subtrees) {
    first_leaf.push_back(static_cast<std::uint32_t>(draft.boxes.size() / draft.columns));
    draft.boxes.insert(draft.boxes.end(), subtree.boxes.begin(), subtree.boxes.end());
    subtree.boxes = {};
  }
  std::vector<GroupId> group_of_leaf;
  if (can_be_equal) group_of_leaf = partition::MergeEqualBoxes(draft.columns, draft.boxes);
  draft.group_of_row.resize(rows.size());
  const auto records = rows.records(partition::Buffer::kFront);
  ParallelFor(subtrees.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      std::size_t record = subtrees[s].begin;
      for (std::size_t i = 0; i < subtrees[s].ends.size(); ++i) {
        const std::size_t leaf = first_leaf[s] + i;
        const GroupId group = can_be_equal ? group_of_leaf[leaf] : static_cast<GroupId>(leaf);
        for (; record < subtrees[s].ends[i]; ++record) draft.group_of_row[records.row(record)] = group;
      }
    }
  });
  return draft;
}

// Boxes that differ in codes can be published alike only where a cover is wider than what it covers.
bool CanBoxesBeEqual(std::span<const Domain> domains, CategoryForm form) {
  return std::any_of(domains.begin(), domains.end(), [form](const Domain& domain) {
    return domain.missing_code().has_value() || (!domain.is_numeric() && form == CategoryForm::kTaxonomy);
  });
}

template <typename Lane, std::size_t kLanes, bool kPersons>
Draft Run(const EncodedTable& table, std::span<const Domain> domains, const PartitionOptions& options) {
  PackedRows<Lane, kLanes, kPersons> rows(table);
  PartitionTree tree(rows, domains, options);
  RegionRoot root{0, rows.size(), {}};
  for (const Domain& domain : domains) root.region.push_back(domain.root());
  std::vector<SubtreeLeaves> leaves = tree.Grow({&root, 1});
  rows.FreeBack();
  return MakeDraft(rows, std::move(leaves), CanBoxesBeEqual(domains, options.form));
}

template <bool kPersons>
Draft RunWithFittingLanes(const EncodedTable& table, std::span<const Domain> domains, const PartitionOptions& options) {
  const bool is_narrow = partition::FitNarrowLanes(domains);
  if (is_narrow && domains.size() <= 8) return Run<std::uint16_t, 8, kPersons>(table, domains, options);
  if (is_narrow && domains.size() <= 16) return Run<std::uint16_t, 16, kPersons>(table, domains, options);
  if (is_narrow) return Run<std::uint16_t, 0, kPersons>(table, domains, options);
  if (domains.size() <= 8) return Run<std::uint32_t, 8, kPersons>(table, domains, options);
  return Run<std::uint32_t, 0, kPersons>(table, domains, options);
}

}  // namespace

Result<Draft> AnonymizeByPartition(const EncodedTable& table, std::span<const Domain> domains,
                                   const PartitionOptions& options) {
  Check(domains.size() == table.quasi_identifiers.size(), "one domain per quasi-identifier");
  Check(table.rows <= std::numeric_limits<std::uint32_t>::max(), "rows are numbered in 32 bits");
  const std::uint64_t persons = table.persons ? table.persons->count : table.rows;
  const std::uint64_t k = std::max<std::uint64_t>(options.k, 1);
  if (persons < k) {
    return Error{
        ErrorCode::kRefused,
        fmt::format(
            "the table has {} {}, but every group needs {}: nothing can be published; gather more rows or lower k",
            persons, table.persons ? "persons" : "rows", k)};
  }
  if (domains.empty()) return Draft{.columns = 0, .boxes = {}, .group_of_row = std::vector<GroupId>(table.rows, 0)};
  PartitionOptions checked = options;
  checked.k = k;
  if (table.persons && !table.persons->one_row_each()) return RunWithFittingLanes<true>(table, domains, checked);
  return RunWithFittingLanes<false>(table, domains, checked);
}

}  // namespace pentimento
