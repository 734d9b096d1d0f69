#include "anonymize/specialize/cell_standing.h"

#include <algorithm>

#include "anonymize/specialize/wide_product.h"

namespace pentimento {
namespace {

double Fraction(JoinCount part, JoinCount whole) { return static_cast<double>(part) / static_cast<double>(whole); }

// Of a value on X of the earlier releases: a value on Y with a part here and a part there. Listed values count
// together, and both parts are 0.
struct MixedValue {
  std::uint32_t x = 0;
  std::uint32_t own = 0;
  std::uint32_t earlier = 0;
  friend auto operator<=>(const MixedValue&, const MixedValue&) = default;
};

}  // namespace

Standing CellStanding::OfAnonymity(JoinCount least) const {
  return {.holds = least >= claim_.k, .measure = static_cast<double>(least)};
}

Standing CellStanding::OfCounts(const std::map<std::uint32_t, JoinCount>& met, JoinCount outside) const {
  Standing standing;
  if (!met.empty()) {
    standing = OfAnonymity(std::ranges::min_element(met, {}, [](const auto& entry) { return entry.second; })->second);
    standing.meets = true;
  }
  if (outside > 0 && !claim_.allows_dangling) standing.Take(OfAnonymity(outside));
  return standing;
}

Standing CellStanding::Of(std::span<const JoinCell> cells) {
  return claim_.k > 0 ? AnonymityOf(cells) : LinkabilityOf(cells);
}

Standing CellStanding::AnonymityOf(std::span<const JoinCell> cells) {
  if (cells.size() == 1 && !Dangles(cells[0].facts)) {
    Standing standing = OfAnonymity(earlier_.facts(cells[0].facts).fewest_y * cells[0].different_y);
    standing.meets = true;
    return standing;
  }
  total_.clear();
  JoinCount outside = 0;
  for (const JoinCell& cell : cells) {
    if (Dangles(cell.facts)) outside += cell.different_y;
    for (const EarlierJoin::Meeting& meeting : earlier_.facts(cell.facts).meetings)
      total_[meeting.x] += meeting.different_y * cell.different_y;
  }
  return OfCounts(total_, outside);
}

Standing CellStanding::OfShared(const std::map<std::vector<std::uint32_t>, std::uint64_t>& values_by_facts) const {
  std::map<std::uint32_t, JoinCount> total;
  JoinCount outside = 0;
  for (const auto& [facts, values] : values_by_facts) {
    if (std::ranges::any_of(facts, [&](std::uint32_t number) { return Dangles(number); })) outside += values;
    for (const EarlierJoin::Meeting& meeting : earlier_.MeetAny(facts))
      total[meeting.x] += meeting.different_y * values;
  }
  return OfCounts(total, outside);
}

void CellStanding::Limit(JoinCount part, JoinCount whole, Ratio at_most, Standing& standing) const {
  standing.Take({.holds = IsAtMost(part, whole, at_most), .measure = 1 - Fraction(part, whole)});
}

Standing CellStanding::LinkabilityOf(std::span<const JoinCell> cells) {
  Standing standing;
  if (!claim_.allows_dangling) LimitOutside(cells, standing);
  AddUp(cells);
  if (total_.empty()) return standing;
  standing.meets = true;
  for (const OwnTarget& own : own_targets_)
    own.is_part ? LimitMixed(cells, own, standing) : LimitOwn(cells, own, standing);
  for (std::size_t t = 0; t < claim_.targets.size(); ++t) {
    if (claim_.targets[t].IsEarlier()) LimitEarlier(cells, t, standing);
  }
  return standing;
}

void CellStanding::AddUp(std::span<const JoinCell> cells) {
  total_.clear();
  for (const JoinCell& cell : cells) {
    for (const EarlierJoin::Meeting& meeting : earlier_.facts(cell.facts).meetings)
      total_[meeting.x] += meeting.records * cell.records;
  }
}

void CellStanding::LimitOwn(std::span<const JoinCell> cells, const OwnTarget& own, Standing& standing) {
  const Ratio at_most = claim_.targets[own.target].at_most;
  for (std::size_t value = own.has_list ? 1 : 0; value < own.values; ++value) {
    if (cells.size() == 1) {
      // All records of the cell meet the same records of the earlier releases.
      Limit(cells[0].target_counts[own.first + value], cells[0].records, at_most, standing);
      continue;
    }
    std::map<std::uint32_t, JoinCount> with_value;
    for (const JoinCell& cell : cells) {
      const std::uint64_t count = cell.target_counts[own.first + value];
      if (count == 0) continue;
      for (const EarlierJoin::Meeting& meeting : earlier_.facts(cell.facts).meetings)
        with_value[meeting.x] += meeting.records * count;
    }
    for (const auto& [x, count] : with_value) Limit(count, total_[x], at_most, standing);
  }
}

void CellStanding::LimitEarlier(std::span<const JoinCell> cells, std::size_t target, Standing& standing) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, JoinCount> with_value;
  for (const JoinCell& cell : cells) {
    for (const EarlierJoin::TargetCount& count : earlier_.facts(cell.facts).targets[target])
      with_value[{count.x, count.value}] += count.records * cell.records;
  }
  for (const auto& [key, count] : with_value) Limit(count, total_[key.first], claim_.targets[target].at_most, standing);
}

// A match has the parts of a value that both of its records have.
void CellStanding::LimitMixed(std::span<const JoinCell> cells, const OwnTarget& own, Standing& standing) {
  std::map<MixedValue, JoinCount> with_value;
  for (const JoinCell& cell : cells) {
    for (std::uint32_t value = own.has_list ? 1 : 0; value < own.values; ++value) {
      const std::uint64_t count = cell.target_counts[own.first + value];
      if (count == 0) continue;
      for (const EarlierJoin::TargetCount& there : earlier_.facts(cell.facts).targets[own.target]) {
        if (!own.has_list) {
          with_value[{there.x, value, there.value}] += there.records * count;
        } else if (HaveCommon(own.listed[value], earlier_.listed(own.target, there.value))) {
          with_value[{there.x, 0, 0}] += there.records * count;
        }
      }
    }
  }
  const Ratio at_most = claim_.targets[own.target].at_most;
  for (const auto& [key, count] : with_value) Limit(count, total_[key.x], at_most, standing);
}

// They say nothing of a column of an earlier release.
void CellStanding::LimitOutside(std::span<const JoinCell> cells, Standing& standing) const {
  JoinCount records = 0;
  for (const JoinCell& cell : cells) records += Dangles(cell.facts) ? cell.records : 0;
  if (records == 0) return;
  for (const OwnTarget& own : own_targets_) {
    if (own.is_part) continue;
    for (std::size_t value = own.has_list ? 1 : 0; value < own.values; ++value) {
      JoinCount with_value = 0;
      for (const JoinCell& cell : cells) with_value += Dangles(cell.facts) ? cell.target_counts[own.first + value] : 0;
      Limit(with_value, records, claim_.targets[own.target].at_most, standing);
    }
  }
}

}  // namespace pentimento
