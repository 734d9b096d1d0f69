#include "engine/composition/compose.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "audit/stay.h"
#include "base/plural.h"
#include "base/ratio.h"
#include "engine/composition/earlier_releases.h"
#include "guarantee/history/composition.h"

namespace pentimento {
namespace {

using Json = nlohmann::json;

// How much may be spent on looking for the smallest sets of releases: they are told, and nothing depends on all of
// them.
constexpr std::uint64_t kVisitsForSets = std::uint64_t{1} << 27;

// A limit on every value of these columns.
struct ValueLimit {
  Ratio alpha;
  std::vector<std::string> columns;
};

// What one release promised, as far as other releases can break it.
struct PromiseOnRecord {
  std::string release;
  std::uint64_t k = 0;                 // 0: it does not say
  bool spans_releases = false;         // a series, or the history
  std::optional<ValueLimit> limit;     // (alpha,k)-anonymity
  bool limits_values = false;          // in this or in another way
  std::string global_series;           // whose account
  std::vector<std::string> accounted;  // its columns
};

std::vector<std::string> SensitiveIn(const Json& guarantee) {
  std::vector<std::string> columns;
  for (const Json& one : guarantee.value("sensitive", Json::array())) {
    if (one.is_object()) columns.push_back(one.value("column", ""));
  }
  return columns;
}

PromiseOnRecord ReadPromise(const std::string& release, const std::string& parameters_json) {
  PromiseOnRecord promise;
  promise.release = release;
  const Json guarantees = Json::parse(parameters_json, nullptr, /*allow_exceptions=*/false);
  if (!guarantees.is_array()) return promise;
  for (const Json& guarantee : guarantees) {
    if (!guarantee.is_object()) continue;
    const std::string type = guarantee.value("type", "");
    if (guarantee.contains("k") && guarantee["k"].is_number_unsigned() && !type.starts_with("xy-"))
      promise.k = std::max(promise.k, guarantee["k"].get<std::uint64_t>());
    if (type == "incremental-k-anonymity" || type == "global-guarantee" || type == "history")
      promise.spans_releases = true;
    if (type == "alpha-k-anonymity" || type == "xy-linkability") promise.limits_values = true;
    if (type == "alpha-k-anonymity") {
      if (const auto alpha = ParseRatio(guarantee.value("alpha", ""))) promise.limit = {*alpha, SensitiveIn(guarantee)};
    }
    if (type == "global-guarantee") {
      promise.global_series = guarantee.value("series", "");
      promise.accounted = SensitiveIn(guarantee);
    }
  }
  return promise;
}

class Measurement {
 public:
  Measurement(const BoundPolicy& bound, const std::string& promise_json, const OwnClasses& own, RecalledReleases earlier)
      : bound_(bound), earlier_(std::move(earlier)) {
    for (const RecalledRelease& release : earlier_.about)
      promises_.push_back(ReadPromise(release.name, release.parameters_json));
    promises_.push_back(ReadPromise(bound.policy.release, promise_json));
    AddOwnRelease(bound.policy.release, own, earlier_);
    told_.not_compared = own.not_compared;
  }

  CompositionOutcome Run() {
    for (const RecalledRelease& release : earlier_.about)
      told_.releases.push_back({release.name, release.series, release.shared});
    for (const UnknownRelease& release : earlier_.unknown)
      told_.unknown.push_back({release.name, release.why, release.shared});
    if (told_.releases.empty()) return std::move(told_);
    CountCrowds();
    InferValues();
    AskAccounts();
    return std::move(told_);
  }

  // Whether a promise that does not survive is refused, where the policy does not say.
  bool RefusesByDefault() const {
    return std::ranges::any_of(
        promises_, [](const PromiseOnRecord& promise) { return promise.spans_releases || promise.limits_values; });
  }

 private:
  const CommonReleases& common() const { return earlier_.common; }

