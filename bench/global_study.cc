// How long a series under the global guarantee lasts, and what its groups lose: groupings and schedules on a fixed
// population whose sensitive values are drawn anew for every release. Every release is charged to an accountant, and a
// breach ends the program. The tables in src/anonymize/global/algorithm.md come from here.
//
//   bench/global_study [holders per 1,000] [people] [k]        the series
//   bench/global_study speed [rows]                            how long forming the groups of one release takes
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "anonymize/global/global_groups.h"
#include "anonymize/partition/partition.h"
#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"

namespace pentimento {
namespace {

// The sizes of Adult's domains; half of the columns are skewed, the first is numeric.
constexpr std::array<Code, 8> kSizes = {74, 8, 16, 7, 14, 5, 2, 41};

struct Population {
  std::vector<Domain> domains;
  EncodedTable table;
};

Population MakePopulation(std::size_t rows) {
  Population people;
  people.table.rows = rows;
  for (std::size_t c = 0; c < kSizes.size(); ++c) {
    std::vector<std::string> values;
    for (Code code = 0; code < kSizes[c]; ++code) values.push_back("v" + std::to_string(code));
    people.domains.push_back(c == 0 ? Domain(NumericRange{0, kSizes[c] - 1, 0, {}}, false)
                                    : Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), false));
    CodeColumn codes(kSizes[c], rows);
    Random random(SeedFromNumber(c), "serial study");
    for (std::size_t row = 0; row < rows; ++row) {
      const double draw = random.Uniform();
      codes.Set(row, static_cast<Code>((c % 2 == 1 ? draw * draw : draw) * static_cast<double>(kSizes[c])));
    }
    people.table.quasi_identifiers.push_back(std::move(codes));
  }
  return people;
}

// Signature 0 has nothing, signature i + 1 has item i; as many of each as `holders` says, dealt out at random.
Signatures DrawValues(std::size_t rows, std::span<const std::size_t> holders, std::uint64_t seed) {
  Signatures signatures{CodeColumn(holders.size() + 1, rows), static_cast<Code>(holders.size() + 1), {}};
  std::vector<std::uint32_t> people(rows);
  std::iota(people.begin(), people.end(), 0U);
  Random random(SeedFromNumber(seed), "values");
  std::size_t next = 0;
  for (Code item = 0; item < holders.size(); ++item) {
    signatures.items.push_back({{item + 1}, {1, 2}});
    for (std::size_t h = 0; h < holders[item]; ++h, ++next) {
      std::swap(people[next], people[next + random.Below(static_cast<std::uint32_t>(rows - next))]);
      signatures.of_row.Set(people[next], item + 1);
    }
  }
  return signatures;
}

struct Groups {
  std::vector<ClassNumber> class_of_row;
  std::size_t classes = 0;
};

// Boxes are measured around the members, for every grouping alike.
double Loss(const Population& people, const Groups& groups) {
  const std::size_t columns = people.domains.size();
  std::vector<Interval> boxes(groups.classes * columns, {std::numeric_limits<Code>::max(), 0});
  std::vector<std::size_t> sizes(groups.classes);
  for (std::size_t row = 0; row < people.table.rows; ++row) {
    if (groups.class_of_row[row] == kWithheldClass) continue;
    ++sizes[groups.class_of_row[row]];
    for (std::size_t c = 0; c < columns; ++c) {
      Interval& box = boxes[groups.class_of_row[row] * columns + c];
      const Code code = people.table.quasi_identifiers[c][row];
      box = {std::min(box.lo, code), std::max(box.hi, code)};
    }
  }
  double loss = 0;
  double rows = 0;
  for (std::size_t group = 0; group < groups.classes; ++group) {
    rows += static_cast<double>(sizes[group]);
    for (std::size_t c = 0; c < columns; ++c)
      loss += people.domains[c].RelativeWidth(boxes[group * columns + c]) * static_cast<double>(sizes[group]);
  }
  return loss / rows / static_cast<double>(columns);
}

struct Series {
  std::vector<LogCost> left;
  std::vector<std::uint32_t> appearances;

  // Returns the size of the group that somebody is in, on average over people.
  double Charge(const Groups& groups, const Signatures& signatures) {
    std::vector<std::uint64_t> rows(groups.classes);
    std::vector<std::uint64_t> holders(groups.classes);
    for (std::size_t row = 0; row < left.size(); ++row) {
      if (groups.class_of_row[row] == kWithheldClass) continue;
      ++rows[groups.class_of_row[row]];
      holders[groups.class_of_row[row]] += signatures.of_row[row] == 0 ? 0 : 1;
    }
    double size = 0;
    double published = 0;
    for (std::size_t row = 0; row < left.size(); ++row) {
      const ClassNumber group = groups.class_of_row[row];
      if (group == kWithheldClass) continue;
      const LogCost cost = CostOfExposure(holders[group], rows[group]);
      Check(cost <= left[row], "a budget is overdrawn");
      left[row] -= cost;
      ++appearances[row];
      size += static_cast<double>(rows[group]);
      ++published;
    }
    return size / published;
  }
};

