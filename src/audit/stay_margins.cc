#include "audit/stay_margins.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "audit/stay_elimination.h"
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

// The bags of one release, and for each class which values it may have: one bit for each value, shared where there are
// more than 64.
struct MaskedBags {
  const ValueBags* bags = nullptr;
  std::vector<std::uint64_t> masks;
};

std::uint64_t BitOf(std::uint32_t value) { return std::uint64_t{1} << (value & 63); }

MaskedBags Mask(const ValueBags& bags, std::uint32_t classes) {
  MaskedBags masked{.bags = &bags, .masks = std::vector<std::uint64_t>(classes, 0)};
  for (ClassNumber c = 0; c < classes; ++c) {
    for (const std::uint32_t value : bags.values_of(c)) masked.masks[c] |= BitOf(value);
  }
  return masked;
}

class MarginMaker {
 public:
  MarginMaker(StayJointClasses joint, std::string_view column) {
    made_.joint = std::move(joint);
    AddBags(column);
  }

  StayMargins Make(std::uint64_t work) && {
    FindMasks();
    if (masks_are_exact_) Eliminate(work);
    FindSupports();
    eliminated_ ? KeepOpenEntries() : KeepAllEntries();
    made_.entries = static_cast<std::uint32_t>(made_.sums.size());
    made_.class_entry.push_back(made_.entries);
    if (!eliminated_) TakeOutDecided();
    LinkUnknowns();
    AddUp();
    return std::move(made_);
  }

 private:
  struct Place {
    std::uint32_t release;
    ClassNumber number;
  };

  void AddBags(std::string_view column) {
    std::uint64_t entries = 0;
    std::uint32_t largest = 0;
    for (const CommonRelease* release : made_.joint.releases) {
      const ValueBags& bags = BagsOf(*release, column);
      Check(bags.begin.size() == std::size_t{release->classes()} + 1, "bags do not fit the classes of a release");
      entries += bags.value.size();
      if (!bags.value.empty()) largest = std::max(largest, std::ranges::max(bags.value));
    }
    Check(entries + made_.joint.count() < std::numeric_limits<std::uint32_t>::max(), "too many entries of bags");
    bags_.resize(made_.joint.releases.size());
    ForEachRelease([&](std::uint32_t r) {
      const CommonRelease& release = *made_.joint.releases[r];
      bags_[r] = Mask(BagsOf(release, column), release.classes());
    });
    masks_are_exact_ = largest < 64;
  }

