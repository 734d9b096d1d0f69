// Top-down specialization against the oracle that builds the join row by row: what comes out holds, nothing more
// special does, and "cannot be" is said only where the most general table fails.
#include "anonymize/specialize/specialize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/rounds_testing.h"
#include "oracle/xy_oracle.h"

namespace pentimento::specialize_test {
namespace {

namespace join = oracle::join;

// Tables over a taxonomy of four leaves under two nodes, a number from 0 to 5, a flat value and two exact columns.
struct Case {
  EncodedTable table;
  std::vector<Domain> domains;
  CodeColumn exact{4};
  CodeColumn second{4};  // published as it is, too
  std::vector<bool> is_generalized;
  XyReleases releases;
  std::uint64_t k = 0;
};

std::vector<Domain> Domains(bool allows_missing) {
  const auto tree = Taxonomy::Parse("a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n", "tree").value();
  const std::vector<std::string> flat = {"x", "y", "z"};
  std::vector<Domain> domains;
  domains.emplace_back(std::make_shared<const Taxonomy>(tree), allows_missing);
  domains.emplace_back(NumericRange{0, 5, 0, {}}, false);
  domains.emplace_back(std::make_shared<const Taxonomy>(Taxonomy::Flat(flat).value()), false);
  return domains;
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(SeedFromNumber(seed), "specialize") {}

  std::uint32_t Below(std::uint32_t end) { return static_cast<std::uint32_t>(random_.Next32() % end); }

  Case Make() {
    Case made;
    made.domains = Domains(Below(3) == 0);
    const std::size_t rows = 2 + Below(12);
    made.table.rows = rows;
    made.exact = CodeColumn(4, rows);
    made.second = CodeColumn(4, rows);
    for (const Domain& domain : made.domains) made.table.quasi_identifiers.emplace_back(domain.size(), rows);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t c = 0; c < made.domains.size(); ++c)
        made.table.quasi_identifiers[c].Set(row, Below(made.domains[c].size()));
      made.exact.Set(row, Below(3));
      made.second.Set(row, Below(3));
    }
    if (Below(3) == 0) {
      Persons persons{{}, 0};
      for (std::size_t row = 0; row < rows; ++row) {
        const std::uint32_t person = persons.count == 0 || Below(2) == 0 ? persons.count++ : Below(persons.count);
        persons.person_of_row.push_back(person);
      }
      made.table.persons = persons;
    }
    const std::uint32_t earlier = 1 + Below(3);
    strangers_ = Below(2) == 0;
    for (std::uint32_t r = 0; r < earlier; ++r) made.releases.earlier.push_back(MakeEarlier(made, r));
    AddCommon(made);
    AddClaims(made);
    return made;
  }

 private:
  Interval Coarser(const Domain& domain, Code code) {
    if (domain.is_numeric()) {
      const Code width = Below(3);
      return {code > width ? code - width : 0, std::min<Code>(code + Below(3), domain.size() - 1)};
    }
    const std::uint32_t level = Below(4);
    if (level == 0) return domain.root();
    if (level == 1 && !domain.IsMissing(code))
      return domain.taxonomy().node(domain.taxonomy().node(domain.taxonomy().leaf_node(code)).parent).leaves;
    return {code, code};
  }

