#include "anonymize/incremental/leaf_lookup.h"

#include <algorithm>

namespace pentimento {
namespace {

// The first entry from `begin` on whose node is not below `leaf`: leaps that double, then a search inside the last one.
std::size_t Gallop(std::span<const LeafRecords> leaves, std::size_t begin, NodeNumber leaf) {
  std::size_t step = 1;
  std::size_t past = begin;
  while (past < leaves.size() && leaves[past].node < leaf) {
    begin = past;
    past += step;
    step *= 2;
  }
  past = std::min(past, leaves.size());
  const auto found = std::lower_bound(leaves.begin() + static_cast<std::ptrdiff_t>(begin),
                                      leaves.begin() + static_cast<std::ptrdiff_t>(past), leaf,
                                      [](const LeafRecords& entry, NodeNumber node) { return entry.node < node; });
  return static_cast<std::size_t>(found - leaves.begin());
}

}  // namespace

void LeafLookup::AppendParts(NodeNumber leaf, std::vector<LeafPart>& parts) {
  for (std::size_t s = 0; s < next_.size(); ++s) {
    const std::span<const LeafRecords> leaves = series_->segments[s].leaves;
    const std::size_t at = next_[s] = Gallop(leaves, next_[s], leaf);
    if (at < leaves.size() && leaves[at].node == leaf)
      parts.push_back(
          {static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(at), leaves[at].begin, leaves[at].count});
  }
}

MemberFacts::MemberFacts(const IncrementalView& series, std::span<const CaseNumber> leaving) {
  const std::size_t everybody = series.member_count();
  CaseNumber members = 0;
  for (const SegmentView& segment : series.segments) {
    members += segment.new_members;
    first_of_later_.push_back(members);
    Leave(segment.withdrawn, everybody);
  }
  Leave(leaving, everybody);
}

void MemberFacts::Leave(std::span<const CaseNumber> members, std::size_t everybody) {
  if (members.empty()) return;
  left_.resize((everybody + 63) / 64);
  for (const CaseNumber member : members) left_[member / 64] |= std::uint64_t{1} << (member % 64);
}

std::uint32_t MemberFacts::ArrivalOf(CaseNumber member) const {
  const auto after = std::upper_bound(first_of_later_.begin(), first_of_later_.end(), member);
  return static_cast<std::uint32_t>(after - first_of_later_.begin());
}

}  // namespace pentimento
