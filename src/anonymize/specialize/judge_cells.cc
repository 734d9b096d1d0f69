#include "anonymize/specialize/judge_cells.h"

#include <algorithm>

#include "anonymize/specialize/wide_product.h"

namespace pentimento {
namespace {

double Fraction(JoinCount part, JoinCount whole) { return static_cast<double>(part) / static_cast<double>(whole); }

}  // namespace

Standing CellJudge::OfAnonymity(JoinCount least) const { return {least >= claim_.k, static_cast<double>(least)}; }

Standing CellJudge::Judge(std::span<const JoinCell> cells) {
  return claim_.k > 0 ? JudgeAnonymity(cells) : JudgeLinkability(cells);
}

Standing CellJudge::JudgeAnonymity(std::span<const JoinCell> cells) {
  if (cells.size() == 1) {
    const EarlierJoin::Facts& facts = earlier_.facts(cells[0].facts);
    if (facts.meetings.empty()) return {};
    return OfAnonymity(facts.fewest_y * cells[0].different_y);
  }
  total_.clear();
  for (const JoinCell& cell : cells) {
    for (const EarlierJoin::Meeting& meeting : earlier_.facts(cell.facts).meetings)
      total_[meeting.x] += meeting.different_y * cell.different_y;
  }
  if (total_.empty()) return {};
  return OfAnonymity(std::ranges::min_element(total_, {}, [](const auto& entry) { return entry.second; })->second);
}

Standing CellJudge::JudgeShared(const std::map<std::vector<std::uint32_t>, std::uint64_t>& values_by_facts) const {
  std::map<std::uint32_t, JoinCount> total;
  for (const auto& [facts, values] : values_by_facts) {
    for (const EarlierJoin::Meeting& meeting : earlier_.MeetAny(facts))
      total[meeting.x] += meeting.different_y * values;
  }
  if (total.empty()) return {};
  return OfAnonymity(std::ranges::min_element(total, {}, [](const auto& entry) { return entry.second; })->second);
}

void CellJudge::Limit(JoinCount part, JoinCount whole, Ratio at_most, Standing& standing) const {
  standing.Take({IsAtMost(part, whole, at_most), 1 - Fraction(part, whole)});
}

Standing CellJudge::JudgeLinkability(std::span<const JoinCell> cells) {
  Standing standing;
  AddUp(cells);
  if (total_.empty()) return standing;
  for (const OwnTarget& own : own_targets_) LimitOwn(cells, own, standing);
  for (std::size_t t = 0; t < claim_.targets.size(); ++t) {
    if (claim_.targets[t].y.release != 0) LimitEarlier(cells, t, standing);
  }
  return standing;
}

void CellJudge::AddUp(std::span<const JoinCell> cells) {
  total_.clear();
  for (const JoinCell& cell : cells) {
    for (const EarlierJoin::Meeting& meeting : earlier_.facts(cell.facts).meetings)
      total_[meeting.x] += meeting.records * cell.records;
  }
}

void CellJudge::LimitOwn(std::span<const JoinCell> cells, const OwnTarget& own, Standing& standing) {
  const Ratio at_most = claim_.targets[own.target].at_most;
  for (std::size_t value = own.only_last ? 1 : 0; value < own.values; ++value) {
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

void CellJudge::LimitEarlier(std::span<const JoinCell> cells, std::size_t target, Standing& standing) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, JoinCount> with_value;
  for (const JoinCell& cell : cells) {
    for (const EarlierJoin::TargetCount& count : earlier_.facts(cell.facts).targets[target])
      with_value[{count.x, count.value}] += count.records * cell.records;
  }
  for (const auto& [key, count] : with_value) Limit(count, total_[key.first], claim_.targets[target].at_most, standing);
}

}  // namespace pentimento