  // Columns: the tree, the number, its own value.
  EarlierRelease MakeEarlier(const Case& made, std::uint32_t number) {
    EarlierRelease release{"r" + std::to_string(number), 3, {}, {}, {}};
    const std::size_t rows = 1 + Below(5);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t like = Below(static_cast<std::uint32_t>(made.table.rows));
      for (std::size_t c = 0; c < 2; ++c) {
        const bool is_like_nobody = strangers_ && Below(3) == 0;
        const Code code = is_like_nobody ? Below(made.domains[c].size()) : made.table.quasi_identifiers[c][like];
        release.cells.push_back(Coarser(made.domains[c], code));
      }
      const Code own = Below(3);
      release.cells.push_back({own, own});
      release.records.push_back(1 + Below(3));
      release.example.push_back(row);
    }
    return release;
  }

  void AddCommon(Case& made) {
    CommonAttribute tree{{{0, 0}}, false};
    CommonAttribute number{{{0, 1}}, true};
    for (std::uint32_t r = 1; r <= made.releases.earlier.size(); ++r) {
      tree.columns.push_back({r, 0});
      number.columns.push_back({r, 1});
    }
    if (Below(8) > 0) made.releases.common.push_back(tree);  // now and then they have nothing in common
    if (Below(2) == 0) made.releases.common.push_back(number);
    if (Below(3) == 0) made.releases.impossible.push_back({{0, 2}, {0, 0}, {1, 2}, {1, 1}});
    if (made.releases.earlier.size() > 1 && Below(3) == 0)
      made.releases.impossible.push_back({{1, 2}, {0, 1}, {2, 2}, {2, 2}});
  }

  void AddClaims(Case& made) {
    made.is_generalized.assign(3, false);
    const std::uint32_t claims = 1 + Below(2);
    for (std::uint32_t c = 0; c < claims; ++c) {
      std::vector<std::uint32_t> against;
      for (std::uint32_t r = 1; r <= made.releases.earlier.size(); ++r) {
        if (against.empty() || Below(2) == 0) against.push_back(r);
      }
      const bool is_alone = Below(5) == 0;  // about the new table and nothing else
      if (is_alone) against.clear();
      std::vector<ReleaseColumn> x;
      for (std::uint32_t column = 0; column < 3; ++column) {
        if (Below(3) == 0) continue;
        x.push_back({0, column});
        made.is_generalized[column] = true;
      }
      const bool y_is_exact = Below(2) == 0;
      if (!y_is_exact && Below(3) == 0) x.push_back({0, 3});
      const bool all_in_x = Below(4) == 0, none_in_x = Below(2) == 0;
      for (const std::uint32_t r : against) {
        if (all_in_x || (!none_in_x && Below(2) == 0)) x.push_back({r, 0});
        if (all_in_x || (!none_in_x && Below(3) == 0)) x.push_back({r, 1});
      }
      const bool allows_dangling = Below(4) == 0;
      if (Below(2) == 0) {
        std::vector<ReleaseColumn> y;
        if (Below(2) == 0) y.push_back({0, ReleaseColumn::kWho});
        if (y_is_exact) y.push_back({0, 3});
        if (!is_alone && Below(3) == 0) y.push_back({against[0], 2});
        for (const std::uint32_t r : against) {
          if (Below(4) == 0) y.push_back({r, ReleaseColumn::kWho});
        }
        if (y.empty()) y.push_back({is_alone ? 0 : against.back(), ReleaseColumn::kWho});
        made.releases.anonymity.push_back({against, x, y, 2 + Below(3), allows_dangling});
      } else {
        const ReleaseColumn y = y_is_exact || is_alone ? ReleaseColumn{0, 3} : ReleaseColumn{against[0], 2};
        if (is_alone) std::erase(x, y);
        std::vector<LinkabilityTarget> targets{MakeTarget(y, against)};
        if (!is_alone && Below(3) == 0) targets.push_back({{{against.back(), 2}}, {}, Ratio{2, 3}});
        made.releases.linkability.push_back({against, x, targets, allows_dangling});
      }
    }
    if (Below(6) == 0) {
      made.k = 2;
      made.is_generalized.assign(3, true);
    }
  }

  // For one column, or for a combination with others, of this release and of earlier ones; values are listed or not.
  LinkabilityTarget MakeTarget(ReleaseColumn first, const std::vector<std::uint32_t>& against) {
    LinkabilityTarget target{{first}, {}, {}};
    if (Below(2) == 0) {
      if (Below(2) == 0) target.y.push_back({0, 4});
      for (const std::uint32_t r : against) {
        const ReleaseColumn other{r, 2};
        if (other != first && Below(2) == 0) target.y.push_back(other);
      }
    }
    target.at_most = {1 + Below(3), target.y.size() > 1 ? 6U : 4U};
    if (Below(2) == 0) return target;
    for (std::uint32_t count = 1 + Below(2); count > 0; --count) {
      std::vector<Interval>& value = target.values.emplace_back();
      for (std::size_t part = 0; part < target.y.size(); ++part) {
        const Code lo = Below(3);
        value.push_back({lo, target.y.size() > 1 && Below(2) == 0 ? lo + 1 : lo});
      }
    }
    return target;
  }

  Random random_;
  bool strangers_ = false;  // earlier releases have records of people who are not in the table
};

