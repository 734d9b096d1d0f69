#include "engine/global/persistence.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"

namespace pentimento::persistence_meter_test {
namespace {

constexpr Ratio kFive = {5, 1};
constexpr std::size_t kValues = 4;  // of the column; 0 is what most people have

// A series with one sensitive column. Items: value 1, value 2, and {2, 3} as one thing.
class Series {
 public:
  Series() {
    account_.AddItems({{"disease", {"one"}, false, false, 2},
                       {"disease", {"two"}, false, false, 2},
                       {"disease", {"three", "two"}, false, true, 2}});
    items_.claim.items = {{.column = 0, .values = {1}, .l = 2, .transient = true, .name = "one of 'disease'"},
                          {.column = 0, .values = {2}, .l = 2, .transient = true, .name = "two of 'disease'"},
                          {.column = 0, .values = {2, 3}, .l = 2, .transient = true, .name = "two or three"}};
    items_.value_counts = {kValues};
    items_.codes = {&codes_};
  }

  // Everybody of the release with what they have; `withheld` are in the table and not published.
  struct Row {
    std::uint64_t person;
    Code value;
    bool withheld = false;
  };
  std::vector<MeasuredPersistence> Release(const std::vector<Row>& table, Ratio most = kFive) {
    std::vector<IdentityHash> people;
    codes_ = CodeColumn(kValues, table.size());
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < table.size(); ++row) {
      people.push_back({table[row].person, 0});
      codes_.Set(row, table[row].value);
      if (!table[row].withheld) rows.push_back(row);
    }
    const std::vector<std::uint32_t> numbers = account_.Join(people);
    std::vector<std::uint32_t> person_of_row;
    for (const std::uint32_t row : rows) person_of_row.push_back(numbers[row]);
    const PublishedPeople published{rows, person_of_row};
    const auto measured = MeasurePersistence(items_, published, CountItems(items_, rows), account_, most);
    account_.Charge(person_of_row, account_.TakeSpent(), {"q", "", rows.size(), {}});
    RememberHeld(items_, published, account_);
    return measured;
  }

  Account& account() { return account_; }
  const GlobalClaim& claim() const { return items_.claim; }
  std::vector<HeldLast> HeldOf(std::size_t person) const {
    const auto all = account_.held_last().subspan(person * account_.items(), account_.items());
    return {all.begin(), all.end()};
  }

