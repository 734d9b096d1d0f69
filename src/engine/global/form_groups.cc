#include "engine/global/form_groups.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "engine/alpha_k/bind_limits.h"
#include "engine/alpha_k/make_classes.h"
#include "engine/global/bind_items.h"
#include "engine/global/plan_course.h"
#include "table/combinations.h"
#include "utility/metrics.h"

namespace pentimento {
namespace {

// Up to here a note for every value takes no more time than the rows of a task.
constexpr Code kFewValues = Code{1} << 16;

// Which values of a column somebody has.
std::vector<std::uint8_t> ValuesThatOccur(const CodeColumn& column, Code value_count) {
  std::vector<std::uint8_t> occurs(value_count);
  std::mutex mutex;
  column.Visit([&](auto codes) {
    ParallelFor(codes.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint8_t> here(value_count);
      for (std::size_t row = begin; row < end; ++row) here[codes[row]] = 1;
      const std::scoped_lock lock(mutex);
      for (std::size_t value = 0; value < occurs.size(); ++value) occurs[value] |= here[value];
    });
  });
  return occurs;
}

// With one column a signature follows from the value, and rows need not be compared with each other.
Signatures SignaturesOfColumn(const GlobalClaim& claim, const CodeColumn& column, Code value_count) {
  const ItemSets sets = CollectItemSets(claim, 0, value_count);
  const std::vector<std::uint8_t> occurs = ValuesThatOccur(column, value_count);
  std::vector<std::uint32_t> present(sets.items.size(), 0);
  for (Code code = 0; code < value_count; ++code) present[sets.of_code[code]] |= occurs[code];
  std::vector<std::uint32_t> in_order;
  for (std::uint32_t set = 0; set < present.size(); ++set) {
    if (present[set] != 0) in_order.push_back(set);
  }
  std::ranges::sort(
      in_order, {}, [&](std::uint32_t set) -> const auto& { return sets.items[set]; });
  Signatures signatures;
  signatures.items.resize(claim.items.size());
  std::vector<Code> number_of_set(sets.items.size());
  for (Code number = 0; number < in_order.size(); ++number) {
    number_of_set[in_order[number]] = number;
    for (const std::size_t item : sets.items[in_order[number]]) signatures.items[item].signatures.push_back(number);
  }
  std::vector<Code> number_of_code(value_count);
  for (Code code = 0; code < value_count; ++code) number_of_code[code] = number_of_set[sets.of_code[code]];
  signatures.count = std::max<Code>(static_cast<Code>(in_order.size()), 1);
  signatures.of_row = CodeColumn(signatures.count, column.size());
  signatures.of_row.VisitMutable([&](auto& numbers) {
    using Narrow = std::remove_reference_t<decltype(numbers[0])>;
    column.Visit([&](auto codes) {
      ParallelFor(codes.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) numbers[row] = static_cast<Narrow>(number_of_code[codes[row]]);
      });
    });
  });
  return signatures;
}

// By the number of a combination: the items that its rows hold, ascending. No two combinations hold the same.
std::vector<std::vector<std::size_t>> ItemsHeld(const Combinations& combinations, std::span<const ItemSets> sets,
                                                std::span<const CodeColumn* const> sensitive) {
  std::vector<std::vector<std::size_t>> held;
  for (const std::uint32_t row : FirstRows(combinations)) {
    std::vector<std::size_t>& of_row = held.emplace_back();
    for (std::size_t column = 0; column < sensitive.size(); ++column) {
      const std::vector<std::size_t>& items = sets[column].items[sets[column].of_code[(*sensitive[column])[row]]];
      of_row.insert(of_row.end(), items.begin(), items.end());
    }
    std::ranges::sort(of_row);
  }
  return held;
}

// Frequencies go up and down: the largest of two years of quarters is hardly ever exceeded by a quarter of it.
constexpr std::size_t kRecentReleases = 8;

// Which published table shows an item. One generalized table shows all of them, row by row.
std::vector<std::uint32_t> TablesOfItems(const GroupTask& task, const GlobalClaim& held) {
  std::vector<std::uint32_t> table_of_item;
  if (task.bound.policy.form == PublishForm::kGeneralized) return table_of_item;
  const auto tables = SensitiveTablesOf(task.bound.policy, task.items.columns.size());
  std::vector<std::uint32_t> table_of_column(task.items.columns.size());
  for (std::uint32_t table = 0; table < tables.size(); ++table) {
    for (const std::uint32_t column : tables[table]) table_of_column[column] = table;
  }
  for (const SensitiveItem& item : held.items) table_of_item.push_back(table_of_column[item.column]);
  return table_of_item;
}

// Where (alpha,k)-anonymity is asked for as well: its limits as further items of `held`, one for each that is returned.
std::vector<Ratio> AddClassLimits(const BoundPolicy& bound, const EncodedInput& input, const BoundItems& items,
                                  GlobalClaim& held) {
  std::vector<Ratio> limits;
  const std::optional<BoundAlphaK> sensitive = BindLimits(bound, input);
  if (!sensitive) return limits;
  const auto add = [&](const SensitiveLimit& limit, std::vector<Code> values) {
    std::erase_if(values, [&](Code value) { return value >= items.value_counts[limit.column]; });
    held.items.push_back({limit.column, std::move(values), 0, true, ""});
    limits.push_back(limit.at_most);
  };
  for (const SensitiveLimit& limit : sensitive->claim.limits) {
    if (limit.together) {
      add(limit, limit.values);
      continue;
    }
    for (const Code value : limit.values) add(limit, {value});
  }
  return limits;
}

}  // namespace

