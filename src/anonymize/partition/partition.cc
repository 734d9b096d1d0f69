#include "anonymize/partition/partition.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "anonymize/partition/class_limits.h"
#include "anonymize/partition/packed_rows.h"
#include "anonymize/partition/tree.h"
#include "base/check.h"
#include "release/equal_boxes.h"

namespace pentimento {
namespace {

using partition::ClassLimits;
using partition::PackedRows;
using partition::PartitionTree;
using partition::SubtreeLeaves;

// What is partitioned and how; `limits` where sensitive values are limited.
struct Task {
  const EncodedTable& table;
  std::span<const Domain> domains;
  PartitionOptions options;
  const ClassLimits* limits = nullptr;
  std::vector<std::uint32_t> lots = {};  // by row, where leaves are dealt
};

// Calls body(record, leaf) for every record, where leaves are numbered in the order of the cuts, which does not depend
// on threads. Returns how many leaves there are.
template <typename Body>
std::size_t ForEachRecord(std::span<const SubtreeLeaves> subtrees, const Body& body) {
  std::vector<std::size_t> first_leaf = {0};
  for (const SubtreeLeaves& subtree : subtrees) first_leaf.push_back(first_leaf.back() + subtree.ends.size());
  ParallelFor(subtrees.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      std::size_t record = subtrees[s].begin;
      for (std::size_t i = 0; i < subtrees[s].ends.size(); ++i) {
        for (; record < subtrees[s].ends[i]; ++record) body(record, static_cast<std::uint32_t>(first_leaf[s] + i));
      }
    }
  });
  return first_leaf.back();
}

// Boxes that differ in codes can be published alike only where a cover is wider than what it covers.
bool CanBoxesBeEqual(const Task& task) {
  return std::any_of(task.domains.begin(), task.domains.end(), [&](const Domain& domain) {
    return domain.missing_code().has_value() || (!domain.is_numeric() && task.options.form == CategoryForm::kTaxonomy);
  });
}

struct MakeDraft {
  template <typename Rows>
  Draft operator()(const Task& task, const Rows& rows, std::vector<SubtreeLeaves> subtrees) const {
    Draft draft{.columns = rows.columns(), .boxes = {}, .group_of_row = {}};
    std::size_t leaf_count = 0;
    for (const SubtreeLeaves& subtree : subtrees) leaf_count += subtree.ends.size();
    draft.boxes.reserve(leaf_count * draft.columns);
    for (SubtreeLeaves& subtree : subtrees) {
      draft.boxes.insert(draft.boxes.end(), subtree.boxes.begin(), subtree.boxes.end());
      subtree.boxes = {};
    }
    std::vector<GroupId> group_of_leaf;
    const bool can_be_equal = CanBoxesBeEqual(task);
    if (can_be_equal) group_of_leaf = MergeEqualBoxes(draft.columns, draft.boxes);
    draft.group_of_row.resize(rows.size());
    const auto records = rows.records(partition::Buffer::kFront);
    ForEachRecord(subtrees, [&](std::size_t record, std::uint32_t leaf) {
      draft.group_of_row[records.row(record)] = can_be_equal ? group_of_leaf[leaf] : leaf;
    });
    return draft;
  }
};

struct MakeGrouping {
  template <typename Rows>
  Grouping operator()(const Task&, const Rows& rows, const std::vector<SubtreeLeaves>& subtrees) const {
    Grouping grouping;
    grouping.class_of_row.resize(rows.size());
    const auto records = rows.records(partition::Buffer::kFront);
    const std::size_t leaves = ForEachRecord(
        subtrees, [&](std::size_t record, std::uint32_t leaf) { grouping.class_of_row[records.row(record)] = leaf; });
    grouping.classes = static_cast<std::uint32_t>(leaves);
    return grouping;
  }
};

template <typename Rows, typename Make>
auto Run(const Task& task, const Make& make) {
  Rows rows(task.table, task.options.signatures == nullptr ? nullptr : &task.options.signatures->of_row);
  PartitionTree tree(rows, task.domains, task.options, task.limits, task.lots);
  RegionRoot root{0, rows.size(), {}};
  for (const Domain& domain : task.domains) root.region.push_back(domain.root());
  std::vector<SubtreeLeaves> leaves = tree.Grow({&root, 1});
  rows.FreeBack();
  return make(task, rows, std::move(leaves));
}

