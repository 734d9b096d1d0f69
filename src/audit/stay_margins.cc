#include "audit/stay_margins.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

// The bags of one release, and for each class which values it may have: one bit for each value, shared where there are
// more than 64.
struct MaskedBags {
  const ValueBags* bags = nullptr;
  std::vector<std::uint64_t> masks;
  std::vector<std::uint64_t> open_masks;  // those that have something left for whoever is not decided
  std::vector<std::uint32_t> left;        // by entry of the bags: rows that are nobody's yet
};

std::uint64_t BitOf(std::uint32_t value) { return std::uint64_t{1} << (value & 63); }

MaskedBags Mask(const ValueBags& bags, std::uint32_t classes) {
  MaskedBags masked{
      .bags = &bags, .masks = std::vector<std::uint64_t>(classes, 0), .open_masks = {}, .left = bags.count};
  for (ClassNumber c = 0; c < classes; ++c) {
    for (const std::uint32_t value : bags.values_of(c)) masked.masks[c] |= BitOf(value);
  }
  masked.open_masks = masked.masks;
  return masked;
}

bool IsOneBit(std::uint64_t mask) { return std::has_single_bit(mask); }

class MarginMaker {
 public:
  MarginMaker(const CommonReleases& common, std::string_view column, std::span<const std::size_t> releases) {
    made_.joint = GroupJointly(common, releases);
    AddBags(column);
  }

