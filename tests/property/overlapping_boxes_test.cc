// D.7 of the global guarantee: where regions overlap, whoever knows everybody's quasi-identifiers cannot tell in which
// group somebody is, and the account charges the largest share of the groups it may be. Every seating of small series
// counted one by one: what was let through, nobody exceeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.h"
#include "guarantee/global/classes_of_release.h"
#include "guarantee/global/confusable_groups.h"
#include "guarantee/global/whole_series_testing.h"
#include "guarantee/verify.h"
#include "oracle/seatings_oracle.h"

namespace pentimento::property::overlapping_boxes_test {
namespace {

namespace os = oracle::seatings;

struct Person {
  std::uint32_t number = 0;
  os::Point point;
  std::uint32_t group = 0;
  bool has_item = false;
};

Domain FlatDomain(std::uint32_t values, bool allows_missing) {
  std::vector<std::string> labels;
  for (std::uint32_t value = 0; value < values; ++value) labels.push_back(std::to_string(value));
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(labels).value()), allows_missing);
}

// One release as the program would have it. Boxes are the smallest that may be published.
struct Release {
  const std::vector<Domain>& domains;
  std::vector<Person> people;
  EncodedTable table;
  CodeColumn cells;
  std::vector<std::uint32_t> person_of_row;
  Classes draft;

  Release(const std::vector<Domain>& of, std::vector<Person> rows)
      : domains(of), people(std::move(rows)), cells(2, people.size()) {
    table.rows = people.size();
    draft.columns = domains.size();
    std::map<std::uint32_t, ClassNumber> number_of;  // without gaps
    for (std::size_t row = 0; row < people.size(); ++row) {
      const auto next = static_cast<ClassNumber>(number_of.size());
      draft.of_row.push_back(number_of.try_emplace(people[row].group, next).first->second);
      person_of_row.push_back(people[row].number);
      cells.Set(row, people[row].has_item ? 1 : 0);
    }
    draft.boxes.resize(number_of.size() * domains.size());
    for (std::size_t c = 0; c < domains.size(); ++c) FillColumn(c);
  }

  void FillColumn(std::size_t c) {
    CodeColumn& column = table.quasi_identifiers.emplace_back(domains[c].size(), people.size());
    std::vector<std::optional<Interval>> codes(draft.boxes.size() / draft.columns);
    for (std::size_t row = 0; row < people.size(); ++row) {
      const Code code = people[row].point[c];
      column.Set(row, code);
      std::optional<Interval>& own = codes[draft.of_row[row]];
      own = own ? Interval{std::min(own->lo, code), std::max(own->hi, code)} : Interval{code, code};
    }
    for (std::size_t group = 0; group < codes.size(); ++group)
      draft.boxes[group * draft.columns + c] = domains[c].Cover(*codes[group], CategoryForm::kTaxonomy);
  }

  os::Counts Attack() const {
    std::vector<os::Point> points;
    std::vector<os::Row> rows;
    for (std::size_t row = 0; row < people.size(); ++row) {
      points.push_back(people[row].point);
      os::Row& published = rows.emplace_back();
      for (const Interval codes : draft.box(draft.of_row[row])) published.region.emplace_back(codes.lo, codes.hi);
      published.has_item = people[row].has_item;
    }
    return os::SeatingCounter::Count(points, rows);
  }

  ReleaseClasses Seen(const GlobalClaim& claim, std::size_t of_series) const {
    ReleaseClasses classes = ClassesOfRelease(claim, std::array{&cells}, draft.of_row,
                                              static_cast<std::uint32_t>(draft.count()), person_of_row, of_series);
    classes.confusable = ConfusableGroups(table, domains, CategoryForm::kTaxonomy, draft);
    return classes;
  }

