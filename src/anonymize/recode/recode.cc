#include "anonymize/recode/recode.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "anonymize/limits/class_rule.h"
#include "anonymize/recode/recoding_tree.h"
#include "base/check.h"
#include "base/parallel.h"
#include "base/parallel_sort.h"
#include "release/equal_boxes.h"

namespace pentimento {
namespace {

using partition::FitBits;
using partition::PackedRows;
using recode::FinalGroups;
using recode::Places;
using recode::RecodingTree;

constexpr std::size_t kGrain = 1 << 10;

// Numbers the groups by their places, which follow from the table alone and not from threads. Should
// two be published alike, they are one group, which keeps the rule as each of them does.
template <typename Rows>
Classes MakeDraft(const Rows& rows, std::vector<FinalGroups> subtrees) {
  struct Group {
    Places places;
    const Interval* box;
  };
  std::vector<Group> groups;
  for (const FinalGroups& subtree : subtrees) {
    for (std::size_t g = 0; g < subtree.places.size(); ++g)
      groups.push_back({subtree.places[g], &subtree.boxes[g * rows.columns()]});
  }
  ParallelSort(groups.begin(), groups.end(),
               [](const Group& a, const Group& b) { return a.places.begin < b.places.begin; });
  Classes draft{.columns = rows.columns(),
                .boxes = std::vector<Interval>(groups.size() * rows.columns()),
                .of_row = std::vector<ClassNumber>(rows.size())};
  ParallelFor(groups.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g)
      std::copy_n(groups[g].box, draft.columns, &draft.boxes[g * draft.columns]);
  });
  const std::vector<ClassNumber> merged = MergeEqualBoxes(draft.columns, draft.boxes);
  const auto records = rows.records(partition::Buffer::kFront);
  ParallelFor(groups.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      for (std::size_t i = groups[g].places.begin; i < groups[g].places.end; ++i)
        draft.of_row[records.row(i)] = merged[g];
    }
  });
  return draft;
}

// What is asked for, once it is clear that it can be.
struct Task {
  const EncodedTable& table;
  std::span<const Domain> domains;
  const CodeColumn& signatures;
  const ClassRule& rule;
  std::span<const std::uint32_t> order;
};

template <typename Stored, std::size_t kWidth>
Classes Run(const Task& task) {
  using Rows = PackedRows<Stored, kWidth, false, true>;
  Rows rows(task.table, &task.signatures, task.order);
  RecodingTree<Rows> tree(rows, task.rule, task.domains);
  std::vector<FinalGroups> groups = tree.Grow();
  rows.FreeBack();
  return MakeDraft(rows, std::move(groups));
}

Classes RunWithFittingRecords(const Task& task) {
  const std::size_t columns = task.domains.size();
  const auto fit = [&](int bits) {
    return FitBits(task.domains, bits) && task.rule.signature_count() <= std::uint64_t{1} << bits;
  };
  // No faster, but records of 13 bytes instead of 22.
  if (fit(8) && columns <= 8) return Run<std::uint8_t, 8>(task);
  if (fit(16) && columns <= 8) return Run<std::uint16_t, 8>(task);
  if (fit(16)) return Run<std::uint16_t, 0>(task);
  return Run<std::uint32_t, 0>(task);
}

}  // namespace

Result<Classes> AnonymizeByRecoding(const EncodedTable& table, std::span<const Domain> domains,
                                    const RecodeOptions& options) {
  Check(domains.size() == table.quasi_identifiers.size(), "one domain per quasi-identifier");
  Check(options.order.empty() || options.order.size() == table.rows, "every row has a place in the order");
  Check(table.rows <= std::numeric_limits<std::uint32_t>::max(), "rows are numbered in 32 bits");
  const std::uint64_t k = std::max<std::uint64_t>(options.k, 1);
  PENTIMENTO_RETURN_IF_ERROR(CheckWholeTable(table, options.signatures, k, "recode"));
  if (domains.empty()) return Classes{.columns = 0, .boxes = {}, .of_row = std::vector<ClassNumber>(table.rows, 0)};
  const ClassRule rule(options.signatures, k);
  const CodeColumn all_alike = options.signatures == nullptr ? CodeColumn(1, table.rows) : CodeColumn();
  const CodeColumn& signatures = options.signatures == nullptr ? all_alike : options.signatures->of_row;
  return RunWithFittingRecords({table, domains, signatures, rule, options.order});
}

}  // namespace pentimento
