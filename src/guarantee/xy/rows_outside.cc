#include "guarantee/xy/rows_outside.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/parallel.h"
#include "guarantee/xy/join_value_index.h"
#include "guarantee/xy/link.h"
#include "guarantee/xy/relation.h"

namespace pentimento {
namespace {

constexpr std::size_t kSearchesPerTask = 16;

// Looks for records of all the earlier releases that match a join value of the new one and each other.
class MatchSearch {
 public:
  MatchSearch(const NewReleaseView& view, const JoinedReleases& releases, std::span<const std::uint32_t> against)
      : links_(LinksAmong(releases, TakingPart(against))), own_(FindMatchValues(0, view, releases, links_)) {
    for (const std::uint32_t release : against)
      others_.push_back(FindMatchValues(release, view, releases, links_).relation);
    for (const Relation& other : others_) indices_.emplace_back(other, SharedLinks(own_.relation, other, links_));
    for (std::size_t right = 0; right < others_.size(); ++right) {
      for (std::size_t left = 0; left < right; ++left)
        between_.push_back(SharedLinks(others_[left], others_[right], links_));
    }
  }

  const MatchValues& own() const { return own_; }

  bool FindMatch(std::uint32_t j) const {
    std::vector<std::vector<std::uint32_t>> candidates;
    for (const JoinValueIndex& index : indices_) {
      candidates.push_back(index.FindMatches(own_.relation.join_value(j)));
      if (candidates.back().empty()) return false;
    }
    std::vector<std::uint32_t> chosen;
    return Extend(candidates, chosen);
  }

 private:
  bool Extend(std::span<const std::vector<std::uint32_t>> candidates, std::vector<std::uint32_t>& chosen) const {
    const std::size_t place = chosen.size();
    if (place == candidates.size()) return true;
    for (const std::uint32_t candidate : candidates[place]) {
      if (!MatchesAll(chosen, candidate)) continue;
      chosen.push_back(candidate);
      if (Extend(candidates, chosen)) return true;
      chosen.pop_back();
    }
    return false;
  }

  bool MatchesAll(std::span<const std::uint32_t> chosen, std::uint32_t candidate) const {
    const std::size_t right = chosen.size();
    for (std::size_t left = 0; left < right; ++left) {
      if (!JoinValuesMatch(between_[right * (right - 1) / 2 + left], others_[left].join_value(chosen[left]),
                           others_[right].join_value(candidate)))
        return false;
    }
    return true;
  }

  std::vector<JoinLink> links_;
  MatchValues own_;
  std::vector<Relation> others_;
  std::vector<JoinValueIndex> indices_;
  std::vector<std::vector<SharedLink>> between_;  // by pair of earlier releases: (0,1), (0,2), (1,2), (0,3), ...
};

}  // namespace

std::vector<std::uint32_t> FindRowsOutside(const NewReleaseView& view, const JoinedReleases& releases,
                                           std::span<const std::uint32_t> against) {
  const MatchSearch search(view, releases, against);
  const MatchValues& own = search.own();
  std::vector<char> is_inside(own.relation.join_count);  // a place of its own for each task to write to
  ParallelFor(is_inside.size(), kSearchesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) is_inside[j] = search.FindMatch(static_cast<std::uint32_t>(j)) ? 1 : 0;
  });
  std::vector<std::uint32_t> outside;
  for (std::uint32_t row = 0; row < own.of_row.size(); ++row) {
    if (is_inside[own.of_row[row]] == 0) outside.push_back(row);
  }
  return outside;
}

SomeRows::SomeRows(const NewReleaseView& view, std::vector<std::uint32_t> rows) : rows_(std::move(rows)) {
  draft_.columns = view.draft.columns;
  draft_.boxes = view.draft.boxes;
  for (const std::uint32_t row : rows_) draft_.of_row.push_back(view.draft.of_row[row]);
  columns_.reserve(view.exact.size());
  for (const CodeColumn* const from : view.exact) {
    CodeColumn& column = columns_.emplace_back(from->SameWidth());
    column.VisitMutable([&](auto& codes) { codes.resize(rows_.size()); });
    for (std::size_t row = 0; row < rows_.size(); ++row) column.Set(row, (*from)[rows_[row]]);
    exact_.push_back(&column);
  }
  if (view.persons == nullptr) return;
  persons_ = Persons{{}, view.persons->count};
  for (const std::uint32_t row : rows_) persons_->person_of_row.push_back(view.persons->person_of_row[row]);
}

}  // namespace pentimento