  // Why it is refused; empty where it is charged.
  std::string Refused(const GlobalClaim& claim, std::uint32_t number, SpentBudgets& spent) const {
    GlobalGuaranteePolicy asked;
    asked.allows_alone = true;
    asked.l = claim.items[0].l;
    const std::vector<GuaranteePolicy> guarantees{asked};
    const std::array<const CodeColumn*, 1> sensitive{&cells};
    GlobalBudgets budgets{claim, person_of_row, number, spent};
    Evidence evidence{table, domains, CategoryForm::kTaxonomy, guarantees, sensitive};
    evidence.budgets = &budgets;
    const auto result = Verify({draft}, evidence);
    if (const auto* refusal = std::get_if<Refusal>(&result)) return refusal->witness;
    spent = std::move(budgets.spent);
    return "";
  }
};

GlobalClaim ClaimOf(std::uint64_t l) { return {{{0, {1}, l, true, "the item"}}}; }

TEST(OverlappingBoxes, D7ChargesTheLargestShareOfTheGroupsThatSomebodyMatches) {
  // Two of seven in the first release; in the second the same six men in two groups, both published as "*".
  const std::vector<Domain> domains{FlatDomain(9, false)};
  const Release first(domains, {{0, {0}, 0, true},
                                {1, {1}, 0, true},
                                {2, {2}, 0, false},
                                {3, {3}, 0, false},
                                {4, {4}, 0, false},
                                {5, {5}, 0, false},
                                {6, {6}, 0, false}});
  const Release second(domains, {{0, {0}, 0, true},
                                 {1, {1}, 0, false},
                                 {2, {2}, 0, false},
                                 {3, {3}, 0, false},
                                 {4, {4}, 1, true},
                                 {5, {5}, 1, false}});
  os::Never never;
  const os::Counts before = first.Attack(), after = second.Attack();
  never.Add(before.worlds, before.linked[1]);
  never.Add(after.worlds, after.linked[1]);
  EXPECT_EQ((never.worlds - never.never) * 21, never.worlds * 11) << "the attacker's chance is 11/21";
  EXPECT_FALSE(ChanceOfEverIsAtMost(std::array{DrawsFromClass{7, 2, 1}, DrawsFromClass{2, 1, 1}}, {1, 2}));
  EXPECT_TRUE(ChanceOfEverIsAtMost(std::array{DrawsFromClass{7, 2, 1}, DrawsFromClass{4, 1, 1}}, {1, 2}))
      << "which the share of the group alone would not show";
  const GlobalClaim claim = ClaimOf(2);
  SpentBudgets spent(7);
  EXPECT_EQ(first.Refused(claim, 0, spent), "");
  EXPECT_NE(second.Refused(claim, 1, spent), "");
}

// Two tables show values as they are. Six people who are alike, four in a class with one holder and two in a class
// without: nobody knows who is in which, so the two pay as well. Apart by one value, they do not.
TEST(OverlappingBoxes, PeopleWhoAreAlikeInTwoTablesAreChargedForTheClassesOfAllOfThem) {
  const GlobalClaim claim{{{0, {1}, 4, true, ""}}};
  const auto spent_in_two_tables = [&](Code value_of_second_class) {
    const std::vector<Domain> domains{FlatDomain(3, false)};
    std::vector<Person> people;
    for (std::uint32_t n = 0; n < 6; ++n)
      people.push_back({n, {n < 4 ? Code{1} : value_of_second_class}, n < 4 ? 0U : 1U, n == 0});
    const Release release(domains, people);
    GlobalGuaranteePolicy asked;
    asked.allows_alone = true;
    asked.l = 4;
    const std::vector<GuaranteePolicy> guarantees{asked};
    const std::array<const CodeColumn*, 1> sensitive{&release.cells};
    GlobalBudgets budgets{claim, release.person_of_row, 0, SpentBudgets(6, 0)};
    Draft tables{ClassesWithoutBoxes(2, {0, 0, 0, 0, 1, 1}), {{{0}, {0, 0, 1}, {0, 1, 0}, {3, 1, 2}}}};
    Evidence evidence{release.table, domains, CategoryForm::kTaxonomy, guarantees, sensitive};
    evidence.budgets = &budgets;
    const auto result = Verify(std::move(tables), evidence);
    EXPECT_FALSE(std::holds_alternative<Refusal>(result));
    return budgets.spent;
  };
  const SpentBudgets alike = spent_in_two_tables(1);
  const SpentBudgets apart = spent_in_two_tables(2);
  EXPECT_GT(alike[0], 0U);
  EXPECT_EQ(alike[5], alike[0]);
  EXPECT_EQ(apart[0], alike[0]);
  EXPECT_EQ(apart[5], 0U);
}

