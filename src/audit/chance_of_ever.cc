#include "audit/chance_of_ever.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "audit/stay_joint.h"
#include "base/big_natural.h"

namespace pentimento {
namespace {

// Products of doubles are off by less than this share, whatever the releases; what is nearer is compared exactly.
constexpr double kNear = 1e-9;

// That the value was not met in a release: `others` of `rows`.
struct NeverFactor {
  std::uint32_t others = 0;
  std::uint32_t rows = 1;

  friend auto operator<=>(const NeverFactor&, const NeverFactor&) = default;
};

// Sorted, so that equal products of equal factors are equal.
using NeverProduct = std::vector<NeverFactor>;

// Whether product a is below product b * num / den.
bool IsBelow(const NeverProduct& a, const NeverProduct& b, std::uint64_t num, std::uint64_t den) {
  BigNatural left(den);
  BigNatural right(num);
  for (const NeverFactor& factor : a) {
    left *= factor.others;
    right *= factor.rows;
  }
  for (const NeverFactor& factor : b) {
    left *= factor.rows;
    right *= factor.others;
  }
  return left < right;
}

std::optional<Ratio> ChanceOf(const NeverProduct& never) {
  std::uint64_t others = 1;
  std::uint64_t rows = 1;
  for (const NeverFactor& factor : never) {
    if (factor.others == 0) return Ratio{.num = 1, .den = 1};
    // Lowest terms before and, crosswise, after: no number is larger than it must be.
    const std::uint64_t inside = std::gcd(factor.others, factor.rows);
    const std::uint64_t above = std::gcd<std::uint64_t, std::uint64_t>(others, factor.rows / inside);
    const std::uint64_t below = std::gcd<std::uint64_t, std::uint64_t>(factor.others / inside, rows);
    if (__builtin_mul_overflow(rows / below, factor.rows / inside / above, &rows)) return std::nullopt;
    others = others / above * (factor.others / inside / below);
  }
  return Ratio{.num = rows - others, .den = rows};
}

class EverCounter {
 public:
  EverCounter(const CommonReleases& common, const EverQuestion& question)
      : question_(question), joint_(GroupJointly(common, question.releases)) {
    std::uint32_t largest = 0;
    for (const CommonRelease* release : joint_.releases) {
      bags_.push_back(&BagsOf(*release, question.column));
      if (!bags_.back()->value.empty()) largest = std::max(largest, std::ranges::max(bags_.back()->value));
    }
    never_.assign(std::size_t{largest} + 1, 1.0);
    chance_.above.assign(question.bars.size(), 0);
    decided_.resize(question.bars.size());
  }

  EverChance Count() && {
    for (std::uint32_t j = 0; j < joint_.known(); ++j) Look(j);
    if (chance_.witness) {
      chance_.largest = 1 - smallest_never_;
      chance_.largest_exactly = ChanceOf(smallest_);
    }
    return std::move(chance_);
  }

 private:
  void Look(std::uint32_t joint) {
    chance_.people += joint_.size[joint];
    values_.clear();
    joint_.ForEachClass(joint, [&](std::uint32_t r, ClassNumber c) { Multiply(r, c); });
    double least = 1;
    for (const std::uint32_t value : values_) least = std::min(least, never_[value]);
    for (std::size_t b = 0; b < question_.bars.size(); ++b) {
      if (IsAbove(joint, b, least)) chance_.above[b] += joint_.size[joint];
    }
    if (smallest_never_ > 0 && least <= smallest_never_ * (1 + kNear)) LookForSmallest(joint);
    for (const std::uint32_t value : values_) never_[value] = 1;
  }

  void Multiply(std::uint32_t release, ClassNumber number) {
    const std::span<const std::uint32_t> values = bags_[release]->values_of(number);
    const std::span<const std::uint32_t> counts = bags_[release]->counts_of(number);
    const std::uint32_t rows = joint_.releases[release]->rows[number];
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (question_.value && *question_.value != values[i]) continue;
      // A value that is met again is noted again, which does no harm.
      values_.push_back(values[i]);
      never_[values[i]] *= static_cast<double>(rows - counts[i]) / rows;
    }
  }

  NeverProduct ProductOf(std::uint32_t joint, std::uint32_t value) const {
    NeverProduct product;
    joint_.ForEachClass(joint, [&](std::uint32_t r, ClassNumber c) {
      const std::span<const std::uint32_t> values = bags_[r]->values_of(c);
      const auto found = std::ranges::lower_bound(values, value);
      if (found == values.end() || *found != value) return;
      const std::uint32_t rows = joint_.releases[r]->rows[c];
      const std::uint32_t count = bags_[r]->counts_of(c)[static_cast<std::size_t>(found - values.begin())];
      product.push_back({.others = rows - count, .rows = rows});
    });
    std::ranges::sort(product);
    return product;
  }

  bool IsAbove(std::uint32_t joint, std::size_t b, double least) {
    const Ratio bar = question_.bars[b];
    if (bar.num >= bar.den) return false;
    const double allowed = static_cast<double>(bar.den - bar.num) / static_cast<double>(bar.den);
    if (std::abs(least - allowed) > kNear * allowed) return least < allowed;
    return std::ranges::any_of(values_, [&](std::uint32_t value) {
      if (never_[value] > allowed * (1 + kNear)) return false;
      NeverProduct product = ProductOf(joint, value);
      if (product != decided_[b].product || product.empty()) {
        const bool is_above = IsBelow(product, {}, bar.den - bar.num, bar.den);
        decided_[b] = {.product = std::move(product), .is_above = is_above};
      }
      return decided_[b].is_above;
    });
  }

  void LookForSmallest(std::uint32_t joint) {
    for (const std::uint32_t value : values_) {
      if (never_[value] > smallest_never_ * (1 + kNear)) continue;
      NeverProduct product = ProductOf(joint, value);
      if (product == smallest_ || !IsBelow(product, smallest_, 1, 1)) continue;
      smallest_ = std::move(product);
      smallest_never_ = never_[value];
      chance_.witness = joint_.first_person[joint];
      chance_.witness_value = value;
    }
  }

  // Many joint classes have the same product; the last one that was near a bar is remembered.
  struct Decided {
    NeverProduct product = {};
    bool is_above = false;
  };

  const EverQuestion& question_;
  StayJointClasses joint_;
  std::vector<const ValueBags*> bags_;  // by release
  std::vector<double> never_;           // by value, of the joint class that is looked at
  std::vector<std::uint32_t> values_;   // of its bags
  NeverProduct smallest_;
  double smallest_never_ = 1;
  std::vector<Decided> decided_;  // by bar
  EverChance chance_;
};

}  // namespace

EverChance FindChanceOfEver(const CommonReleases& common, const EverQuestion& question) {
  return EverCounter(common, question).Count();
}

}  // namespace pentimento
