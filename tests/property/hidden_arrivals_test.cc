// Hidden arrivals against the definition: whoever knows that a person was in some release, and looks among the people
// of that release alone, is left with k of them, over every set of releases.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "anonymize/incremental/insert_batch.h"
#include "base/random.h"
#include "guarantee/incremental/incremental_k_anonymity.h"
#include "oracle/incremental_k_anonymity_oracle.h"
#include "property/incremental_in_memory.h"
#include "property/small_series.h"

namespace pentimento::hidden_arrivals_test {
namespace {

using property::Series;

// The release that each case came with, by case.
std::vector<std::uint32_t> ArrivalsOf(const IncrementalHistory& history) {
  std::vector<std::uint32_t> arrivals;
  for (std::uint32_t r = 0; r < history.size(); ++r) arrivals.resize(history[r].cases.size(), r);
  return arrivals;
}

// By the box, which tells leaves apart where the only column is a number.
std::map<std::vector<Code>, std::vector<CaseNumber>> ClassesOf(const IncrementalRelease& release) {
  std::map<std::vector<Code>, std::vector<CaseNumber>> classes;
  for (std::size_t i = 0; i < release.cases.size(); ++i) {
    std::vector<Code> key;
    for (const Interval interval : release.box(release.box_of_case[i]))
      key.insert(key.end(), {interval.lo, interval.hi});
    classes[key].push_back(release.cases[i]);
  }
  return classes;
}

// From the definition: somebody, and of the people of every release nobody or k.
bool MayBeAPart(const std::vector<CaseNumber>& members, const std::vector<std::uint32_t>& arrivals,
                std::size_t releases, std::uint64_t k) {
  for (std::uint32_t r = 0; r < releases; ++r) {
    const auto present = std::ranges::count_if(members, [&](CaseNumber member) { return arrivals[member] <= r; });
    if (present > 0 && static_cast<std::uint64_t>(present) < k) return false;
  }
  return !members.empty();
}

// Every number that people have, up to so many people.
std::vector<std::vector<Code>> AllBatches(std::size_t fewest, std::size_t most, Code codes) {
  std::vector<std::vector<Code>> all = {{}}, last = {{}};
  for (std::size_t size = 1; size <= most; ++size) {
    std::vector<std::vector<Code>> longer;
    for (const std::vector<Code>& batch : last) {
      for (Code code = batch.empty() ? 0 : batch.back(); code < codes; ++code) {
        longer.push_back(batch);
        longer.back().push_back(code);
      }
    }
    all.insert(all.end(), longer.begin(), longer.end());
    last = std::move(longer);
  }
  std::erase_if(all, [&](const std::vector<Code>& batch) { return batch.size() < fewest; });
  return all;
}

EncodedTable TableOf(const std::vector<Code>& numbers, Code codes) {
  EncodedTable table{.rows = numbers.size(), .quasi_identifiers = {}, .persons = {}};
  CodeColumn& column = table.quasi_identifiers.emplace_back(codes, numbers.size());
  for (std::size_t row = 0; row < numbers.size(); ++row) column.Set(row, numbers[row]);
  return table;
}

// A class that somebody joined is cut wherever that is legal.
void ExpectNoCutIsLeft(const Series& series, const std::vector<Code>& numbers, std::size_t known, std::uint64_t k) {
  const IncrementalHistory& history = series.history();
  const std::vector<std::uint32_t> arrivals = ArrivalsOf(history);
  for (const auto& [box, members] : ClassesOf(history.back())) {
    if (members.back() < known) continue;
    for (Code at = box[0] + 1; at <= box[1]; ++at) {
      std::vector<CaseNumber> below, above;
      for (const CaseNumber member : members) (numbers[member] < at ? below : above).push_back(member);
      ASSERT_FALSE(MayBeAPart(below, arrivals, history.size(), k) && MayBeAPart(above, arrivals, history.size(), k));
    }
  }
}

// All series of three releases with up to three people each and four numbers.
TEST(HiddenArrivals, EverySmallSeriesKeepsKPeopleOfEveryReleaseAndIsCutAsFarAsThatAllows) {
  constexpr Code kCodes = 4;
  constexpr std::uint64_t k = 2;
  const std::vector<Domain> domains = {Domain(NumericRange{0, kCodes - 1, 0, {}}, false)};
  std::size_t refined = 0, shown_breaks = 0;
  for (const std::vector<Code>& first : AllBatches(k, 3, kCodes)) {
    for (const std::vector<Code>& second : AllBatches(1, 3, kCodes)) {
      for (const std::vector<Code>& third : AllBatches(1, 3, kCodes)) {
        Series hidden(domains, {.k = k, .hides_arrivals = true});
        Series shown(domains, {.k = k});
        std::vector<Code> numbers;
        for (const std::vector<Code>& batch : {first, second, third}) {
          const std::size_t known = numbers.size();
          numbers.insert(numbers.end(), batch.begin(), batch.end());
          const Result<IncrementalStep> step = hidden.Add(TableOf(batch, kCodes), {});
          ASSERT_TRUE(step.ok() && shown.Add(TableOf(batch, kCodes), {}).ok());
          ASSERT_EQ(FindViolationOfChange(step->described.change.classes, step->described.change, k, true),
                    std::nullopt);
          refined += known > 0 ? step->leaves_refined : 0;
          ASSERT_NO_FATAL_FAILURE(ExpectNoCutIsLeft(hidden, numbers, known, k));
        }
        ASSERT_TRUE(oracle::HidesArrivals(hidden.history(), k));
        shown_breaks += oracle::HidesArrivals(shown.history(), k) ? 0 : 1;
      }
    }
  }
  EXPECT_GT(refined, 1000U);
  // The definition tells something: without the rule it does not hold.
  EXPECT_GT(shown_breaks, 1000U);
}

// A box that nobody had before needs k people of the earliest release in it who are still there.
void ExpectNewBoxesHaveLivingPeople(const IncrementalHistory& history, const std::set<CaseNumber>& gone,
                                    std::uint64_t k) {
  const std::vector<std::uint32_t> arrivals = ArrivalsOf(history);
  const auto before = history.size() > 1 ? ClassesOf(history[history.size() - 2]) : ClassesOf({});
  for (const auto& [box, members] : ClassesOf(history.back())) {
    if (before.contains(box)) continue;
    std::uint32_t earliest = arrivals[members.front()];
    for (const CaseNumber member : members) earliest = std::min(earliest, arrivals[member]);
    const auto living = std::ranges::count_if(
        members, [&](CaseNumber member) { return arrivals[member] == earliest && !gone.contains(member); });
    ASSERT_GE(static_cast<std::uint64_t>(living), k);
  }
}

TEST(HiddenArrivals, RandomSeriesWithTaxonomiesAndWithdrawalsKeepKPeopleOfEveryRelease) {
  Random random(SeedFromNumber(21), "hidden arrivals");
  std::size_t refined = 0;
  for (int repeat = 0; repeat < 150; ++repeat) {
    const InsertOptions options{.k = 2 + random.Below(2),
                                .form = random.Below(2) == 0 ? CategoryForm::kTaxonomy : CategoryForm::kSets,
                                .hides_arrivals = true};
    Series series(property::SomeDomains(random), options);
    std::set<CaseNumber> gone;
    for (int release = 0; release < 5; ++release) {
      const std::size_t newcomers = release == 0 ? options.k + random.Below(8) : random.Below(15);
      const std::vector<CaseNumber> leaving = property::SomeMembers(random, series, gone);
      const Result<IncrementalStep> step =
          series.Add(property::SomePeople(random, series.domains(), newcomers), leaving);
      ASSERT_TRUE(step.ok());
      refined += release > 0 ? step->leaves_refined : 0;
      const auto of_change =
          FindViolationOfChange(step->described.change.classes, step->described.change, options.k, true);
      ASSERT_EQ(of_change, std::nullopt);
      const DescribedChange all = DescribeEverything(series.view(), series.domains(), options.form, true);
      ASSERT_EQ(FindViolationOfChange(all.change.classes, all.change, options.k, true), std::nullopt);
      ASSERT_NO_FATAL_FAILURE(ExpectNewBoxesHaveLivingPeople(series.history(), gone, options.k));
    }
    ASSERT_TRUE(oracle::HidesArrivals(series.history(), options.k));
  }
  EXPECT_GT(refined, 100U);
}

// What the releases of a history say, as changes; nobody is withdrawn.
IncrementalChange ChangeOf(const IncrementalHistory& history, std::size_t r) {
  const IncrementalRelease& after = history[r];
  const std::vector<std::uint32_t> arrivals = ArrivalsOf(history);
  IncrementalChange change;
  change.classes = {after.columns, after.boxes, after.box_of_case};
  change.case_of_row = after.cases;
  const std::size_t known = r == 0 ? 0 : history[r - 1].cases.size();
  if (r > 0) change.previous_boxes = history[r - 1].boxes;
  change.staying_in_previous.resize(change.previous_count());
  change.staying_in_group.resize(change.classes.count());
  change.is_withdrawn.resize(after.cases.size());
  for (const CaseNumber number : after.cases) {
    change.previous_of_row.push_back(number < known ? history[r - 1].box_of_case[number] : IncrementalChange::kNew);
    change.arrival_of_row.push_back(arrivals[number]);
  }
  return change;
}

// Wrong rules, each of which somebody could take for the right one. `count`: by arrival, for one class of a release.
struct MutantRule {
  std::string mistake;
  std::function<bool(const std::map<std::uint32_t, std::uint64_t>& count, std::uint32_t release, std::uint64_t k)>
      keeps;
};

std::uint64_t UpTo(const std::map<std::uint32_t, std::uint64_t>& count, std::uint32_t release) {
  std::uint64_t sum = 0;
  for (const auto& [arrival, cases] : count) sum += arrival <= release ? cases : 0;
  return sum;
}

std::vector<MutantRule> MutantRules() {
  const auto none_or_k = [](std::uint64_t cases, std::uint64_t k) { return cases == 0 || cases >= k; };
  return {
      {"counts everybody, whenever they came",
       [](const auto& count, std::uint32_t release, std::uint64_t k) { return UpTo(count, release) >= k; }},
      {"looks at the first release of the series only",
       [=](const auto& count, std::uint32_t release, std::uint64_t k) {
         return none_or_k(UpTo(count, 0), k) && UpTo(count, release) >= k;
       }},
      {"looks at the release before only",
       [=](const auto& count, std::uint32_t release, std::uint64_t k) {
         return (release == 0 || none_or_k(UpTo(count, release - 1), k)) && UpTo(count, release) >= k;
       }},
      {"wants k of every single arrival",
       [=](const auto& count, std::uint32_t, std::uint64_t k) {
         return std::ranges::all_of(count, [&](const auto& entry) { return none_or_k(entry.second, k); });
       }},
      {"wants k of the first release everywhere",
       [](const auto& count, std::uint32_t, std::uint64_t k) { return UpTo(count, 0) >= k; }},
      {"is content with k - 1 of the earliest",
       [](const auto& count, std::uint32_t release, std::uint64_t k) {
         return count.begin()->second + 1 >= k && UpTo(count, release) >= k;
       }},
  };
}

bool KeepsByRule(const IncrementalHistory& history, std::size_t r, std::uint64_t k, const MutantRule& rule) {
  const std::vector<std::uint32_t> arrivals = ArrivalsOf(history);
  for (const auto& [box, members] : ClassesOf(history[r])) {
    std::map<std::uint32_t, std::uint64_t> count;
    for (const CaseNumber member : members) ++count[arrivals[member]];
    if (!rule.keeps(count, static_cast<std::uint32_t>(r), k)) return false;
  }
  return true;
}

TEST(HiddenArrivals, TheCheckerSaysWhatTheDefinitionSaysAndNoWrongRuleDoes) {
  Random random(SeedFromNumber(22), "hidden arrivals");
  const std::vector<MutantRule> mutants = MutantRules();
  std::vector<bool> is_found_out(mutants.size());
  int held = 0, broke = 0;
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    const IncrementalHistory history = property::RandomRefinements(random);
    for (std::uint64_t k = 1; k <= 3; ++k) {
      const bool holds = oracle::IsKAnonymousAgainstUpdates(history, k) && oracle::HidesArrivals(history, k);
      bool passes = true;
      for (std::size_t r = 0; r < history.size(); ++r) {
        const IncrementalChange change = ChangeOf(history, r);
        passes = passes && !FindViolationOfChange(change.classes, change, k, true).has_value();
      }
      ASSERT_EQ(passes, holds) << "k = " << k;
      for (std::size_t m = 0; m < mutants.size(); ++m) {
        bool mutant_passes = true;
        for (std::size_t r = 0; r < history.size(); ++r)
          mutant_passes = mutant_passes && KeepsByRule(history, r, k, mutants[m]);
        if (mutant_passes != holds) is_found_out[m] = true;
      }
      ++(holds ? held : broke);
    }
  }
  EXPECT_GT(held, 1000);
  EXPECT_GT(broke, 1000);
  for (std::size_t m = 0; m < mutants.size(); ++m) EXPECT_TRUE(is_found_out[m]) << mutants[m].mistake;
}

}  // namespace
}  // namespace pentimento::hidden_arrivals_test
