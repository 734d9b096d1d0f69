// A7: crowds among those who came, left, came back or are still there.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "audit/arrivals.h"
#include "engine/audit/attacks.h"
#include "engine/audit/linked_series.h"

namespace pentimento {
namespace {

void CountCrowds(const std::string& name, const Crowds& crowds, AttackResult& result) {
  result.Count(name, crowds.people);
  result.Count(name + ".below_k", crowds.below_k);
  result.Count(name + ".alone", crowds.alone);
}

// Who hides arrivals promises that of the people of any one earlier release each class has nobody or k.
void LookForShownArrivals(const AuditView& view, const LinkedPeople& link, const IncrementalHistory& history,
                          std::uint32_t place, std::uint64_t k, AttackResult& result) {
  const AuditedRelease& release = view.release(link, place);
  const IncrementalRelease& now = history[place];
  for (std::uint32_t before = 0; before < place; ++before) {
    std::vector<std::uint64_t> there(now.boxes.size() / std::max<std::size_t>(now.columns, 1));
    std::vector<CaseNumber> both;
    std::ranges::set_intersection(history[before].cases, now.cases, std::back_inserter(both));
    const auto box_of = [&](CaseNumber number) {
      return now.box_of_case[static_cast<std::size_t>(std::ranges::lower_bound(now.cases, number) - now.cases.begin())];
    };
    for (const CaseNumber number : both) ++there[box_of(number)];
    std::uint64_t below = 0;
    std::optional<CaseNumber> witness;
    for (const CaseNumber number : both) {
      if (there[box_of(number)] >= k) continue;
      ++below;
      if (!witness) witness = number;
    }
    if (below == 0) continue;
    Finding finding{.attack = Attack::kA7, .kind = FindingKind::kArrivals, .people = below};
    finding.releases = NamesOfLinked(link, {before, place});
    finding.broken = {{release.name, "arrivals = \"hidden\""}};
    finding.has_draft = HasDraft(view, link, {before, place});
    finding.sentence = fmt::format(
        "{} cases of '{}' are in classes of '{}' with fewer than {} cases of that release, though it hides "
        "arrivals.",
        below, link.common.releases[before].name, release.name, k);
    finding.prevention = "arrivals = \"hidden\" in every release of the series, from the first one on";
    finding.witness = WitnessOfPerson(view, link, {place}, *witness);
    result.findings.push_back(std::move(finding));
  }
}

}  // namespace

AttackResult LookAtArrivals(const AuditView& view) {
  AttackResult result;
  result.report.attack = Attack::kA7;
  for (const LinkedPeople& link : view.links) {
    if (link.by != LinkedBy::kKey || link.releases.size() < 2) continue;
    const Result<LinkedSeries> series = LaySeries(view, link);
    if (!series.ok()) {
      result.report.reasons.push_back(series.error().message);
      continue;
    }
    result.report.state = AttackState::kDone;
    const std::vector<ReleaseArrivals> arrivals = CountArrivals({series->history, series->k, series->withdrawn});
    for (std::uint32_t place = 0; place < arrivals.size(); ++place) {
      // What a case_id shows on purpose is no finding, unless a release promised to hide it.
      const std::string& name = view.release(link, place).name;
      CountCrowds(name + ".newcomers", arrivals[place].newcomers, result);
      CountCrowds(name + ".returned", arrivals[place].returned, result);
      CountCrowds(name + ".leavers", arrivals[place].leavers, result);
      CountCrowds(name + ".living", arrivals[place].living, result);
      result.Count(name + ".withdrawn", arrivals[place].withdrawn);
      if (view.release(link, place).hides_arrivals)
        LookForShownArrivals(view, link, series->history, place, series->k, result);
    }
  }
  if (result.report.state == AttackState::kDoesNotApply && result.report.reasons.empty())
    result.report.reasons.push_back("it needs two releases whose rows are linked: by case_id, or by --key");
  return result;
}

}  // namespace pentimento
