#include "anonymize/partition/grow_regions.h"

#include <algorithm>
#include <numeric>

#include "anonymize/partition/cut_finder.h"
#include "anonymize/partition/packed_rows.h"
#include "anonymize/partition/tree.h"
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

using partition::CutTree;
using partition::PackedRows;
using partition::RegionCut;
using partition::RegionPart;
using partition::SubtreeLeaves;

struct CutInSubtree {
  RegionCut cut;
  const SubtreeLeaves* subtree;
};

// Parents before children, left before right.
std::vector<CutInSubtree> CutsInPreorder(const std::vector<SubtreeLeaves>& subtrees) {
  std::vector<CutInSubtree> cuts;
  for (const SubtreeLeaves& subtree : subtrees) {
    for (const RegionCut& cut : subtree.cuts) cuts.push_back({cut, &subtree});
  }
  std::sort(cuts.begin(), cuts.end(), [](const CutInSubtree& a, const CutInSubtree& b) {
    return a.cut.begin != b.cut.begin ? a.cut.begin < b.cut.begin : a.cut.end > b.cut.end;
  });
  return cuts;
}

// Ranges of records tell the tree: a node is cut where a cut has exactly its range.
class TreeAssembly {
 public:
  TreeAssembly(std::span<const RegionRoot> roots, std::vector<CutInSubtree> cuts) : cuts_(std::move(cuts)) {
    grown_.nodes.resize(roots.size());
    for (std::size_t r = 0; r < roots.size(); ++r) {
      Assemble({static_cast<NodeNumber>(r), static_cast<std::uint32_t>(roots[r].begin),
                static_cast<std::uint32_t>(roots[r].end)});
    }
    Check(next_cut_ == cuts_.size(), "every cut belongs to a node");
  }

  GrownRegions Take() { return std::move(grown_); }

 private:
  struct Range {
    NodeNumber node;
    std::uint32_t begin;
    std::uint32_t end;
  };

  // With a stack of its own: how deep the tree gets depends on the data.
  void Assemble(Range root) {
    open_.push_back(root);
    while (!open_.empty()) {
      const Range range = open_.back();
      open_.pop_back();
      const bool is_cut = next_cut_ < cuts_.size() && cuts_[next_cut_].cut.begin == range.begin &&
                          cuts_[next_cut_].cut.end == range.end;
      if (is_cut) {
        OpenChildren(range, cuts_[next_cut_++]);
      } else {
        grown_.leaves.push_back({range.node, range.begin, range.end});
      }
    }
  }

  void OpenChildren(const Range& range, const CutInSubtree& found) {
    const auto parts = std::span(found.subtree->parts).subspan(found.cut.first_part, found.cut.part_count);
    const auto first = static_cast<NodeNumber>(grown_.nodes.size());
    RegionNode& node = grown_.nodes[range.node];
    node.column = found.cut.column;
    node.first_child = first;
    node.child_count = found.cut.part_count;
    for (const RegionPart& part : parts) grown_.nodes.push_back({.start = part.start});
    for (std::size_t p = parts.size(); p-- > 0;) {
      open_.push_back({static_cast<NodeNumber>(first + p), p == 0 ? range.begin : parts[p - 1].end, parts[p].end});
    }
  }

  std::vector<CutInSubtree> cuts_;
  std::size_t next_cut_ = 0;
  std::vector<Range> open_;
  GrownRegions grown_;
};

template <typename Rows>
GrownRegions Grow(Rows rows, std::span<const Domain> domains, std::span<const RegionRoot> roots,
                  const PartitionOptions& options, std::span<const MemberStanding> standing = {}) {
  std::vector<partition::ColumnShape> shapes;
  for (const Domain& domain : domains) shapes.emplace_back(domain, options.form);
  const partition::CutPrices prices(options.k, rows.size());
  const auto grow = [&](auto make_cutter) { return CutTree(rows, domains, options, make_cutter).Grow(roots); };
  const std::vector<SubtreeLeaves> subtrees =
      standing.empty() ? grow([&] { return partition::CutFinder<Rows>(rows, shapes, prices); })
                       : grow([&] { return partition::HidingCutFinder<Rows>(rows, standing, shapes, prices); });
  rows.FreeBack();
  GrownRegions grown = TreeAssembly(roots, CutsInPreorder(subtrees)).Take();
  grown.rows.resize(rows.size());
  const auto records = rows.records(partition::Buffer::kFront);
  ParallelFor(grown.rows.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) grown.rows[i] = records.row(i);
  });
  return grown;
}

// Without quasi-identifiers nothing can be cut.
GrownRegions Uncut(std::size_t rows, std::span<const RegionRoot> roots) {
  GrownRegions uncut;
  uncut.nodes.resize(roots.size());
  for (std::size_t r = 0; r < roots.size(); ++r) {
    uncut.leaves.push_back({static_cast<NodeNumber>(r), static_cast<std::uint32_t>(roots[r].begin),
                            static_cast<std::uint32_t>(roots[r].end)});
  }
  uncut.rows.resize(rows);
  std::iota(uncut.rows.begin(), uncut.rows.end(), 0U);
  return uncut;
}

PartitionOptions OptionsOf(std::uint64_t k, CategoryForm form) {
  return {std::max<std::uint64_t>(k, 1), form, BoxKind::kRegion, /*wants_boxes=*/false};
}

}  // namespace

GrownRegions GrowRegions(const EncodedTable& table, std::span<const Domain> domains, std::span<const RegionRoot> roots,
                         std::uint64_t k, CategoryForm form) {
  const PartitionOptions options = OptionsOf(k, form);
  if (domains.empty() || roots.empty()) return Uncut(table.rows, roots);
  const bool is_narrow = partition::FitNarrowCodes(domains);
  if (is_narrow && domains.size() <= 8)
    return Grow(PackedRows<std::uint16_t, 8, false>(table), domains, roots, options);
  if (is_narrow) return Grow(PackedRows<std::uint16_t, 0, false>(table), domains, roots, options);
  return Grow(PackedRows<std::uint32_t, 0, false>(table), domains, roots, options);
}

GrownRegions GrowRegions(const CodesByRecord& rows, std::size_t count, std::span<const Domain> domains,
                         std::span<const RegionRoot> roots, std::uint64_t k, CategoryForm form,
                         std::span<const MemberStanding> standing) {
  const PartitionOptions options = OptionsOf(k, form);
  const std::size_t columns = domains.size();
  if (domains.empty() || roots.empty()) return Uncut(count, roots);
  if (const auto* wide = std::get_if<std::span<const std::uint32_t>>(&rows))
    return Grow(PackedRows<std::uint32_t, 0, false>(*wide, count, columns), domains, roots, options, standing);
  const auto narrow = std::get<std::span<const std::uint16_t>>(rows);
  if (columns <= 8)
    return Grow(PackedRows<std::uint16_t, 8, false>(narrow, count, columns), domains, roots, options, standing);
  return Grow(PackedRows<std::uint16_t, 0, false>(narrow, count, columns), domains, roots, options, standing);
}

}  // namespace pentimento
