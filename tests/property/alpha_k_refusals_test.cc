// What the verifier of (alpha,k)-anonymity must refuse whatever the data: two tables that are not well-formed or not
// true, and claims that lost something of what the policy asks for.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "guarantee/verify.h"
#include "property/alpha_k_instances.h"

namespace pentimento::alpha_k_refusals_test {
namespace {

using property::AlphaKInstance;
using property::AlphaKPromise;
using property::AlphaKTable;
using property::VerifyDraft;
using property::VerifyTables;
using property::WitnessOf;

template <typename Verified>
bool IsAccepted(const std::variant<Verified, Refusal>& result) {
  return std::holds_alternative<Verified>(result);
}

// --- Two tables that are not what they should be. A promise that everything keeps, so that only the fault counts.

AlphaKInstance EverythingHolds(bool combined) {
  AlphaKTable data = property::TableOf({0, 1, 0, 2, 1, 2, 0}, {{0, 1, 2, 2, 3, 0, 2}, {1, 1, 0, 0, 1, 1, 0}}, {4, 2});
  return property::InstanceByPoints(std::move(data), property::PromiseOf({1, 1}, 1, {4, 2}), combined);
}

struct Fault {
  std::string name;
  std::function<void(Draft&)> plant;
};

template <typename T>
void EraseAt(std::vector<T>& values, std::size_t at, std::size_t count = 1) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(at),
               values.begin() + static_cast<std::ptrdiff_t>(at + count));
}

void EraseEntry(SensitiveCounts& counts, std::size_t at) {
  EraseAt(counts.class_of_entry, at);
  EraseAt(counts.values, at * counts.columns.size(), counts.columns.size());
  EraseAt(counts.count, at);
}

void InsertEntry(SensitiveCounts& counts, std::size_t at, ClassNumber c, const std::vector<Code>& values,
                 std::uint64_t count) {
  const auto place = static_cast<std::ptrdiff_t>(at);
  counts.class_of_entry.insert(counts.class_of_entry.begin() + place, c);
  const auto first = counts.values.begin() + place * static_cast<std::ptrdiff_t>(counts.columns.size());
  counts.values.insert(first, values.begin(), values.end());
  counts.count.insert(counts.count.begin() + place, count);
}

std::vector<Code> EntryValues(const SensitiveCounts& counts, std::size_t at) {
  const std::size_t width = counts.columns.size();
  const auto first = counts.values.begin() + static_cast<std::ptrdiff_t>(at * width);
  return {first, first + static_cast<std::ptrdiff_t>(width)};
}

void SwapEntries(SensitiveCounts& counts, std::size_t a, std::size_t b) {
  std::swap(counts.class_of_entry[a], counts.class_of_entry[b]);
  std::swap(counts.count[a], counts.count[b]);
  for (std::size_t c = 0; c < counts.columns.size(); ++c) {
    std::swap(counts.values[a * counts.columns.size() + c], counts.values[b * counts.columns.size() + c]);
  }
}

void SplitEntry(SensitiveCounts& counts) {
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(counts.count) - counts.count.begin());
  InsertEntry(counts, largest, counts.class_of_entry[largest], EntryValues(counts, largest), 1);
  --counts.count[largest + 1];
}

void MoveACount(SensitiveCounts& counts) {
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(counts.count) - counts.count.begin());
  const bool next_is_alike =
      largest + 1 < counts.entries() && counts.class_of_entry[largest + 1] == counts.class_of_entry[largest];
  --counts.count[largest];
  ++counts.count[next_is_alike ? largest + 1 : largest - 1];
}

