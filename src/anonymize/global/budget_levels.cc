#include "anonymize/global/budget_levels.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "base/unfilled.h"

namespace pentimento::global {
namespace {

// Calls body(first row, past the last, sums of this part) for parts of the rows side by side, and returns the parts'
// results in their order.
template <typename Partial, typename Body>
std::vector<Partial> ForParts(std::size_t rows, const Partial& start, const Body& body) {
  std::vector<Partial> parts((rows + kRowsPerTask - 1) / kRowsPerTask, start);
  ParallelFor(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) body(p * kRowsPerTask, std::min((p + 1) * kRowsPerTask, rows), parts[p]);
  });
  return parts;
}

// Exactly, unless it has more digits than 64-bit products hold: then rounded down.
Cap AsCap(Ratio at_most) {
  if (at_most.num < kWholeClass && at_most.den < kWholeClass) return {at_most.num, at_most.den};
  __extension__ using Wide = unsigned __int128;
  return {static_cast<std::uint64_t>(Wide{at_most.num} * (kWholeClass - 1) / at_most.den), kWholeClass - 1};
}

// Somebody with nothing spent who may spend everything is held to 1/l itself, which no fixed point can hold.
Cap CapOf(LogCost allowed, LogCost budget, std::uint64_t l, Ratio at_most) {
  const Cap limit = AsCap(at_most);
  if (l == 0) return limit;
  const Cap cap = allowed >= budget ? Cap{1, l} : Cap{LargestShare(allowed), kWholeClass};
  return limit.num * cap.den < cap.num * limit.den ? limit : cap;
}

// Calls body(std::bool_constant) that says whether what people may spend follows from what they have left alone.
template <typename Body>
void WithKindOf(const Spending& spending, const Body& body) {
  spending.follows_what_is_left() ? body(std::true_type()) : body(std::false_type());
}

template <bool kFollowsLeft>
LogCost AllowedOf(const Spending& spending, std::size_t item, LogCost left, std::uint32_t appearances) {
  return kFollowsLeft ? spending.LimitOfLeft(left) : spending.Aim(item, left, appearances);
}

// How much room somebody has: the least over the items of what may be spent on them, in proportion to how frequent the
// item is.
class Room {
 public:
  Room(const PeopleBudgets& people, const Spending& spending, std::span<const std::uint64_t> holders)
      : people_(people), spending_(spending) {
    const std::uint64_t most = *std::max_element(holders.begin(), holders.end());
    for (std::size_t item = 0; item < people.accounted; ++item) {
      // Rare items hardly ever decide; beyond this they need no weight that is right. Items that nobody has never do.
      constexpr std::uint64_t kMostWeight = std::uint64_t{1} << 20;
      if (holders[item] > 0 && spending.budget(item) > 0)
        weighed_.push_back({item, spending.budget(item), std::min((most << 8) / holders[item], kMostWeight)});
    }
  }

  template <bool kFollowsLeft>
  std::uint64_t Look(std::size_t person) const {
    const LogCost* const spent = &people_.spent[person * people_.accounted];
    const std::uint32_t appearances = kFollowsLeft ? 0 : people_.appearances[person];
    std::uint64_t room = kMostRoom;
    for (const Weighed& it : weighed_) {
      const LogCost left = it.budget > spent[it.item] ? it.budget - spent[it.item] : 0;
      room = std::min(room, (AllowedOf<kFollowsLeft>(spending_, it.item, left, appearances) >> 30) * it.weight >> 8);
    }
    return room + 1;
  }

 private:
  static constexpr std::uint64_t kMostRoom = std::uint64_t{1} << 44;
  struct Weighed {
    std::size_t item;
    LogCost budget;
    std::uint64_t weight;
  };

  const PeopleBudgets& people_;
  const Spending& spending_;
  std::vector<Weighed> weighed_;  // the items that somebody has
};

// Levels in geometric steps from the least room on: 2^step_bits to an octave, as fine as the number of levels allows.
class LevelScale {
 public:
  LevelScale(std::uint64_t least, std::uint64_t most, std::size_t levels) {
    int step_bits = 8;
    while (step_bits > 0 && BeginOf(levels, least, step_bits) <= most) --step_bits;
    begins_.fill(std::numeric_limits<std::uint64_t>::max());
    for (std::size_t level = 1; level < levels; ++level) begins_[level] = BeginOf(level, least, step_bits);
  }

  // Halves the levels without a branch: those of people who follow one another have nothing to do with each other.
  std::size_t Of(std::uint64_t room) const {
    std::size_t level = 0;
    for (std::size_t half = kMostLevels / 2; half > 0; half /= 2) level += room >= begins_[level + half] ? half : 0;
    return level;
  }

 private:
  static std::uint64_t BeginOf(std::size_t level, std::uint64_t least, int step_bits) {
    const std::size_t per_octave = std::size_t{1} << step_bits;
    return least * (per_octave + level % per_octave) >> step_bits << (level / per_octave);
  }

  std::array<std::uint64_t, kMostLevels> begins_;  // of the levels from the second on, ascending
};
static_assert(std::has_single_bit(kMostLevels));

