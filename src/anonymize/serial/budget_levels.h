// Everybody's budget as one of a few levels, and for each level how frequent an item may be in a group. A group has the
// caps of its lowest level. Levels follow from the ledger, from who is in the release, and from totals that are
// published: never from who holds what.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "anonymize/sensitive/signatures.h"
#include "anonymize/serial/schedule.h"
#include "base/ratio.h"
#include "base/result.h"

namespace pentimento::serial {

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

// What the ledger knows of the people of this release.
struct PeopleBudgets {
  std::size_t items = 0;
  std::span<const LogCost> left;               // row after row, `items` for each
  std::span<const std::uint32_t> appearances;  // by row: earlier releases of the series with this person
};

struct BudgetLevels {
  std::size_t items = 0;
  std::size_t count = 1;
  std::vector<std::uint8_t> of_row;  // by place in the rows asked for
  std::vector<Cap> caps;             // `items` for each level; higher levels never have lower caps

  std::span<const Cap> CapsOf(std::size_t level) const { return std::span(caps).subspan(level * items, items); }
};

// The caps that suit everybody in `rows`, by item: those of one group of all of them.
std::vector<Cap> CapsOfAll(const PeopleBudgets& people, const Spending& spending, std::span<const std::uint32_t> rows,
                           const ItemLimits& items);

// At most `most` levels over `rows`. `holders`: by item, how many of them have it; items that nobody has do not matter.
BudgetLevels LevelBudgets(const PeopleBudgets& people, const Spending& spending, std::span<const std::uint32_t> rows,
                          const ItemLimits& items, std::span<const std::uint64_t> holders, std::size_t most);

}  // namespace pentimento::serial