enum class Kind { kTree, kClasses, kOrder };

struct Variant {
  std::string_view name;
  Kind kind = Kind::kTree;
  std::size_t levels = global::kMostLevels;
  bool balances = true;
  bool blind = false;
};

struct Asked {
  const Population& people;
  const Signatures& signatures;
  const Series& series;
  const GlobalOptions& options;
};

constexpr std::array<std::uint64_t, 1> kTwo = {2};

std::optional<Groups> ByTree(const Asked& asked) {
  std::vector<LogCost> spent;
  for (const LogCost left : asked.series.left) spent.push_back(BudgetOfLimit(2) - left);
  Result<GlobalGroups> groups =
      GroupWithinBudgets(asked.people.table, asked.people.domains,
                         {&asked.signatures, kTwo, {1, spent, asked.series.appearances}, {}, {}}, asked.options);
  if (!groups.ok()) return std::nullopt;
  const std::size_t classes = groups.value().classes.count();
  return Groups{std::move(groups.value().classes.of_row), classes};
}

// The rows as a table of their own, grouped; nothing where that is refused.
std::optional<Groups> BySubset(const Asked& asked, std::span<const std::uint32_t> rows) {
  Population some{asked.people.domains, {}};
  some.table.rows = rows.size();
  Signatures signatures{CodeColumn(asked.signatures.count, rows.size()), asked.signatures.count,
                        asked.signatures.items};
  Series series;
  for (std::size_t c = 0; c < kSizes.size(); ++c) some.table.quasi_identifiers.emplace_back(kSizes[c], rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < kSizes.size(); ++c)
      some.table.quasi_identifiers[c].Set(i, asked.people.table.quasi_identifiers[c][rows[i]]);
    signatures.of_row.Set(i, asked.signatures.of_row[rows[i]]);
    series.left.push_back(asked.series.left[rows[i]]);
    series.appearances.push_back(asked.series.appearances[rows[i]]);
  }
  return ByTree({some, signatures, series, asked.options});
}

// The sketch: a tree for each of up to 16 classes of budgets; a class with too many holders joins the next looser one.
std::optional<Groups> ByClasses(const Asked& asked) {
  std::vector<std::uint32_t> order(asked.people.table.rows);
  std::iota(order.begin(), order.end(), 0U);
  const std::vector<LogCost>& left = asked.series.left;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return left[a] < left[b]; });
  const double least = std::log(static_cast<double>(left[order.front()]));
  const double step = (std::log(static_cast<double>(left[order.back()])) - least) / 16 + 1e-12;
  Groups all{std::vector<ClassNumber>(order.size()), 0};
  std::vector<std::uint32_t> pending;
  for (std::size_t i = 0; i < order.size();) {
    const double past = std::log(static_cast<double>(left[order[i]]));
    const double edge = least + (std::floor((past - least) / step) + 1) * step;
    while (i < order.size() && std::log(static_cast<double>(left[order[i]])) < edge) pending.push_back(order[i++]);
    const std::optional<Groups> groups = BySubset(asked, pending);
    if (!groups) continue;
    for (std::size_t j = 0; j < pending.size(); ++j)
      all.class_of_row[pending[j]] = static_cast<ClassNumber>(all.classes + groups->class_of_row[j]);
    all.classes += groups->classes;
    pending.clear();
  }
  return pending.empty() ? std::optional(std::move(all)) : ByTree(asked);
}