  void CountCrowds() {
    for (const PromiseOnRecord& promise : promises_) {
      if (promise.k > 0) told_.k = told_.k == 0 ? promise.k : std::min(told_.k, promise.k);
    }
    if (told_.k == 0) told_.k = 2;  // nobody promises more than that nobody is alone
    std::vector<std::uint32_t> all(common().releases.size());
    std::iota(all.begin(), all.end(), 0U);
    const Composition composed = Compose(common(), all, told_.k);
    told_.people = composed.people;
    told_.crowds = {composed.unknown.below_k, composed.unknown.alone, composed.unknown.smallest};
    told_.joint = {composed.known.below_k, composed.known.alone, composed.known.smallest};
    told_.crowds_are_exact = composed.is_exact();
    if (told_.joint.below_k == 0) return;
    // Where crowds are large enough and joint classes are not, no promise of k is broken.
    const Membership by = told_.crowds.below_k > 0 ? Membership::kUnknown : Membership::kKnown;
    const MinimalSets sets = FindMinimalSets(common(), all, told_.k, by, {kVisitsForSets});
    told_.has_every_set = sets.every_set;
    std::vector<bool> takes_part(all.size());
    for (const std::vector<std::uint32_t>& set : sets.sets) {
      std::vector<std::string>& names = told_.minimal_sets.emplace_back();
      for (const std::uint32_t release : set) {
        names.push_back(common().releases[release].name);
        takes_part[release] = true;
      }
    }
    if (told_.crowds.below_k == 0) return;
    for (std::size_t i = 0; i < promises_.size(); ++i) {
      if (promises_[i].k > 0 && (takes_part[i] || !sets.every_set))
        told_.broken.push_back({promises_[i].release, fmt::format("k = {}", promises_[i].k)});
    }
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

  void InferValues() {
    for (const std::string& column : earlier_.columns) {
      const std::vector<std::size_t> releases = ReleasesWith(column);
      if (releases.size() < 2) continue;
      const StayingValues together = InferStayingValues(common(), {column, releases});
      if (together.contradicted > 0) {
        told_.not_compared.push_back(column);
        continue;
      }
      told_.certain.push_back({column, together.certain, together.exact()});
      for (const std::size_t release : releases) AskLimit(column, releases, promises_[release]);
    }
  }

  void AskLimit(const std::string& column, const std::vector<std::size_t>& releases, const PromiseOnRecord& promise) {
    if (!promise.limit || std::ranges::find(promise.limit->columns, column) == promise.limit->columns.end()) return;
    const StayingValues together = InferStayingValues(common(), {column, releases, promise.limit->alpha});
    if (together.above_alpha == 0) return;
    told_.broken.push_back(
        {promise.release, fmt::format("alpha = {} of '{}', for {} {}", ToString(promise.limit->alpha), column,
                                      together.above_alpha, Plural(together.above_alpha, "person", "people"))});
  }

  bool Shows(const std::string& column) const {
    return std::ranges::any_of(bound_.policy.columns,
                               [&](const ColumnPolicy& one) { return one.name == column && one.role != Role::kId; });
  }

  // Nobody charges for a release outside of the series.
  void AskAccounts() {
    const PromiseOnRecord& own = promises_.back();
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
  RecalledReleases earlier_;
  std::vector<PromiseOnRecord> promises_;  // parallel to the releases; this one last
  CompositionOutcome told_;
};

std::string Quoted(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(fmt::format("'{}'", name));
  if (quoted.size() < 2) return fmt::format("{}", fmt::join(quoted, ""));
  const std::string last = std::move(quoted.back());
  quoted.pop_back();
  return fmt::format("{} and {}", fmt::join(quoted, ", "), last);
}

std::vector<std::string> NamesOf(const CompositionOutcome& composition) {
  std::vector<std::string> names;
  for (const CompositionOutcome::Release& release : composition.releases) names.push_back(release.name);
  return names;
}

// "what 'r1' and 'r2' promised (k = 5); what 'r3' promised (alpha = 1/2 ...)"
std::string BrokenInWords(const CompositionOutcome& composition) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_promise;
  for (const CompositionOutcome::Broken& broken : composition.broken) {
    auto place = std::ranges::find(by_promise, broken.what, &std::pair<std::string, std::vector<std::string>>::first);
    if (place == by_promise.end()) place = by_promise.insert(by_promise.end(), {broken.what, {}});
    place->second.push_back(broken.release);
  }
  std::vector<std::string> parts;
  for (const auto& [what, releases] : by_promise)
    parts.push_back(fmt::format("what {} promised ({})", Quoted(releases), what));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string CountsInWords(const CompositionOutcome& composition) {
  const std::string bound = composition.crowds_are_exact ? "" : "up to ";
  std::string text =
      fmt::format("Together with {}: {}{} of {} people have a crowd below {}", Quoted(NamesOf(composition)), bound,
                  composition.crowds.below_k, composition.people, composition.k);
  if (composition.crowds.below_k > 0) text += fmt::format(" (smallest {})", composition.crowds.smallest);
  text += fmt::format("; {} for whoever knows who is in which release.", composition.joint.below_k);
  for (const CompositionOutcome::Certain& certain : composition.certain) {
    text += fmt::format(" The value of '{}' is certain for {}{}.", certain.column, certain.is_exact ? "" : "at least ",
                        certain.people);
  }
  return text;
}

Status RequireUnbroken(const CompositionOutcome& composition, const Measurement& measurement,
                       const BoundPolicy& bound) {
  if (composition.broken.empty()) return {};
  const bool refuses =
      bound.policy.overlap ? *bound.policy.overlap == OverlapRule::kRefuse : measurement.RefusesByDefault();
  if (!refuses) return {};
  std::string sets;
  if (!composition.minimal_sets.empty())
    sets = fmt::format(" {} together suffice for that.", Quoted(composition.minimal_sets.front()));
  return Error{ErrorCode::kRefused,
               fmt::format("the combination of releases does not stay private. {} This breaks {}.{} Nothing was "
                           "published. Leave out the people who are in both, publish fewer columns, or ask for the "
                           "guarantee history, which refines what is out",
                           CountsInWords(composition), BrokenInWords(composition), sets)};
}

}  // namespace

Result<std::optional<CompositionOutcome>> ComposeWithRecord(Ledger* ledger, const BoundPolicy& bound,
                                                            const std::string& promise_json, const OwnClasses& own,
                                                            const std::set<std::string>& own_releases) {
  PeopleOfRelease people;
  people.are_named = bound.counts_persons;
  if (own.people) people.people = *own.people;
  PENTIMENTO_ASSIGN(RecalledReleases earlier, RecallEarlierReleases(ledger, bound.policy, people, own_releases));
  if (earlier.about.empty() && earlier.unknown.empty()) return std::optional<CompositionOutcome>();
  Measurement measurement(bound, promise_json, own, std::move(earlier));
  CompositionOutcome composition = measurement.Run();
  PENTIMENTO_RETURN_IF_ERROR(RequireUnbroken(composition, measurement, bound));
  return std::optional(std::move(composition));
}

std::vector<std::string> CompositionInWords(const CompositionOutcome& composition) {
  std::vector<std::string> words;
  if (!composition.releases.empty()) {
    std::string text = CountsInWords(composition);
    if (!composition.broken.empty()) text += fmt::format(" This breaks {}.", BrokenInWords(composition));
    words.push_back(std::move(text));
  }
  for (const CompositionOutcome::Unknown& unknown : composition.unknown) {
    const std::string people = unknown.people
                                   ? fmt::format(
                                         "{} of these people {} also in '{}', but what both tell "
                                         "together cannot be told",
                                         *unknown.people, Plural(*unknown.people, "is", "are"), unknown.name)
                                   : fmt::format("whether these people are also in '{}' cannot be told", unknown.name);
    words.push_back(fmt::format("{}: {}. If they are others, say so with other_people = [\"{}\"]", people, unknown.why,
                                unknown.name));
  }
  return words;
}

}  // namespace pentimento