template <bool kPersons, typename Make>
auto RunWithFittingLanes(const Task& task, const Make& make) {
  const bool is_narrow = partition::FitNarrowLanes(task.domains);
  const std::size_t columns = task.domains.size();
  if (is_narrow && columns <= 8) return Run<PackedRows<std::uint16_t, 8, kPersons>>(task, make);
  if (is_narrow && columns <= 16) return Run<PackedRows<std::uint16_t, 16, kPersons>>(task, make);
  if (is_narrow) return Run<PackedRows<std::uint16_t, 0, kPersons>>(task, make);
  if (columns <= 8) return Run<PackedRows<std::uint32_t, 8, kPersons>>(task, make);
  return Run<PackedRows<std::uint32_t, 0, kPersons>>(task, make);
}

// The same with signatures, which take a lane of their own.
template <bool kPersons, typename Make>
auto RunWithLimits(const Task& task, const Make& make) {
  const bool is_narrow = partition::FitNarrowLanes(task.domains) && task.options.signatures->count <= std::uint32_t{1}
                                                                                                          << 16;
  if (is_narrow && task.domains.size() <= 8) return Run<PackedRows<std::uint16_t, 8, kPersons, true>>(task, make);
  if (is_narrow) return Run<PackedRows<std::uint16_t, 0, kPersons, true>>(task, make);
  return Run<PackedRows<std::uint32_t, 0, kPersons, true>>(task, make);
}

template <typename Make>
auto RunFitting(const Task& task, const Make& make) {
  const bool has_persons = task.table.persons && !task.table.persons->one_row_each();
  if (task.limits == nullptr)
    return has_persons ? RunWithFittingLanes<true>(task, make) : RunWithFittingLanes<false>(task, make);
  return has_persons ? RunWithLimits<true>(task, make) : RunWithLimits<false>(task, make);
}

// Nothing where no value is limited.
Result<std::optional<ClassLimits>> CheckFeasible(const EncodedTable& table, std::span<const Domain> domains,
                                                 PartitionOptions& options) {
  Check(domains.size() == table.quasi_identifiers.size(), "one domain per quasi-identifier");
  Check(table.rows <= std::numeric_limits<std::uint32_t>::max(), "rows are numbered in 32 bits");
  const std::uint64_t persons = table.persons ? table.persons->count : table.rows;
  options.k = std::max<std::uint64_t>(options.k, 1);
  if (persons < options.k) {
    return Error{
        ErrorCode::kRefused,
        fmt::format(
            "the table has {} {}, but every group needs {}: nothing can be published; gather more rows or lower k",
            persons, table.persons ? "persons" : "rows", options.k)};
  }
  if (options.signatures == nullptr) return std::optional<ClassLimits>();
  PENTIMENTO_ASSIGN(ClassLimits limits, partition::LimitsOf(table, *options.signatures, options.k));
  options.k = limits.rule.fewest_persons();
  return std::optional(std::move(limits));
}

}  // namespace

Result<Draft> AnonymizeByPartition(const EncodedTable& table, std::span<const Domain> domains,
                                   const PartitionOptions& options) {
  Task task{table, domains, options};
  task.options.wants_boxes = true;
  PENTIMENTO_ASSIGN(std::optional<ClassLimits> limits, CheckFeasible(table, domains, task.options));
  if (domains.empty()) return Draft{.columns = 0, .boxes = {}, .group_of_row = std::vector<GroupId>(table.rows, 0)};
  if (limits) task.limits = &*limits;
  Draft draft = RunFitting(task, MakeDraft());
  // Where somebody has several rows, two classes that keep the limits need not keep them as one. This is rare, and can
  // no longer happen where everybody counts as having as many rows as anybody.
  if (limits && !limits->rows_of_person.empty() && CanBoxesBeEqual(task) &&
      !partition::AllKeep(*limits, table, *options.signatures, draft.group_of_row, draft.group_count())) {
    limits->TreatAllAlike();
    return RunFitting(task, MakeDraft());
  }
  return draft;
}

Result<Grouping> GroupByPartition(const EncodedTable& table, std::span<const Domain> domains,
                                  const PartitionOptions& options) {
  Task task{table, domains, options};
  task.options.form = CategoryForm::kSets;
  task.options.boxes = BoxKind::kMembers;
  task.options.wants_boxes = false;
  PENTIMENTO_ASSIGN(std::optional<ClassLimits> limits, CheckFeasible(table, domains, task.options));
  if (domains.empty()) return Grouping{1, std::vector<ClassNumber>(table.rows, 0)};
  if (limits) task.limits = &*limits;
  if (limits && options.dealing) {
    Random random(*options.dealing, "dealing");
    task.lots.resize(table.rows);
    for (std::uint32_t& lot : task.lots) lot = random.Next32();
  }
  return RunFitting(task, MakeGrouping());
}

}  // namespace pentimento