// What the oracle needs: one more column in every release that says who a row is about.
class Checker {
 public:
  Checker(const Case& made, const Classes& draft) : made_(made), draft_(draft) {}

  bool AllHold() const {
    const join::Instance all = Everything();
    for (const XyAnonymityClaim& claim : made_.releases.anonymity) {
      if (!join::KeepsAnonymity(all, AsNumbers(claim.against), Of(claim.x), Of(claim.y), claim.k,
                                claim.allows_dangling))
        return false;
    }
    for (const XyLinkabilityClaim& claim : made_.releases.linkability) {
      for (const LinkabilityTarget& target : claim.targets) {
        join::LinkabilityLimit limit{Of(target.y), std::nullopt, target.at_most.num, target.at_most.den};
        if (!target.values.empty()) {
          join::ValueSet set;
          for (const std::vector<Interval>& value : target.values) set.insert(Of(value));
          limit.sets = {set};
        }
        if (!join::KeepsLinkability(all, AsNumbers(claim.against), Of(claim.x), limit, claim.allows_dangling))
          return false;
      }
    }
    if (made_.k == 0) return true;
    return join::IsAnonymous(join::Select(all, {}).instance, {{0, 0}, {0, 1}, {0, 2}}, {{0, 5}}, made_.k);
  }

 private:
  static std::vector<std::size_t> AsNumbers(const std::vector<std::uint32_t>& against) {
    return {against.begin(), against.end()};
  }
  static join::Column Of(ReleaseColumn column) {
    const std::size_t who = column.release == 0 ? 5 : 3;
    return {column.release, column.column == ReleaseColumn::kWho ? who : std::size_t{column.column}};
  }
  static join::Value Of(const std::vector<Interval>& cells) {
    join::Value value;
    for (const Interval cell : cells) value.push_back({cell.lo, cell.hi});
    return value;
  }
  static join::Columns Of(const std::vector<ReleaseColumn>& columns) {
    join::Columns found;
    for (const ReleaseColumn column : columns) found.push_back(Of(column));
    return found;
  }

  join::Instance Everything() const {
    join::Instance instance;
    auto& own = instance.releases.emplace_back();
    for (std::uint32_t row = 0; row < made_.table.rows; ++row) {
      join::Row cells;
      for (const Interval cell : draft_.box(draft_.of_row[row])) cells.push_back({cell.lo, cell.hi});
      const Code exact = made_.exact[row];
      const std::uint32_t who = made_.table.persons ? made_.table.persons->person_of_row[row] : row;
      const Code second = made_.second[row];
      cells.push_back({exact, exact});
      cells.push_back({second, second});
      cells.push_back({who, who});
      own.push_back(cells);
    }
    for (const EarlierRelease& release : made_.releases.earlier) {
      auto& rows = instance.releases.emplace_back();
      std::uint32_t who = 0;
      for (std::size_t row = 0; row < release.rows(); ++row) {
        for (std::uint64_t i = 0; i < release.records[row]; ++i, ++who) {
          join::Row cells;
          for (const Interval cell : release.row(row)) cells.push_back({cell.lo, cell.hi});
          cells.push_back({who, who});
          rows.push_back(cells);
        }
      }
    }
    for (const CommonAttribute& attribute : made_.releases.common)
      instance.common.push_back({Of(attribute.columns), attribute.by_overlap});
    for (const ImpossiblePair& pair : made_.releases.impossible) {
      instance.impossible.push_back({Of(pair.left),
                                     {pair.left_values.lo, pair.left_values.hi},
                                     Of(pair.right),
                                     {pair.right_values.lo, pair.right_values.hi}});
    }
    return instance;
  }

  const Case& made_;
  const Classes& draft_;
};

