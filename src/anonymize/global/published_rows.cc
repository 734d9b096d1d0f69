#include "anonymize/global/published_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "base/plural.h"

namespace pentimento::global {
namespace {

ItemLimits LimitsOf(const GlobalPeople& people) { return {people.l_of_item, people.signatures}; }

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

void ChoosePeople(const GlobalPeople& people, PublishedRows& published) {
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

// The rows of people who may spend at least `needed` on each item.
std::vector<std::uint32_t> RowsWithEnoughLeft(std::size_t rows, const GlobalPeople& people, const Spending& spending,
                                              std::span<const LogCost> needed) {
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
std::string WhatToDo(const GlobalPeople& people, std::size_t item, const Spending& spending) {
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

Error Refuse(const GlobalPeople& people, std::size_t item, std::span<const std::uint64_t> holders, const Cap& cap,
             std::uint64_t rows, const Spending& spending) {
  const std::string name = people.names.empty() ? fmt::format("sensitive item {}", item + 1) : people.names[item];
  return {ErrorCode::kRefused,
          fmt::format("{} is too frequent for what this series has left: {} of {} people have it, and the smallest "
                      "remaining budgets allow {}. Nothing was published; {}",
                      name, holders[item], rows, cap.num * rows / cap.den, WhatToDo(people, item, spending))};
}

// Counted, with the people whose rows they are. No rows: all of them.
PublishedRows Publish(const GlobalPeople& people, std::vector<std::uint32_t> rows, std::size_t count) {
  PublishedRows published{count, std::move(rows), {}, {}};
  CountHolders(*people.signatures, published);
  ChoosePeople(people, published);
  return published;
}

PublishedRows PublishEnough(std::size_t all, const GlobalPeople& people, const Spending& spending,
                            std::span<const LogCost> needed) {
  std::vector<std::uint32_t> rows = RowsWithEnoughLeft(all, people, spending, needed);
  const std::size_t count = rows.size();
  if (count == all) rows.clear();
  return Publish(people, std::move(rows), count);
}

Error RefuseFew(std::size_t rows, std::size_t left, std::uint64_t k) {
  if (left == rows) {
    return {ErrorCode::kRefused,
            fmt::format("the table has {} {}, but every group needs {}: nothing can be published; gather more "
                        "rows or lower k",
                        rows, Plural(rows, "person", "people"), k)};
  }
  return {ErrorCode::kRefused,
          fmt::format("of the {} people of this table {} {} enough of the budgets left to be in another release, but "
                      "every group needs {}. Nothing was published; wait until others have come, or begin another "
                      "series with other people",
                      rows, left, Plural(left, "has", "have"), k)};
}

}  // namespace

Result<PublishedRows> ChooseRows(std::size_t rows, const GlobalPeople& people, const Spending& spending,
                                 std::uint64_t k) {
  k = std::max<std::uint64_t>(k, 1);
  if (rows < k) return RefuseFew(rows, rows, k);
  const bool by_ledger = spending.withholds_by_ledger() && !people.expected.empty();
  std::vector<LogCost> needed;
  for (std::size_t item = 0; item < people.expected.size(); ++item)
    needed.push_back(by_ledger ? spending.NeededFor(item, people.expected[item])
                               : CostOfFrequency(people.expected[item]));
  PublishedRows roomy = by_ledger ? PublishEnough(rows, people, spending, needed) : Publish(people, /*rows=*/{}, rows);
  if (roomy.count < k) return RefuseFew(rows, roomy.count, k);
  const std::vector<Cap> caps = CapsOfAll(people.budgets, spending, roomy.people, LimitsOf(people));
  const std::optional<std::size_t> too_frequent = TooFrequentItem(roomy.holders, caps, roomy.count);
  if (!too_frequent) return roomy;
  const Error refusal = Refuse(people, *too_frequent, roomy.holders, caps[*too_frequent], roomy.count, spending);
  // Where the ledger has decided, nothing else does.
  if (people.expected.empty() || by_ledger) return refusal;

  PublishedRows some = PublishEnough(rows, people, spending, needed);
  if (some.count < k) return refusal;
  const std::vector<Cap> caps_of_some = CapsOfAll(people.budgets, spending, some.people, LimitsOf(people));
  if (TooFrequentItem(some.holders, caps_of_some, some.count)) return refusal;
  // Were it the withheld whose values make the difference, withholding them would tell that they have the item.
  if (!TooFrequentItem(some.holders, caps, rows)) return refusal;
  return some;
}

}  // namespace pentimento::global
