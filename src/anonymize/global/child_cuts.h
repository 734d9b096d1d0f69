// Cuts along a taxonomy: the smallest node over the members is cut into single children, each published with a label of
// its own, and one rest of all others, published with the label of the node.
//
// Never into two parts that both have the label of the node: whoever knows everybody's quasi-identifiers must be able
// to tell who is in which group. A child's label fits nobody outside of it, and who fits no child is in the rest; so
// both are filled, and nobody can be anywhere else. With two rests people could change places, unseen, and
// somebody's chance would be a mean over groups that somebody else's budget was charged for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "anonymize/global/capped_items.h"
#include "anonymize/partition/column_cuts.h"

namespace pentimento::global {

// What the search for cuts is given, the same for all nodes of a tree.
struct CutSearch {
  std::span<const partition::ColumnShape> shapes;
  const partition::CutPrices& prices;
  const CappedItems& items;
};

// One is used again and again, by one thread.
class ChildCuts {
 public:
  explicit ChildCuts(const CutSearch& search) : search_(search) {}

  // A column of a node, whose members differ in it. Then all codes that members have, from the lowest on.
  void Begin(std::size_t column, Interval members);
  void Add(Code code, std::uint32_t rows) {
    if (children_.empty() || code > children_.back().leaves.hi)
      children_.push_back({.leaves = node_->ChildOf(code), .members = {code, code}});
    Child& child = children_.back();
    child.members.hi = code;
    child.rows += rows;
    if (has_table_) child_of_code_[code - first_] = static_cast<std::uint32_t>(children_.size() - 1);
  }
  // The same for all codes from the lowest on: how many rows have them, which may be none.
  void AddAll(std::span<const std::uint32_t> rows_of_code);

  // After the last code. Children with fewer than k rows never stand alone: from here on they are one, the last.
  // Returns what no cut of this column gains more than; nothing where there is no cut, whoever holds what.
  std::optional<std::int64_t> MostGain();

  // Where somebody holds something: `kinds` of held items in the node, and the lowest level for all children; then the
  // holders, and the level of each child where levels matter.
  void BeginHolders(std::size_t kinds, std::size_t level);
  void AddHolder(Code code, std::uint32_t signature, const HeldItems& held) {
    const std::size_t child = ChildOf(code);
    held.AddTo(std::span(held_).subspan(child * kinds_, kinds_), signature);
  }
  std::size_t size() const { return children_.size(); }
  std::size_t ChildOf(Code code) const { return number_of_[has_table_ ? child_of_code_[code - first_] : Search(code)]; }
  void SetLevel(std::size_t child, std::size_t level) { children_[child].level = level; }
  std::size_t level(std::size_t child) const { return children_[child].level; }

  // Chooses the children that stand alone: all with k rows that keep their caps; as long as the rest does not, the
  // smallest of them joins it. Returns what the cut gains; nothing where there is none.
  std::optional<std::int64_t> Plan(const HeldItems& held, std::uint64_t rows, std::size_t lowest_level);
  // The children that stand in the plan, in the order of their codes. Who is in none of them is in the rest.
  void CopyStanding(std::vector<partition::CutRun>& standing) const;

 private:
  struct Child {
    Interval leaves;
    Interval members;
    std::uint32_t rows = 0;
    std::size_t level = 0;
    std::int64_t gain = 0;  // what it takes off where it stands, before any price for holders
    bool stands = false;
  };
  struct Rest {
    std::uint64_t rows = 0;
    std::size_t level = kMostLevels - 1;
    std::vector<std::uint32_t> held;  // by kind
  };

  std::span<const std::uint32_t> HeldIn(std::size_t child) const {
    return std::span(held_).subspan(child * kinds_, kinds_);
  }
  std::size_t Search(Code code) const;
  bool IsLegal(const HeldItems& held, std::uint64_t rows, std::size_t level,
               std::span<const std::uint32_t> counts) const;
  void JoinRest(std::size_t child);
  void FillRest(const HeldItems& held);
  std::int64_t Gain(const HeldItems& held, std::uint64_t rows, std::size_t lowest_level) const;

  CutSearch search_;
  std::size_t column_ = 0;
  std::int64_t width_ = 0;  // of the node
  std::optional<partition::NodeToCut> node_;
  // At first all that there are; then those with k rows, and one more for all others where there are any.
  std::vector<Child> children_;
  std::size_t large_ = 0;                     // with k rows
  std::vector<Code> last_leaf_;               // of the children at first
  std::vector<std::uint32_t> number_of_;      // of the children at first: their number now
  Code first_ = 0;                            // the lowest code of the members
  bool has_table_ = false;                    // unless there are very many codes
  std::vector<std::uint32_t> child_of_code_;  // from first_ on, of codes that members have: their child at first
  std::size_t kinds_ = 0;                     // 0: nobody holds anything
  std::vector<std::uint32_t> held_;           // by child and kind
  Rest rest_;
  std::vector<std::uint32_t> smallest_first_;
  std::vector<std::uint32_t> occupied_;
};

}  // namespace pentimento::global
