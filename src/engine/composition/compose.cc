#include "engine/composition/compose.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "audit/stay.h"
#include "base/plural.h"
#include "base/ratio.h"
#include "engine/composition/composition_words.h"
#include "engine/composition/earlier_releases.h"
#include "engine/composition/promise_on_record.h"
#include "guarantee/history/composition.h"
#include "guarantee/history/joint_classes.h"
#include "guarantee/history/stories.h"

namespace pentimento {
namespace {

// How much may be spent on looking for the smallest sets of releases: they are told, and nothing depends on all of
// them.
constexpr std::uint64_t kVisitsForSets = std::uint64_t{1} << 27;

// What becomes of a promise.
enum class Survival { kProved, kNobodyKnows, kBroken };

class Measurement {
 public:
  Measurement(const BoundPolicy& bound, const IdentityHasher& hasher, const std::string& promise_json,
              const OwnClasses& own, RecalledReleases earlier)
      : bound_(bound), hasher_(hasher), earlier_(std::move(earlier)) {
    has_all_releases_ = earlier_.about.size() < kMostReleasesInMask;
    if (!has_all_releases_) KeepLatestOfSeries(earlier_);
    for (const RecalledRelease& release : earlier_.about)
      promises_.push_back(ReadPromise(release.name, release.parameters_json));
    promises_.push_back(ReadPromise(bound.policy.release, promise_json));
    AddOwnRelease(bound.policy.release, own, earlier_);
    NameLatestOfSeries();
    everything_ = AllReleases(common());
    told_.not_compared = own.not_compared;
    for (const ColumnPolicy& column : bound.policy.columns) {
      if (own.is_in_series_state && column.role == Role::kSensitive) own_uncounted_.push_back(column.name);
    }
  }

  CompositionOutcome Run() {
    for (const RecalledRelease& release : earlier_.about) {
      if (release.latest.empty())
        told_.releases.push_back({release.name, release.series, release.shared, release.imported, release.by_content});
    }
    for (const UnknownRelease& release : earlier_.unknown)
      told_.unknown.push_back({release.name, release.why, release.shared});
    if (told_.releases.empty()) return std::move(told_);
    CountCrowds();
    InferValues();
    TellUncounted(own_uncounted_);
    for (const RecalledRelease& release : earlier_.about) TellUncounted(release.uncounted);
    AskAccounts();
    return std::move(told_);
  }

  bool RefusesByDefault() const { return pentimento::RefusesByDefault(promises_); }

 private:
  const CommonReleases& common() const { return earlier_.common; }
  const PromiseOnRecord& own_promise() const { return promises_.back(); }
  static CompositionOutcome::Count Told(const CrowdCounts& counts) {
    return {counts.below_k, counts.alone, counts.smallest};
  }

  // Each k that is promised, ascending; 2 where none is: nobody promises more than that nobody is alone.
  std::vector<std::uint64_t> PromisedKs() const {
    std::set<std::uint64_t> ks;
    for (const PromiseOnRecord& promise : promises_) {
      if (promise.k > 0) ks.insert(promise.k);
    }
    if (ks.empty()) ks.insert(2);
    return {ks.begin(), ks.end()};
  }

