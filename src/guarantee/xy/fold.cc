#include "guarantee/xy/fold.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "guarantee/xy/join_value_index.h"
#include "guarantee/xy/numbering.h"

namespace pentimento {
namespace {

std::vector<std::vector<std::uint32_t>> RowsByJoinValue(const Relation& relation) {
  std::vector<std::vector<std::uint32_t>> rows(relation.join_count);
  for (std::uint32_t row = 0; row < relation.rows.size(); ++row) rows[relation.rows[row].j].push_back(row);
  return rows;
}

// Where the links stand in the join values that do not end in the other relation.
std::vector<std::size_t> OpenPlaces(const Relation& relation, const Relation& other) {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < relation.links.size(); ++place) {
    if (std::ranges::find(other.links, relation.links[place]) == other.links.end()) places.push_back(place);
  }
  return places;
}

NumberedTuples NumberOpenParts(const Relation& relation, std::span<const std::size_t> places) {
  return NumberTuples(relation.join_count, places.size(), [&](std::size_t j, std::size_t place) {
    return relation.join_value(static_cast<std::uint32_t>(j))[places[place]];
  });
}

class Folding {
 public:
  Folding(const Relation& left, const Relation& right)
      : left_(left),
        right_(right),
        left_open_(OpenPlaces(left, right)),
        right_open_(OpenPlaces(right, left)),
        left_parts_(NumberOpenParts(left, left_open_)),
        right_parts_(NumberOpenParts(right, right_open_)) {
    folded_.releases = left.releases;
    folded_.releases.insert(folded_.releases.end(), right.releases.begin(), right.releases.end());
    for (const std::size_t place : left_open_) folded_.links.push_back(left.links[place]);
    for (const std::size_t place : right_open_) folded_.links.push_back(right.links[place]);
    folded_.has_y = left.has_y || right.has_y;
    folded_.ignores_first_y = left.ignores_first_y || right.ignores_first_y;
    // Where one relation alone has columns of Y its numbers stay.
    if (!right.has_y) folded_.listed_of_y = left.listed_of_y;
    if (!left.has_y) folded_.listed_of_y = right.listed_of_y;
  }

  // Rows that are equal in all that is still looked at become one at once: what is held is the answer, not the pairs.
  void Add(const JoinRow& left, const JoinRow& right) {
    JoinRow row;
    row.x = xs_.NumberPair(left.x, right.x);
    row.j = NumberJoinValue(left.j, right.j);
    row.y = NumberY(left.y, right.y);
    row.source = all_.NumberPair(pairs_.NumberPair(row.x, row.j), row.y);
    const WideCount weight = MultiplyCounts(left_.weight[left.source], right_.weight[right.source]);
    if (row.source < folded_.weight.size()) {
      folded_.weight[row.source] = AddCounts(folded_.weight[row.source], weight);
      return;
    }
    folded_.weight.push_back(weight);
    AddExamples(left_, left.source);
    AddExamples(right_, right.source);
    folded_.rows.push_back(row);
  }

  std::size_t rows() const { return folded_.rows.size(); }

  Relation Finish() && {
    folded_.x_count = xs_.count();
    folded_.join_count = joins_.count();
    if (!folded_.ignores_first_y) folded_.y_count = ys_.count();
    if (folded_.ignores_first_y && left_.has_y && right_.has_y) folded_.listed_of_y = std::move(listed_).sets();
    if (!folded_.listed_of_y.empty()) folded_.y_count = static_cast<std::uint32_t>(folded_.listed_of_y.size());
    return std::move(folded_);
  }

 private:
  std::uint32_t NumberJoinValue(std::uint32_t left, std::uint32_t right) {
    const std::uint32_t known = joins_.count();
    const std::uint32_t number = joins_.NumberPair(left_parts_.number[left], right_parts_.number[right]);
    if (number == known) {
      for (const std::size_t place : left_open_) folded_.join_cells.push_back(left_.join_value(left)[place]);
      for (const std::size_t place : right_open_) folded_.join_cells.push_back(right_.join_value(right)[place]);
    }
    return number;
  }

  std::uint32_t NumberY(std::uint32_t left, std::uint32_t right) {
    if (folded_.ignores_first_y) return NumberListedY(left, right);
    const std::uint32_t known = ys_.count();
    const std::uint32_t number = ys_.NumberPair(left, right);
    if (number == known) folded_.values_of_y.push_back(MultiplyCounts(left_.values(left), right_.values(right)));
    return number;
  }

  // Where one relation alone has columns of Y, the other has y = 0 everywhere.
  std::uint32_t NumberListedY(std::uint32_t left, std::uint32_t right) {
    folded_.y_count = 2;
    if (!left_.has_y || !right_.has_y) return std::max(left, right);
    std::vector<std::uint32_t> both;
    std::ranges::set_intersection(left_.listed_of_y[left], right_.listed_of_y[right], std::back_inserter(both));
    return listed_.Number(both);
  }

  void AddExamples(const Relation& from, std::uint32_t source) {
    const std::size_t width = from.releases.size();
    const auto example = std::span(from.example).subspan(source * width, width);
    folded_.example.insert(folded_.example.end(), example.begin(), example.end());
  }

  const Relation& left_;
  const Relation& right_;
  std::vector<std::size_t> left_open_;
  std::vector<std::size_t> right_open_;
  NumberedTuples left_parts_;
  NumberedTuples right_parts_;
  Numbering xs_;
  Numbering ys_;
  ListedNumbering listed_;
  Numbering joins_;
  Numbering pairs_;  // of x and j
  Numbering all_;    // of x, j and y
  Relation folded_;
};

}  // namespace

std::optional<Relation> Fold(const Relation& left, const Relation& right, std::span<const JoinLink> links,
                             std::size_t most_rows) {
  const JoinValueIndex index(right, SharedLinks(left, right, links));
  const auto left_rows = RowsByJoinValue(left);
  const auto right_rows = RowsByJoinValue(right);
  Folding folding(left, right);
  std::uint64_t pairs = 0;
  for (std::uint32_t j = 0; j < left.join_count; ++j) {
    if (left_rows[j].empty()) continue;
    for (const std::uint32_t other : index.FindMatches(left.join_value(j))) {
      pairs += left_rows[j].size() * right_rows[other].size();
      if (pairs > kMostFoldedPairs) return std::nullopt;
      for (const std::uint32_t one : left_rows[j]) {
        for (const std::uint32_t row : right_rows[other]) folding.Add(left.rows[one], right.rows[row]);
      }
      if (folding.rows() > most_rows) return std::nullopt;
    }
  }
  return std::move(folding).Finish();
}

Result<JoinSides> MakeSides(const NewReleaseView& view, const XyReleases& releases,
                            std::span<const std::uint32_t> taking_part, const JoinQuestion& question,
                            const std::function<void(Relation&)>& prepare) {
  JoinSides sides{{}, NeutralRelation(), LinksAmong(releases, taking_part)};
  for (std::size_t place = 0; place < taking_part.size(); ++place) {
    Relation next = MakeRelation(taking_part[place], view, releases, sides.links, question);
    prepare(next);
    if (place < 2) {
      (place == 0 ? sides.one : sides.others) = std::move(next);
      continue;
    }
    auto folded = Fold(sides.others, next, sides.links);
    if (!folded)
      return Error{ErrorCode::kRefused,
                   "the join of the earlier releases has so many different rows that nothing can be proved about it; "
                   "join with fewer of them at once, or put all common columns into x"};
    prepare(*folded);
    sides.others = *std::move(folded);
  }
  return sides;
}

}  // namespace pentimento
