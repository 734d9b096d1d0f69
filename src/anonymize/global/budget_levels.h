// Everybody's budget as one of a few levels, and for each level how frequent an item may be in a group. A group has the
// caps of its lowest level. Levels follow from the ledger, from who is in the release, and from totals that are
// published: never from who holds what.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "anonymize/global/schedule.h"
#include "anonymize/limits/signatures.h"
#include "base/ratio.h"
#include "base/result.h"

namespace pentimento::global {

// At most num/den of a group: holders * den <= num * rows, which 64 bits hold for fewer than 2^32 rows.
struct Cap {
  std::uint64_t num = 0;
  std::uint64_t den = kWholeClass;

  bool Allows(std::uint64_t holders, std::uint64_t rows) const { return holders * den <= num * rows; }
  // Rounded down once, as shares of groups are: what the cap allows is never above it.
  ClassShare share() const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<ClassShare>(Wide{num} * kWholeClass / den);
  }
};

inline constexpr std::size_t kMostLevels = 16;

// What is promised of the items: over all releases, and in each class of this one.
struct ItemLimits {
  std::span<const std::uint64_t> l;  // 0: nothing over all releases
  const Signatures* signatures = nullptr;

  Ratio at_most(std::size_t item) const { return signatures->items[item].at_most; }
};

// What the ledger knows of people, in its order: whoever passes over all of them reads their budgets in one go.
struct PeopleBudgets {
  std::size_t accounted = 0;                   // the first of the items: the others have no budgets
  std::span<const LogCost> spent;              // person after person, `accounted` for each
  std::span<const std::uint32_t> appearances;  // by person: earlier releases of the series with this person

  std::size_t people() const { return appearances.size(); }
};

// Whether everybody has the same budgets and as many appearances, as in the first release of a series.
bool AreAllAlike(const PeopleBudgets& people);

// Which of these people are meant.
struct PeopleChoice {
  std::vector<std::uint8_t> is_chosen;  // by person; empty: all of them
  bool are_alike = false;               // all of them are chosen, and the first stands for everybody

  bool operator()(std::size_t person) const { return is_chosen.empty() || is_chosen[person] != 0; }
};

struct BudgetLevels {
  std::size_t items = 0;
  std::size_t count = 1;
  std::vector<std::uint8_t> of_person;  // of those who were chosen
  std::vector<Cap> caps;                // `items` for each level; higher levels never have lower caps

  std::span<const Cap> CapsOf(std::size_t level) const { return std::span(caps).subspan(level * items, items); }
};

// The caps that suit everybody who is chosen, by item: those of one group of all of them.
std::vector<Cap> CapsOfAll(const PeopleBudgets& people, const Spending& spending, const PeopleChoice& chosen,
                           const ItemLimits& items);

// At most `most` levels. `holders`: by item, how many of those who are chosen have it; items that nobody has do not
// matter.
BudgetLevels LevelBudgets(const PeopleBudgets& people, const Spending& spending, const PeopleChoice& chosen,
                          const ItemLimits& items, std::span<const std::uint64_t> holders, std::size_t most);

}  // namespace pentimento::global
