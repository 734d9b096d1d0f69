// Cuts the leaves of a series that have enough people now, a few at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/incremental/incremental_tree.h"
#include "anonymize/incremental/incremental_view.h"
#include "anonymize/incremental/joined_leaves.h"
#include "anonymize/incremental/leaf_lookup.h"
#include "anonymize/incremental/member_codes.h"
#include "base/category_form.h"
#include "base/interval.h"
#include "base/result.h"
#include "taxonomy/domain.h"

namespace pentimento {

// What everybody who takes part in a step looks at, and nobody changes.
struct StepContext {
  const IncrementalView& series;
  std::span<const Domain> domains;
  const IncrementalTree& tree;
  const JoinedLeaves& joined;
  const MemberFacts& facts;
  const MemberCodes& codes;
  std::uint64_t k = 2;
  CategoryForm form = CategoryForm::kTaxonomy;
  bool hides_arrivals = false;
};

// A joined leaf that was cut, with children numbered within its piece.
struct CutLeaf {
  std::uint32_t leaf = 0;
  RegionNode node;
};

// Some joined leaves that may be cut, and what became of them.
struct CutPiece {
  std::vector<CutLeaf> cut;         // only those that were
  Box regions;                      // their regions, one after the other
  std::vector<RegionNode> nodes;    // what they were cut into, numbered from 0
  std::vector<LeafRecords> leaves;  // of `nodes`, ascending; records are `places`
  std::vector<MemberPlace> places;
  std::size_t earlier_members = 0;  // how many of `places` are no newcomers
};

// `require_intact` is asked before records are read, if it is there.
Result<std::vector<CutPiece>> CutLeaves(const StepContext& step, const RequireIntact& require_intact);

}  // namespace pentimento
