#include "engine/report/report_verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/plural.h"

namespace pentimento {
namespace {

// "'a', 'b' and 3 more"
std::string Names(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

std::vector<std::string> Promised(const ReportNumbers& numbers) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_promise;
  for (const ReportedRelease& release : numbers.releases) {
    for (const std::string& promise : release.promises) {
      auto place = std::ranges::find(by_promise, promise, &std::pair<std::string, std::vector<std::string>>::first);
      if (place == by_promise.end()) place = by_promise.insert(by_promise.end(), {promise, {}});
      place->second.push_back(release.name);
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [promise, releases] : by_promise)
    sentences.push_back(fmt::format("{}: {}", Names(releases), promise));
  if (sentences.empty()) sentences.emplace_back("Nothing is promised of these releases, as far as is known.");
  return sentences;
}

struct OverAll {
  std::vector<std::string> broken, doubtful, unmeasured;
  bool anything_measured = false;
};

// What one release did to promises of one kind, in one sentence.
void AddBroken(const std::string& by, std::span<const ReportedComposition::Broken> promises, OverAll& found) {
  std::vector<std::pair<ReportedComposition::Broken, std::vector<std::string>>> by_promise;
  for (const ReportedComposition::Broken& broken : promises) {
    auto place = std::ranges::find_if(by_promise, [&](const auto& other) {
      return other.first.promise == broken.promise && other.first.is_proved == broken.is_proved;
    });
    if (place == by_promise.end()) place = by_promise.insert(by_promise.end(), {broken, {}});
    place->second.push_back(broken.release.empty() ? "(imported)" : broken.release);
  }
  for (const auto& [broken, releases] : by_promise)
    (broken.is_proved ? found.broken : found.doubtful)
        .push_back(fmt::format("{} '{}', the promise of {} ({}) {}.", broken.is_proved ? "With" : "Since", by,
                               Names(releases), broken.promise,
                               broken.is_proved ? "no longer holds" : "may no longer hold; nobody can show it"));
}

// What stands in the way of saying that a promise is kept.
void AddDoubts(const ReportedRelease& release, bool is_first, OverAll& found) {
  if (release.state == "imported")
    found.unmeasured.push_back(fmt::format("'{}' was made by another tool; nobody verified it here.", release.name));
  if (release.state == "opened")
    found.unmeasured.push_back(
        fmt::format("'{}' was begun and not ended; the next command that writes into the ledger "
                    "finds out whether it is out.",
                    release.name));
  if (release.is_unmeasured && !is_first)
    found.unmeasured.push_back(
        fmt::format("What '{}' tells together with other releases was not measured when it was made.", release.name));
  if (!release.composition) return;
  found.anything_measured = found.anything_measured || release.composition->is_measured();
  AddBroken(release.name, release.composition->broken, found);
  const std::uint64_t unknown = release.composition->cannot_be_told;
  if (unknown > 0)
    found.unmeasured.push_back(fmt::format("What '{}' tells together with {} other {} could not be told.", release.name,
                                           unknown, Plural(unknown, "release", "releases")));
}

OverAll LookOverAll(const ReportNumbers& numbers) {
  OverAll found;
  for (const ReportNumbers::BrokenElsewhere& elsewhere : numbers.broken_elsewhere)
    AddBroken(elsewhere.by, std::span(&elsewhere.broken, 1), found);
  for (const ReportedRelease& release : numbers.releases)
    AddDoubts(release, &release == &numbers.releases.front() && numbers.scope.empty(), found);
  return found;
}

void JudgeKept(const ReportNumbers& numbers, ReportedVerdict& verdict) {
  const OverAll found = LookOverAll(numbers);
  for (const std::vector<std::string>& words : {found.broken, found.doubtful, found.unmeasured})
    verdict.kept_words.insert(verdict.kept_words.end(), words.begin(), words.end());
  if (numbers.releases.empty()) {
    verdict.kept_words.emplace_back("There is no release to tell of.");
    return;
  }
  if (!verdict.kept_words.empty()) {
    verdict.kept = found.broken.empty() ? KeptOverAll::kUnknown : KeptOverAll::kNo;
    return;
  }
  verdict.kept = KeptOverAll::kYes;
  verdict.kept_words.emplace_back("Every release was verified before it was published.");
  verdict.kept_words.emplace_back(
      found.anything_measured
          ? "Each was also measured together with those on record about the same people, and every promise survives."
      : numbers.releases.size() == 1
          ? "It is measured together with releases on record about the same people: there were none."
          : "None had to be measured together with releases outside of its own series: a series verifies all of its "
            "own releases together.");
}

std::string SmallestClass(const ReportNumbers& numbers) {
  const ReportedRelease* worst = nullptr;
  for (const ReportedRelease& release : numbers.releases) {
    if (!release.table || release.table->changes_only || release.table->metrics.classes == 0) continue;
    if (worst == nullptr || release.table->metrics.smallest_class < worst->table->metrics.smallest_class)
      worst = &release;
  }
  if (worst == nullptr) return "";
  const std::uint64_t rows = worst->table->metrics.smallest_class;
  return fmt::format("The smallest class of one release has {} {}, in '{}'{}.", WithCommas(rows),
                     Plural(rows, "row", "rows"), worst->name,
                     worst->table->k == 0 ? "" : fmt::format(" (promised: at least {})", WithCommas(worst->table->k)));
}

bool IsWorse(const ReportedComposition::Count& a, const ReportedComposition::Count& b) {
  return a.smallest < b.smallest || (a.smallest == b.smallest && a.below_k > b.below_k);
}

void JudgeWorst(const ReportNumbers& numbers, ReportedVerdict& verdict) {
  if (std::string smallest = SmallestClass(numbers); !smallest.empty()) verdict.worst.push_back(std::move(smallest));
  const ReportedRelease* worst = nullptr;
  for (const ReportedRelease& release : numbers.releases) {
    if (!release.composition || !release.composition->is_measured()) continue;
    const ReportedComposition::Count& crowds = release.composition->crowds;
    if (worst == nullptr || IsWorse(crowds, worst->composition->crowds)) worst = &release;
  }
  if (worst != nullptr) {
    const ReportedComposition& composition = *worst->composition;
    verdict.worst.push_back(fmt::format(
        "Together with the releases before it, '{}' leaves a smallest crowd of {} {}; {}{} {} in a crowd below {}.",
        worst->name, WithCommas(composition.crowds.smallest), Plural(composition.crowds.smallest, "person", "people"),
        composition.crowds_are_exact ? "" : "at most ", WithCommas(composition.crowds.below_k),
        Plural(composition.crowds.below_k, "person is", "people are"), WithCommas(composition.k)));
  }
  for (const ReportedBudget& budget : numbers.budgets) {
    for (const ReportedBudget::Item& item : budget.items)
      verdict.worst.push_back(fmt::format(
          "Series '{}': the largest chance so far that somebody ever had {} of '{}' is {:.1f} %, the limit is {:.1f} "
          "%.",
          budget.series, item.words, item.column, item.largest_chance * 100, 100.0 / static_cast<double>(item.l)));
  }
  if (verdict.worst.empty()) verdict.worst.emplace_back("No table could be read, so nobody can tell from here.");
}

std::string LeftInWords(const std::optional<std::uint64_t>& releases) {
  return releases ? fmt::format("{} more", WithCommas(*releases)) : "any number";
}

std::string HorizonInWords(const ReportedBudget& budget) {
  if (!budget.planned)
    return fmt::format("Series '{}': {} {} so far, and no number is planned.", budget.series, budget.releases.size(),
                       Plural(budget.releases.size(), "release", "releases"));
  const std::uint64_t left = *budget.planned > budget.releases.size() ? *budget.planned - budget.releases.size() : 0;
  return fmt::format("Series '{}': {} of {} planned releases are out, {} {} left.", budget.series,
                     budget.releases.size(), *budget.planned, left, Plural(left, "is", "are"));
}

void JudgeLeft(const ReportNumbers& numbers, ReportedVerdict& verdict) {
  for (const ReportedBudget& budget : numbers.budgets) {
    if (!budget.problem.empty()) continue;
    verdict.left.push_back(HorizonInWords(budget));
    for (const ReportedBudget::Item& item : budget.items)
      verdict.left.push_back(
          fmt::format("For {} of '{}', releases as the latest: {} for whoever is closest to the limit, {} on average.",
                      item.words, item.column, LeftInWords(item.left_for_tightest), LeftInWords(item.left_on_average)));
  }
  const bool has_others = std::ranges::any_of(numbers.releases, [&](const ReportedRelease& release) {
    return std::ranges::find(numbers.budgets, release.series, &ReportedBudget::series) == numbers.budgets.end();
  });
  if (numbers.edition == ReportEdition::kPublic)
    verdict.left.emplace_back("What budgets are left is in the ledger, which is private.");
  else if (has_others)
    verdict.left.emplace_back(
        "No number is fixed for releases without budgets: each new one is measured together with all on record about "
        "the same people.");
  if (verdict.left.empty()) verdict.left.emplace_back("Nobody can tell: nothing is on record.");
}

}  // namespace

ReportedVerdict JudgeReport(const ReportNumbers& numbers) {
  ReportedVerdict verdict;
  verdict.promised = Promised(numbers);
  JudgeKept(numbers, verdict);
  JudgeWorst(numbers, verdict);
  JudgeLeft(numbers, verdict);
  return verdict;
}

}  // namespace pentimento