TEST(OverlappingBoxes, WhoIsInAGroupWithoutHoldersPaysForTheOneItMayBe) {
  const std::vector<Domain> domains{FlatDomain(9, false)};
  const Release release(domains, {{0, {0}, 0, true}, {1, {1}, 0, false}, {2, {2}, 1, false}, {3, {3}, 1, false}});
  SpentBudgets spent(4);
  EXPECT_EQ(release.Refused(ClaimOf(2), 0, spent), "");
  EXPECT_EQ(spent, SpentBudgets(4, CostOfExposure(1, 2)));
}

// Everybody keeps the quasi-identifiers; who is there, who is with whom and who has the item changes.
std::vector<Person> DrawRelease(Random& random, const std::vector<os::Point>& points) {
  std::vector<Person> people;
  const std::uint32_t groups = 1 + random.Below(3);
  for (std::uint32_t number = 0; number < points.size(); ++number)
    if (random.Below(5) != 0) people.push_back({number, points[number], random.Below(groups), random.Below(4) == 0});
  return people;
}

TEST(OverlappingBoxes, NobodyIsAboveWhatWasCharged) {
  constexpr std::size_t kPeople = 7;
  Random random(SeedFromNumber(77), "overlapping boxes");
  std::size_t above_the_own_share = 0, as_charged = 0, let_through = 0, refused = 0;
  for (int round = 0; round < 1'500; ++round) {
    std::vector<Domain> domains{FlatDomain(2 + random.Below(4), random.Below(2) == 0)};
    if (random.Below(2) == 0) domains.emplace_back(NumericRange{0, 3, 0, {}}, random.Below(2) == 0);
    std::vector<os::Point> points(kPeople);
    for (os::Point& point : points)
      for (const Domain& domain : domains) point.push_back(random.Below(domain.size()));
    const GlobalClaim claim = ClaimOf(2 + random.Below(3));
    std::vector<os::Never> attacker(kPeople), own(kPeople);
    std::vector<ReleaseClasses> history;
    SpentBudgets spent(kPeople);
    for (std::uint32_t number = 0; number < 3; ++number) {
      const Release release(domains, DrawRelease(random, points));
      if (release.people.empty()) continue;
      SpentBudgets after = spent;
      history.push_back(release.Seen(claim, kPeople));
      const auto found = FindGlobalViolation(history, claim);
      ASSERT_TRUE(found.ok()) << found.error().message;
      const bool is_let_through = release.Refused(claim, number, after).empty();
      ASSERT_TRUE(!is_let_through || !found->has_value()) << "round " << round;
      (is_let_through ? let_through : refused) += 1;
      if (!is_let_through) {
        history.pop_back();
        continue;
      }
      spent = after;
      const os::Counts counts = release.Attack();
      const ReleaseClasses& classes = history.back();
      for (std::size_t row = 0; row < release.people.size(); ++row) {
        const std::uint32_t person = release.person_of_row[row];
        const ClassNumber group = release.draft.of_row[row];
        attacker[person].Add(counts.worlds, counts.linked[row]);
        own[person].Add(classes.size[group], classes.holders[group]);
        const ChargedShares::Share share = ChargedShares(classes, 1).Of(group, 0);
        ASSERT_LE(counts.linked[row] * share.rows, share.holders * counts.worlds) << "round " << round;
        as_charged += counts.linked[row] * share.rows == share.holders * counts.worlds;
        ASSERT_FALSE(attacker[person].IsAbove(1, claim.items[0].l)) << "round " << round;
        above_the_own_share += attacker[person].IsAbove(own[person].worlds - own[person].never, own[person].worlds);
      }
    }
  }
  EXPECT_GT(above_the_own_share, 1'000u) << "who is charged for the own group alone is charged too little";
  EXPECT_GT(as_charged, 1'000u);
  EXPECT_GT(let_through, 500u);
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace pentimento::property::overlapping_boxes_test
