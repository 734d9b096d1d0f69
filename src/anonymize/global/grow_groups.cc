#include "anonymize/global/grow_groups.h"

#include "anonymize/global/capped_cut_finder.h"
#include "anonymize/global/holders_first.h"
#include "anonymize/partition/tree.h"
#include "base/check.h"

namespace pentimento::global {
namespace {

template <typename Rows>
Classes Grow(const EncodedTable& table, std::span<const Domain> domains, const CodeColumn& keys,
             const CappedItems& items, const PartitionOptions& options) {
  Rows rows(table, HoldersFirst(keys));
  std::vector<partition::ColumnShape> shapes;
  for (const Domain& domain : domains) shapes.emplace_back(domain, options.form);
  const partition::CutPrices prices(options.k, rows.size());
  const CutSearch search{shapes, prices, items};
  const auto make_cutter = [&] { return CappedCutFinder<Rows>(rows, KeyOfRow(keys), search); };
  const RegionRoot root{0, rows.size(), {}};
  const std::vector<partition::SubtreeLeaves> subtrees =
      partition::CutTree(rows, domains, options, make_cutter).Grow({&root, 1});
  rows.FreeBack();
  Classes draft{.columns = domains.size(), .boxes = {}, .of_row = std::vector<ClassNumber>(table.rows)};
  for (const partition::SubtreeLeaves& subtree : subtrees)
    draft.boxes.insert(draft.boxes.end(), subtree.boxes.begin(), subtree.boxes.end());
  const auto records = rows.records(partition::Buffer::kFront);
  partition::ForEachRecord(subtrees,
                           [&](std::size_t record, std::uint32_t leaf) { draft.of_row[records.row(record)] = leaf; });
  return draft;
}

}  // namespace

Classes GrowGroups(const EncodedTable& table, std::span<const Domain> domains, const CodeColumn& keys,
                   const CappedItems& items, const PartitionOptions& options) {
  Check(table.rows > 0 && keys.size() == table.rows, "a key for each row");
  // Without quasi-identifiers nothing can be cut.
  if (domains.empty()) return {.columns = 0, .boxes = {}, .of_row = std::vector<ClassNumber>(table.rows, 0)};
  const bool is_narrow = partition::FitNarrowCodes(domains);
  if (is_narrow && domains.size() <= 8)
    return Grow<partition::PackedRows<std::uint16_t, 8, false>>(table, domains, keys, items, options);
  if (is_narrow) return Grow<partition::PackedRows<std::uint16_t, 0, false>>(table, domains, keys, items, options);
  return Grow<partition::PackedRows<std::uint32_t, 0, false>>(table, domains, keys, items, options);
}

}  // namespace pentimento::global
