// A4: whose sensitive value is certain, or surer than alpha, if values stay; A5: how likely somebody ever had one, if
// they change.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "audit/chance_of_ever.h"
#include "audit/holders.h"
#include "audit/stay.h"
#include "base/plural.h"
#include "engine/audit/attacks.h"

namespace pentimento {
namespace {

using Places = std::vector<std::uint32_t>;

// The shares of a column, so that an audit ends: the same whatever the machine, and enough for all sets of a few
// releases of 100,000 people. How many unknowns of sums are looked at for one set of releases.
constexpr std::uint64_t kWorkOfColumn = 400'000'000;
// How many people of releases are looked at, in all smaller sets together.
constexpr std::uint64_t kWorkOfSets = 5'000'000;
constexpr std::size_t kMostSetsTried = 64;
// How many people are looked at by exact flows of one value, in all pairs together. The bounds of all values say nearly
// as much.
constexpr std::uint64_t kWorkOfFlows = 4'000'000;

bool HasColumn(const CommonRelease& release, const std::string& column) {
  return std::ranges::find(release.values, column, &ValueBags::column) != release.values.end();
}

std::vector<std::string> ColumnsOfLink(const LinkedPeople& link) {
  std::vector<std::string> columns;
  for (const CommonRelease& release : link.common.releases) {
    for (const ValueBags& bags : release.values) {
      if (std::ranges::find(columns, bags.column) == columns.end()) columns.push_back(bags.column);
    }
  }
  return columns;
}

bool ShowsNoValue(const ValueBags& bags, ClassNumber number) {
  const auto values = bags.values_of(number);
  return !values.empty() && values.front() == kNoValueCode;
}

// The releases with the bags of one column alone. Where a class has a row without a value, nobody knows which value it
// stands for: nobody is said to be in that class.
CommonReleases WithKnownValues(const CommonReleases& common, const Places& places, const std::string& column,
                               std::uint64_t& left_out) {
  CommonReleases known{.people = common.people, .releases = {}};
  for (const std::uint32_t place : places) {
    const CommonRelease& release = common.releases[place];
    const ValueBags& bags = *std::ranges::find(release.values, column, &ValueBags::column);
    CommonRelease& copy = known.releases.emplace_back(
        CommonRelease{.name = release.name, .class_of = release.class_of, .rows = release.rows, .values = {bags}});
    for (ClassNumber& number : copy.class_of) {
      if (number == kNotInRelease || !ShowsNoValue(bags, number)) continue;
      number = kNotInRelease;
      ++left_out;
    }
  }
  return known;
}

// By person: what one of these releases says by itself.
struct KnownAlone {
  std::vector<bool> is_certain;
  std::vector<bool> is_above;
};

KnownAlone FindKnownAlone(const CommonReleases& known, const std::optional<Ratio>& alpha) {
  KnownAlone alone{std::vector<bool>(known.people), std::vector<bool>(known.people)};
  for (const CommonRelease& release : known.releases) {
    const ValueBags& bags = release.values.front();
    std::vector<std::uint8_t> is_certain(release.classes()), is_above(release.classes());
    for (ClassNumber c = 0; c < release.classes(); ++c) {
      is_certain[c] = bags.values_of(c).size() == 1 && !ShowsNoValue(bags, c);
      for (std::size_t i = 0; i < bags.values_of(c).size() && alpha; ++i)
        if (IsShareAbove(bags.counts_of(c)[i], release.rows[c], *alpha)) is_above[c] = 1;
    }
    for (std::uint32_t person = 0; person < known.people; ++person) {
      const ClassNumber number = release.class_of[person];
      if (number == kNotInRelease) continue;
      if (is_certain[number] != 0) alone.is_certain[person] = true;
      if (is_above[number] != 0) alone.is_above[person] = true;
    }
  }
  return alone;
}

class StayLook {
 public:
  StayLook(const AuditView& view, const LinkedPeople& link, std::string column, Places places, AttackResult& result)
      : view_(view), link_(link), column_(std::move(column)), places_(std::move(places)), result_(result) {
    FindAlpha();
    known_ = WithKnownValues(link.common, places_, column_, without_value_);
    alone_ = FindKnownAlone(known_, alpha_);
  }

