// Where counting worlds would take too long: the chance of a person in closed form, over numbers of any length, and
// instances at the very boundary of a limit. Written for tests, and itself verified by the oracle on small tables.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "property/alpha_k_examples.h"

namespace pentimento::property {

enum class FormOf { kGeneralized, kTwoTables };

// A natural number in digits to base 2^32, the lowest first; no zeros at the top.
class Natural {
 public:
  explicit Natural(std::uint64_t value) { *this = Natural().Plus(value); }

  Natural& operator*=(std::uint64_t factor) {
    const Natural low = Times(static_cast<std::uint32_t>(factor));
    Natural high = Times(static_cast<std::uint32_t>(factor >> 32));
    if (!high.digits_.empty()) high.digits_.insert(high.digits_.begin(), 0);
    *this = high.Plus(low);
    return *this;
  }
  friend bool operator<=(const Natural& a, const Natural& b) {
    if (a.digits_.size() != b.digits_.size()) return a.digits_.size() < b.digits_.size();
    return !std::lexicographical_compare(b.digits_.rbegin(), b.digits_.rend(), a.digits_.rbegin(), a.digits_.rend());
  }

 private:
  Natural() = default;
  Natural Plus(std::uint64_t value) const {
    Natural other;
    for (; value > 0; value >>= 32) other.digits_.push_back(static_cast<std::uint32_t>(value));
    return Plus(other);
  }
  Natural Plus(const Natural& other) const {
    Natural sum;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < std::max(digits_.size(), other.digits_.size()) || carry > 0; ++i) {
      carry += i < digits_.size() ? digits_[i] : 0;
      carry += i < other.digits_.size() ? other.digits_[i] : 0;
      sum.digits_.push_back(static_cast<std::uint32_t>(carry));
      carry >>= 32;
    }
    return sum;
  }
  Natural Times(std::uint32_t factor) const {
    Natural product;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; factor > 0 && (i < digits_.size() || carry > 0); ++i) {
      carry += i < digits_.size() ? std::uint64_t{digits_[i]} * factor : 0;
      product.digits_.push_back(static_cast<std::uint32_t>(carry));
      carry >>= 32;
    }
    return product;
  }

  std::vector<std::uint32_t> digits_;
};

struct ClassOfPerson {
  std::uint64_t rows = 0;        // n
  std::uint64_t with_value = 0;  // s
  std::uint64_t own_rows = 0;    // r
};

// Whether 1 - product of C(n-s, r) / C(n, r) is at most the limit, multiplied out:
// (den - num) * product of n(n-1)...(n-r+1) <= den * product of (n-s)(n-s-1)...(n-s-r+1).
inline bool ChanceIsAtMost(const std::vector<ClassOfPerson>& classes, Ratio limit) {
  if (limit.num >= limit.den) return true;
  Natural all(limit.den - limit.num), without(limit.den);
  for (const ClassOfPerson& c : classes) {
    for (std::uint64_t i = 0; i < c.own_rows; ++i) {
      all *= c.rows - i;
      without *= c.rows > c.with_value + i ? c.rows - c.with_value - i : 0;
    }
  }
  return all <= without;
}

inline bool KeepsByClosedForm(const AlphaKInstance& instance, FormOf form) {
  const auto person_of_row = oracle::alpha_k::PersonOfRow(instance.data.table);
  const auto& numbers = instance.tables.classes.of_row;
  std::map<std::size_t, std::map<ClassNumber, ClassOfPerson>> classes_of_person;
  std::map<ClassNumber, std::set<std::size_t>> persons;
  std::map<ClassNumber, std::uint64_t> rows;
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    ++rows[numbers[row]];
    ++classes_of_person[person_of_row[row]][numbers[row]].own_rows;
    persons[numbers[row]].insert(person_of_row[row]);
  }
  for (const auto& [c, members] : persons) {
    if (members.size() < instance.promise.claim.k) return false;
  }
  for (const auto& limited : oracle::alpha_k::EachLimit(instance.promise.claim)) {
    if (limited.at_most == Ratio{1, 1}) continue;  // no share is more than that
    std::map<ClassNumber, std::uint64_t> with_value;
    std::map<ClassNumber, std::set<std::size_t>> persons_with;
    for (std::size_t row = 0; row < numbers.size(); ++row) {
      if (!limited.values.contains(instance.data.sensitive[limited.column][row])) continue;
      ++with_value[numbers[row]];
      persons_with[numbers[row]].insert(person_of_row[row]);
    }
    for (const auto& [c, count] : with_value) {
      if (!oracle::alpha_k::IsAtMost(count, rows[c], limited.at_most)) return false;
      if (form == FormOf::kGeneralized &&
          !oracle::alpha_k::IsAtMost(persons_with[c].size(), persons[c].size(), limited.at_most)) {
        return false;
      }
    }
    for (const auto& [person, own] : classes_of_person) {
      std::vector<ClassOfPerson> classes;
      for (const auto& [c, mine] : own) classes.push_back({rows[c], with_value[c], mine.own_rows});
      if (!ChanceIsAtMost(classes, limited.at_most)) return false;
    }
  }
  return true;
}

inline void SetLimit(AlphaKInstance& instance, Ratio at_most) {
  instance.promise.policy.limits.at(0).at_most = instance.promise.claim.limits.back().at_most = at_most;
}

