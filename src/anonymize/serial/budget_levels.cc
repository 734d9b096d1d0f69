#include "anonymize/serial/budget_levels.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "base/check.h"
#include "base/parallel.h"

namespace pentimento::serial {
namespace {

constexpr std::size_t kRowGrain = std::size_t{1} << 16;

// Calls body(first row, past the last, sums of this part) for parts of the rows side by side, and returns the parts'
// results in their order.
template <typename Partial, typename Body>
std::vector<Partial> ForParts(std::size_t rows, const Partial& start, const Body& body) {
  std::vector<Partial> parts((rows + kRowGrain - 1) / kRowGrain, start);
  ParallelFor(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) body(p * kRowGrain, std::min((p + 1) * kRowGrain, rows), parts[p]);
  });
  return parts;
}

// Whether everybody has the same budgets and as many appearances, as in the first release of a series. Then one person
// stands for all. Where it is not so, the first parts show it.
bool AreAllAlike(const PeopleBudgets& people, const PeopleChoice& chosen) {
  if (people.people() == 0 || !chosen.is_chosen.empty()) return false;
  const auto first = people.spent.first(people.accounted);
  std::atomic<bool> alike = true;
  ParallelFor(people.people(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    if (!alike.load(std::memory_order_relaxed)) return;
    LogCost differing = 0;
    const LogCost* spent = &people.spent[begin * first.size()];
    for (std::size_t person = begin; person < end; ++person) {
      differing |= people.appearances[person] ^ people.appearances[0];
      for (const LogCost of_item : first) differing |= *spent++ ^ of_item;
    }
    if (differing != 0) alike.store(false, std::memory_order_relaxed);
  });
  return alike;
}

// Exactly, unless it has more digits than 64-bit products hold: then rounded down.
Cap AsCap(Ratio at_most) {
  if (at_most.num < kWholeClass && at_most.den < kWholeClass) return {at_most.num, at_most.den};
  __extension__ using Wide = unsigned __int128;
  return {static_cast<std::uint64_t>(Wide{at_most.num} * (kWholeClass - 1) / at_most.den), kWholeClass - 1};
}

// Somebody with nothing spent who may spend everything is judged by 1/l itself, which no fixed point can hold.
Cap CapOf(LogCost allowed, LogCost budget, std::uint64_t l, Ratio at_most) {
  const Cap limit = AsCap(at_most);
  if (l == 0) return limit;
  const Cap cap = allowed >= budget ? Cap{1, l} : Cap{LargestShare(allowed), kWholeClass};
  return limit.num * cap.den < cap.num * limit.den ? limit : cap;
}

LogCost AllowedOf(const Spending& spending, std::size_t item, LogCost spent, std::uint32_t appearances) {
  return spending.Aim(item, spending.Left(item, spent), appearances);
}

// How much room somebody has: the least over the items of what may be spent on them, in proportion to how frequent the
// item is.
class Room {
 public:
  Room(const PeopleBudgets& people, const Spending& spending, std::span<const std::uint64_t> holders)
      : people_(people), spending_(spending), weights_(people.accounted) {
    const std::uint64_t most = *std::max_element(holders.begin(), holders.end());
    for (std::size_t item = 0; item < people.accounted; ++item) {
      // Rare items hardly ever decide; beyond this they need no weight that is right. Items that nobody has never do.
      constexpr std::uint64_t kMostWeight = std::uint64_t{1} << 20;
      if (holders[item] > 0 && spending.budget(item) > 0)
        weights_[item] = std::min((most << 8) / holders[item], kMostWeight);
    }
  }

  std::uint64_t Look(std::size_t person) const {
    const std::size_t items = weights_.size();
    const LogCost* const spent = &people_.spent[person * items];
    const std::uint32_t appearances = people_.appearances[person];
    const std::uint64_t* const weights = weights_.data();
    std::uint64_t room = kMostRoom;
    for (std::size_t item = 0; item < items; ++item) {
      if (weights[item] == 0) continue;
      room = std::min(room, (AllowedOf(spending_, item, spent[item], appearances) >> 30) * weights[item] >> 8);
    }
    return room + 1;
  }

 private:
  static constexpr std::uint64_t kMostRoom = std::uint64_t{1} << 44;

  const PeopleBudgets& people_;
  const Spending& spending_;
  std::vector<std::uint64_t> weights_;  // 0: nobody has the item
};

// Levels in geometric steps from the least room on: 2^step_bits to an octave, as fine as the number of levels allows.
class LevelScale {
 public:
  LevelScale(std::uint64_t least, std::uint64_t most, std::size_t levels) {
    int step_bits = 8;
    while (step_bits > 0 && BeginOf(levels, least, step_bits) <= most) --step_bits;
    for (std::size_t level = 1; level < levels; ++level) begins_.push_back(BeginOf(level, least, step_bits));
  }