std::vector<Fault> FaultsOfCounts() {
  return {
      {"values of a class out of order", [](Draft& t) { SwapEntries(t.sensitive[0], 0, 1); }},
      {"classes out of order", [](Draft& t) { SwapEntries(t.sensitive[0], 0, t.sensitive[0].entries() - 1); }},
      {"an entry in two parts", [](Draft& t) { SplitEntry(t.sensitive[0]); }},
      {"an entry twice",
       [](Draft& t) { InsertEntry(t.sensitive[0], 0, 0, EntryValues(t.sensitive[0], 0), t.sensitive[0].count[0]); }},
      {"a count of zero",
       [](Draft& t) {
         InsertEntry(t.sensitive[0], t.sensitive[0].entries(), t.classes.count() - 1,
                     std::vector<Code>(t.sensitive[0].columns.size(), 3), 0);
       }},
      {"a count too many", [](Draft& t) { ++t.sensitive[0].count[0]; }},
      {"a count too few and an entry gone", [](Draft& t) { EraseEntry(t.sensitive[0], 0); }},
      {"a count moved to another value", [](Draft& t) { MoveACount(t.sensitive[0]); }},
      {"a count that wraps around", [](Draft& t) { t.sensitive[0].count[0] -= 1U << 31; }},
      {"a count with more than 32 bits", [](Draft& t) { t.sensitive[0].count[0] += std::uint64_t{1} << 32; }},
      {"the largest value there can be", [](Draft& t) { t.sensitive[0].values.back() = 0xFFFFFFFF; }},
      {"a value that the class does not have",
       [](Draft& t) { t.sensitive[0].values[t.sensitive[0].columns.size() - 1] ^= 1; }},
      {"a value beyond all values",
       [](Draft& t) {
         auto& counts = t.sensitive[0];
         counts.values[(counts.entries() - 1) * counts.columns.size()] = 1'000'000;
       }},
      {"a class that is not in SS",
       [](Draft& t) {
         auto& counts = t.sensitive[0];
         while (counts.class_of_entry.back() == t.classes.count() - 1) EraseEntry(counts, counts.entries() - 1);
       }},
      {"a class that only SS has",
       [](Draft& t) {
         auto& counts = t.sensitive[0];
         InsertEntry(counts, counts.entries(), t.classes.count(), EntryValues(counts, 0), 1);
       }},
      {"an empty SS table",
       [](Draft& t) {
         t.sensitive[0] = {t.sensitive[0].columns, {}, {}, {}};
       }},
      {"a value missing at the end", [](Draft& t) { t.sensitive[0].values.pop_back(); }},
      {"a class missing at the end", [](Draft& t) { t.sensitive[0].class_of_entry.pop_back(); }},
      {"a count missing at the end", [](Draft& t) { t.sensitive[0].count.pop_back(); }},
  };
}

std::vector<Fault> FaultsOfTables() {
  return {
      {"no SS table", [](Draft& t) { t.sensitive.clear(); }},
      {"an SS table twice", [](Draft& t) { t.sensitive.push_back(t.sensitive.back()); }},
      {"the last SS table gone", [](Draft& t) { t.sensitive.pop_back(); }},
      {"a column that does not exist", [](Draft& t) { t.sensitive.back().columns.back() = 7; }},
      {"an SS table without columns",
       [](Draft& t) {
         t.sensitive.push_back({{}, {0, 1, 2}, {}, {3, 2, 2}});
       }},
      {"a row in a class that does not exist", [](Draft& t) { t.classes.of_row[0] = t.classes.count(); }},
      {"a class number beyond all", [](Draft& t) { t.classes.of_row[0] = 0xFFFFFFFF; }},
      {"a row too few", [](Draft& t) { t.classes.of_row.pop_back(); }},
      {"a row too many", [](Draft& t) { t.classes.of_row.push_back(0); }},
      {"a class without rows", [](Draft& t) { ++t.classes.without_boxes; }},
      {"a class too few", [](Draft& t) { --t.classes.without_boxes; }},
      {"no classes at all", [](Draft& t) { t.classes.without_boxes = 0; }},
      {"two rows that changed classes", [](Draft& t) { std::swap(t.classes.of_row[0], t.classes.of_row[1]); }},
  };
}

TEST(AlphaKRefusals, TwoTablesThatAreNotWellFormedOrNotTrueAreRefused) {
  for (const bool combined : {false, true}) {
    ASSERT_TRUE(IsAccepted(VerifyTables(EverythingHolds(combined))))
        << WitnessOf(VerifyTables(EverythingHolds(combined)));
    for (const auto& faults : {FaultsOfCounts(), FaultsOfTables()}) {
      for (const Fault& fault : faults) {
        AlphaKInstance instance = EverythingHolds(combined);
        fault.plant(instance.tables);
        ASSERT_NE(TablesFault(instance), "") << fault.name;
        EXPECT_FALSE(IsAccepted(VerifyTables(instance))) << fault.name << (combined ? ", combined" : ", separate");
      }
    }
  }
}

TEST(AlphaKRefusals, ColumnsOfACombinedTableStandInTheirOrder) {
  AlphaKInstance instance = EverythingHolds(true);
  std::ranges::reverse(instance.tables.sensitive[0].columns);
  EXPECT_FALSE(IsAccepted(VerifyTables(instance)));
}

// --- One bad class among so many that a verifier works on several parts of them at once.

AlphaKInstance ManyPairs() {
  std::vector<Code> class_of_row, values;
  std::vector<std::uint32_t> persons;
  for (std::uint32_t row = 0; row < 4000; ++row) {
    class_of_row.push_back(row / 2);
    values.push_back(row % 2);
    persons.push_back(row);
  }
  return property::InstanceByPoints(property::TableOf(class_of_row, {values}, {2}, persons),
                                    property::PromiseOf({1, 2}, 2, {2}));
}

