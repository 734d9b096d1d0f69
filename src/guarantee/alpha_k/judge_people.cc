#include "guarantee/alpha_k/judge_people.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "base/parallel.h"
#include "guarantee/alpha_k/chance_of_ever.h"

namespace pentimento {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kClassesPerTask = 4096;
constexpr std::size_t kPeoplePerTask = 4096;
constexpr std::size_t kKnownProfiles = 256;

// What a limit allows in all, as a number that many small numbers divide: shares of a half, a third or a seventh of the
// limit are not rounded then.
constexpr std::uint64_t kWhole = std::uint64_t{720'720} << 20;

// One row's part of what the limit allows, rounded up.
std::uint64_t LoadOf(std::uint64_t with_value, std::uint64_t rows, Ratio limit) {
  // A limit of very fine parts is rounded down, so that nothing below overflows.
  if (limit.den >> 48 != 0) limit = {static_cast<std::uint64_t>((Wide{limit.num} << 48) / limit.den), 1ULL << 48};
  if (limit.num == 0) return 2 * kWhole;
  const Wide allowed = Wide{rows} * limit.num;
  const Wide load = (Wide{with_value} * limit.den * kWhole + allowed - 1) / allowed;
  return load > kWhole ? 2 * kWhole : static_cast<std::uint64_t>(load);
}

std::uint64_t GreatestLoad(const JudgedColumn& column, std::size_t c, std::uint64_t rows) {
  std::uint64_t greatest = 0;
  std::uint32_t most = 0;
  Ratio limit{1, 1};
  for (const ItemCount& count : column.of(c)) {
    const Ratio at_most = column.items.items[count.item].at_most;
    // Nearly always the limit is the same, and no division is needed to see which share is greater.
    if (count.rows <= most && at_most == limit) continue;
    greatest = std::max(greatest, LoadOf(count.rows, rows, at_most));
    most = count.rows;
    limit = at_most;
  }
  return greatest;
}

// By class: the greatest load of any item. The chance of having a value in one of several rows is at most the sum of
// the chances of the rows, so whoever has no more than kWhole of load breaks no limit.
std::vector<std::uint64_t> GreatestLoads(const RowsOfClasses& classes, std::span<const JudgedColumn> columns) {
  std::vector<std::uint64_t> loads(classes.classes());
  ParallelFor(loads.size(), kClassesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      for (const JudgedColumn& column : columns)
        loads[c] = std::max(loads[c], GreatestLoad(column, c, classes.size(c)));
    }
  });
  return loads;
}

// Somebody's rows by class: all that a result about them depends on.
struct RowsInClass {
  ClassNumber of_class = 0;
  std::uint32_t rows = 0;

  friend bool operator==(RowsInClass, RowsInClass) = default;
};
using Profile = std::vector<RowsInClass>;

class PersonJudge {
 public:
  PersonJudge(const RowsOfClasses& classes, std::span<const JudgedColumn> columns, std::span<const std::uint64_t> loads)
      : classes_(classes), columns_(columns), loads_(loads) {}

  bool Holds(std::span<const RowInClass> rows) {
    Wide load = 0;
    profile_.clear();
    ForEachClass(rows, [&](std::span<const RowInClass> in_class) {
      profile_.push_back({in_class[0].of_class, static_cast<std::uint32_t>(in_class.size())});
      load += Wide{loads_[in_class[0].of_class]} * in_class.size();
    });
    if (load <= kWhole) return true;
    // Many people may have their rows in the same few classes: what was found to hold is remembered.
    known_.resize(kKnownProfiles);
    Profile& known = known_[Checksum(std::as_bytes(std::span(profile_))) % known_.size()];
    if (known == profile_) return true;
    if (FindBroken()) return false;
    known = profile_;
    return true;
  }

  AlphaKViolation Describe(std::span<const RowInClass> rows) {
    Holds(rows);
    AlphaKViolation violation = *FindBroken();
    violation.count = rows.size();
    violation.row = std::ranges::min(rows, {}, &RowInClass::row).row;
    return violation;
  }

 private:
  struct DrawsOfItem {
    std::uint32_t item;
    DrawsFromClass draws;
  };

  std::optional<AlphaKViolation> FindBroken() {
    for (const JudgedColumn& column : columns_) {
      draws_.clear();
      for (const RowsInClass& own : profile_) {
        for (const ItemCount& count : column.of(own.of_class))
          draws_.push_back({count.item, {classes_.size(own.of_class), count.rows, own.rows}});
      }
      std::ranges::stable_sort(draws_, {}, &DrawsOfItem::item);
      if (auto violation = FindBrokenItem(column)) return violation;
    }
    return std::nullopt;
  }

  std::optional<AlphaKViolation> FindBrokenItem(const JudgedColumn& column) {
    for (std::size_t begin = 0, end = 0; begin < draws_.size(); begin = end) {
      of_item_.clear();
      for (; end < draws_.size() && draws_[end].item == draws_[begin].item; ++end)
        of_item_.push_back(draws_[end].draws);
      const JudgedItem& item = column.items.items[draws_[begin].item];
      if (ChanceOfEverIsAtMost(of_item_, item.at_most)) continue;
      return AlphaKViolation{AlphaKBreach::kOnePersonTooOften, item.limit, item.value, 0, profile_.size(),
                             ChanceOfEver(of_item_),           0};
    }
    return std::nullopt;
  }

  const RowsOfClasses& classes_;
  std::span<const JudgedColumn> columns_;
  std::span<const std::uint64_t> loads_;
  Profile profile_;
  std::vector<DrawsOfItem> draws_;
  std::vector<DrawsFromClass> of_item_;
  std::vector<Profile> known_;  // by hash; empty until it is needed
};

}  // namespace

std::optional<AlphaKViolation> FindPersonTooOften(const RowsOfClasses& classes, const RepeatedPeople& people,
                                                  std::span<const JudgedColumn> columns) {
  if (people.empty()) return std::nullopt;
  const std::vector<std::uint64_t> loads = GreatestLoads(classes, columns);
  SmallestIndex broken;
  ParallelFor(people.size(), kPeoplePerTask, [&](std::size_t begin, std::size_t end) {
    PersonJudge judge(classes, columns, loads);
    for (std::size_t person = begin; person < end; ++person) {
      if (!judge.Holds(people.of(person))) return broken.Offer(person);
    }
  });
  const auto person = broken.Get();
  if (!person) return std::nullopt;
  return PersonJudge(classes, columns, loads).Describe(people.of(*person));
}

}  // namespace pentimento