  void CountCrowds() {
    const std::vector<std::uint64_t> ks = PromisedKs();
    told_.k = ks.front();
    JointClassesByLast joint = FindJointClassesByLast(common(), everything_);
    const ComposedReleases together(common(), everything_, joint.after, ks.back());
    std::optional<ComposedReleases> earlier;
    // Nobody is below k with fewer releases who is not with more.
    if (together.Count(ks.back()).known.below_k > 0)
      earlier.emplace(common(), std::span(everything_).first(everything_.size() - 1), joint.before, ks.back());
    adds_nothing_ = joint.before.people.size() == joint.after.people.size();
    joint_ = std::move(joint.after);
    const auto before_this = [&](std::uint64_t k) { return earlier ? earlier->Count(k) : Composition(); };
    const Composition composed = together.Count(told_.k);
    const Composition before = before_this(told_.k);
    told_.people = composed.people;
    told_.crowds = Told(composed.unknown);
    told_.joint = Told(composed.known);
    told_.crowds_are_exact = composed.is_exact() && has_all_releases_;
    told_.already_below_k = before.unknown.below_k;
    if (told_.joint.below_k > 0) {
      // Where crowds are large enough and joint classes are not, no promise of k to whoever sees crowds is broken.
      const Membership by = told_.crowds.below_k > 0 ? Membership::kUnknown : Membership::kKnown;
      const MinimalSets sets = FindMinimalSets(common(), everything_, told_.k, by, {kVisitsForSets});
      told_.has_every_set = sets.every_set;
      for (const std::vector<std::uint32_t>& set : sets.sets) {
        if (IsSaidByLatest(set, sets.sets)) continue;
        std::vector<std::string>& names = told_.minimal_sets.emplace_back();
        for (const std::uint32_t release : set) names.push_back(common().releases[release].name);
      }
    }
    std::vector<Survival> survives(promises_.size(), Survival::kProved);
    for (const std::uint64_t k : ks) BreakPromisesOfK(k, together.Count(k), before_this(k), survives);
    for (std::size_t i = 0; i < promises_.size(); ++i) {
      if (survives[i] != Survival::kProved)
        TellBroken(i, fmt::format("k = {}", promises_[i].k), survives[i] == Survival::kBroken);
    }
  }

  void NameLatestOfSeries() {
    for (std::uint32_t i = 0; i < common().releases.size(); ++i) latest_of_.push_back(i);
    for (std::size_t i = 0; i < earlier_.about.size(); ++i) {
      const auto latest = std::ranges::find(earlier_.about, earlier_.about[i].latest, &RecalledRelease::name);
      if (latest != earlier_.about.end()) latest_of_[i] = static_cast<std::uint32_t>(latest - earlier_.about.begin());
    }
  }

  // Whether the same is found with the latest release of each series in place of an earlier one.
  bool IsSaidByLatest(const std::vector<std::uint32_t>& set,
                      const std::vector<std::vector<std::uint32_t>>& sets) const {
    std::vector<std::uint32_t> latest;
    for (const std::uint32_t release : set) latest.push_back(latest_of_[release]);
    std::ranges::sort(latest);
    latest.erase(std::unique(latest.begin(), latest.end()), latest.end());
    return latest != set && std::ranges::any_of(sets, [&](const std::vector<std::uint32_t>& one) {
             return std::ranges::includes(latest, one);
           });
  }

  // A series promises the same with each of its releases: it is told once, by the latest.
  void TellBroken(std::size_t release, std::string what, bool is_proved) {
    const std::string& name = common().releases[latest_of_[release]].name;
    for (CompositionOutcome::Broken& told : told_.broken) {
      if (told.release != name || told.what != what) continue;
      told.is_proved = told.is_proved || is_proved;
      return;
    }
    told_.broken.push_back({name, std::move(what), is_proved});
  }

  // A promise of at least k is broken where this release puts somebody below k together with the one that gave it.
  void BreakPromisesOfK(std::uint64_t k, const Composition& composed, const Composition& before,
                        std::vector<Survival>& survives) const {
    const bool for_crowds = composed.unknown.below_k > before.unknown.below_k;
    const bool for_joint = composed.known.below_k > before.known.below_k;
    const bool is_surely_for_crowds = composed.unknown_at_best.below_k > before.unknown.below_k;
    for (const Membership by : {Membership::kUnknown, Membership::kKnown}) {
      if (!(by == Membership::kUnknown ? for_crowds : for_joint)) {
        BreakOwnPromise(k, by, composed, survives);
        continue;
      }
      const auto is_meant = [&](const PromiseOnRecord& promise) { return promise.k >= k && promise.membership == by; };
      if (std::ranges::none_of(promises_, is_meant)) continue;
      const std::vector<bool> takes_part = TakingPart(k, by);
      const bool is_sure = by == Membership::kKnown || is_surely_for_crowds;
      for (std::size_t i = 0; i < promises_.size(); ++i) {
        if (is_meant(promises_[i]) && takes_part[i] && survives[i] != Survival::kBroken)
          survives[i] = is_sure ? Survival::kBroken : Survival::kNobodyKnows;
      }
    }
  }

