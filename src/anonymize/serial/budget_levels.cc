#include "anonymize/serial/budget_levels.h"

#include <algorithm>
#include <array>
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

// Somebody with nothing spent who may spend everything is judged by 1/l itself, which no fixed point can hold.
Cap CapOf(LogCost allowed, LogCost budget, std::uint64_t l) {
  if (allowed >= budget) return {1, l};
  return {LargestShare(allowed), kWholeClass};
}

// How much room somebody has: the least over the items of what may be spent, in proportion to how frequent the item is.
class Room {
 public:
  Room(const PeopleBudgets& people, const Spending& spending, std::span<const std::uint64_t> holders)
      : people_(people), spending_(spending) {
    const std::uint64_t most = *std::max_element(holders.begin(), holders.end());
    for (std::size_t item = 0; item < people.items; ++item) {
      if (holders[item] == 0) continue;
      // Rare items hardly ever decide; beyond this they need no weight that is right.
      constexpr std::uint64_t kMostWeight = std::uint64_t{1} << 20;
      items_.push_back({item, std::min((most << 8) / holders[item], kMostWeight)});
    }
  }

  bool is_limited() const { return !items_.empty(); }
  std::uint64_t Of(std::uint32_t row) const {
    std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
    const LogCost* const left = &people_.left[std::size_t{row} * people_.items];
    for (const auto& [item, weight] : items_) {
      const LogCost allowed = spending_.Aim(item, left[item], people_.appearances[row]);
      room = std::min(room, (allowed >> 30) * weight >> 8);
    }
    return room + 1;
  }

 private:
  struct WeighedItem {
    std::size_t item;
    std::uint64_t weight;
  };
  const PeopleBudgets& people_;
  const Spending& spending_;
  std::vector<WeighedItem> items_;
};

// Levels in geometric steps from the least room on: 2^steps_bits to an octave, as fine as the number of levels allows.
class LevelScale {
 public:
  LevelScale(std::uint64_t least, std::uint64_t most, std::size_t levels) : least_(least), levels_(levels) {
    constexpr int kFinest = 8;
    for (step_bits_ = kFinest; step_bits_ > 0 && Step(most) >= levels; --step_bits_) continue;
  }

  std::size_t Of(std::uint64_t room) const { return std::min(Step(room), levels_ - 1); }

 private:
  std::size_t Step(std::uint64_t room) const {
    const std::uint64_t times = (room << 16) / least_;
    const int octave = static_cast<int>(std::bit_width(times)) - 1;
    const std::uint64_t within = (times >> (octave - step_bits_)) & ((std::uint64_t{1} << step_bits_) - 1);
    return (static_cast<std::size_t>(octave - 16) << step_bits_) + within;
  }

  std::uint64_t least_;
  std::size_t levels_;
  int step_bits_ = 0;
};

LevelScale ScaleOver(const Room& room, std::span<const std::uint32_t> rows, std::size_t levels) {
  struct Range {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = 1;
  };
  Range all;
  for (const Range& part : ForParts(rows.size(), Range{}, [&](std::size_t begin, std::size_t end, Range&range) {
         for (std::size_t i = begin; i < end; ++i) {
           const std::uint64_t here = room.Of(rows[i]);
           range.least = std::min(range.least, here);
           range.most = std::max(range.most, here);
         }
       })) {
    all.least = std::min(all.least, part.least);
    all.most = std::max(all.most, part.most);
  }
  return LevelScale(all.least, all.most, levels);
}

}  // namespace

std::vector<Cap> CapsOfAll(const PeopleBudgets& people, const Spending& spending, std::span<const std::uint32_t> rows,
                           std::span<const std::uint64_t> l_of_item) {
  std::vector<LogCost> least(people.items, kEverything);
  for (const std::vector<LogCost>&part :
       ForParts(rows.size(), least, [&](std::size_t begin, std::size_t end, std::vector<LogCost>&minima) {
         for (std::size_t i = begin; i < end; ++i) {
           const LogCost* const left = &people.left[std::size_t{rows[i]} * people.items];
           for (std::size_t item = 0; item < people.items; ++item)
             minima[item] = std::min(minima[item], spending.Limit(item, left[item], people.appearances[rows[i]]));
         }
       })) {
    for (std::size_t item = 0; item < people.items; ++item) least[item] = std::min(least[item], part[item]);
  }
  std::vector<Cap> caps;
  for (std::size_t item = 0; item < people.items; ++item)
    caps.push_back(CapOf(least[item], spending.budget(item), l_of_item[item]));
  return caps;
}

BudgetLevels LevelBudgets(const PeopleBudgets& people, const Spending& spending, std::span<const std::uint32_t> rows,
                          std::span<const std::uint64_t> l_of_item, std::span<const std::uint64_t> holders,
                          std::size_t most) {
  Check(most >= 1 && most <= kMostLevels, "a number of levels outside of its range");
  BudgetLevels levels{people.items, 1, std::vector<std::uint8_t>(rows.size()), {}};
  const Room room(people, spending, holders);
  const bool is_one = most == 1 || !room.is_limited();
  const LevelScale scale = is_one ? LevelScale(1, 1, 1) : ScaleOver(room, rows, most);
  const std::vector<LogCost> nothing_yet(kMostLevels * people.items, kEverything);
  std::vector<LogCost> least = nothing_yet;
  for (const std::vector<LogCost>&part :
       ForParts(rows.size(), nothing_yet, [&](std::size_t begin, std::size_t end, std::vector<LogCost>&minima) {
         for (std::size_t i = begin; i < end; ++i) {
           const std::size_t level = is_one ? 0 : scale.Of(room.Of(rows[i]));
           levels.of_row[i] = static_cast<std::uint8_t>(level);
           const LogCost* const left = &people.left[std::size_t{rows[i]} * people.items];
           LogCost* const of_level = &minima[level * people.items];
           for (std::size_t item = 0; item < people.items; ++item)
             of_level[item] = std::min(of_level[item], spending.Aim(item, left[item], people.appearances[rows[i]]));
         }
       })) {
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], part[i]);
  }
  // A group's caps are those of its lowest level, so they must suit all levels above.
  for (std::size_t i = least.size() - people.items; i-- > 0;) least[i] = std::min(least[i], least[i + people.items]);
  levels.count = is_one ? 1 : most;
  for (std::size_t i = 0; i < levels.count * people.items; ++i) {
    const std::size_t item = i % people.items;
    levels.caps.push_back(CapOf(least[i], spending.budget(item), l_of_item[item]));
  }
  return levels;
}

}  // namespace pentimento::serial
