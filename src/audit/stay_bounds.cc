#include "audit/stay_bounds.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace pentimento {
namespace {

constexpr std::uint8_t kInQueue = 1;
constexpr std::uint8_t kContradicted = 2;

std::int64_t Signed(std::uint32_t number) { return static_cast<std::int64_t>(number); }

// How much may still be added to the least numbers of a sum, and taken from the most; negative where there is no world.
std::int64_t Missing(const StaySum& sum) { return Signed(sum.total) - Signed(sum.least); }
std::int64_t Surplus(const StaySum& sum) { return Signed(sum.most) - Signed(sum.total); }

bool IsPossible(const StaySum& sum) { return Missing(sum) >= 0 && Surplus(sum) >= 0; }

// Whether a visit can change nothing, and nothing is wrong.
bool IsQuiet(const StaySum& sum) {
  return IsPossible(sum) && (sum.least == sum.most || sum.widest <= std::min(Missing(sum), Surplus(sum)));
}

}  // namespace

StayBounds::StayBounds(StayMargins margins, std::uint64_t work)
    : margins_(std::move(margins)),
      work_left_(work),
      queue_(margins_.sums.size()),
      state_(margins_.sums.size(), 0),
      is_contradicted_(margins_.joint.count(), 0) {
  if (!margins_.impossible_classes.empty()) ContradictClasses(margins_.impossible_classes);
  for (std::uint32_t s = 0; s < margins_.sums.size(); ++s) Push(s);
}

void StayBounds::Push(std::uint32_t sum) {
  if (state_[sum] != 0 || IsQuiet(margins_.sums[sum])) return;
  state_[sum] = kInQueue;
  std::size_t at = queue_head_ + queued_++;
  if (at >= queue_.size()) at -= queue_.size();
  queue_[at] = sum;
}

void StayBounds::Propagate() {
  while (queued_ > 0) {
    if (work_left_ == 0) {
      stopped_ = true;
      return;
    }
    const std::uint32_t sum = queue_[queue_head_];
    if (++queue_head_ == queue_.size()) queue_head_ = 0;
    --queued_;
    state_[sum] &= static_cast<std::uint8_t>(~kInQueue);
    if (state_[sum] == 0) Visit(sum);
  }
  stopped_ = false;
}

void StayBounds::Visit(std::uint32_t sum) {
  if (!IsPossible(margins_.sums[sum])) {
    ContradictSum(sum);
    return;
  }
  const bool is_entry = sum < margins_.entries;
  const std::span<const std::uint32_t> of_entry =
      is_entry ? margins_.unknowns_of_entry(sum) : std::span<const std::uint32_t>{};
  const std::uint32_t first = is_entry ? 0 : margins_.begin[sum - margins_.entries];
  const std::uint32_t count =
      is_entry ? static_cast<std::uint32_t>(of_entry.size()) : margins_.begin[sum - margins_.entries + 1] - first;
  Spend(count + std::uint64_t{1});
  std::uint32_t widest = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t unknown = is_entry ? of_entry[i] : first + i;
    if (margins_.least[unknown] == margins_.most[unknown]) continue;
    if (!Squeeze(sum, unknown)) {
      ContradictSum(sum);
      return;
    }
    widest = std::max(widest, margins_.most[unknown] - margins_.least[unknown]);
  }
  margins_.sums[sum].widest = widest;
  Push(sum);
}

bool StayBounds::Squeeze(std::uint32_t sum, std::uint32_t unknown) {
  const std::int64_t least = Signed(margins_.least[unknown]);
  const std::int64_t most = Signed(margins_.most[unknown]);
  const std::int64_t new_least = std::max(least, most - Surplus(margins_.sums[sum]));
  const std::int64_t new_most = std::min(most, least + Missing(margins_.sums[sum]));
  if (new_least > new_most) return false;
  if (new_least != least || new_most != most)
    Tighten(unknown, static_cast<std::uint32_t>(new_least), static_cast<std::uint32_t>(new_most));
  return IsPossible(margins_.sums[sum]);
}

void StayBounds::Tighten(std::uint32_t unknown, std::uint32_t least, std::uint32_t most) {
  const std::uint32_t more = least - margins_.least[unknown];
  const std::uint32_t less = margins_.most[unknown] - most;
  margins_.least[unknown] = least;
  margins_.most[unknown] = most;
  const auto change = [&](std::uint32_t sum) {
    margins_.sums[sum].least += more;
    margins_.sums[sum].most -= less;
    Push(sum);
  };
  for (const std::uint32_t entry : margins_.entries_of(unknown)) change(entry);
  change(margins_.entries + margins_.joint_of[unknown]);
}

void StayBounds::ContradictSum(std::uint32_t sum) {
  if (sum >= margins_.entries) {
    Contradict(sum - margins_.entries);
  } else {
    ContradictClasses({ClassOfEntry(sum)});
  }
}

void StayBounds::Contradict(std::uint32_t joint) {
  std::vector<std::uint32_t> classes;
  margins_.joint.ForEachClass(
      joint, [&](std::uint32_t r, ClassNumber c) { classes.push_back(margins_.joint.class_base[r] + c); });
  ContradictClasses(std::move(classes));
}

void StayBounds::ContradictClasses(std::vector<std::uint32_t> classes) {
  if (class_begin_.empty()) ListJointClasses();
  while (!classes.empty()) {
    const std::uint32_t number = classes.back();
    classes.pop_back();
    for (std::uint32_t e = margins_.class_entry[number]; e < margins_.class_entry[number + 1]; ++e)
      state_[e] |= kContradicted;
    for (std::uint64_t i = class_begin_[number]; i < class_begin_[number + 1]; ++i) {
      const std::uint32_t joint = class_joints_[i];
      if (is_contradicted_[joint] != 0) continue;
      is_contradicted_[joint] = 1;
      state_[margins_.entries + joint] |= kContradicted;
      margins_.joint.ForEachClass(
          joint, [&](std::uint32_t r, ClassNumber c) { classes.push_back(margins_.joint.class_base[r] + c); });
    }
  }
}

void StayBounds::ListJointClasses() {
  const StayJointClasses& joint = margins_.joint;
  class_begin_.assign(std::size_t{joint.class_base.back()} + 1, 0);
  for (std::uint32_t j = 0; j < joint.count(); ++j) {
    joint.ForEachClass(j, [&](std::uint32_t r, ClassNumber c) { ++class_begin_[joint.class_base[r] + c + 1]; });
  }
  for (std::size_t c = 0; c + 1 < class_begin_.size(); ++c) class_begin_[c + 1] += class_begin_[c];
  class_joints_.resize(class_begin_.back());
  std::vector<std::uint64_t> next(class_begin_.begin(), class_begin_.end() - 1);
  for (std::uint32_t j = 0; j < joint.count(); ++j) {
    joint.ForEachClass(j, [&](std::uint32_t r, ClassNumber c) { class_joints_[next[joint.class_base[r] + c]++] = j; });
  }
}

std::uint32_t StayBounds::ClassOfEntry(std::uint32_t entry) const {
  const auto after = std::ranges::upper_bound(margins_.class_entry, entry);
  return static_cast<std::uint32_t>(after - margins_.class_entry.begin()) - 1;
}

}  // namespace pentimento
