#include "audit/stay_elimination.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "base/parallel.h"

namespace pentimento {
namespace {

// A table by class and value may have so many places for each entry of the bags.
constexpr std::size_t kMostPlacesPerEntry = 8;

std::optional<OpenBags> OpenBagsOf(const ValueBags& bags) {
  const std::size_t classes = bags.begin.size() - 1;
  OpenBags open;
  if (!bags.value.empty()) open.values = std::size_t{std::ranges::max(bags.value)} + 1;
  const bool fits = classes * open.values <= kMostPlacesPerEntry * bags.value.size() &&
                    std::ranges::all_of(bags.count, [](std::uint32_t count) {
                      return count <= std::numeric_limits<std::uint16_t>::max();
                    });
  if (!fits) return std::nullopt;
  open.rows.resize(classes * open.values);
  open.masks.resize(classes);
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::uint32_t i = bags.begin[c]; i < bags.begin[c + 1]; ++i) {
      open.rows[c * open.values + bags.value[i]] = static_cast<std::uint16_t>(bags.count[i]);
      open.masks[c] |= std::uint64_t{1} << bags.value[i];
    }
  }
  return open;
}

class Elimination {
 public:
  Elimination(const StayJointClasses& joint, std::vector<std::uint64_t>& masks) : joint_(joint), masks_(masks) {}

  bool AddBags(std::span<const ValueBags* const> bags) {
    std::vector<std::optional<OpenBags>> open(bags.size());
    ForEachRelease(bags.size(), [&](std::uint32_t r) { open[r] = OpenBagsOf(*bags[r]); });
    const bool fit = std::ranges::all_of(open, [](const auto& one) { return one.has_value(); });
    for (auto& one : open) {
      if (fit) bags_.push_back(std::move(*one));
    }
    return fit;
  }

  Eliminated Run(std::uint64_t work) {
    std::vector<std::uint32_t> decided, open;
    for (std::uint32_t j = 0; j < joint_.count(); ++j) {
      if (masks_[j] != 0) (IsDecided(j) ? decided : open).push_back(j);
    }
    while (!decided.empty()) {
      TakeRowsOf(decided);
      const std::uint64_t looks = open.size() * bags_.size();
      if (looks > work) break;
      work -= looks;
      RuleOut(open);
      decided.clear();
      std::ranges::copy_if(open, std::back_inserter(decided), [&](std::uint32_t j) { return IsDecided(j); });
      std::erase_if(open, [&](std::uint32_t j) { return masks_[j] == 0 || IsDecided(j); });
    }
    return {std::move(bags_), std::move(impossible_)};
  }

 private:
  bool IsDecided(std::uint32_t joint) const { return std::has_single_bit(masks_[joint]); }

  // Side by side: what belongs to a release is changed by nobody else.
  template <typename Use>
  static void ForEachRelease(std::size_t releases, Use use) {
    ParallelFor(releases, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) use(static_cast<std::uint32_t>(r));
    });
  }

  void TakeRowsOf(std::span<const std::uint32_t> decided) {
    std::vector<std::vector<std::uint32_t>> impossible(bags_.size());
    ForEachRelease(bags_.size(), [&](std::uint32_t r) { impossible[r] = TakeRowsFrom(r, decided); });
    for (const std::vector<std::uint32_t>& of_release : impossible)
      impossible_.insert(impossible_.end(), of_release.begin(), of_release.end());
  }

  // Returns the classes that have too few rows for that.
  std::vector<std::uint32_t> TakeRowsFrom(std::uint32_t release, std::span<const std::uint32_t> decided) {
    std::vector<std::uint32_t> impossible;
    OpenBags& bags = bags_[release];
    for (const std::uint32_t j : decided) {
      const ClassNumber c = joint_.ClassIn(release, j);
      if (c == kNotInRelease) continue;
      const auto value = static_cast<std::size_t>(std::countr_zero(masks_[j]));
      std::uint16_t& rows = bags.rows[c * bags.values + value];
      if (rows < joint_.size[j]) {
        impossible.push_back(joint_.class_base[release] + c);
        continue;
      }
      rows = static_cast<std::uint16_t>(rows - joint_.size[j]);
      if (rows == 0) bags.masks[c] &= ~masks_[j];
    }
    return impossible;
  }

  // Release by release: the masks of one are found in the cache.
  void RuleOut(std::span<const std::uint32_t> open) {
    ParallelFor(open.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::uint32_t r = 0; r < bags_.size(); ++r) {
        for (const std::uint32_t j : open.subspan(begin, end - begin)) {
          const ClassNumber c = joint_.ClassIn(r, j);
          if (c != kNotInRelease) masks_[j] &= bags_[r].masks[c];
        }
      }
    });
  }

  const StayJointClasses& joint_;
  std::vector<std::uint64_t>& masks_;
  std::vector<OpenBags> bags_;
  std::vector<std::uint32_t> impossible_;
};

}  // namespace

std::optional<Eliminated> EliminateValues(const StayJointClasses& joint, std::span<const ValueBags* const> bags,
                                          std::vector<std::uint64_t>& masks, std::uint64_t work) {
  Elimination elimination(joint, masks);
  if (!elimination.AddBags(bags)) return std::nullopt;
  return elimination.Run(work);
}

}  // namespace pentimento