 private:
  Account account_;
  CodeColumn codes_{kValues};
  BoundItems items_;
};

using Held = std::vector<HeldLast>;
constexpr HeldLast kNo = HeldLast::kNo, kYes = HeldLast::kYes, kUnknown = HeldLast::kUnknown;

TEST(PersistenceMeter, ItRemembersWhatEverybodyHadLastAndCountsWhoHasItAgain) {
  Series series;
  const auto first = series.Release({{1, 1}, {2, 2}, {3, 3}, {4, 0}});
  for (const MeasuredPersistence& item : first) {
    EXPECT_EQ(item.told, Persistence::kUnknown);
    EXPECT_EQ(item.seen.known, 0U);
  }
  EXPECT_EQ(series.HeldOf(0), (Held{kYes, kNo, kNo}));
  EXPECT_EQ(series.HeldOf(1), (Held{kNo, kYes, kYes}));
  EXPECT_EQ(series.HeldOf(2), (Held{kNo, kNo, kYes}));
  EXPECT_EQ(series.HeldOf(3), (Held{kNo, kNo, kNo}));
  // 2 and 3 change places: each of the set has the set again, and neither the value.
  const auto second = series.Release({{1, 1}, {2, 3}, {3, 2}, {5, 0}});
  const auto counts = [&](std::size_t item) {
    const HeldAgain& seen = second[item].seen;
    return std::vector<std::uint64_t>{seen.rows, seen.holders, seen.known, seen.had, seen.again};
  };
  EXPECT_EQ(counts(0), (std::vector<std::uint64_t>{4, 1, 3, 1, 1}));
  EXPECT_EQ(counts(1), (std::vector<std::uint64_t>{4, 1, 3, 1, 0}));
  EXPECT_EQ(counts(2), (std::vector<std::uint64_t>{4, 2, 3, 2, 2}));
  for (const MeasuredPersistence& item : second) EXPECT_EQ(item.told, Persistence::kTooFew);
  EXPECT_TRUE(RequireComingAndGoing(series.claim(), series.account().about().items, second, kFive).ok());
  EXPECT_TRUE(WarnOfPersistence(series.claim(), second, kFive).empty());
}

TEST(PersistenceMeter, WhoIsAbsentOrWithheldKeepsWhatWasPublishedLast) {
  Series series;
  series.Release({{1, 1}, {2, 1}, {3, 0}});
  series.Release({{2, 0, /*withheld=*/true}, {3, 1}});
  EXPECT_EQ(series.HeldOf(0), (Held{kYes, kNo, kNo}));
  EXPECT_EQ(series.HeldOf(1), (Held{kYes, kNo, kNo}));
  EXPECT_EQ(series.HeldOf(2), (Held{kYes, kNo, kNo}));
  const auto third = series.Release({{1, 1}, {2, 1}, {3, 1}, {4, 2, /*withheld=*/true}});
  EXPECT_EQ(third[0].seen.had, 3U);
  EXPECT_EQ(third[0].seen.again, 3U);
  EXPECT_EQ(third[0].seen.rows, 3U);
  EXPECT_EQ(series.HeldOf(3), (Held{kUnknown, kUnknown, kUnknown}));
}

// People come, go and come back; who had the value has it again with the chance `stays`, otherwise it is drawn anew.
struct Course {
  std::uint64_t people = 1000;
  std::uint32_t holders_in_a_thousand = 20;
  std::uint32_t stays_in_a_thousand = 0;
};

// The gravest answer of five releases.
Persistence Gravest(const Course& course, std::uint64_t seed) {
  Random random(SeedFromNumber(seed), "persistence");
  Series series;
  std::vector<Code> has(course.people);
  Persistence gravest = Persistence::kUnknown;
  for (int release = 0; release < 5; ++release) {
    std::vector<Series::Row> table;
    for (std::uint64_t person = 0; person < course.people; ++person) {
      const bool stays = release > 0 && random.Below(1000) < course.stays_in_a_thousand;
      if (!stays) has[person] = random.Below(1000) < course.holders_in_a_thousand ? 1 + random.Below(3) : 0;
      if (random.Below(10) > 0) table.push_back({person, has[person]});
    }
    for (const MeasuredPersistence& item : series.Release(table)) gravest = std::max(gravest, item.told);
  }
  return gravest;
}

TEST(PersistenceMeter, ValuesThatAreDrawnAnewAreNeverRefusedHoweverSmallTheTable) {
  std::uint64_t seed = 0;
  for (const std::uint64_t people : {3U, 10U, 40U, 150U, 1000U}) {
    for (const std::uint32_t holders : {5U, 30U, 150U, 500U}) {
      for (int tried = 0; tried < 30; ++tried)
        ASSERT_LT(Gravest({people, holders, 0}, ++seed), Persistence::kStays) << people << " " << holders;
    }
  }
}

TEST(PersistenceMeter, ValuesThatStayAreRefused) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ASSERT_EQ(Gravest({1500, 60, 300}, seed), Persistence::kRefused) << seed;
    ASSERT_EQ(Gravest({150, 60, 1000}, seed), Persistence::kRefused) << seed;
  }
}

std::vector<Series::Row> Clinic(std::uint64_t from, std::uint64_t holders, std::uint64_t people) {
  std::vector<Series::Row> table;
  for (std::uint64_t person = 0; person < people; ++person)
    table.push_back({person, person >= from && person < from + holders ? Code{1} : Code{0}});
  return table;
}