// Fills in the rooms of the people who are looked at, from the first on.
LevelScale ScaleOver(const Room& room, const PeopleChoice& chosen, const Spending& spending, std::size_t levels,
                     std::span<std::uint64_t> rooms) {
  struct Range {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = 0;
  };
  Range all;
  WithKindOf(spending, [&](auto follows_left) {
    for (const Range& part : ForParts(rooms.size(), Range{}, [&](std::size_t begin, std::size_t end, Range&range) {
           Range here;
           for (std::size_t person = begin; person < end; ++person) {
             if (!chosen(person)) continue;
             rooms[person] = room.Look<decltype(follows_left)::value>(person);
             here = {std::min(here.least, rooms[person]), std::max(here.most, rooms[person])};
           }
           range = here;
         })) {
      all = {std::min(all.least, part.least), std::max(all.most, part.most)};
    }
  });
  return LevelScale(all.least, all.most, levels);
}

// For some sets of people, by set and item: the least that any of them may spend, kBeyondBudget where there is nobody.
// Where that follows from what is left, whoever has spent most is looked for, and what that leaves is worked out once.
// `set_of`: by person, below kMostLevels. `allowed`: by item, left and appearances.
template <bool kFollowsLeft, typename SetOf, typename Allowed>
std::vector<LogCost> LeastOfSets(const PeopleBudgets& people, const Spending& spending, const PeopleChoice& chosen,
                                 const SetOf& set_of, const Allowed& allowed) {
  const std::size_t items = people.accounted;
  struct OfSets {
    std::vector<LogCost> tightest;  // the most that is spent, or the least that is allowed
    std::array<bool, kMostLevels> is_there{};
  };
  const auto tighter = [](LogCost a, LogCost b) { return kFollowsLeft ? std::max(a, b) : std::min(a, b); };
  OfSets all{std::vector<LogCost>(kMostLevels * items, kFollowsLeft ? 0 : kBeyondBudget)};
  const auto look = [&](std::size_t begin, std::size_t end, OfSets& part) {
    for (std::size_t person = begin; person < end; ++person) {
      if (!chosen(person)) continue;
      const std::size_t set = set_of(person);
      part.is_there[set] = true;
      LogCost* const of_set = &part.tightest[set * items];
      const LogCost* const spent = &people.spent[person * items];
      for (std::size_t item = 0; item < items; ++item) {
        const LogCost now =
            kFollowsLeft ? spent[item] : allowed(item, spending.Left(item, spent[item]), people.appearances[person]);
        of_set[item] = tighter(of_set[item], now);
      }
    }
  };
  for (const OfSets& part : ForParts(chosen.are_alike ? 1 : people.people(), OfSets(all), look)) {
    for (std::size_t i = 0; i < all.tightest.size(); ++i) all.tightest[i] = tighter(all.tightest[i], part.tightest[i]);
    for (std::size_t set = 0; set < kMostLevels; ++set) all.is_there[set] = all.is_there[set] || part.is_there[set];
  }
  if (!kFollowsLeft) return std::move(all.tightest);
  for (std::size_t i = 0; i < all.tightest.size(); ++i) {
    LogCost& of_item = all.tightest[i];
    of_item = all.is_there[i / items] ? spending.LimitOfLeft(spending.Left(i % items, of_item)) : kBeyondBudget;
  }
  return std::move(all.tightest);
}

}  // namespace

// Where it is not so, the first parts show it.
bool AreAllAlike(const PeopleBudgets& people) {
  if (people.people() == 0) return false;
  const auto first = people.spent.first(people.accounted);
  std::atomic<bool> alike = true;
  ParallelFor(people.people(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
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

std::vector<Cap> CapsOfAll(const PeopleBudgets& people, const Spending& spending, const PeopleChoice& chosen,
                           const ItemLimits& items) {
  std::vector<LogCost> least;
  WithKindOf(spending, [&](auto follows_left) {
    least = LeastOfSets<decltype(follows_left)::value>(
        people, spending, chosen, [](std::size_t) { return std::size_t{0}; },
        [&](std::size_t item, LogCost left, std::uint32_t appearances) {
          return spending.Limit(item, left, appearances);
        });
  });
  // Everybody is in the first set. Items without a budget are limited by at_most alone.
  least.resize(people.accounted);
  least.resize(items.l.size(), kBeyondBudget);
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
  const std::size_t looked_at = chosen.are_alike ? 1 : people.people();
  UnfilledVector<std::uint64_t> rooms(looked_at);
  const LevelScale scale = most == 1 ? LevelScale(1, 1, 1) : ScaleOver(room, chosen, spending, most, rooms);
  std::vector<LogCost> least;
  WithKindOf(spending, [&](auto follows_left) {
    least = LeastOfSets<decltype(follows_left)::value>(
        people, spending, chosen,
        [&](std::size_t person) {
          const std::size_t level = most == 1 ? 0 : scale.Of(rooms[person]);
          levels.of_person[person] = static_cast<std::uint8_t>(level);
          return level;
        },
        [&](std::size_t item, LogCost left, std::uint32_t appearances) {
          return spending.Aim(item, left, appearances);
        });
  });
  if (chosen.are_alike) std::ranges::fill(levels.of_person, levels.of_person[0]);
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

}  // namespace pentimento::global