// Signatures are numbered by what they hold and not by where they first stand: a maker that looks at them in their
// order must not learn the order of the rows from it.
Signatures SignaturesOfItems(const GlobalClaim& claim, std::size_t rows, std::span<const CodeColumn* const> sensitive,
                             std::span<const Code> value_counts) {
  if (sensitive.size() == 1 && value_counts[0] <= kFewValues)
    return SignaturesOfColumn(claim, *sensitive[0], value_counts[0]);
  std::vector<ItemSets> sets;
  CombinationNumbering numbering(rows);
  for (std::size_t column = 0; column < sensitive.size(); ++column) {
    sets.push_back(CollectItemSets(claim, column, value_counts[column]));
    const std::vector<std::uint32_t>& of_code = sets.back().of_code;
    sensitive[column]->Visit([&](auto codes) {
      numbering.Refine(sets.back().items.size(), [&](std::size_t row) { return std::uint64_t{of_code[codes[row]]}; });
    });
  }
  const Combinations combinations = std::move(numbering).Finish();
  const std::vector<std::vector<std::size_t>> held = ItemsHeld(combinations, sets, sensitive);
  std::vector<std::uint32_t> in_order(held.size());
  std::iota(in_order.begin(), in_order.end(), 0U);
  std::ranges::sort(
      in_order, {}, [&](std::uint32_t combination) -> const auto& { return held[combination]; });
  std::vector<Code> signature_of(held.size());
  Signatures signatures;
  signatures.items.resize(claim.items.size());
  for (Code signature = 0; signature < in_order.size(); ++signature) {
    signature_of[in_order[signature]] = signature;
    for (const std::size_t item : held[in_order[signature]]) signatures.items[item].signatures.push_back(signature);
  }
  signatures.count = std::max<Code>(combinations.count, 1);
  signatures.of_row = CodeColumn(signatures.count, rows);
  signatures.of_row.VisitMutable([&](auto& codes) {
    using Narrow = std::remove_reference_t<decltype(codes[0])>;
    ParallelFor(rows, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row)
        codes[row] = static_cast<Narrow>(signature_of[combinations.of_row[row]]);
    });
  });
  return signatures;
}

std::vector<Ratio> ExpectedOf(const Account& account, const Schedule& schedule) {
  const std::span<const AccountedRelease> all = account.about().releases;
  const std::span<const AccountedRelease> recent =
      all.last(std::min(all.size(), schedule.horizon == Horizon::kKnown ? std::size_t{1} : kRecentReleases));
  std::vector<Ratio> expected;
  if (recent.empty()) return expected;
  expected.assign(account.items(), Ratio{0, 1});
  for (const AccountedRelease& release : recent) {
    for (std::size_t item = 0; item < release.holders.size() && release.rows > 0; ++item)
      expected[item] = std::max(expected[item], Ratio{release.holders[item], release.rows});
  }
  return expected;
}

Result<GlobalGroups> FormGlobalGroups(const GroupTask& task) {
  // Limits in each class come after what the account knows, without a budget.
  GlobalClaim held = task.items.claim;
  const std::vector<Ratio> limits = AddClassLimits(task.bound, task.input, task.items, held);
  const std::size_t items = task.account.items(), all = held.items.size();
  Signatures signatures = SignaturesOfItems(held, task.table.rows, task.sensitive, task.items.value_counts);
  for (std::size_t i = 0; i < limits.size(); ++i) signatures.items[items + i].at_most = limits[i];
  std::vector<std::uint64_t> l_of_item;
  for (const SensitiveItem& item : task.items.claim.items) l_of_item.push_back(item.l);
  l_of_item.resize(all, 0);
  GlobalOptions options;
  options.k = std::max<std::uint64_t>(task.bound.k, 1);
  const std::uint64_t made = task.account.about().releases.size();
  options.schedule = ScheduleOf(task.guarantee.releases, task.guarantee.spend, made, task.guarantee.room).spending;
  std::vector<Ratio> expected = ExpectedOf(task.account, options.schedule);
  if (!expected.empty()) expected.resize(all);
  options.blind = task.guarantee.blind;
  options.wants_boxes = task.bound.policy.form == PublishForm::kGeneralized;
  // Two tables publish no labels, so nothing keeps cuts to a taxonomy.
  options.form = options.wants_boxes ? task.bound.policy.categories : CategoryForm::kSets;
  options.seed = task.seed;
  std::vector<std::string> names;
  for (const SensitiveItem& item : held.items)
    names.push_back(item.name.empty() ? "a value that (alpha,k)-anonymity limits" : item.name);
  const global::PeopleBudgets budgets{items, task.account.spent(), task.account.appearances()};
  const std::vector<std::uint32_t> table_of_item = TablesOfItems(task, held);
  return GroupWithinBudgets(task.table, task.input.domains,
                            {&signatures, l_of_item, budgets, task.person_of_row, expected, names, table_of_item},
                            options);
}

double LossOfGroups(const GlobalGroups& groups, std::span<const Domain> domains) {
  Classes draft = groups.classes;
  std::erase(draft.of_row, kWithheldClass);
  return MeasureNumbered(draft, domains, 0).ncp_percent;
}

bool LosesTooMuch(const GlobalGuaranteePolicy& guarantee, double ncp_percent) {
  const Ratio most = guarantee.most_loss;
  return ncp_percent > 100.0 * static_cast<double>(most.num) / static_cast<double>(most.den);
}

}  // namespace pentimento
