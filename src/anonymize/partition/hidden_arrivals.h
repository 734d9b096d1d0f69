// Cuts regions of a series whose arrivals are hidden: whoever knows that a person was in some earlier release, and
// looks among the people of that release alone, finds k of them in the part of this person.
//
// 1. A part is legal if it has k people, none of them gone, of the earliest arrival among all its members, those who
//    are gone included. So of the people of any release it has none or k: everybody of the earliest arrival is also in
//    all later releases.
// 2. Legal parts together are legal: the earliest arrival of the whole is that of one of them.
// 3. A region stays as it is only if no column has a legal cut that would change a published box.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/partition/column_cuts.h"
#include "anonymize/partition/node_view.h"
#include "base/interval.h"

namespace pentimento {

// When a member came, and whether it has left since.
struct MemberStanding {
  std::uint32_t arrival = 0;
  bool has_left = false;
};

namespace partition {

// The members of a part, as far as it matters whether it is legal.
struct PartCount {
  std::uint32_t earliest = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t living = 0;  // of the earliest arrival
  std::uint64_t members = 0;
  bool has_living = false;  // of any arrival

  void Add(const MemberStanding& member) {
    if (member.arrival < earliest) earliest = member.arrival, living = 0;
    if (member.arrival == earliest && !member.has_left) ++living;
    ++members;
    has_living = has_living || !member.has_left;
  }
  void Add(const PartCount& other) {
    if (other.earliest < earliest) earliest = other.earliest, living = 0;
    if (other.earliest == earliest) living += other.living;
    members += other.members;
    has_living = has_living || other.has_living;
  }
  bool IsLegal(std::uint64_t k) const { return living >= k; }
  bool IsNobodyOrLegal(std::uint64_t k) const { return members == 0 || IsLegal(k); }
};

// A code that members have, or a child of a taxonomy that does.
struct Occupied {
  Interval codes;
  PartCount count;
};

// The cut of one column that gains most, of members with these codes, from left to right.
std::optional<Cut> BestHidingCut(const ColumnShape& shape, std::vector<Occupied> codes, Interval region,
                                 const CutPrices& prices);

// The cutter. Slower than CutFinder: every column is sorted in every node.
template <typename Rows>
class HidingCutFinder {
 public:
  // `standing`: by row.
  HidingCutFinder(const Rows& rows, std::span<const MemberStanding> standing, std::span<const ColumnShape> shapes,
                  const CutPrices& prices)
      : rows_(&rows), standing_(standing), shapes_(shapes), prices_(&prices) {}

  // The cut that gains most; the first column wins a tie.
  std::optional<Cut> FindCut(const NodeView& node) const {
    std::optional<Cut> best;
    if (node.rows() / 2 < prices_->k()) return best;
    for (std::size_t c = 0; c < shapes_.size(); ++c) {
      std::optional<Cut> cut = BestHidingCut(shapes_[c], CodesOf(node, c), node.region[c], *prices_);
      if (!cut || (best && cut->gain <= best->gain)) continue;
      best = std::move(cut);
      best->column = c;
    }
    return best;
  }

 private:
  std::vector<Occupied> CodesOf(const NodeView& node, std::size_t column) const {
    const auto records = rows_->records(node.buffer);
    std::vector<std::pair<Code, std::uint32_t>> members;
    for (std::size_t i = node.begin; i < node.end; ++i) members.emplace_back(records.codes(i)[column], records.row(i));
    std::ranges::sort(members);
    std::vector<Occupied> codes;
    for (const auto& [code, row] : members) {
      if (codes.empty() || codes.back().codes.lo != code) codes.push_back({{code, code}, {}});
      codes.back().count.Add(standing_[row]);
    }
    return codes;
  }

  const Rows* rows_;
  std::span<const MemberStanding> standing_;
  std::span<const ColumnShape> shapes_;
  const CutPrices* prices_;
};

}  // namespace partition
}  // namespace pentimento
