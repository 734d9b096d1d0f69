// Whoever knows everybody's quasi-identifiers and the published boxes must know who is in which group. Otherwise people
// could have changed places, and somebody's chance would be a mean over groups that others were charged for.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "anonymize/global/global_groups.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::told_apart_test {
namespace {

Domain Names(Code size, bool allows_missing) {
  std::vector<std::string> values;
  for (Code code = 0; code < size; ++code) values.push_back("v" + std::to_string(code));
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), allows_missing);
}

// 5 nodes of 4 leaves each, two of them under a node of their own.
Domain Places(bool allows_missing) {
  std::string text;
  for (int town = 0; town < 5; ++town) {
    for (int place = 0; place < 4; ++place) {
      const std::string name = std::to_string(town) + std::to_string(place);
      text += name + (place < 2 ? ";" + std::to_string(town) + "-low" : "") + ";town" + std::to_string(town) + ";*\n";
    }
  }
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "places").value()), allows_missing);
}

struct Release {
  std::vector<Domain> domains;
  EncodedTable table;
  Signatures signatures;
  std::vector<std::uint64_t> l = {2};
  std::vector<LogCost> spent;
  std::vector<std::uint32_t> appearances;
  GlobalOptions options;

  Result<GlobalGroups> Group() const {
    return GroupWithinBudgets(table, domains, {&signatures, l, {1, spent, appearances}, {}, {}}, options);
  }
};

Release RandomRelease(Random& random) {
  Release made;
  const bool missing = random.Below(2) == 0;
  made.domains = {Domain(NumericRange{0, 19, 0, {}}, missing), Names(9, missing), Places(missing), Names(2, false)};
  if (random.Below(2) == 0) {
    // Runs of dates are published, and what is in a run need not be.
    const DayRange days{ParseDay("2023-12-28").value(), ParseDay("2024-02-03").value()};
    made.domains[1] = Domain(std::make_shared<const Taxonomy>(MakeCalendarTaxonomy(days)), missing);
  }
  made.table.rows = 20 + random.Below(60);
  for (const Domain& domain : made.domains) {
    CodeColumn& column = made.table.quasi_identifiers.emplace_back(domain.size(), made.table.rows);
    for (std::size_t row = 0; row < made.table.rows; ++row) column.Set(row, random.Below(domain.size()));
  }
  made.signatures = {CodeColumn(2, made.table.rows), 2, {{{1}, {1, 1}}}};
  for (std::size_t row = 0; row < made.table.rows; ++row) {
    made.signatures.of_row.Set(row, random.Below(12) == 0 ? 1 : 0);
    made.spent.push_back(random.Below(3) == 0 ? BudgetOfLimit(2) / 4 : 0);
    made.appearances.push_back(1);
  }
  made.options.k = 1 + random.Below(4);
  made.options.schedule = {Horizon::kKnown, 2, {1, 1}};
  made.options.form = random.Below(3) == 0 ? CategoryForm::kSets : CategoryForm::kTaxonomy;
  made.options.blind = random.Below(6) == 0;
  return made;
}

// Whether people could change places: a circle of groups in which somebody of each fits the box of the next.
bool CanChangePlaces(const Release& release, const GlobalGroups& groups) {
  const std::size_t columns = release.domains.size();
  const std::size_t count = groups.classes.count();
  std::vector<std::vector<bool>> fits(count, std::vector<bool>(count, false));
  for (std::size_t row = 0; row < release.table.rows; ++row) {
    const ClassNumber own = groups.classes.of_row[row];
    if (own == kWithheldClass) continue;
    for (std::size_t group = 0; group < count; ++group) {
      bool is_in = group != own;
      for (std::size_t c = 0; c < columns; ++c)
        is_in = is_in && groups.classes.boxes[group * columns + c].Contains(release.table.quasi_identifiers[c][row]);
      if (is_in) fits[own][group] = true;
    }
  }
  std::vector<int> state(count, 0);
  const std::function<bool(std::size_t)> closes = [&](std::size_t group) {
    state[group] = 1;
    for (std::size_t next = 0; next < count; ++next) {
      if (fits[group][next] && (state[next] == 1 || (state[next] == 0 && closes(next)))) return true;
    }
    state[group] = 2;
    return false;
  };
  for (std::size_t group = 0; group < count; ++group) {
    if (state[group] == 0 && closes(group)) return true;
  }
  return false;
}

TEST(ToldApart, NobodyCouldBeInAnotherGroupThanTheirOwn) {
  Random random(SeedFromNumber(11), "told apart");
  int published = 0, of_several = 0, overlapping = 0;
  for (std::size_t round = 0; round < TestRounds(2000); ++round) {
    const Release release = RandomRelease(random);
    const Result<GlobalGroups> groups = release.Group();
    if (!groups.ok()) continue;
    ++published;
    EXPECT_FALSE(CanChangePlaces(release, *groups)) << "round " << round;
    of_several += groups->classes.count() > 1 ? 1 : 0;
    // Boxes do overlap: a rest has the label of what its children were taken from.
    const std::size_t columns = release.domains.size();
    bool overlaps = false;
    for (std::size_t a = 0; a + 1 < groups->classes.count(); ++a) {
      for (std::size_t b = a + 1; b < groups->classes.count(); ++b) {
        bool meets = true;
        for (std::size_t c = 0; c < columns; ++c)
          meets = meets && groups->classes.boxes[a * columns + c].Intersects(groups->classes.boxes[b * columns + c]);
        overlaps = overlaps || meets;
      }
    }
    overlapping += overlaps ? 1 : 0;
  }
  EXPECT_GT(published, TestRounds(1000));
  EXPECT_GT(of_several, TestRounds(800));
  EXPECT_GT(overlapping, TestRounds(200));
}

}  // namespace
}  // namespace pentimento::told_apart_test
