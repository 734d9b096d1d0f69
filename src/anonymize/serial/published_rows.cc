#include "anonymize/serial/published_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>

#include "base/parallel.h"
#include "base/plural.h"

namespace pentimento::serial {
namespace {

ItemLimits LimitsOf(const SerialPeople& people) { return {people.l_of_item, people.signatures}; }

// Of the items, among the rows that are published.
void CountHolders(const Signatures& signatures, PublishedRows& published) {
  std::vector<std::uint64_t> rows_with(signatures.count);
  std::mutex mutex;
  signatures.of_row.Visit([&](const auto of_row) {
    ParallelFor(published.count, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint64_t> here(signatures.count);
      for (std::size_t i = begin; i < end; ++i) ++here[of_row[published.RowAt(i)]];
      const std::scoped_lock lock(mutex);
      for (std::size_t signature = 0; signature < here.size(); ++signature) rows_with[signature] += here[signature];
    });
  });
  for (const LimitedItem& item : signatures.items) {
    std::uint64_t& count = published.holders.emplace_back(0);
    for (const Code signature : item.signatures) count += rows_with[signature];
  }
}

void ChoosePeople(const SerialPeople& people, PublishedRows& published) {
  // One row per person: so many rows are everybody.
  if (published.count == people.budgets.people()) {
    published.people.are_alike = AreAllAlike(people.budgets);
    return;
  }
  published.people.is_chosen.resize(people.budgets.people());
  for (std::size_t i = 0; i < published.count; ++i) published.people.is_chosen[people.PersonOf(published.RowAt(i))] = 1;
}

// The first item that too many of these rows have for one group of them.
std::optional<std::size_t> TooFrequentItem(std::span<const std::uint64_t> holders, std::span<const Cap> caps,
                                           std::uint64_t rows) {
  for (std::size_t item = 0; item < caps.size(); ++item) {
    if (!caps[item].Allows(holders[item], rows)) return item;
  }
  return std::nullopt;
}

// A cap of an expected frequency is compared in costs, so that nobody is kept who is a rounding short of it.
std::vector<LogCost> CostsOf(std::span<const Ratio> expected) {
  std::vector<LogCost> costs;
  for (const Ratio ratio : expected) {
    constexpr std::uint64_t kRows = std::uint64_t{1} << 32;
    __extension__ using Wide = unsigned __int128;
    const auto holders = static_cast<std::uint64_t>((Wide{ratio.num} * kRows + ratio.den - 1) / ratio.den);
    costs.push_back(CostOfExposure(std::min(holders, kRows), kRows));
  }
  return costs;
}

std::vector<std::uint32_t> RowsWithEnoughLeft(std::size_t rows, const SerialPeople& people, const Spending& spending) {
  const std::vector<LogCost> needed = CostsOf(people.expected);
  const PeopleBudgets& budgets = people.budgets;
  std::vector<std::uint32_t> enough;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::size_t person = people.PersonOf(row);
    bool is_enough = true;
    for (std::size_t item = 0; item < budgets.accounted && is_enough; ++item) {
      const LogCost left = spending.Left(item, budgets.spent[person * budgets.accounted + item]);
      is_enough = spending.budget(item) == 0 || spending.Limit(item, left, budgets.appearances[person]) >= needed[item];
    }
    if (is_enough) enough.push_back(row);
  }
  return enough;
}

// What can still be done: once a series has begun, what was promised stays.
std::string WhatToDo(const SerialPeople& people, std::size_t item, const Spending& spending) {
  const bool has_begun = !people.expected.empty();
  const std::uint64_t l = people.l_of_item[item];
  std::string advice;
  if (spending.releases_left() > 1) advice += "plan fewer releases, ";
  if (spending.holds_back()) advice += "raise spend, ";
  if (!has_begun) advice += "protect fewer values, ";
  if (!has_begun && l > 2) advice += "lower l, ";
  if (!advice.empty()) advice += "or ";
  return advice +
         (has_begun ? "wait until fewer people have it or others have come" : "wait until fewer people have it");
}

Error Refuse(const SerialPeople& people, std::size_t item, std::span<const std::uint64_t> holders, const Cap& cap,
             std::uint64_t rows, const Spending& spending) {
  const std::string name = people.names.empty() ? fmt::format("sensitive item {}", item + 1) : people.names[item];
  return {ErrorCode::kRefused,
          fmt::format("{} is too frequent for what this series has left: {} of {} people have it, but what those with "
                      "least left may still bear allows {}. Nothing was published; {}",
                      name, holders[item], rows, cap.num * rows / cap.den, WhatToDo(people, item, spending))};
}

}  // namespace

Result<PublishedRows> ChooseRows(std::size_t rows, const SerialPeople& people, const Spending& spending,
                                 std::uint64_t k) {
  if (rows < k || rows == 0) {
    return Error{ErrorCode::kRefused,
                 fmt::format("the table has {} {}, but every group needs {}: nothing can be published; gather more "
                             "rows or lower k",
                             rows, Plural(rows, "person", "people"), std::max<std::uint64_t>(k, 1))};
  }
  PublishedRows everybody{rows, {}, {}, {}};
  CountHolders(*people.signatures, everybody);
  ChoosePeople(people, everybody);
  const std::vector<Cap> caps = CapsOfAll(people.budgets, spending, everybody.people, LimitsOf(people));
  const std::optional<std::size_t> too_frequent = TooFrequentItem(everybody.holders, caps, rows);
  if (!too_frequent) return everybody;
  const Error refusal = Refuse(people, *too_frequent, everybody.holders, caps[*too_frequent], rows, spending);
  if (people.expected.empty()) return refusal;

  PublishedRows some{0, RowsWithEnoughLeft(rows, people, spending), {}, {}};
  some.count = some.rows.size();
  if (some.count < std::max<std::uint64_t>(k, 1)) return refusal;
  CountHolders(*people.signatures, some);
  ChoosePeople(people, some);
  const std::vector<Cap> caps_of_some = CapsOfAll(people.budgets, spending, some.people, LimitsOf(people));
  if (TooFrequentItem(some.holders, caps_of_some, some.count)) return refusal;
  // Were it the withheld whose values make the difference, withholding them would tell that they have the item.
  if (!TooFrequentItem(some.holders, caps, rows)) return refusal;
  return some;
}

}  // namespace pentimento::serial
