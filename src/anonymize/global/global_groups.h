// Groups for one release of a series in which people come back and their sensitive values change: over all releases
// together nobody may be linked to an item with more than 1/l. Every person has a budget for every item, and a group
// may hold an item only as often as the least of its members' budgets allows. See algorithm.md for what was measured,
// and for what the groups tell to somebody who knows this program.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "anonymize/global/budget_levels.h"
#include "anonymize/global/schedule.h"
#include "anonymize/limits/signatures.h"
#include "base/category_form.h"
#include "base/random.h"
#include "base/result.h"
#include "release/classes.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// The class of a row that is not published.
inline constexpr ClassNumber kWithheldClass = std::numeric_limits<ClassNumber>::max();

struct GlobalOptions {
  std::uint64_t k = 1;
  Schedule schedule;
  bool blind = false;  // where groups end does not depend on who holds what
  CategoryForm form = CategoryForm::kTaxonomy;
  bool wants_boxes = true;                          // two tables publish no boxes
  std::size_t budget_levels = global::kMostLevels;  // 1: everybody counts as whoever has the smallest remaining budget
  bool balances = true;                             // cuts are priced for holders out of proportion
  Seed seed{};                                      // only blind groups draw anything
};

// One row per person. Items are numbered as in the signatures, in the order of the claim, and those that nobody has at
// the moment are among them: who is withheld must not depend on that. Whatever budgets allow, an item is never more
// frequent in a group than its at_most.
struct GlobalPeople {
  const Signatures* signatures = nullptr;
  std::span<const std::uint64_t> l_of_item;      // 0: at_most is the only limit
  global::PeopleBudgets budgets;                 // of everybody in the series; items without l need not be among them
  std::span<const std::uint32_t> person_of_row;  // numbers in the budgets; empty: rows are in their order
  // By item: how frequent it will be, from public information, such as the releases before. Empty: nobody is withheld.
  std::span<const Ratio> expected;
  std::span<const std::string> names = {};  // by item, for messages; empty: they are numbered
  // By item, from 0 on: the published table that shows it. Who has items of two tables is not published, and blind
  // groups must not depend on it. Empty: one table shows all of them.
  std::span<const std::uint32_t> table_of_item = {};

  std::size_t PersonOf(std::size_t row) const { return person_of_row.empty() ? row : person_of_row[row]; }
};

struct GlobalGroups {
  Classes classes;                // kWithheldClass: the row is not published. Equal boxes stay apart
  std::uint64_t withheld = 0;     // rows
  std::uint64_t fewest_rows = 0;  // every group has at least so many: k, or more where groups are blind
};

// kRefused where an item is too frequent for what is left, where fewer than k rows could be published, or where blind
// groups would break a cap: the message says which item, or what to do. The same result for any number of threads.
Result<GlobalGroups> GroupWithinBudgets(const EncodedTable& table, std::span<const Domain> domains,
                                        const GlobalPeople& people, const GlobalOptions& options);

}  // namespace pentimento