  // Where everybody whom this release puts below k is so without it: what it promises does not hold all the same. A
  // table that is out already tells nothing new.
  void BreakOwnPromise(std::uint64_t k, Membership by, const Composition& composed,
                       std::vector<Survival>& survives) const {
    const std::uint64_t surely_below =
        by == Membership::kKnown ? composed.known.below_k : composed.unknown_at_best.below_k;
    if (adds_nothing_ || own_promise().k < k || own_promise().membership != by || surely_below == 0) return;
    const std::uint32_t own = everything_.back();
    const MinimalSets sets = FindMinimalSets(common(), everything_, k, by, {kVisitsForSets});
    const bool takes_part = std::ranges::any_of(
        sets.sets, [&](const std::vector<std::uint32_t>& set) { return set.size() > 1 && set.back() == own; });
    if (takes_part) survives.back() = Survival::kBroken;
  }

  // The releases without which fewer people would come below k with this one. Smallest sets name them where nobody is
  // below k in a part of the set; where somebody is, as in this release alone if it promises less, counts tell of the
  // others. This release alone breaks no promise: its own guarantees cover it. Where nothing names any, any may.
  std::vector<bool> TakingPart(std::uint64_t k, Membership by) const {
    const std::uint32_t own = everything_.back();
    const MinimalSets sets = FindMinimalSets(common(), everything_, k, by, {kVisitsForSets});
    std::vector<bool> takes_part(promises_.size(), !sets.every_set);
    bool is_any_named = !sets.every_set;
    for (const std::vector<std::uint32_t>& set : sets.sets) {
      if (set.back() != own) continue;
      is_any_named = true;
      if (set.size() == 1) continue;
      for (const std::uint32_t release : set) takes_part[release] = true;
    }
    for (const std::uint32_t release : everything_) {
      if (takes_part[release] || promises_[release].k < k || !AddsPeopleBelow(release, k, by)) continue;
      is_any_named = true;
      takes_part[release] = true;
    }
    if (!is_any_named) takes_part.assign(promises_.size(), true);
    return takes_part;
  }

  // Whether somebody is below k with this release and the other one who is not without one of them: together with all
  // releases, or just the two.
  bool AddsPeopleBelow(std::uint32_t release, std::uint64_t k, Membership by) const {
    const std::uint32_t own = everything_.back();
    const auto below = [&](const std::vector<std::uint32_t>& set) {
      if (set.empty()) return std::uint64_t{0};
      const Composition composed = Compose(common(), set, k);
      return by == Membership::kKnown ? composed.known.below_k : composed.unknown.below_k;
    };
    std::vector<std::uint32_t> before = everything_, others;
    before.pop_back();
    if (release == own) return below(everything_) > below(before) + below({own});
    std::ranges::copy_if(before, std::back_inserter(others), [&](std::uint32_t one) { return one != release; });
    std::vector<std::uint32_t> without = others;
    without.push_back(own);
    return below(everything_) + below(others) > below(before) + below(without) ||
           below({release, own}) > below({release}) + below({own});
  }

  // The releases whose bags of a column can be put side by side.
  std::vector<std::size_t> ReleasesWith(const std::string& column) const {
    std::vector<std::size_t> releases;
    for (std::size_t i = 0; i < common().releases.size(); ++i) {
      if (!promises_[i].global_series.empty()) continue;
      if (std::ranges::find(common().releases[i].values, column, &ValueBags::column) !=
          common().releases[i].values.end())
        releases.push_back(i);
    }
    return releases;
  }