  // Side by side: what belongs to a release is changed by nobody else.
  template <typename Use>
  void ForEachRelease(Use use) const {
    ParallelFor(releases(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) use(static_cast<std::uint32_t>(r));
    });
  }

  void FindPlaces(std::uint32_t joint) {
    places_.clear();
    made_.joint.ForEachClass(joint, [&](std::uint32_t r, ClassNumber c) { places_.push_back({r, c}); });
  }

  // Whether the value is in the bag of a class.
  bool Has(Place place, std::uint32_t value) const {
    return std::ranges::binary_search(bags_[place.release].bags->values_of(place.number), value);
  }

  // The entry of a value that is in the bag of a class that is kept.
  std::uint32_t EntryOf(Place place, std::uint32_t value) const {
    const MaskedBags& of = bags_[place.release];
    const std::uint32_t begin = made_.class_entry[made_.joint.class_base[place.release] + place.number];
    if (masks_are_exact_)
      return begin + static_cast<std::uint32_t>(std::popcount(of.masks[place.number] & (BitOf(value) - 1)));
    const std::span<const std::uint32_t> values = of.bags->values_of(place.number);
    return begin + static_cast<std::uint32_t>(std::ranges::lower_bound(values, value) - values.begin());
  }

  std::uint32_t releases() const { return static_cast<std::uint32_t>(bags_.size()); }

  void FindMasks() {
    const StayJointClasses& joint = made_.joint;
    masks_.assign(joint.count(), ~std::uint64_t{0});
    places_of_.assign(joint.count(), 0);
    ParallelFor(joint.count(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      // Release by release: the masks of one are found in the cache.
      for (std::uint32_t r = 0; r < releases(); ++r) {
        for (std::size_t j = begin; j < end; ++j) {
          const ClassNumber c = joint.ClassIn(r, static_cast<std::uint32_t>(j));
          if (c == kNotInRelease) continue;
          masks_[j] &= bags_[r].masks[c];
          ++places_of_[j];
        }
      }
    });
    made_.has_one_value.reserve(joint.count());
    for (const std::uint64_t mask : masks_) made_.has_one_value.push_back(std::has_single_bit(mask) ? 1 : 0);
  }

  void Eliminate(std::uint64_t work) {
    std::vector<const ValueBags*> bags;
    for (const MaskedBags& of : bags_) bags.push_back(of.bags);
    eliminated_ = EliminateValues(made_.joint, bags, masks_, work);
    if (eliminated_) made_.impossible_classes = std::move(eliminated_->impossible);
  }

  void FindSupports() {
    made_.begin.reserve(made_.joint.count() + std::size_t{1});
    for (std::uint32_t j = 0; j < made_.joint.count(); ++j) {
      made_.begin.push_back(made_.unknowns());
      if (masks_are_exact_) {
        for (std::uint64_t left = masks_[j]; left != 0; left &= left - 1)
          AddUnknown(j, static_cast<std::uint32_t>(std::countr_zero(left)));
      } else if (masks_[j] != 0) {
        FindSupport(j);
        made_.has_one_value[j] = made_.unknowns() - made_.begin[j] == 1 ? 1 : 0;
      }
      Check(made_.value.size() < std::numeric_limits<std::uint32_t>::max(), "too many joint classes with values");
    }
    made_.begin.push_back(made_.unknowns());
  }

  void AddUnknown(std::uint32_t joint, std::uint32_t value) {
    made_.value.push_back(value);
    made_.joint_of.push_back(joint);
  }

  // The values in all bags of the joint class, where bits are shared.
  void FindSupport(std::uint32_t joint) {
    FindPlaces(joint);
    const auto values_of = [&](Place place) { return bags_[place.release].bags->values_of(place.number); };
    const Place fewest = *std::ranges::min_element(places_, {}, [&](Place at) { return values_of(at).size(); });
    for (const std::uint32_t value : values_of(fewest)) {
      if ((masks_[joint] & BitOf(value)) == 0) continue;
      if (std::ranges::all_of(places_, [&](Place place) { return Has(place, value); })) AddUnknown(joint, value);
    }
  }

  std::uint32_t ValuesLeft(std::uint32_t joint) const { return made_.begin[joint + 1] - made_.begin[joint]; }

  // Those of classes in which somebody is not decided, with what is left for them.
  void KeepOpenEntries() {
    std::vector<std::uint32_t> undecided;
    for (std::uint32_t j = 0; j < made_.joint.count(); ++j) {
      if (ValuesLeft(j) > 1) undecided.push_back(j);
      if (ValuesLeft(j) == 0) FindImpossible(j);
    }
    made_.class_entry.reserve(made_.joint.class_base.back() + std::size_t{1});
    for (std::uint32_t r = 0; r < releases(); ++r) {
      const ValueBags& bags = *bags_[r].bags;
      std::vector<std::uint8_t> is_open(bags_[r].masks.size(), 0);
      for (const std::uint32_t j : undecided) {
        if (const ClassNumber c = made_.joint.ClassIn(r, j); c != kNotInRelease) is_open[c] = 1;
      }
      const OpenBags& left = eliminated_->bags[r];
      for (ClassNumber c = 0; c < is_open.size(); ++c) {
        made_.class_entry.push_back(static_cast<std::uint32_t>(made_.sums.size()));
        if (is_open[c] == 0) continue;
        for (const std::uint32_t value : bags.values_of(c))
          made_.sums.push_back({.total = left.rows[c * left.values + value]});
      }
    }
  }

  void KeepAllEntries() {
    for (std::uint32_t r = 0; r < releases(); ++r) {
      const ValueBags& bags = *bags_[r].bags;
      for (std::size_t c = 0; c + 1 < bags.begin.size(); ++c)
        made_.class_entry.push_back(static_cast<std::uint32_t>(made_.sums.size()) + bags.begin[c]);
      for (const std::uint32_t count : bags.count) made_.sums.push_back({.total = count});
    }
  }

  void FindImpossible(std::uint32_t joint) {
    made_.joint.ForEachClass(joint, [&](std::uint32_t r, ClassNumber c) {
      made_.impossible_classes.push_back(made_.joint.class_base[r] + c);
    });
  }

  void TakeOutDecided() {
    for (std::uint32_t r = 0; r < releases(); ++r) {
      made_.joint.ForEachIn(r, [&](std::uint32_t j, ClassNumber c) {
        if (ValuesLeft(j) > 1) return;
        const bool fits =
            ValuesLeft(j) == 1 && TakeOut(EntryOf({r, c}, made_.value[made_.begin[j]]), made_.joint.size[j]);
        if (!fits) made_.impossible_classes.push_back(made_.joint.class_base[r] + c);
      });
    }
  }

  bool TakeOut(std::uint32_t entry, std::uint32_t people) {
    if (people > made_.sums[entry].total) return false;
    made_.sums[entry].total -= people;
    return true;
  }

  // Calls `use` with every unknown that is not decided, its class in the release, and where the entry is in `link`.
  template <typename Use>
  void ForEachLink(std::uint32_t release, std::vector<std::uint32_t>& places_before, Use use) {
    made_.joint.ForEachIn(release, [&](std::uint32_t j, ClassNumber c) {
      if (ValuesLeft(j) < 2) return;
      std::uint64_t at = made_.link_begin[j] + places_before[j]++;
      for (std::uint32_t u = made_.begin[j]; u < made_.begin[j + 1]; ++u, at += places_of_[j]) use(u, c, at);
    });
  }

  // Links them to their entries, bounds them by these, and counts the unknowns of each entry.
  void LinkUnknowns() {
    made_.link_begin.reserve(made_.joint.count() + std::size_t{1});
    made_.link_begin.push_back(0);
    for (std::uint32_t j = 0; j < made_.joint.count(); ++j)
      made_.link_begin.push_back(made_.link_begin.back() +
                                 (ValuesLeft(j) < 2 ? 0 : std::uint64_t{ValuesLeft(j)} * places_of_[j]));
    made_.link.resize(made_.link_begin.back());
    made_.most.reserve(made_.unknowns());
    for (const std::uint32_t joint : made_.joint_of) made_.most.push_back(made_.joint.size[joint]);
    made_.entry_begin.assign(std::size_t{made_.entries} + 1, 0);
    std::vector<std::uint32_t> places_before(made_.joint.count(), 0);
    for (std::uint32_t r = 0; r < releases(); ++r) {
      ForEachLink(r, places_before, [&](std::uint32_t u, ClassNumber c, std::uint64_t at) {
        const std::uint32_t entry = EntryOf({r, c}, made_.value[u]);
        made_.link[at] = entry;
        made_.most[u] = std::min(made_.most[u], made_.sums[entry].total);
        ++made_.entry_begin[entry + 1];
      });
    }
    for (std::size_t e = 0; e < made_.entries; ++e) made_.entry_begin[e + 1] += made_.entry_begin[e];
  }

  void AddUp() {
    made_.least.assign(made_.unknowns(), 0);
    for (std::uint32_t j = 0; j < made_.joint.count(); ++j) {
      made_.sums.push_back({.total = made_.joint.size[j]});
      if (ValuesLeft(j) == 1) made_.least[made_.begin[j]] = made_.most[made_.begin[j]];
      for (std::uint32_t u = made_.begin[j]; u < made_.begin[j + 1]; ++u) Add(made_.sums.back(), u);
    }
    made_.entry_unknowns.resize(made_.link.size());
    std::vector<std::uint64_t> next(made_.entry_begin.begin(), made_.entry_begin.end() - 1);
    std::vector<std::uint32_t> places_before(made_.joint.count(), 0);
    for (std::uint32_t r = 0; r < releases(); ++r) {
      ForEachLink(r, places_before, [&](std::uint32_t u, ClassNumber, std::uint64_t at) {
        made_.entry_unknowns[next[made_.link[at]]++] = u;
        Add(made_.sums[made_.link[at]], u);
      });
    }
  }

  void Add(StaySum& sum, std::uint32_t unknown) {
    sum.least += made_.least[unknown];
    sum.most += made_.most[unknown];
    sum.widest = std::max(sum.widest, made_.most[unknown] - made_.least[unknown]);
  }

  StayMargins made_;
  std::vector<MaskedBags> bags_;  // by release
  bool masks_are_exact_ = true;
  std::optional<Eliminated> eliminated_;
  std::vector<std::uint64_t> masks_;      // by joint class: of all its bags
  std::vector<std::uint32_t> places_of_;  // by joint class: in how many releases it is
  std::vector<Place> places_;             // of the joint class that is looked at
};

}  // namespace

StayMargins MakeStayMargins(StayJointClasses joint, std::string_view column, std::uint64_t work) {
  return MarginMaker(std::move(joint), column).Make(work);
}

}  // namespace pentimento