  StayMargins Make(std::uint64_t work) && {
    FindMasks();
    if (masks_are_exact_) Eliminate(work);
    FindSupports();
    TakeOutDecided();
    KeepOpenEntries();
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

  // The entry of the value in the bags of its release, or kNoEntry.
  static constexpr std::uint32_t kNoEntry = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t EntryOf(Place place, std::uint32_t value) const {
    const MaskedBags& of = bags_[place.release];
    const std::uint32_t begin = of.bags->begin[place.number];
    if (masks_are_exact_)
      return begin + static_cast<std::uint32_t>(std::popcount(of.masks[place.number] & (BitOf(value) - 1)));
    const std::span<const std::uint32_t> values = of.bags->values_of(place.number);
    const auto found = std::ranges::lower_bound(values, value);
    return found != values.end() && *found == value ? begin + static_cast<std::uint32_t>(found - values.begin())
                                                    : kNoEntry;
  }
  // The same among the entries that are kept.
  std::uint32_t KeptEntryOf(Place place, std::uint32_t value) const {
    return made_.class_entry[made_.joint.class_base[place.release] + place.number] +
           (EntryOf(place, value) - bags_[place.release].bags->begin[place.number]);
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
    for (const std::uint64_t mask : masks_) made_.has_one_value.push_back(IsOneBit(mask) ? 1 : 0);
  }

  // Whoever has one value left takes a row with it out of each of their bags; where no row is left, nobody else has the
  // value. The same follows from the sums later, but most people are decided here, and have no sums.
  void Eliminate(std::uint64_t work) {
    std::vector<std::uint32_t> decided, open;
    for (std::uint32_t j = 0; j < made_.joint.count(); ++j) {
      if (masks_[j] != 0) (IsOneBit(masks_[j]) ? decided : open).push_back(j);
    }
    while (!decided.empty()) {
      std::vector<std::vector<std::uint32_t>> impossible(releases());
      ForEachRelease([&](std::uint32_t r) {
        for (const std::uint32_t j : decided) TakeRows(r, j, impossible[r]);
      });
      for (const auto& of : impossible)
        made_.impossible_classes.insert(made_.impossible_classes.end(), of.begin(), of.end());
      const std::uint64_t looks = std::uint64_t{releases()} * open.size();
      if (looks > work) return;
      work -= looks;
      ParallelFor(open.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::uint32_t r = 0; r < releases(); ++r) {
          for (std::size_t i = begin; i < end; ++i) {
            const ClassNumber c = made_.joint.ClassIn(r, open[i]);
            if (c != kNotInRelease) masks_[open[i]] &= bags_[r].open_masks[c];
          }
        }
      });
      decided.clear();
      std::ranges::copy_if(open, std::back_inserter(decided), [&](std::uint32_t j) { return IsOneBit(masks_[j]); });
      std::erase_if(open, [&](std::uint32_t j) { return masks_[j] == 0 || IsOneBit(masks_[j]); });
    }
  }

  void TakeRows(std::uint32_t release, std::uint32_t joint, std::vector<std::uint32_t>& impossible) {
    const ClassNumber c = made_.joint.ClassIn(release, joint);
    if (c == kNotInRelease) return;
    const auto value = static_cast<std::uint32_t>(std::countr_zero(masks_[joint]));
    std::uint32_t& left = bags_[release].left[EntryOf({release, c}, value)];
    if (left < made_.joint.size[joint]) return impossible.push_back(made_.joint.class_base[release] + c);
    left -= made_.joint.size[joint];
    if (left == 0) bags_[release].open_masks[c] &= ~masks_[joint];
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
      if (std::ranges::all_of(places_, [&](Place place) { return EntryOf(place, value) != kNoEntry; }))
        AddUnknown(joint, value);
    }
  }

  std::uint32_t ValuesLeft(std::uint32_t joint) const { return made_.begin[joint + 1] - made_.begin[joint]; }

  void TakeOutDecided() {
    for (std::uint32_t r = 0; r < releases(); ++r) {
      made_.joint.ForEachIn(r, [&](std::uint32_t j, ClassNumber c) {
        if (ValuesLeft(j) > 1 || (ValuesLeft(j) == 1 && masks_are_exact_)) return;  // Eliminate() took them out
        if (ValuesLeft(j) == 0 || !TakeOut(r, EntryOf({r, c}, made_.value[made_.begin[j]]), made_.joint.size[j]))
          made_.impossible_classes.push_back(made_.joint.class_base[r] + c);
      });
    }
  }

  bool TakeOut(std::uint32_t release, std::uint32_t entry, std::uint32_t people) {
    std::uint32_t& left = bags_[release].left[entry];
    if (people > left) return false;
    left -= people;
    return true;
  }

  // Those of classes in which somebody is not decided.
  void KeepOpenEntries() {
    made_.class_entry.reserve(made_.joint.class_base.back() + std::size_t{1});
    for (std::uint32_t r = 0; r < releases(); ++r) {
      const MaskedBags& of = bags_[r];
      std::vector<std::uint8_t> is_open(of.masks.size(), 0);
      made_.joint.ForEachIn(r, [&](std::uint32_t j, ClassNumber c) {
        if (ValuesLeft(j) > 1) is_open[c] = 1;
      });
      for (ClassNumber c = 0; c < is_open.size(); ++c) {
        made_.class_entry.push_back(static_cast<std::uint32_t>(made_.sums.size()));
        if (is_open[c] == 0) continue;
        for (std::uint32_t e = of.bags->begin[c]; e < of.bags->begin[c + 1]; ++e)
          made_.sums.push_back({.total = of.left[e]});
      }
    }
    made_.entries = static_cast<std::uint32_t>(made_.sums.size());
    made_.class_entry.push_back(made_.entries);
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
        const std::uint32_t entry = KeptEntryOf({r, c}, made_.value[u]);
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
  std::vector<std::uint64_t> masks_;      // by joint class: of all its bags
  std::vector<std::uint32_t> places_of_;  // by joint class: in how many releases it is
  std::vector<Place> places_;             // of the joint class that is looked at
};

}  // namespace

StayMargins MakeStayMargins(const CommonReleases& common, std::string_view column,
                            std::span<const std::size_t> releases, std::uint64_t work) {
  return MarginMaker(common, column, releases).Make(work);
}

}  // namespace pentimento