  void Run(const TrueValues* truth, std::optional<GuessScore>& score) {
    std::vector<std::size_t> all(places_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    StayingValues together = Infer(all);
    if (without_value_ > 0)
      result_.report.reasons.push_back(
          fmt::format("'{}': classes that show a row without a value say nothing", column_));
    if (together.contradicted > 0) return GiveUp(together);
    result_.Count(column_ + ".people", together.people);
    result_.Count(column_ + ".certain", together.certain);
    result_.Count(column_ + ".certain_by_support", together.certain_by_support);
    result_.Count(column_ + ".certain_alone", static_cast<std::uint64_t>(std::ranges::count(alone_.is_certain, true)));
    result_.Count(column_ + ".unsettled", together.unsettled);
    result_.Count(column_ + ".above_alpha", alpha_ ? std::optional<std::uint64_t>(together.above_alpha) : std::nullopt);
    if (together.estimate) result_.Count(column_ + ".estimated_above_alpha", together.estimate->above_alpha);
    if (together.stopped) Stop("its share of the work was used up; what is certain so far stays certain");
    if (truth != nullptr) Score(together, *truth, score);
    SearchSets(all, together);
    if (has_skipped_flows_) Stop("flows of single values were not asked of every two releases");
    TellEstimate(all, together);
  }

 private:
  void FindAlpha() {
    for (const std::uint32_t place : places_) {
      for (const PromisedLimit& limit : view_.release(link_, place).promise.limits) {
        if (limit.column == column_ && limit.values.empty() && (!alpha_ || limit.at_most < *alpha_))
          alpha_ = limit.at_most;
      }
    }
    if (view_.question.alpha) alpha_ = view_.question.alpha;
  }

  StayingValues Infer(const std::vector<std::size_t>& set) {
    StayLimits limits;
    limits.work = work_;
    limits.search.work = std::min(limits.search.work, work_ / 4);
    StayQuestion question{.column = column_, .releases = set, .alpha = alpha_.value_or(Ratio{1, 1})};
    question.estimate_rounds = alpha_ && set.size() == places_.size() && known_.people <= 200'000 ? 40 : 0;
    return InferStayingValues(known_, question, limits);
  }

  void Stop(const std::string& why) {
    result_.report.state = AttackState::kStopped;
    result_.report.reasons.push_back(fmt::format("'{}': {}", column_, why));
  }

  void GiveUp(const StayingValues& together) {
    result_.report.reasons.push_back(
        fmt::format("'{}': the releases contradict each other for {} {}, so values do not stay, or a release is not "
                    "true; if they change, say so with --change {}",
                    column_, together.contradicted, Plural(together.contradicted, "person", "people"), column_));
    result_.Count(column_ + ".contradicted", together.contradicted);
    result_.Count(column_ + ".certain", std::nullopt);
  }

  void Score(const StayingValues& together, const TrueValues& truth, std::optional<GuessScore>& score) const {
    if (!score) score.emplace();
    for (std::uint32_t person = 0; person < known_.people; ++person) {
      if (together.joint_of_person[person] == kNoJointClass) continue;
      const auto value = together.CertainValue(person);
      if (!value) continue;
      const Code is = truth.of_person[person];
      ++(is == kNoValueCode ? score->untold : is == *value ? score->right : score->wrong);
    }
  }

  struct Counted {
    std::uint64_t certain = 0;
    std::uint64_t above = 0;
    std::uint64_t certain_more = 0;  // of whom no release says it by itself
    std::uint64_t above_more = 0;
    std::optional<std::uint32_t> certain_witness;
    std::optional<std::uint32_t> above_witness;
  };

  Counted CountIn(const std::vector<std::size_t>& set, const StayingValues& values) {
    Counted counted;
    const std::vector<bool> by_flow = values.exact() ? std::vector<bool>() : CertainByFlow(set);
    for (std::uint32_t person = 0; person < known_.people; ++person) {
      const std::uint32_t joint = values.joint_of_person[person];
      if (joint == kNoJointClass) continue;
      bool is_certain = !by_flow.empty() && by_flow[person];
      bool is_above = is_certain && alpha_ && *alpha_ < Ratio{1, 1};
      for (const StayBound& bound : values.BoundsOf(person)) {
        is_certain |= bound.least == values.joint_size[joint];
        is_above |= alpha_ && IsShareAbove(bound.least, values.joint_size[joint], *alpha_);
      }
      counted.certain += is_certain ? 1 : 0;
      counted.above += is_above ? 1 : 0;
      if (is_certain && !alone_.is_certain[person]) {
        ++counted.certain_more;
        if (!counted.certain_witness) counted.certain_witness = person;
      }
      if (is_above && !alone_.is_above[person]) {
        ++counted.above_more;
        if (!counted.above_witness) counted.above_witness = person;
      }
    }
    return counted;
  }

  // Sets that say more than their releases alone, smaller ones first; then all releases, where they say more than any
  // smaller set.
  void SearchSets(const std::vector<std::size_t>& all, const StayingValues& together) {
    const Counted whole = CountIn(all, together);
    if (whole.certain_more == 0 && whole.above_more == 0) return;
    Counted most;
    std::size_t tried = 0;
    std::vector<std::vector<std::size_t>> found, open = {{}};
    for (std::size_t size = 1; size < all.size() && !open.empty(); ++size) {
      std::vector<std::vector<std::size_t>> next;
      for (const auto& set : open) {
        for (std::size_t r = set.empty() ? 0 : set.back() + 1; r < all.size(); ++r) {
          std::vector<std::size_t> larger = set;
          larger.push_back(r);
          const bool has_found =
              std::ranges::any_of(found, [&](const auto& part) { return std::ranges::includes(larger, part); });
          if (has_found) continue;
          if (size > 1) {
            if (++tried > kMostSetsTried || !Spend(std::uint64_t{known_.people} * size, set_work_)) {
              Stop("not every set of releases was tried for being minimal");
              return Tell(all, whole, together);
            }
            const StayingValues values = Infer(larger);
            const Counted counted = CountIn(larger, values);
            if (counted.certain_more > 0 || counted.above_more > 0) {
              Tell(larger, counted, values);
              most.certain_more = std::max(most.certain_more, counted.certain_more);
              most.above_more = std::max(most.above_more, counted.above_more);
              found.push_back(std::move(larger));
              continue;
            }
          }
          next.push_back(std::move(larger));
        }
      }
      open = std::move(next);
    }
    if (whole.certain_more > most.certain_more || whole.above_more > most.above_more) Tell(all, whole, together);
  }

  // Whether enough was left.
  static bool Spend(std::uint64_t cost, std::uint64_t& left) {
    if (cost > left) return false;
    left -= cost;
    return true;
  }

  Places PlacesOf(const std::vector<std::size_t>& set) const {
    Places places;
    for (const std::size_t i : set) places.push_back(places_[i]);
    return places;
  }

  Finding Begin(const std::vector<std::size_t>& set, FindingKind kind, std::uint64_t people, bool is_exact,
                std::optional<std::uint32_t> witness) const {
    const Places places = PlacesOf(set);
    Finding finding{.attack = Attack::kA4,
                    .kind = kind,
                    .releases = NamesOfLinked(link_, places),
                    .column = column_,
                    .people = people};
    finding.certainty = is_exact && link_.is_exact() ? Certainty::kExact : Certainty::kLowerBound;
    finding.has_draft = HasDraft(view_, link_, places);
    if (witness) finding.witness = WitnessOfPerson(view_, link_, places, *witness);
    return finding;
  }

  void Tell(const std::vector<std::size_t>& set, const Counted& counted, const StayingValues& values) {
    const bool is_exact = values.exact();
    if (counted.certain_more > 0) {
      Finding finding = Begin(set, FindingKind::kCertainValue, counted.certain, is_exact, counted.certain_witness);
      finding.sentence = fmt::format(
          "If values stay, {} together make the value of '{}' certain for {}{} of {} people; for {} of them no release "
          "does alone.",
          QuotedNames(finding.releases), column_, finding.certainty == Certainty::kExact ? "" : "at least ",
          counted.certain, values.people, counted.certain_more);
      finding.prevention = "one release that refines the others: the guarantee history with an alpha";
      finding.broken = BrokenLimits(set, values, nullptr);
      result_.findings.push_back(std::move(finding));
    }
    if (counted.above_more == 0) return;
    Finding finding = Begin(set, FindingKind::kAlpha, counted.above, false, counted.above_witness);
    finding.sentence = fmt::format(
        "If values stay, {} together make some value of '{}' surer than {} for at least {} of {} people; for {} of "
        "them "
        "no release does alone.",
        QuotedNames(finding.releases), column_, ToString(*alpha_), counted.above, values.people, counted.above_more);
    finding.prevention = fmt::format("the guarantee history with alpha = {}", ToString(*alpha_));
    finding.broken = BrokenLimits(set, values, &*alpha_);
    result_.findings.push_back(std::move(finding));
  }

  // Promised limits that somebody's bounds exceed.
  std::vector<BrokenPromise> BrokenLimits(const std::vector<std::size_t>& set, const StayingValues& values,
                                          const Ratio* only) const {
    std::vector<BrokenPromise> broken;
    for (const std::uint32_t place : PlacesOf(set)) {
      const AuditedRelease& release = view_.release(link_, place);
      for (const PromisedLimit& limit : release.promise.limits) {
        if (limit.column != column_ || (only != nullptr && limit.at_most < *only)) continue;
        if (!Exceeds(values, limit)) continue;
        BrokenPromise one{release.name, fmt::format("alpha = {} of '{}'", ToString(limit.at_most), column_)};
        if (std::ranges::find(broken, one) == broken.end()) broken.push_back(std::move(one));
      }
    }
    std::ranges::sort(broken);
    return broken;
  }

  bool Exceeds(const StayingValues& values, const PromisedLimit& limit) const {
    std::vector<Code> listed;
    for (const std::string& value : limit.values) {
      if (const auto code = view_.audited.values.Find(column_, value)) listed.push_back(*code);
    }
    for (std::uint32_t joint = 0; joint < values.joint_size.size(); ++joint) {
      if (values.is_contradicted[joint] != 0) continue;
      std::uint64_t largest = 0, sum = 0;
      for (std::uint32_t i = values.begin[joint]; i < values.begin[joint + 1]; ++i) {
        const StayBound& bound = values.bounds[i];
        if (!limit.values.empty() && std::ranges::find(listed, bound.value) == listed.end()) continue;
        largest = std::max<std::uint64_t>(largest, bound.least);
        sum += bound.least;
      }
      if (IsShareAbove(static_cast<std::uint32_t>(limit.together ? sum : largest), values.joint_size[joint],
                       limit.at_most))
        return true;
    }
    return false;
  }

  // A4b: by person, whether the exact flow of a single value over two releases makes it certain. What bounds on all
  // values say and what a flow says of each do not contain each other.
  std::vector<bool> CertainByFlow(const std::vector<std::size_t>& set) {
    if (set.size() != 2) return {};
    const std::uint64_t values = view_.audited.values.end(column_);
    if (!Spend(values * known_.people, flow_work_)) {
      has_skipped_flows_ = true;
      return {};
    }
    std::vector<bool> has(known_.people);
    for (Code value = kNoValueCode + 1; value < values; ++value) {
      // Whether all of a joint class have the value needs no search for other bounds (holders.h).
      const ValueHolders holders = FindHolders(known_, column_, value, {set[0], set[1]}, /*work=*/0);
      if (!holders.is_possible) return {};
      for (std::uint32_t person = 0; person < known_.people; ++person) {
        if (holders.joint_of_person[person] != kNoJointClass && holders.HasIt(person)) has[person] = true;
      }
    }
    return has;
  }

  void TellEstimate(const std::vector<std::size_t>& all, const StayingValues& together) {
    if (!together.estimate || together.estimate->above_alpha <= together.above_alpha) return;
    Finding finding = Begin(all, FindingKind::kAlpha, together.estimate->above_alpha, false, std::nullopt);
    finding.certainty = Certainty::kEstimate;
    finding.sentence = fmt::format(
        "By an estimate, {} together make some value of '{}' surer than {} for {} of {} people, if values stay.",
        QuotedNames(finding.releases), column_, ToString(*alpha_), together.estimate->above_alpha, together.people);
    finding.prevention = fmt::format("the guarantee history with alpha = {}", ToString(*alpha_));
    result_.findings.push_back(std::move(finding));
  }

  const AuditView& view_;
  const LinkedPeople& link_;
  std::string column_;
  Places places_;
  AttackResult& result_;
  std::optional<Ratio> alpha_;
  CommonReleases known_;
  KnownAlone alone_;
  std::uint64_t without_value_ = 0;
  std::uint64_t work_ = kWorkOfColumn;
  std::uint64_t set_work_ = kWorkOfSets;
  std::uint64_t flow_work_ = kWorkOfFlows;
  bool has_skipped_flows_ = false;
};

Places PlacesWith(const AuditView& view, const LinkedPeople& link, const std::string& column, bool change) {
  Places places;
  for (std::uint32_t i = 0; i < link.releases.size(); ++i) {
    if (HasColumn(link.common.releases[i], column) &&
        ValuesChange(view.question, view.release(link, i), column) == change)
      places.push_back(i);
  }
  return places;
}

// 1/l of one column, in one or several releases.
struct EverBar {
  Ratio bar;
  std::vector<std::string> values;
  bool together = false;
  Places promised_by;
};

std::vector<EverBar> BarsOf(const AuditView& view, const LinkedPeople& link, const Places& places,
                            const std::string& column) {
  std::vector<EverBar> bars;
  for (const std::uint32_t place : places) {
    for (const EverLimit& limit : view.release(link, place).ever_limits) {
      if (limit.column != column) continue;
      auto found = std::ranges::find_if(bars, [&](const EverBar& bar) {
        return bar.bar == Ratio{1, limit.l} && bar.values == limit.values && bar.together == limit.together;
      });
      if (found == bars.end()) found = bars.insert(bars.end(), {{1, limit.l}, limit.values, limit.together, {}});
      found->promised_by.push_back(place);
    }
  }
  if (view.question.alpha) bars.push_back({*view.question.alpha, {}, false, {}});
  if (bars.empty()) bars.push_back({{1, 2}, {}, false, {}});
  return bars;
}

// The bags without rows that show no value, and with the listed values as one where they count together. Counts need
// not add up to the rows any more: a chance is of all rows.
CommonReleases ForEver(const CommonReleases& common, const Places& places, const std::string& column,
                       const std::vector<Code>& united) {
  CommonReleases one{.people = common.people, .releases = {}};
  for (const std::uint32_t place : places) {
    const CommonRelease& release = common.releases[place];
    const ValueBags& bags = *std::ranges::find(release.values, column, &ValueBags::column);
    ValueBags kept{column, {0}, {}, {}};
    for (ClassNumber c = 0; c < release.classes(); ++c) {
      std::uint32_t sum = 0;
      for (std::size_t i = 0; i < bags.values_of(c).size(); ++i) {
        const Code value = bags.values_of(c)[i];
        if (value == kNoValueCode) continue;
        if (united.empty()) {
          kept.value.push_back(value);
          kept.count.push_back(bags.counts_of(c)[i]);
        } else if (std::ranges::find(united, value) != united.end()) {
          sum += bags.counts_of(c)[i];
        }
      }
      if (sum > 0) {
        kept.value.push_back(united.front());
        kept.count.push_back(sum);
      }
      kept.begin.push_back(static_cast<std::uint32_t>(kept.value.size()));
    }
    one.releases.push_back(
        {.name = release.name, .class_of = release.class_of, .rows = release.rows, .values = {std::move(kept)}});
  }
  return one;
}

std::string ChanceText(const EverChance& chance) {
  return chance.largest_exactly ? ToString(*chance.largest_exactly) : fmt::format("{:.4f}", chance.largest);
}

void LookForEver(const AuditView& view, const LinkedPeople& link, const Places& places, const std::string& column,
                 const EverBar& bar, AttackResult& result) {
  std::vector<Code> listed;
  for (const std::string& value : bar.values) {
    if (const auto code = view.audited.values.Find(column, value)) listed.push_back(*code);
  }
  if (!bar.values.empty() && listed.empty()) return;  // nobody had any of them
  const CommonReleases common = ForEver(link.common, places, column, bar.together ? listed : std::vector<Code>());
  std::vector<std::size_t> all(places.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  EverQuestion question{
      .column = column, .releases = all, .value = {}, .bars = {bar.bar, {bar.bar.num * 9, bar.bar.den * 10}}};
  std::vector<EverChance> chances;
  if (bar.together || listed.empty()) {
    chances.push_back(FindChanceOfEver(common, question));
  } else {
    for (const Code code : listed) {
      question.value = code;
      chances.push_back(FindChanceOfEver(common, question));
    }
  }
  // Of several values, the one that somebody is linked to most surely.
  const EverChance& chance = *std::ranges::max_element(chances, {}, &EverChance::largest);
  std::uint64_t above = 0, near = 0;
  for (const EverChance& one : chances) {
    above = std::max<std::uint64_t>(above, one.above[0]);
    near = std::max<std::uint64_t>(near, one.above[1]);
  }
  const std::string name = fmt::format("{}.{}", column, ToString(bar.bar));
  result.Count(name + ".people", chance.people);
  result.Count(name + ".above", above);
  result.Count(name + ".near", near);
  result.report.numbers.push_back({name + ".largest", std::nullopt, ChanceText(chance)});
  if (above == 0) return;
  Finding finding{.attack = Attack::kA5,
                  .kind = FindingKind::kEver,
                  .releases = NamesOfLinked(link, places),
                  .column = column,
                  .people = above};
  finding.certainty = link.is_exact() && chances.size() == 1 ? Certainty::kExact : Certainty::kLowerBound;
  finding.has_draft = HasDraft(view, link, places);
  for (const std::uint32_t place : bar.promised_by)
    finding.broken.push_back({view.release(link, place).name, fmt::format("l = {} of '{}'", bar.bar.den, column)});
  finding.sentence = fmt::format(
      "If values change independently, {} link {}{} of {} people to a value of '{}' that they ever had with a chance "
      "above {}; the largest chance is {}.",
      QuotedNames(finding.releases), finding.certainty == Certainty::kExact ? "" : "at least ", above, chance.people,
      column, ToString(bar.bar), ChanceText(chance));
  finding.prevention = fmt::format("global-guarantee with l = {} over all of these releases",
                                   bar.bar.num == 1 ? std::to_string(bar.bar.den) : "that the chance asks for");
  if (chance.witness) finding.witness = WitnessOfPerson(view, link, places, *chance.witness);
  result.findings.push_back(std::move(finding));
}

}  // namespace

AttackResult LookAtStayingValues(const AuditView& view, const std::vector<TrueValues>& truth,
                                 std::optional<GuessScore>& score) {
  AttackResult result;
  result.report.attack = Attack::kA4;
  for (const LinkedPeople& link : view.links) {
    if (link.by == LinkedBy::kKey) continue;
    TellLeftOut(view, link, result.report);
    for (const std::string& column : ColumnsOfLink(link)) {
      Places places = PlacesWith(view, link, column, /*change=*/false);
      if (places.size() < 2) {
        result.report.reasons.push_back(
            fmt::format("'{}': fewer than two releases show it and keep its values", column));
        continue;
      }
      if (result.report.state != AttackState::kStopped) result.report.state = AttackState::kDone;
      const auto found = std::ranges::find(truth, column, &TrueValues::column);
      StayLook(view, link, column, std::move(places), result).Run(found == truth.end() ? nullptr : &*found, score);
    }
  }
  if (result.report.state == AttackState::kDoesNotApply && result.report.reasons.empty())
    result.report.reasons.push_back(view.links.empty() ? WhyNobodyIsLinked(view)
                                                       : "it needs everybody's quasi-identifiers, or a ledger");
  return result;
}

AttackResult LookAtChangingValues(const AuditView& view) {
  AttackResult result;
  result.report.attack = Attack::kA5;
  for (const LinkedPeople& link : view.links) {
    if (link.by == LinkedBy::kKey) continue;
    for (const std::string& column : ColumnsOfLink(link)) {
      const Places places = PlacesWith(view, link, column, /*change=*/true);
      if (places.empty()) continue;
      result.report.state = AttackState::kDone;
      TellLeftOut(view, link, result.report);
      for (const EverBar& bar : BarsOf(view, link, places, column))
        LookForEver(view, link, places, column, bar, result);
    }
  }
  if (result.report.state == AttackState::kDoesNotApply && result.report.reasons.empty()) {
    result.report.reasons.push_back(
        view.links.empty()
            ? WhyNobodyIsLinked(view)
            : "no sensitive column changes: none is under the global guarantee, and --change names none");
  }
  return result;
}

}  // namespace pentimento