TEST(AlphaKRefusals, OneBadClassAmongManyIsFoundWhereverItIs) {
  const AlphaKInstance good = ManyPairs();
  const auto classes = oracle::alpha_k::ClassesOf(good.draft);
  ASSERT_TRUE(IsAccepted(VerifyDraft(good))) << WitnessOf(VerifyDraft(good));
  ASSERT_TRUE(IsAccepted(VerifyTables(good))) << WitnessOf(VerifyTables(good));
  for (const std::size_t c : {0, 1, 511, 512, 513, 665, 666, 667, 1023, 1024, 1333, 1998, 1999}) {
    AlphaKInstance alike = good;  // both have the same value, and SS says so
    alike.data.sensitive[0].Set(2 * c, 1);
    alike.tables = property::TablesOf(alike.data, classes, false);
    EXPECT_FALSE(IsAccepted(VerifyDraft(alike))) << c;
    EXPECT_FALSE(IsAccepted(VerifyTables(alike))) << c;
    alike.tables = good.tables;  // SS does not say so
    EXPECT_FALSE(IsAccepted(VerifyTables(alike))) << c;
    AlphaKInstance twice = good;  // somebody has a row in another class: a chance of 3/4
    twice.data.table.persons->person_of_row[2 * c] = static_cast<std::uint32_t>(2 * ((c + 700) % 2000));
    EXPECT_FALSE(IsAccepted(VerifyDraft(twice))) << c;
    EXPECT_FALSE(IsAccepted(VerifyTables(twice))) << c;
  }
}

// A thousand people have a row in each of two classes of two, which gives three quarters and no more; where a third row
// joins one of the classes with the same value it is 5/6 for one of them.
AlphaKInstance ManyWhoJustKeepTheLimit(std::optional<Code> bad_class) {
  std::vector<Code> class_of_row, values;
  std::vector<std::uint32_t> persons;
  std::uint32_t next = 1000;
  const auto add = [&](Code c, Code value, std::uint32_t person) {
    class_of_row.push_back(c);
    values.push_back(value);
    persons.push_back(person);
  };
  for (Code c = 0; c < 2000; ++c) {
    add(c, 0, c / 2);
    add(c, 1, next++);
  }
  if (bad_class) add(*bad_class, 0, next++);
  return property::InstanceByPoints(property::TableOf(class_of_row, {values}, {2}, persons),
                                    property::PromiseOf({3, 4}, 2, {2}));
}

TEST(AlphaKRefusals, OnePersonTooOftenAmongManyWhoJustKeepTheLimitIsFound) {
  const AlphaKInstance good = ManyWhoJustKeepTheLimit(std::nullopt);
  ASSERT_TRUE(IsAccepted(VerifyDraft(good))) << WitnessOf(VerifyDraft(good));
  ASSERT_TRUE(IsAccepted(VerifyTables(good))) << WitnessOf(VerifyTables(good));
  for (const Code c : {0, 1, 999, 1000, 1500, 1777, 1998, 1999}) {
    const AlphaKInstance bad = ManyWhoJustKeepTheLimit(c);
    EXPECT_FALSE(IsAccepted(VerifyDraft(bad))) << c;
    EXPECT_FALSE(IsAccepted(VerifyTables(bad))) << c;
  }
}

// --- Claims that lost something of what the policy asks for. The data keep both, so that only the loss counts.

struct Loss {
  std::string name;
  std::function<void(AlphaKInstance&)> lose;
};

