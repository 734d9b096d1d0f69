// Which join values of one relation match a join value of another, without comparing all pairs: a tree with one level
// for each link, of which only the branches that match so far are entered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"
#include "guarantee/xy/relation.h"

namespace pentimento {

// A link between two relations: where its cells stand in their join values.
struct SharedLink {
  LinkKind kind = LinkKind::kPath;
  std::size_t left = 0;
  std::size_t right = 0;
};

std::vector<SharedLink> SharedLinks(const Relation& left, const Relation& right, std::span<const JoinLink> links);

bool JoinValuesMatch(std::span<const SharedLink> shared, std::span<const Interval> left,
                     std::span<const Interval> right);

class JoinValueIndex {
 public:
  JoinValueIndex(const Relation& right, std::vector<SharedLink> shared);

  // The numbers of the join values of the right relation that match, in an order that depends on nothing else.
  std::vector<std::uint32_t> FindMatches(std::span<const Interval> left) const;

 private:
  // begin and end are places in the next level; in the last one, places in order_.
  struct Node {
    Interval cell;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  void Descend(std::size_t level, std::uint32_t begin, std::uint32_t end, std::span<const Interval> left,
               std::vector<std::uint32_t>& found) const;

  std::vector<SharedLink> shared_;
  std::vector<std::uint32_t> order_;  // join values of the right relation, sorted by the cells of the shared links
  std::vector<std::vector<Node>> levels_;
};

// For each join value of the left relation, those of the right one that match.
std::vector<std::vector<std::uint32_t>> FindAllMatches(const Relation& left, const Relation& right,
                                                       std::span<const JoinLink> links);

}  // namespace pentimento