  StayQuestion QuestionOf(const std::string& column, const std::vector<std::size_t>& releases) const {
    StayQuestion question{column, releases};
    if (releases.size() == everything_.size()) question.joint = &joint_;
    return question;
  }

  void InferValues() {
    for (const std::string& column : earlier_.columns) {
      std::vector<std::size_t> releases = ReleasesWith(column);
      if (releases.size() < 2) continue;
      const StayingValues together = InferStayingValues(common(), QuestionOf(column, releases));
      if (together.contradicted > 0) {
        told_.not_compared.push_back(column);
        continue;
      }
      told_.certain.push_back({column, together.certain, together.exact()});
      if (releases.back() + 1 == promises_.size()) AskLimits(column, std::move(releases), together);
    }
  }

  // Columns of a growing series. Whoever puts its bags beside those of others may learn more than was counted.
  void TellUncounted(const std::vector<std::string>& columns) {
    for (const std::string& column : columns) {
      if (ReleasesThatShow(column) < 2) continue;
      const auto certain = std::ranges::find(told_.certain, column, &CompositionOutcome::Certain::column);
      if (certain != told_.certain.end()) certain->is_exact = false;
      if (std::ranges::find(told_.not_compared, column) == told_.not_compared.end())
        told_.not_compared.push_back(column);
    }
  }

  std::size_t ReleasesThatShow(const std::string& column) const {
    const auto has = [&](const std::vector<std::string>& columns) {
      return std::ranges::find(columns, column) != columns.end();
    };
    std::size_t releases = ReleasesWith(column).size() + (has(own_uncounted_) ? 1 : 0);
    for (const RecalledRelease& release : earlier_.about) releases += has(release.uncounted) ? 1 : 0;
    return releases;
  }

  // A limit is broken where this release puts somebody above it.
  void AskLimits(const std::string& column, std::vector<std::size_t> releases, const StayingValues& together) {
    const std::vector<std::size_t> with = releases;
    releases.pop_back();
    std::optional<StayingValues> before;
    for (const std::size_t release : with) {
      for (const PromisedLimit& limit : promises_[release].limits) {
        if (limit.column != column) continue;
        const std::vector<bool> meant = CodesOf(limit);
        const std::uint64_t above = CountAbove(together, limit, meant);
        if (above == 0) continue;
        if (!before) before = InferStayingValues(common(), QuestionOf(column, releases));
        if (above <= CountAbove(*before, limit, meant)) continue;
        told_.broken.push_back(
            {promises_[release].release,
             fmt::format("{} {} of '{}', for {} {}", limit.together ? "at most" : "alpha =", ToString(limit.at_most),
                         column, WithCommas(above), Plural(above, "person", "people"))});
      }
    }
  }

  // By code of the column that releases share: whether the limit is about it.
  std::vector<bool> CodesOf(const PromisedLimit& limit) const {
    const auto number = std::ranges::find(earlier_.columns, limit.column) - earlier_.columns.begin();
    const std::vector<IdentityHash>& known = earlier_.dictionaries[static_cast<std::size_t>(number)];
    std::vector<bool> meant(known.size(), limit.values.empty());
    for (const std::string& value : limit.values) {
      const auto code = std::ranges::find(known, HashValue(value, hasher_)) - known.begin();
      if (static_cast<std::size_t>(code) < known.size()) meant[static_cast<std::size_t>(code)] = true;
    }
    return meant;
  }