std::vector<Loss> Losses() {
  const auto claim = [](AlphaKInstance& i) -> AlphaKClaim& { return i.promise.claim; };
  return {
      {"a smaller k", [=](AlphaKInstance& i) { claim(i).k = 2; }},
      {"no k", [=](AlphaKInstance& i) { claim(i).k = 0; }},
      {"no limits", [=](AlphaKInstance& i) { claim(i).limits.clear(); }},
      {"alpha of a column gone", [=](AlphaKInstance& i) { EraseAt(claim(i).limits, 0); }},
      {"alpha of the other column gone", [=](AlphaKInstance& i) { EraseAt(claim(i).limits, 1); }},
      {"alpha a little larger",
       [=](AlphaKInstance& i) {
         claim(i).limits[0].at_most = {34, 100};
       }},
      {"alpha of 1",
       [=](AlphaKInstance& i) {
         claim(i).limits[1].at_most = {1, 1};
       }},
      {"alpha for no value", [=](AlphaKInstance& i) { claim(i).limits[0].values.clear(); }},
      {"a limit gone", [=](AlphaKInstance& i) { EraseAt(claim(i).limits, 2); }},
      {"the last limit gone", [=](AlphaKInstance& i) { claim(i).limits.pop_back(); }},
      {"a limit a little larger",
       [=](AlphaKInstance& i) {
         claim(i).limits[2].at_most = {67, 100};
       }},
      {"a value of a limit gone", [=](AlphaKInstance& i) { claim(i).limits[2].values.pop_back(); }},
      {"all values of a limit gone", [=](AlphaKInstance& i) { claim(i).limits[2].values.clear(); }},
      {"a limit for each value by itself", [=](AlphaKInstance& i) { claim(i).limits[2].together = false; }},
      {"a limit on a column that does not exist", [=](AlphaKInstance& i) { claim(i).limits[3].column = 2; }},
      {"a limit on another column", [=](AlphaKInstance& i) { claim(i).limits[0].column = 1; }},
      {"a denominator of 0", [=](AlphaKInstance& i) { claim(i).limits[2].at_most.den = 0; }},
      {"a value that is named twice",
       [=](AlphaKInstance& i) {
         claim(i).limits[2].values = {0, 0};
       }},
      {"a sensitive column gone", [=](AlphaKInstance& i) { i.data.sensitive.pop_back(); }},
      {"no sensitive columns", [=](AlphaKInstance& i) { i.data.sensitive.clear(); }},
      {"a sensitive column that is too short",
       [=](AlphaKInstance& i) {
         i.data.sensitive[1] = property::ColumnOf({0, 1, 2, 2, 1}, 3);
       }},
      {"a sensitive column that is too long",
       [=](AlphaKInstance& i) {
         i.data.sensitive[0] = property::ColumnOf({0, 1, 2, 0, 1, 3, 2}, 4);
       }},
      {"an empty sensitive column", [=](AlphaKInstance& i) { i.data.sensitive[0] = CodeColumn(4); }},
  };
}

TEST(AlphaKRefusals, ClaimsThatLostSomethingAreRefusedInBothForms) {
  const AlphaKInstance whole = property::PolicyWithLimits();
  ASSERT_TRUE(IsAccepted(VerifyDraft(whole))) << WitnessOf(VerifyDraft(whole));
  ASSERT_TRUE(IsAccepted(VerifyTables(whole))) << WitnessOf(VerifyTables(whole));
  for (const Loss& loss : Losses()) {
    AlphaKInstance instance = whole;
    loss.lose(instance);
    EXPECT_FALSE(IsAccepted(VerifyDraft(instance))) << loss.name << ", generalized";
    EXPECT_FALSE(IsAccepted(VerifyTables(instance))) << loss.name << ", two tables";
  }
}

TEST(AlphaKRefusals, APolicyWithoutAClaimIsRefusedInBothForms) {
  const AlphaKInstance whole = property::PolicyWithLimits();
  const std::vector<GuaranteePolicy> guarantees = {whole.promise.policy};
  const auto columns = whole.data.columns();
  const Evidence claim{whole.data.table, whole.data.domains, CategoryForm::kTaxonomy, guarantees, columns, nullptr};
  EXPECT_FALSE(IsAccepted(Verify({whole.draft}, claim)));
  EXPECT_FALSE(IsAccepted(Verify(whole.tables, claim)));
}

TEST(AlphaKRefusals, TwoTablesGoWithAlphaKAnonymityAlone) {
  const AlphaKInstance whole = property::PolicyWithLimits();
  const auto columns = whole.data.columns();
  const auto accepts = [&](const std::vector<GuaranteePolicy>& guarantees) {
    return IsAccepted(Verify(whole.tables, {whole.data.table, whole.data.domains, CategoryForm::kTaxonomy, guarantees,
                                            columns, &whole.promise.claim}));
  };
  EXPECT_TRUE(accepts({whole.promise.policy}));
  EXPECT_FALSE(accepts({}));
  EXPECT_FALSE(accepts({KAnonymityPolicy{2}}));
  EXPECT_FALSE(accepts({whole.promise.policy, KAnonymityPolicy{2}}));
  EXPECT_FALSE(accepts({KAnonymityPolicy{2}, whole.promise.policy}));
  EXPECT_FALSE(accepts({whole.promise.policy, XyAnonymityPolicy{}}));
  EXPECT_FALSE(accepts({whole.promise.policy, XyLinkabilityPolicy{}}));
  EXPECT_FALSE(accepts({whole.promise.policy, IncrementalKAnonymityPolicy{2, "series"}}));
}

}  // namespace
}  // namespace pentimento::alpha_k_refusals_test