TEST(PersistenceMeter, AWarningHasTheNumbersAndTheLimit) {
  Series series;
  series.Release(Clinic(0, 200, 2000));
  const auto measured = series.Release(Clinic(140, 200, 2000));  // 60 of 200 again, a tenth of all have it
  EXPECT_EQ(WarnOfPersistence(series.claim(), measured, {7, 2}),
            (std::vector<std::string>{
                "one of 'disease' seems to stay: of 200 people who had it in the last release that they were in, 60 "
                "have it again: 3.00 times its frequency, which is 200 of 2000 rows. The global guarantee counts every "
                "release as a fresh draw, so whoever knows that the value stays can be surer than 1/l. Above "
                "most_persistence = 7/2 times the release would be refused"}));
  EXPECT_TRUE(RequireComingAndGoing(series.claim(), series.account().about().items, measured, kFive).ok());
}

TEST(PersistenceMeter, ARefusalSaysWhatToDoAndNamesNoValueThatThePolicyDoesNot) {
  Series series;
  series.Release(Clinic(0, 200, 2000), {5, 2});
  const auto measured = series.Release(Clinic(140, 200, 2000), {5, 2});
  GlobalClaim claim = series.claim();
  claim.items[0].name = "a value of 'disease'";
  const Status refused = RequireComingAndGoing(claim, series.account().about().items, measured, {5, 2});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kRefused);
  EXPECT_TRUE(refused.error().message.starts_with(
      "a value of 'disease' does not come and go: of 200 people who had it in the last release that they were in, 60 "
      "have it again: 3.00 times its frequency, which is 200 of 2000 rows, and most_persistence allows 5/2 times. "))
      << refused.error().message;
  EXPECT_NE(refused.error().message.find("Leave the column 'disease' out of the release"), std::string::npos);
  EXPECT_TRUE(WarnOfPersistence(claim, measured, {5, 2}).empty());
}

TEST(PersistenceMeter, AColumnThatIsLeftOutIsUnknownAndKeepsWhatWasKnown) {
  Series series;
  series.Release({{1, 1}, {2, 0}});
  BoundItems without;
  without.claim = series.claim();
  for (SensitiveItem& item : without.claim.items) {
    item.column = 0;  // beyond the columns, of which there are none
    item.values.clear();
  }
  const std::vector<std::uint32_t> rows = {0, 1};
  const auto measured = MeasurePersistence(without, {rows, rows}, {2, {0, 0, 0}}, series.account(), kFive);
  for (const MeasuredPersistence& item : measured) EXPECT_EQ(item.told, Persistence::kUnknown);
  RememberHeld(without, {rows, rows}, series.account());
  EXPECT_EQ(series.HeldOf(0), (Held{kYes, kNo, kNo}));
}

}  // namespace

namespace {

std::string NoteOn(const std::vector<std::pair<std::string, Role>>& columns, std::optional<std::uint64_t> releases) {
  Policy policy;
  for (const auto& [name, role] : columns) {
    policy.columns.emplace_back();
    policy.columns.back().name = name;
    policy.columns.back().role = role;
  }
  GlobalGuaranteePolicy guarantee;
  guarantee.releases = releases;
  return NoteOnCellsThatStay(policy, guarantee).value_or("");
}

TEST(CellsThatStay, AreToldOfColumnsThatArePublishedAsTheyCame) {
  const std::string rest =
      " published as it came. Where a person's cell stays the same from release to release it tells which rows are "
      "that "
      "person's, and the person is in all of their groups; the account does not count that";
  EXPECT_EQ(NoteOn({{"id", Role::kId}, {"weight", Role::kKeep}}, 4), "'weight' is" + rest);
  EXPECT_EQ(NoteOn({{"weight", Role::kKeep}, {"income", Role::kClass}}, std::nullopt),
            "'weight', 'income' are each" + rest);
}

TEST(CellsThatStay, AreNoConcernOfOneReleaseNorOfOtherRoles) {
  EXPECT_EQ(NoteOn({{"weight", Role::kKeep}}, 1), "");
  EXPECT_EQ(NoteOn({{"id", Role::kId}, {"age", Role::kQuasiIdentifier}, {"disease", Role::kSensitive}}, 4), "");
}

}  // namespace

}  // namespace pentimento::persistence_meter_test