// One person has a row in each of many classes of two; the value is in every one. After c classes the chance is
// 1 - 1/2^c: at 63 classes the limit can be met exactly in 64 bits, and beyond no limit below 1 is large enough.
inline AlphaKInstance ManyHalves(std::uint32_t classes, Ratio at_most) {
  std::vector<Code> class_of_row, values;
  std::vector<std::uint32_t> persons;
  for (std::uint32_t c = 0; c < classes; ++c) {
    class_of_row.insert(class_of_row.end(), {c, c});
    values.insert(values.end(), {0, 1});
    persons.insert(persons.end(), {0, 1 + c});
  }
  AlphaKPromise promise = PromiseOf({1, 1}, 2, {2});
  AddLimit(promise, 0, {0}, at_most);
  return InstanceByPoints(TableOf(class_of_row, {values}, {2}, persons), std::move(promise));
}

// Some people with many rows in few large classes, the value in a few rows of each.
inline AlphaKInstance RandomLarge(Random& random) {
  std::vector<Code> class_of_row, values;
  std::vector<std::uint32_t> persons;
  const std::uint32_t classes = 1 + random.Below(4), often = 1 + random.Below(3);
  std::uint32_t next = often;
  for (std::uint32_t c = 0; c < classes; ++c) {
    const std::uint32_t rows = 20 + random.Below(120), share = 3 + random.Below(12);
    for (std::uint32_t row = 0; row < rows; ++row) {
      class_of_row.push_back(c);
      values.push_back(random.Below(share) == 0 ? 0 : 1 + random.Below(3));
      persons.push_back(row < often ? row : random.Below(6) == 0 ? random.Below(often) : next++);
    }
  }
  AlphaKPromise promise = PromiseOf({1, 1}, 2, {4});
  AddLimit(promise, 0, {0}, {1, 1});
  return InstanceByPoints(TableOf(class_of_row, {values}, {4}, persons), std::move(promise));
}

// So many classes that a checker works on several parts of them at once; some people have rows in several of them.
inline AlphaKInstance RandomWide(Random& random) {
  std::vector<Code> class_of_row, values;
  std::vector<std::uint32_t> persons;
  std::uint32_t next = 60;
  for (std::uint32_t c = 0; c < 2600; ++c) {
    // The value is in every third class, and never in more than a third of it.
    const std::uint32_t rows = 3 + random.Below(3);
    const std::uint32_t guest = random.Below(8) == 0 ? random.Below(60) : next++;
    for (std::uint32_t row = 0; row < rows; ++row) {
      class_of_row.push_back(c);
      values.push_back(row == 1 && c % 3 == 0 ? 0 : 1 + row % 2);
      persons.push_back(row == 0 ? guest : next++);
    }
  }
  for (std::uint32_t person = 0; person < 60; ++person) persons[person] = person;  // nobody is without a row
  std::map<std::uint32_t, std::uint32_t> dense;
  for (std::uint32_t& person : persons) {
    person = dense.try_emplace(person, static_cast<std::uint32_t>(dense.size())).first->second;
  }
  AlphaKPromise promise = PromiseOf({1, 1}, 2, {3});
  AddLimit(promise, 0, {0}, {1, 1});
  return InstanceByPoints(TableOf(class_of_row, {values}, {3}, persons), std::move(promise));
}

// Both sides of the boundary, one step of a limit with 2^62 steps apart: the largest limit that is broken, and the
// next one, which is kept.
inline std::pair<Ratio, Ratio> Boundary(AlphaKInstance instance, FormOf form) {
  constexpr std::uint64_t kSteps = std::uint64_t{1} << 62;
  std::uint64_t kept = kSteps, broken = 0;
  while (kept - broken > 1) {
    const std::uint64_t middle = broken + (kept - broken) / 2;
    SetLimit(instance, Reduced(middle, kSteps));
    (KeepsByClosedForm(instance, form) ? kept : broken) = middle;
  }
  return {Reduced(broken, kSteps), Reduced(kept, kSteps)};
}

inline std::vector<AlphaKInstance> LargeInstances() {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  std::vector<AlphaKInstance> instances = {
      TwentyNineOfHundred(29),
      TwentyNineOfHundred(30),
      ManyHalves(63, {kHalf - 1, kHalf}),
      ManyHalves(63, Reduced(kHalf - 2, kHalf)),
      ManyHalves(63, {~std::uint64_t{0} - 1, ~std::uint64_t{0}}),
      ManyHalves(64, {~std::uint64_t{0} - 1, ~std::uint64_t{0}}),
      ManyHalves(64, {1, 1}),
      ManyHalves(200, {~std::uint64_t{0} - 1, ~std::uint64_t{0}}),
  };
  Random random(SeedFromNumber(55), "large");
  for (int repeat = 0; repeat < 12; ++repeat) {
    AlphaKInstance instance = repeat == 0 ? RandomWide(random) : RandomLarge(random);
    for (const FormOf form : {FormOf::kGeneralized, FormOf::kTwoTables}) {
      const auto [broken, kept] = Boundary(instance, form);
      for (const Ratio limit : {broken, kept}) {
        SetLimit(instance, limit);
        instances.push_back(instance);
      }
    }
  }
  return instances;
}

}  // namespace pentimento::property
