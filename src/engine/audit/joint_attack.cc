// A3: who is left in a small crowd by several releases together; where rows are linked, by their boxes, case by case.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/plural.h"
#include "engine/audit/attacks.h"
#include "engine/audit/linked_series.h"
#include "guarantee/history/composition.h"
#include "guarantee/history/history.h"
#include "guarantee/history/joint_classes.h"

namespace pentimento {
namespace {

constexpr std::uint64_t kVisitsForSets = std::uint64_t{1} << 27;
constexpr std::size_t kMostSetsTold = 32;
constexpr std::size_t kMostPairsTried = 64;

using Places = std::vector<std::uint32_t>;

// The numbers of people to look for: what is asked for, or else the smallest promise; and every other promise.
std::set<std::uint64_t> LevelsOf(const AuditView& view, const LinkedPeople& link) {
  std::set<std::uint64_t> levels;
  for (std::size_t i = 0; i < link.releases.size(); ++i) {
    if (view.release(link, i).promise.k > 0) levels.insert(view.release(link, i).promise.k);
  }
  if (view.question.k) levels.insert(*view.question.k);
  if (levels.empty()) levels.insert(2);
  return levels;
}

std::vector<BrokenPromise> BrokenBy(const AuditView& view, const LinkedPeople& link, const Places& set, std::uint64_t k,
                                    bool by_crowds) {
  std::vector<BrokenPromise> broken;
  for (const std::uint32_t place : set) {
    const PromiseOnRecord& promise = view.release(link, place).promise;
    if (promise.k >= k && (by_crowds || promise.membership == Membership::kKnown))
      broken.push_back({view.release(link, place).name, fmt::format("k = {}", promise.k)});
  }
  std::ranges::sort(broken);
  return broken;
}

class JointLook {
 public:
  JointLook(const AuditView& view, const LinkedPeople& link, AttackResult& result)
      : view_(view), link_(link), result_(result), all_(link.releases.size()) {
    std::iota(all_.begin(), all_.end(), 0U);
  }

  void Run() {
    const std::set<std::uint64_t> levels = LevelsOf(view_, link_);
    const std::uint64_t asked = view_.question.k.value_or(*levels.begin());
    const Composition together = Compose(link_.common, all_, asked, {kVisitsForSets});
    is_exact_ = link_.is_exact() && together.is_exact();
    Count(together, asked);
    for (const std::uint64_t k : levels) LookAtLevel(k);
  }

 private:
  // The smaller number where crowds have two bounds: at least so many people.
  static const CrowdCounts& CrowdsOf(const Composition& composition) { return composition.unknown_at_best; }

  void Count(const Composition& together, std::uint64_t k) {
    const CrowdCounts& crowds = CrowdsOf(together);
    result_.Count("k", k);
    result_.Count("people", together.people);
    result_.Count("crowds.below_k", crowds.below_k);
    result_.Count("crowds.alone", crowds.alone);
    result_.Count("crowds.smallest", crowds.smallest);
    result_.Count("joint_classes.below_k", together.known.below_k);
    result_.Count("joint_classes.alone", together.known.alone);
    result_.Count("joint_classes.smallest", together.known.smallest);
  }

  void LookAtLevel(std::uint64_t k) {
    // Which bound of a crowd counts depends on what is known of people: joint classes have one number.
    const MinimalSets minimal =
        FindMinimalSets(link_.common, all_, k, is_exact_ ? Membership::kUnknown : Membership::kKnown, {kVisitsForSets});
    if (!minimal.every_set) result_.report.reasons.push_back("not every set of releases was tried for being minimal");
    std::uint64_t most = 0;
    std::size_t told = 0;
    for (const Places& set : minimal.sets) {
      if (set.size() == 1) {
        alone_[set.front()] = CrowdsOf(Compose(link_.common, set, k, {kVisitsForSets})).below_k;
        most = std::max(most, alone_[set.front()]);
      } else if (told++ < kMostSetsTold) {
        most = std::max(most, Tell(set, k, 0));
      }
    }
    if (told > kMostSetsTold)
      result_.report.reasons.push_back(
          fmt::format("{} more sets of releases are minimal for k = {}", told - kMostSetsTold, k));
    if (!alone_.empty()) most = std::max(most, TellPairsWithSmallClasses(k));
    if (all_.size() > 2) Tell(all_, k, most);
    alone_.clear();
  }

  // A release with a small class of its own is below k in every set; what others add to that counts as well.
  std::uint64_t TellPairsWithSmallClasses(std::uint64_t k) {
    std::uint64_t most = 0;
    std::size_t tried = 0;
    for (std::uint32_t a = 0; a < all_.size(); ++a) {
      for (std::uint32_t b = a + 1; b < all_.size(); ++b) {
        if (!alone_.contains(a) && !alone_.contains(b)) continue;
        if (++tried > kMostPairsTried) return most;
        const std::uint64_t known = (alone_.contains(a) ? alone_[a] : 0) + (alone_.contains(b) ? alone_[b] : 0);
        most = std::max(most, Tell({a, b}, k, known));
      }
    }
    return most;
  }