  // People of joint classes in which more than the limit allows have its values, in every world.
  static std::uint64_t CountAbove(const StayingValues& values, const PromisedLimit& limit,
                                  const std::vector<bool>& meant) {
    std::uint64_t people = 0;
    for (std::size_t joint = 0; joint < values.joint_size.size(); ++joint) {
      if (values.is_contradicted[joint] != 0) continue;
      const std::uint64_t size = values.joint_size[joint];
      std::uint64_t most = 0, all = 0;
      for (std::uint32_t i = values.begin[joint]; i < values.begin[joint + 1]; ++i) {
        const StayBound& bound = values.bounds[i];
        if (!meant[bound.value]) continue;
        most = std::max<std::uint64_t>(most, bound.least);
        all += bound.least;
      }
      if (size > 0 && Ratio{limit.together ? all : most, size} > limit.at_most) people += size;
    }
    return people;
  }

  bool Shows(const std::string& column) const {
    return std::ranges::any_of(bound_.policy.columns,
                               [&](const ColumnPolicy& one) { return one.name == column && one.role != Role::kId; });
  }

  // Nobody charges for a release outside of the series.
  void AskAccounts() {
    const PromiseOnRecord& own = own_promise();
    for (std::size_t i = 0; i + 1 < promises_.size(); ++i) {
      const PromiseOnRecord& before = promises_[i];
      for (const std::string& column : before.accounted) {
        if (Shows(column))
          told_.broken.push_back({before.release, fmt::format("the account of the series '{}', which covers '{}'",
                                                              before.global_series, column)});
      }
      for (const std::string& column : own.accounted) {
        const auto& values = common().releases[i].values;
        if (before.global_series != own.global_series &&
            std::ranges::find(values, column, &ValueBags::column) != values.end())
          told_.broken.push_back({own.release, fmt::format("the account of the series '{}': '{}' is out, too, and "
                                                           "shows '{}'",
                                                           own.global_series, before.release, column)});
      }
    }
  }

  const BoundPolicy& bound_;
  IdentityHasher hasher_;  // of the ledger
  RecalledReleases earlier_;
  std::vector<PromiseOnRecord> promises_;   // parallel to the releases; this one last
  std::vector<std::uint32_t> everything_;   // their places
  std::vector<std::uint32_t> latest_of_;    // by place: that of the latest of its series, or its own
  bool has_all_releases_ = true;            // earlier ones of growing series included
  std::vector<std::string> own_uncounted_;  // as of RecalledRelease
  JointClasses joint_;                      // over everything
  bool adds_nothing_ = false;               // all joint classes are there without this release
  CompositionOutcome told_;
};

Status RequireUnbroken(const CompositionOutcome& composition, const BoundPolicy& bound) {
  if (composition.broken.empty() || !composition.refuses_broken) return {};
  const auto shows_it = [&](const std::vector<std::string>& set) {
    return set.size() > 1 && set.back() == bound.policy.release;
  };
  const auto set = std::ranges::find_if(composition.minimal_sets, shows_it);
  const std::string sets = set == composition.minimal_sets.end()
                               ? std::string()
                               : fmt::format(" {} together suffice for that.", QuotedNames(*set));
  return Error{ErrorCode::kRefused,
               fmt::format("the combination of releases does not stay private. {} {}{} Nothing was "
                           "published. Leave out the people who are in both, publish fewer columns, or ask for the "
                           "guarantee history, which refines what is out",
                           CountsInWords(composition), BrokenInWords(composition), sets)};
}

}  // namespace

Result<std::optional<CompositionOutcome>> ComposeWithRecord(const BoundPolicy& bound, const IdentityHasher& hasher,
                                                            const std::string& promise_json, const OwnClasses& own,
                                                            RecalledReleases earlier) {
  if (earlier.about.empty() && earlier.unknown.empty()) return std::optional<CompositionOutcome>();
  Measurement measurement(bound, hasher, promise_json, own, std::move(earlier));
  CompositionOutcome composition = measurement.Run();
  composition.refuses_broken =
      bound.policy.overlap ? *bound.policy.overlap == OverlapRule::kRefuse : measurement.RefusesByDefault();
  PENTIMENTO_RETURN_IF_ERROR(RequireUnbroken(composition, bound));
  return std::optional(std::move(composition));
}

}  // namespace pentimento