  std::size_t Of(std::uint64_t room) const {
    std::size_t level = 0;
    for (const std::uint64_t begin : begins_) level += room >= begin ? 1 : 0;
    return level;
  }

 private:
  static std::uint64_t BeginOf(std::size_t level, std::uint64_t least, int step_bits) {
    const std::size_t per_octave = std::size_t{1} << step_bits;
    return least * (per_octave + level % per_octave) >> step_bits << (level / per_octave);
  }

  std::vector<std::uint64_t> begins_;  // of the levels from the second on
};

// Fills in the rooms of the people who are looked at, from the first on.
LevelScale ScaleOver(const Room& room, const PeopleChoice& chosen, std::size_t levels, std::span<std::uint64_t> rooms) {
  struct Range {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = 0;
  };
  Range all;
  for (const Range& part : ForParts(rooms.size(), Range{}, [&](std::size_t begin, std::size_t end, Range&range) {
         for (std::size_t person = begin; person < end; ++person) {
           if (!chosen(person)) continue;
           const std::uint64_t of_person = room.Look(person);
           rooms[person] = of_person;
           range = {std::min(range.least, of_person), std::max(range.most, of_person)};
         }
       })) {
    all = {std::min(all.least, part.least), std::max(all.most, part.most)};
  }
  return LevelScale(all.least, all.most, levels);
}

}  // namespace

std::vector<Cap> CapsOfAll(const PeopleBudgets& people, const Spending& spending, const PeopleChoice& chosen,
                           const ItemLimits& items) {
  std::vector<LogCost> least(items.l.size(), kBeyondBudget);
  const std::size_t looked_at = AreAllAlike(people, chosen) ? 1 : people.people();
  for (const std::vector<LogCost>&part :
       ForParts(looked_at, least, [&](std::size_t begin, std::size_t end, std::vector<LogCost>&minima) {
         for (std::size_t person = begin; person < end; ++person) {
           if (!chosen(person)) continue;
           const LogCost* const spent = &people.spent[person * people.accounted];
           for (std::size_t item = 0; item < people.accounted; ++item) {
             const LogCost left = spending.Left(item, spent[item]);
             minima[item] = std::min(minima[item], spending.Limit(item, left, people.appearances[person]));
           }
         }
       })) {
    for (std::size_t item = 0; item < least.size(); ++item) least[item] = std::min(least[item], part[item]);
  }
  std::vector<Cap> caps;
  for (std::size_t item = 0; item < least.size(); ++item)
    caps.push_back(CapOf(least[item], spending.budget(item), items.l[item], items.at_most(item)));
  return caps;
}

BudgetLevels LevelBudgets(const PeopleBudgets& people, const Spending& spending, const PeopleChoice& chosen,
                          const ItemLimits& items, std::span<const std::uint64_t> holders, std::size_t most) {
  Check(most >= 1 && most <= kMostLevels, "a number of levels outside of its range");
  const std::size_t accounted = people.accounted;
  BudgetLevels levels{items.l.size(), most, std::vector<std::uint8_t>(people.people()), {}};
  const Room room(people, spending, holders);
  const std::size_t looked_at = AreAllAlike(people, chosen) ? 1 : people.people();
  std::vector<std::uint64_t> rooms(looked_at);
  const LevelScale scale = most == 1 ? LevelScale(1, 1, 1) : ScaleOver(room, chosen, most, rooms);
  const std::vector<LogCost> nothing_yet(kMostLevels * accounted, kBeyondBudget);
  std::vector<LogCost> least = nothing_yet;
  for (const std::vector<LogCost>&part :
       ForParts(looked_at, nothing_yet, [&](std::size_t begin, std::size_t end, std::vector<LogCost>&minima) {
         for (std::size_t person = begin; person < end; ++person) {
           if (!chosen(person)) continue;
           const std::size_t level = scale.Of(rooms[person]);
           levels.of_person[person] = static_cast<std::uint8_t>(level);
           LogCost* const of_level = &minima[level * accounted];
           const LogCost* const spent = &people.spent[person * accounted];
           for (std::size_t item = 0; item < accounted; ++item)
             of_level[item] =
                 std::min(of_level[item], AllowedOf(spending, item, spent[item], people.appearances[person]));
         }
       })) {
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], part[i]);
  }
  if (looked_at == 1) std::ranges::fill(levels.of_person, levels.of_person[0]);
  // A group's caps are those of its lowest level, so they must suit all levels above.
  for (std::size_t i = least.size() - accounted; i-- > 0;) least[i] = std::min(least[i], least[i + accounted]);
  for (std::size_t level = 0; level < levels.count; ++level) {
    for (std::size_t item = 0; item < levels.items; ++item) {
      const LogCost allowed = item < accounted ? least[level * accounted + item] : kBeyondBudget;
      levels.caps.push_back(CapOf(allowed, spending.budget(item), items.l[item], items.at_most(item)));
    }
  }
  return levels;
}

}  // namespace pentimento::serial