  // People below k, where there are more than `known` already.
  std::uint64_t Tell(const Places& set, std::uint64_t k, std::uint64_t known) {
    if (told_.contains(set)) return 0;
    const JointClasses joint = FindJointClasses(link_.common, set);
    const Composition composed = ComposedReleases(link_.common, set, joint, k, {kVisitsForSets}).Count(k);
    const CrowdCounts& crowds = CrowdsOf(composed);
    const bool by_crowds = crowds.below_k > 0;
    std::vector<BrokenPromise> broken = BrokenBy(view_, link_, set, k, by_crowds);
    const CrowdCounts& counts = by_crowds ? crowds : composed.known;
    // Whoever knows who is in which release sees more in every series that grows; it is a finding where a release
    // promises otherwise.
    if (counts.below_k <= known || (!by_crowds && broken.empty())) return 0;
    told_.insert(set);
    Finding finding{.attack = Attack::kA3, .kind = FindingKind::kJointClasses, .releases = NamesOfLinked(link_, set)};
    finding.people = counts.below_k;
    finding.certainty =
        link_.is_exact() && (composed.is_exact() || !by_crowds) ? Certainty::kExact : Certainty::kLowerBound;
    finding.broken = std::move(broken);
    finding.has_draft = HasDraft(view_, link_, set);
    finding.sentence = Sentence(finding, composed, counts, k, by_crowds);
    finding.prevention = fmt::format("the guarantee history with k = {}{}, which refines the releases on record", k,
                                     by_crowds ? "" : " and membership = \"known\"");
    finding.witness = Witness(set, joint, k);
    result_.findings.push_back(std::move(finding));
    return counts.below_k;
  }

  static std::string Sentence(const Finding& finding, const Composition& composed, const CrowdCounts& counts,
                              std::uint64_t k, bool by_crowds) {
    const std::string bound = finding.certainty == Certainty::kExact ? "" : "at least ";
    std::string text = fmt::format("Together {} leave {}{} of {} people in {} of fewer than {} (smallest {}; {} alone)",
                                   QuotedNames(finding.releases), bound, counts.below_k, composed.people,
                                   by_crowds ? "a crowd" : "a joint class", k, counts.smallest, counts.alone);
    if (!by_crowds) return text + ", for whoever knows who is in which release.";
    if (composed.known.below_k == counts.below_k) return text + ".";
    return text + fmt::format("; for whoever knows who is in which release {}.", composed.known.below_k);
  }

  // Somebody in one of the smallest joint classes.
  std::vector<RowWitness> Witness(const Places& set, const JointClasses& joint, std::uint64_t k) const {
    std::optional<std::uint32_t> smallest;
    for (std::uint32_t person = 0; person < joint.of_person.size(); ++person) {
      const std::uint32_t number = joint.of_person[person];
      if (number == kInNoRelease || joint.people[number] >= k) continue;
      if (!smallest || joint.people[number] < joint.people[joint.of_person[*smallest]]) smallest = person;
    }
    return smallest ? WitnessOfPerson(view_, link_, set, *smallest) : std::vector<RowWitness>();
  }

  const AuditView& view_;
  const LinkedPeople& link_;
  AttackResult& result_;
  Places all_;
  bool is_exact_ = false;
  std::map<std::uint32_t, std::uint64_t> alone_;  // of a level: releases that are below k by themselves
  std::set<Places> told_;                         // at a smaller k
};

std::string KindsInWords(const SeriesBreach& breach) {
  std::string text;
  for (const auto& [kind, cases] : breach.kinds)
    text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", cases, ToString(kind));
  return text;
}

void TellSeries(const AuditView& view, const LinkedPeople& link, const LinkedSeries& series, AttackResult& result) {
  for (const SeriesBreach& breach : series.breaches) {
    Places places(breach.releases.begin(), breach.releases.end());
    Finding finding{.attack = Attack::kA3, .kind = FindingKind::kJointClasses, .releases = NamesOfLinked(link, places)};
    finding.people = breach.unsafe;
    finding.broken = BrokenBy(view, link, places, breach.k, /*by_crowds=*/true);
    finding.has_draft = HasDraft(view, link, places);
    finding.sentence = fmt::format(
        "Linked case by case, {} leave {} of {} cases with boxes that fewer than {} cases share ({} alone){}.",
        QuotedNames(finding.releases), breach.unsafe, breach.cases, breach.k, breach.alone,
        breach.kinds.empty() ? "" : ": " + KindsInWords(breach));
    finding.prevention = "one series under incremental-k-anonymity, whose boxes are only ever refined";
    finding.witness = WitnessOfPerson(view, link, places, breach.witness);
    result.findings.push_back(std::move(finding));
  }
  if (!series.tried_every_set) result.report.reasons.push_back("of a long series each two releases and all were tried");
  if (series.contradictory > 0)
    result.report.reasons.push_back(
        fmt::format("{} {} boxes that have nothing in common: quasi-identifiers changed, or a key is not one person's",
                    series.contradictory, Plural(series.contradictory, "case has", "cases have")));
}

}  // namespace

AttackResult LookAtJointClasses(const AuditView& view, std::vector<ShownInference>& inference) {
  AttackResult result;
  result.report.attack = Attack::kA3;
  for (const LinkedPeople& link : view.links) {
    TellLeftOut(view, link, result.report);
    if (link.releases.size() < 2) continue;
    if (link.by == LinkedBy::kKey) {
      const Result<LinkedSeries> series = ReadLinkedSeries(view, link);
      if (!series.ok()) {
        result.report.reasons.push_back(series.error().message);
        continue;
      }
      TellSeries(view, link, *series, result);
      result.Count("cases", series->cases);
      result.Count("cases.below_k", series->unsafe);
      result.Count("cases.alone", series->alone);
      for (const auto& [kind, cases] : series->kinds) result.Count(fmt::format("cases.{}", ToString(kind)), cases);
      if (view.question.shows_inference) inference.push_back(ShowInference(view, link, *series));
    } else {
      JointLook(view, link, result).Run();
    }
    result.report.state = AttackState::kDone;
  }
  if (result.report.state == AttackState::kDoesNotApply && result.report.reasons.empty())
    result.report.reasons.push_back(WhyNobodyIsLinked(view));
  return result;
}

}  // namespace pentimento
