#include "anonymize/incremental/cut_leaves.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "anonymize/partition/grow_regions.h"
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

// What one piece needs stays in the cache and is used again for the next.
constexpr std::uint64_t kPieceMembers = 1 << 14;

using OtherInLeaf = std::pair<NodeNumber, MemberPlace>;

template <typename Stored>
class PieceCutter {
 public:
  PieceCutter(const StepContext& step, std::span<const std::uint32_t> leaves) : step_(step) {
    for (const std::uint32_t leaf : leaves) Gather(leaf);
  }

  CutPiece Run() {
    if (roots_.empty()) return {};
    const GrownRegions grown = GrowRoots();
    CutPiece piece;
    TakeNodes(grown, piece);
    TakeMembers(grown, piece);
    return piece;
  }

 private:
  GrownRegions GrowRoots() const {
    std::vector<Stored> side_by_side(deciders_.size() * step_.domains.size());
    for (std::size_t i = 0; i < deciders_.size(); ++i)
      step_.codes.Copy(deciders_[i], side_by_side.data() + i * step_.domains.size());
    const CodesByRecord codes{std::span<const Stored>(side_by_side)};
    std::vector<MemberStanding> standing;
    if (step_.hides_arrivals) {
      for (const MemberPlace& place : deciders_)
        standing.push_back({step_.facts.ArrivalOf(place.member), step_.facts.HasLeft(place.member)});
    }
    return GrowRegions(codes, deciders_.size(), step_.domains, roots_, step_.k, step_.form, standing);
  }

  // Leaves of which too few may decide stay as they are.
  void Gather(std::uint32_t leaf) {
    const std::size_t first_decider = deciders_.size();
    const std::size_t first_other = others_.size();
    ForEachMember(leaf, [&](const MemberPlace& place) { (Decides(place) ? deciders_ : others_).push_back(place); });
    if ((deciders_.size() - first_decider) / 2 < step_.k) {
      deciders_.resize(first_decider);
      others_.resize(first_other);
      return;
    }
    const auto region = step_.joined.region_of(leaf);
    roots_.push_back({first_decider, deciders_.size(), Box(region.begin(), region.end())});
    leaf_of_root_.push_back(leaf);
    others_begin_.push_back(first_other);
  }

  // Where arrivals are hidden it matters where those lie who have left, too: they may be of an earlier release than all
  // others of a part.
  bool Decides(const MemberPlace& place) const { return step_.hides_arrivals || !step_.facts.HasLeft(place.member); }

  template <typename Body>
  void ForEachMember(std::uint32_t leaf, const Body& body) const {
    for (const LeafPart& part : step_.joined.parts_of(leaf)) {
      const SegmentView& segment = step_.series.segments[part.segment];
      for (std::uint32_t i = 0; i < part.count; ++i) {
        const std::uint32_t record = part.begin + i;
        body(MemberPlace{segment.members[record], part.segment, record});
      }
    }
    const CaseNumber first_newcomer = step_.facts.first_newcomer();
    std::uint32_t record = step_.joined.leaves[leaf].first_row;
    for (const std::uint32_t row : step_.joined.newcomers_of(leaf)) body({first_newcomer + row, kInBatch, record++});
  }

  void TakeNodes(const GrownRegions& grown, CutPiece& piece) const {
    const auto roots = static_cast<NodeNumber>(roots_.size());
    for (NodeNumber root = 0; root < roots; ++root) {
      RegionNode node = grown.nodes[root];
      if (node.is_leaf()) continue;
      node.first_child -= roots;
      piece.cut.push_back({leaf_of_root_[root], node});
      piece.regions.insert(piece.regions.end(), roots_[root].region.begin(), roots_[root].region.end());
    }
    piece.nodes.assign(grown.nodes.begin() + roots, grown.nodes.end());
    for (RegionNode& node : piece.nodes) {
      if (!node.is_leaf()) node.first_child -= roots;
    }
  }