// People in the order of a tree that does not look at values, cut into runs of its leaves with least loss.
std::optional<Groups> ByOrder(const Asked& asked) {
  const std::size_t columns = kSizes.size();
  if (!ByTree(asked)) return std::nullopt;
  PartitionOptions plain{asked.options.k, CategoryForm::kSets, BoxKind::kMembers};
  const Classes leaves = GroupByPartition(asked.people.table, asked.people.domains, plain).value();
  struct Leaf {
    std::array<Interval, kSizes.size()> box;
    double rows = 0;
    double holders = 0;
  };
  std::vector<Leaf> leaf(leaves.count());
  for (Leaf& here : leaf) here.box.fill({std::numeric_limits<Code>::max(), 0});
  for (std::size_t row = 0; row < leaves.of_row.size(); ++row) {
    Leaf& here = leaf[leaves.of_row[row]];
    ++here.rows;
    here.holders += asked.signatures.of_row[row] == 0 ? 0 : 1;
    for (std::size_t c = 0; c < columns; ++c) {
      const Code code = asked.people.table.quasi_identifiers[c][row];
      here.box[c] = {std::min(here.box[c].lo, code), std::max(here.box[c].hi, code)};
    }
  }
  const LogCost least = *std::min_element(asked.series.left.begin(), asked.series.left.end());
  const double cap = static_cast<double>(LargestShare(least / asked.options.schedule.releases_left)) / 0x1.0p32;
  constexpr std::size_t kWindow = 800;
  std::vector<double> best(leaf.size() + 1, 1e300);
  std::vector<std::size_t> from(leaf.size() + 1, leaf.size());
  best[0] = 0;
  for (std::size_t a = 0; a < leaf.size(); ++a) {
    Leaf run = leaf[a];
    run.rows = run.holders = 0;
    for (std::size_t b = a; b < std::min(leaf.size(), a + kWindow); ++b) {
      double width = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        run.box[c] = {std::min(run.box[c].lo, leaf[b].box[c].lo), std::max(run.box[c].hi, leaf[b].box[c].hi)};
        width += asked.people.domains[c].RelativeWidth(run.box[c]);
      }
      run.rows += leaf[b].rows;
      run.holders += leaf[b].holders;
      if (run.holders > cap * run.rows || best[a] + width * run.rows >= best[b + 1]) continue;
      best[b + 1] = best[a] + width * run.rows;
      from[b + 1] = a;
    }
  }
  if (best.back() > 1e299) return Groups{std::vector<ClassNumber>(leaves.of_row.size(), 0), 1};
  std::vector<ClassNumber> run_of_leaf(leaf.size());
  Groups groups{{}, 0};
  for (std::size_t past = leaf.size(); past > 0; past = from[past], ++groups.classes) {
    for (std::size_t l = from[past]; l < past; ++l) run_of_leaf[l] = static_cast<ClassNumber>(groups.classes);
  }
  for (const ClassNumber of_row : leaves.of_row) groups.class_of_row.push_back(run_of_leaf[of_row]);
  return groups;
}

void RunSeries(const Population& people, std::size_t holders, const Variant& variant, GlobalOptions options,
               std::string_view schedule) {
  const std::size_t rows = people.table.rows;
  const auto bound =
      static_cast<std::size_t>(std::log(0.5) / std::log1p(-static_cast<double>(holders) / static_cast<double>(rows)));
  const std::size_t horizon =
      options.schedule.horizon == Horizon::kKnown ? options.schedule.releases_left : 10 * bound + 100;
  options.budget_levels = variant.levels;
  options.balances = variant.balances;
  options.blind = variant.blind;
  Series series{std::vector<LogCost>(rows, BudgetOfLimit(2)), std::vector<std::uint32_t>(rows)};
  double loss = 0, last = 0, size = 0, groups_made = 0;
  std::size_t made = 0;
  for (; made < horizon; ++made) {
    const Signatures signatures = DrawValues(rows, {&holders, 1}, made);
    if (options.schedule.horizon == Horizon::kKnown) options.schedule.releases_left = horizon - made;
    const Asked asked{people, signatures, series, options};
    const std::optional<Groups> groups = variant.kind == Kind::kTree      ? ByTree(asked)
                                         : variant.kind == Kind::kClasses ? ByClasses(asked)
                                                                          : ByOrder(asked);
    if (!groups) break;
    size += series.Charge(*groups, signatures);
    last = Loss(people, *groups);
    loss += last;
    groups_made += static_cast<double>(groups->classes);
  }
  const auto releases = static_cast<double>(made);
  fmt::print("| {} | {} | {} of {} ({:.0f} %) | {:.2f} % | {:.2f} % | {:.1f} | {:.1f} |\n", schedule, variant.name,
             made, bound, 100.0 * releases / static_cast<double>(bound), 100 * loss / releases, 100 * last,
             static_cast<double>(rows) * releases / groups_made, size / releases);
}