// Every way to split an interval of numbers between two values that occur in it, from the table alone.
std::vector<std::vector<Interval>> SplitsOfNumbers(const Case& made, Interval value) {
  const CodeColumn& numbers = made.table.quasi_identifiers[1];
  std::vector<std::vector<Interval>> splits;
  for (Code at = value.lo + 1; at <= value.hi; ++at) {
    std::optional<Code> last, next;  // the values beside it
    for (std::size_t row = 0; row < made.table.rows; ++row) {
      const Code code = numbers[row];
      if (code >= value.lo && code < at) last = std::max(last.value_or(code), code);
      if (code >= at && code <= value.hi) next = std::min(next.value_or(code), code);
    }
    // Overlapping intervals of earlier releases tell apart the places in one gap: its middle is what is meant.
    if (last && next && at == *last + 1 + (*next - *last - 1) / 2)
      splits.push_back({{value.lo, at - 1}, {at, value.hi}});
  }
  return splits;
}

TEST(Specialize, WhatComesOutHoldsAndNothingMoreSpecialDoes) {
  std::size_t published = 0, refused = 0, stopped_by_privacy = 0, steps = 0, splits = 0;
  std::size_t mixed = 0, listed_mixed = 0, own_combinations = 0;  // limits of published tables
  for (std::uint64_t seed = 0; seed < TestRounds(4000); ++seed) {
    Maker maker(seed);
    const Case made = maker.Make();
    const std::vector<const CodeColumn*> exact = {&made.exact, &made.second};
    const Utility utility = seed % 3 == 0   ? Utility::kClass
                            : seed % 3 == 1 ? Utility::kDistortion
                                            : Utility::kDiscernibility;
    const SpecializeInput input{made.table,    made.domains, exact,   made.is_generalized,
                                made.releases, made.k,       utility, &made.exact};
    Classes most_general;
    const Result<Specialized> result = AnonymizeBySpecialization(input, &most_general);
    if (!result.ok()) {
      ++refused;
      ASSERT_EQ(result.error().code, ErrorCode::kRefused);
      ASSERT_FALSE(Checker(made, most_general).AllHold()) << "seed " << seed;
      continue;
    }
    ++published;
    for (const XyLinkabilityClaim& claim : made.releases.linkability) {
      for (const LinkabilityTarget& target : claim.targets) {
        if (!target.IsHere() && !target.IsEarlier()) ++(target.values.empty() ? mixed : listed_mixed);
        if (target.IsHere() && target.y.size() > 1) ++own_combinations;
      }
    }
    steps += result->steps;
    ASSERT_TRUE(Checker(made, result->draft).AllHold()) << "seed " << seed;
    for (const LeftGeneral& left : result->left_general) {
      std::vector<std::vector<Interval>> cuts = result->cuts;
      std::erase(cuts[left.column], left.value);
      cuts[left.column].insert(cuts[left.column].end(), left.children.begin(), left.children.end());
      const Classes more = DraftOfCuts(made.table, made.domains, cuts);
      ASSERT_FALSE(Checker(made, more).AllHold()) << "seed " << seed << " column " << left.column;
      ++stopped_by_privacy;
    }
    for (const Interval value : result->cuts[1]) {
      for (const std::vector<Interval>& parts : SplitsOfNumbers(made, value)) {
        std::vector<std::vector<Interval>> cuts = result->cuts;
        std::erase(cuts[1], value);
        cuts[1].insert(cuts[1].end(), parts.begin(), parts.end());
        ASSERT_FALSE(Checker(made, DraftOfCuts(made.table, made.domains, cuts)).AllHold())
            << "seed " << seed << " splits at " << parts[1].lo;
        ++splits;
      }
    }
  }
  // The test tests something.
  EXPECT_GT(published, 500U);
  EXPECT_GT(refused, 500U);
  EXPECT_GT(stopped_by_privacy, 500U);
  EXPECT_GT(steps, 1000U);
  EXPECT_GT(splits, 500U);
  EXPECT_GT(std::min({mixed, listed_mixed, own_combinations}), 50U);
}

}  // namespace
}  // namespace pentimento::specialize_test