  // All members of the leaves that came out.
  void TakeMembers(const GrownRegions& grown, CutPiece& piece) const {
    const auto roots = static_cast<NodeNumber>(roots_.size());
    const std::vector<OtherInLeaf> others = PlaceOthers(grown);
    std::size_t other = 0;
    std::vector<GrownLeaf> leaves = grown.leaves;
    std::erase_if(leaves, [&](const GrownLeaf& leaf) { return leaf.node < roots; });  // roots that were not cut
    std::ranges::sort(leaves, {}, &GrownLeaf::node);
    for (const GrownLeaf& leaf : leaves) {
      const auto begin = static_cast<std::uint32_t>(piece.places.size());
      for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) piece.places.push_back(deciders_[grown.rows[i]]);
      for (; other < others.size() && others[other].first == leaf.node; ++other)
        piece.places.push_back(others[other].second);
      piece.leaves.push_back({leaf.node - roots, begin, static_cast<std::uint32_t>(piece.places.size()) - begin});
    }
    Check(other == others.size(), "everybody has a leaf");
    piece.earlier_members = static_cast<std::size_t>(
        std::ranges::count_if(piece.places, [](const MemberPlace& place) { return place.segment != kInBatch; }));
  }

  // Members who did not decide go where the cuts put them, ascending by leaf.
  std::vector<OtherInLeaf> PlaceOthers(const GrownRegions& grown) const {
    std::vector<OtherInLeaf> placed;
    for (std::size_t root = 0; root < roots_.size(); ++root) {
      if (grown.nodes[root].is_leaf()) continue;
      const std::size_t end = root + 1 == roots_.size() ? others_.size() : others_begin_[root + 1];
      for (std::size_t i = others_begin_[root]; i < end; ++i) {
        auto number = static_cast<NodeNumber>(root);
        while (!grown.nodes[number].is_leaf()) {
          const RegionNode& node = grown.nodes[number];
          const auto children = std::span(grown.nodes).subspan(node.first_child, node.child_count);
          number =
              node.first_child + static_cast<NodeNumber>(ChildOfCode(children, step_.codes(others_[i], node.column)));
        }
        placed.emplace_back(number, others_[i]);
      }
    }
    std::ranges::stable_sort(placed, {}, &OtherInLeaf::first);
    return placed;
  }

  const StepContext& step_;
  std::vector<RegionRoot> roots_;
  std::vector<std::uint32_t> leaf_of_root_;  // which joined leaf
  std::vector<MemberPlace> deciders_;        // root after root
  std::vector<MemberPlace> others_;          // likewise
  std::vector<std::size_t> others_begin_;    // by root
};

using LeavesOfPiece = std::vector<std::uint32_t>;

std::vector<LeavesOfPiece> LayOutPieces(const StepContext& step) {
  std::vector<LeavesOfPiece> pieces;
  std::uint64_t members = kPieceMembers;
  for (std::size_t leaf = 0; leaf < step.joined.size(); ++leaf) {
    const std::uint64_t everybody = step.joined.leaves[leaf].member_count + step.joined.leaves[leaf].row_count;
    // Fewer than 2k members cannot be cut, and nobody needs to look at them.
    if (everybody / 2 < step.k) continue;
    if (members >= kPieceMembers) pieces.emplace_back(), members = 0;
    pieces.back().push_back(static_cast<std::uint32_t>(leaf));
    members += everybody;
  }
  return pieces;
}

std::vector<LeafPart> PartsOf(const JoinedLeaves& joined, std::span<const std::uint32_t> leaves) {
  std::vector<LeafPart> parts;
  for (const std::uint32_t leaf : leaves) {
    const auto of_leaf = joined.parts_of(leaf);
    parts.insert(parts.end(), of_leaf.begin(), of_leaf.end());
  }
  return parts;
}

}  // namespace

Result<std::vector<CutPiece>> CutLeaves(const StepContext& step, const RequireIntact& require_intact) {
  const std::vector<LeavesOfPiece> leaves_of_piece = LayOutPieces(step);
  std::vector<CutPiece> pieces(leaves_of_piece.size());
  std::vector<Status> intact(pieces.size());
  const bool is_narrow = partition::FitNarrowCodes(step.domains);
  ParallelFor(pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      const LeavesOfPiece& leaves = leaves_of_piece[p];
      if (require_intact) intact[p] = require_intact(PartsOf(step.joined, leaves));
      if (!intact[p].ok()) continue;
      pieces[p] =
          is_narrow ? PieceCutter<std::uint16_t>(step, leaves).Run() : PieceCutter<std::uint32_t>(step, leaves).Run();
    }
  });
  for (const Status& status : intact) PENTIMENTO_RETURN_IF_ERROR(status);
  return pieces;
}

}  // namespace pentimento
