// A1: each release by itself, held to its own words; A2: whom counting places where boxes do not.
#include <fmt/core.h>

#include <algorithm>

#include "audit/stay_estimate.h"
#include "base/plural.h"
#include "engine/audit/attacks.h"

namespace pentimento {
namespace {

Finding FindingOf(const AuditedRelease& release, FindingKind kind, std::uint64_t rows,
                  const std::vector<bool>& classes) {
  Finding finding{.attack = Attack::kA1, .kind = kind, .releases = {release.name}, .people = rows};
  finding.witness = {WitnessRows(release, classes)};
  finding.has_draft = release.source.is_draft;
  return finding;
}

void LookForSmallClasses(const AuditedRelease& release, std::optional<std::uint64_t> asked, AttackResult& result) {
  const std::uint64_t promised = release.promise.k;
  const std::uint64_t k = std::max(asked.value_or(promised), std::uint64_t{0});
  std::uint64_t below = 0, alone = 0, broken = 0, smallest = 0;
  std::vector<bool> is_small(release.classes());
  for (std::uint32_t c = 0; c < release.classes(); ++c) {
    const std::uint64_t rows = release.rows_of_class[c];
    smallest = smallest == 0 ? rows : std::min(smallest, rows);
    alone += rows == 1 ? 1 : 0;
    broken += rows < promised ? rows : 0;
    if (rows >= std::max(k, promised)) continue;
    is_small[c] = true;
    below += rows;
  }
  result.Count(fmt::format("{}.classes", release.name), release.classes());
  result.Count(fmt::format("{}.smallest_class", release.name), smallest);
  result.Count(fmt::format("{}.alone", release.name), alone);
  result.Count(fmt::format("{}.below_k", release.name), k == 0 ? std::nullopt : std::optional(below));
  if (below == 0) return;
  Finding finding = FindingOf(release, FindingKind::kSmallClass, below, is_small);
  finding.sentence = fmt::format("'{}' alone: {} of {} rows are in classes with fewer than {} rows (smallest {}).",
                                 release.name, below, release.rows, std::max(k, promised), smallest);
  finding.prevention =
      fmt::format("a guarantee k-anonymity with k = {}, verified before publishing", std::max(k, promised));
  if (broken > 0) finding.broken = {{release.name, fmt::format("k = {}", promised)}};
  result.findings.push_back(std::move(finding));
}

void LookForOneValue(const AuditedRelease& release, const ValueBags& bags, AttackResult& result) {
  std::vector<bool> is_one(release.classes());
  std::uint64_t rows = 0;
  for (std::uint32_t c = 0; c < release.classes(); ++c) {
    is_one[c] = bags.values_of(c).size() == 1 && bags.values_of(c).front() != kNoValueCode;
    rows += is_one[c] ? release.rows_of_class[c] : 0;
  }
  result.Count(fmt::format("{}.certain.{}", release.name, bags.column), rows);
  if (rows == 0) return;
  Finding finding = FindingOf(release, FindingKind::kCertainValue, rows, is_one);
  finding.column = bags.column;
  finding.sentence = fmt::format("'{}' alone: {} of {} rows are in classes where everybody has the same value of '{}'.",
                                 release.name, rows, release.rows, bags.column);
  finding.prevention = "a limit on sensitive values: alpha-k-anonymity";
  result.findings.push_back(std::move(finding));
}

// Rows of classes in which these values, together or each by itself, are more frequent than the limit.
void LookForFrequentValues(const AuditView& view, const AuditedRelease& release, const ValueBags& bags,
                           const PromisedLimit& limit, bool is_promised, AttackResult& result) {
  std::vector<Code> listed;
  for (const std::string& value : limit.values) {
    if (const auto code = view.audited.values.Find(bags.column, value)) listed.push_back(*code);
  }
  const auto counts = [&](Code code) {
    return limit.values.empty() ? code != kNoValueCode : std::ranges::find(listed, code) != listed.end();
  };
  std::vector<bool> is_above(release.classes());
  std::uint64_t rows = 0;
  for (std::uint32_t c = 0; c < release.classes(); ++c) {
    std::uint64_t largest = 0, sum = 0;
    for (std::size_t i = 0; i < bags.values_of(c).size(); ++i) {
      if (!counts(bags.values_of(c)[i])) continue;
      largest = std::max<std::uint64_t>(largest, bags.counts_of(c)[i]);
      sum += bags.counts_of(c)[i];
    }
    is_above[c] = IsShareAbove(static_cast<std::uint32_t>(limit.together ? sum : largest), release.rows_of_class[c],
                               limit.at_most);
    rows += is_above[c] ? release.rows_of_class[c] : 0;
  }
  if (rows == 0) return;
  Finding finding = FindingOf(release, FindingKind::kAlpha, rows, is_above);
  finding.column = bags.column;
  finding.sentence = fmt::format("'{}' alone: {} of {} rows are in classes where a value of '{}' has a share above {}.",
                                 release.name, rows, release.rows, bags.column, ToString(limit.at_most));
  finding.prevention = fmt::format("alpha-k-anonymity with alpha = {}", ToString(limit.at_most));
  if (is_promised)
    finding.broken = {{release.name, fmt::format("alpha = {} of '{}'", ToString(limit.at_most), bags.column)}};
  result.findings.push_back(std::move(finding));
}

}  // namespace

AttackResult LookAtEachRelease(const AuditView& view) {
  AttackResult result;
  result.report.attack = Attack::kA1;
  for (const AuditedRelease& release : view.audited.releases) {
    if (release.rows == 0) {
      result.report.reasons.push_back(fmt::format("'{}' is left out: its files were not read", release.name));
      continue;
    }
    result.report.state = AttackState::kDone;
    LookForSmallClasses(release, view.question.k, result);
    for (const ValueBags& bags : release.values) {
      LookForOneValue(release, bags, result);
      for (const PromisedLimit& limit : release.promise.limits) {
        if (limit.column == bags.column) LookForFrequentValues(view, release, bags, limit, true, result);
      }
      if (view.question.alpha)
        LookForFrequentValues(view, release, bags, {bags.column, *view.question.alpha}, false, result);
    }
    for (const std::string& column : release.not_compared)
      result.report.reasons.push_back(fmt::format(
          "'{}' of '{}' is left out: it has too many different values to be compared", column, release.name));
  }
  return result;
}

AttackResult LookAtSeating(const AuditView& view) {
  AttackResult result;
  result.report.attack = Attack::kA2;
  for (const LinkedPeople& link : view.links) {
    TellLeftOut(view, link, result.report);
    for (const SeatedRelease& seated : link.seated) {
      const AuditedRelease& release = view.release(seated.audited);
      result.report.state = AttackState::kDone;
      result.Count(fmt::format("{}.in_no_class", release.name), seated.in_no_box);
      result.Count(fmt::format("{}.in_several_boxes", release.name), seated.in_several_boxes);
      result.Count(fmt::format("{}.narrowed", release.name), seated.narrowed);
      result.Count(fmt::format("{}.forced", release.name), seated.forced);
      if (seated.narrowed == 0) continue;
      Finding finding{
          .attack = Attack::kA2, .kind = FindingKind::kSeating, .releases = {release.name}, .people = seated.narrowed};
      finding.certainty = seated.is_exact ? Certainty::kExact : Certainty::kLowerBound;
      finding.has_draft = release.source.is_draft;
      if (seated.narrowed_class) {
        std::vector<bool> is_wanted(release.classes());
        is_wanted[*seated.narrowed_class] = true;
        finding.witness = {WitnessRows(release, is_wanted)};
      }
      finding.sentence = fmt::format(
          "'{}' alone: the boxes of {} {} overlap, and whoever counts who fits where rules some of them out for {}; "
          "for {} one class is left.",
          release.name, seated.in_several_boxes, Plural(seated.in_several_boxes, "person", "people"), seated.narrowed,
          seated.forced);
      finding.prevention = "boxes that do not overlap: partition, or a cut of each column for all rows";
      result.findings.push_back(std::move(finding));
    }
  }
  if (result.report.state == AttackState::kDoesNotApply)
    result.report.reasons.push_back(view.has_people ? "no release could be laid beside --people"
                                                    : "it needs everybody's quasi-identifiers: --people");
  return result;
}

}  // namespace pentimento