void Study(std::size_t per_mille_tenths, std::size_t rows, std::uint64_t k) {
  const Population people = MakePopulation(rows);
  const std::size_t holders = rows * per_mille_tenths / 10'000;
  const double f = static_cast<double>(holders) / static_cast<double>(rows);
  const auto bound = static_cast<std::uint64_t>(std::log(0.5) / std::log1p(-f));
  GlobalOptions options;
  options.k = k;
  options.form = CategoryForm::kSets;
  options.seed = SeedFromNumber(1);
  const Variant ours{"one tree, 16 levels, balanced (the default)"};
  const std::array variants = {
      Variant{"runs along a blind order, least cap", Kind::kOrder},
      Variant{"a tree for each budget class", Kind::kClasses, 1, false},
      Variant{"one tree, least cap", Kind::kTree, 1, false},
      Variant{"one tree, 16 levels", Kind::kTree, 16, false},
      Variant{"one tree, least cap, balanced", Kind::kTree, 1, true},
      ours,
      Variant{"blind", Kind::kTree, 16, true, true},
  };
  fmt::print(
      "| schedule | grouping | releases | NCP | NCP of the last | rows per group | rows in somebody's group |\n");
  fmt::print("|---|---|---:|---:|---:|---:|---:|\n");
  for (const std::uint64_t percent : {86, 91, 97}) {
    const std::uint64_t horizon = (bound * percent + 50) / 100;
    options.schedule = {Horizon::kKnown, horizon, {1, 1}};
    const double cap = -std::expm1(std::log(0.5) / static_cast<double>(horizon));
    PartitionOptions plain{static_cast<std::uint64_t>(std::ceil(1 / cap)), CategoryForm::kSets};
    const Classes groups = GroupByPartition(people.table, people.domains, plain).value();
    fmt::print("| | plain partition with k = {} | | {:.2f} % | | {:.1f} | |\n", plain.k,
               100 * Loss(people, {groups.of_row, groups.count()}),
               static_cast<double>(rows) / static_cast<double>(groups.count()));
    for (const Variant& variant : variants) {
      if (percent != 86 && (variant.kind != Kind::kTree || variant.blind)) continue;
      RunSeries(people, holders, variant, options, fmt::format("{} known", horizon));
    }
  }
  for (const Ratio aim : {Ratio{1000, 1}, Ratio{2, 1}, Ratio{3, 2}, Ratio{5, 4}, Ratio{9, 8}, Ratio{17, 16}}) {
    options.schedule = {Horizon::kOpen, 1, {1, 1}, aim};
    RunSeries(people, holders, ours, options,
              aim.num == 1000 ? "open, the envelope alone" : fmt::format("open, aim {}", ToString(aim)));
  }
  for (const Ratio part : {Ratio{1, 3}, Ratio{1, 10}, Ratio{1, 30}}) {
    options.schedule = {Horizon::kPart, 1, part};
    RunSeries(people, holders, ours, options, fmt::format("spend {}", ToString(part)));
  }
}

// Of this process, whatever else the machine does meanwhile.
double Seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The release in the middle of a series of 29: budgets that differ, four items of 0.2 % to 2 %.
void Speed(std::size_t rows) {
  const Population people = MakePopulation(rows);
  const std::array<std::size_t, 4> holders = {rows / 500, rows / 200, rows / 100, rows / 50};
  const std::array<std::uint64_t, 4> l = {2, 2, 2, 2};
  const Signatures signatures = DrawValues(rows, holders, 1);
  std::vector<LogCost> spent(4 * rows);
  std::vector<std::uint32_t> appearances(rows);
  Random random(SeedFromNumber(2), "spent");
  for (LogCost& of_item : spent) of_item = BudgetOfLimit(2) / 64 * random.Below(32);
  const ThreadLimit limit(1);
  for (const CategoryForm form : {CategoryForm::kSets, CategoryForm::kTaxonomy}) {
    double first = 1e300, later = 1e300;
    const std::vector<LogCost> nothing(4 * rows);
    for (int round = 0; round < 3; ++round) {
      GlobalOptions options;
      options.k = 10;
      options.form = form;
      options.schedule = {Horizon::kKnown, 29, {1, 1}};
      double before = Seconds();
      Check(
          GroupWithinBudgets(people.table, people.domains, {&signatures, l, {4, nothing, appearances}, {}, {}}, options)
              .ok(),
          "");
      first = std::min(first, Seconds() - before);
      options.schedule.releases_left = 14;
      before = Seconds();
      Check(GroupWithinBudgets(people.table, people.domains, {&signatures, l, {4, spent, appearances}, {}, {}}, options)
                .ok(),
            "");
      later = std::min(later, Seconds() - before);
    }
    fmt::print("{} rows, {}: first release {:.3f} s, later {:.3f} s\n", rows,
               form == CategoryForm::kSets ? "sets" : "taxonomy", first, later);
  }
}

}  // namespace
}  // namespace pentimento

int main(int argc, char** argv) {
  const auto number = [&](int which, std::size_t otherwise) {
    return argc > which ? static_cast<std::size_t>(std::atoll(argv[which])) : otherwise;
  };
  if (argc > 1 && std::string_view(argv[1]) == "speed") {
    pentimento::Speed(number(2, 1'000'000));
  } else {
    pentimento::Study(10 * number(1, 20), number(2, 20'000), number(3, 5));
  }
}
