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

#include "anonymize/partition/column_cuts.h"
#include "anonymize/serial/capped_items.h"
#include "anonymize/serial/cut_search.h"

namespace pentimento::serial {

// A child that is a part of a cut.
struct ChildPart {
  Interval leaves;
  std::uint32_t rows = 0;
  std::uint32_t holders = 0;
};

// One is used again and again, by one thread.
class ChildCuts {
 public:
  explicit ChildCuts(const CutSearch& search) : search_(search) {}

  // A column of a node, whose members differ in it. Then all codes that members have, from the lowest on.
  void Begin(std::size_t column, Interval members);
  void Add(Code code, std::uint32_t rows);
  std::size_t size() const { return children_.size(); }
  std::size_t ChildOf(Code code) const;

  // What no cut of this column gains more than.
  std::int64_t MostGain() const;

  // Where somebody holds something: `kinds` of held items in the node, and the lowest level for all children; then the
  // holders, and the level of each child where levels matter.
  void BeginHolders(std::size_t kinds, std::size_t level);
  void AddHolder(Code code, std::uint32_t signature, const HeldItems& held);
  void SetLevel(std::size_t child, std::size_t level) { children_[child].level = level; }
  std::size_t level(std::size_t child) const { return children_[child].level; }

  // Chooses the children that stand alone: all with k rows that keep their caps; as long as the rest does not, the
  // smallest of them joins it. Returns what the cut gains; nothing where there is none.
  std::optional<std::int64_t> Plan(const HeldItems& held, std::uint64_t rows, std::size_t lowest_level);
  // The children that stand in the plan, in the order of their codes. Who is in none of them is in the rest.
  std::vector<ChildPart> Standing() const;

 private:
  struct Child {
    Interval leaves;
    Interval members;
    std::uint32_t rows = 0;
    std::uint32_t holders = 0;
    std::size_t level = 0;
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
  bool IsLegal(const HeldItems& held, std::uint64_t rows, std::size_t level,
               std::span<const std::uint32_t> counts) const;
  void JoinRest(std::size_t child);
  void FillRest(const HeldItems& held);
  std::int64_t Gain(const HeldItems& held, std::uint64_t rows, std::size_t lowest_level) const;

  CutSearch search_;
  std::size_t column_ = 0;
  std::int64_t width_ = 0;  // of the node
  std::optional<partition::NodeToCut> node_;
  std::vector<Child> children_;
  std::size_t kinds_ = 0;            // 0: nobody holds anything
  std::vector<std::uint32_t> held_;  // by child and kind
  Rest rest_;
  std::vector<std::uint32_t> smallest_first_;
};

// Which part of a cut into children a code belongs to; the rest is the last part.
class PartOfCode {
 public:
  // `members`: the codes that are asked for; `rows`: how often. A table pays off unless the codes are many more.
  PartOfCode(std::span<const ChildPart> children, Interval members, std::size_t rows);

  std::uint32_t operator()(Code code) const { return part_.empty() ? Search(code) : part_[code - first_]; }

 private:
  std::uint32_t Search(Code code) const;

  std::span<const ChildPart> children_;
  Code first_;
  std::vector<std::uint32_t> part_;  // of the codes from first_ on
};

}  // namespace pentimento::serial
