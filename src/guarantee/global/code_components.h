// The codes of one column, at most 64 of them or of runs of them, joined by the groups that have them: the first half
// of confusable_groups.cc, for many groups and few codes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pentimento {

class CodeComponents {
 public:
  // `top`: the highest bit that may come.
  void Begin(unsigned top) {
    occupied_ = 0;
    used_ = 0;
    all_ = ~std::uint64_t{0} >> (63 - top);
  }

  // A group's codes, and the codes of its box, which are never fewer.
  void Add(std::uint64_t codes, std::uint64_t box) {
    const std::size_t own = component_of_[static_cast<std::size_t>(std::countr_zero(codes))];
    if (own < used_ && (codes & ~codes_[own]) == 0) {
      box_[own] |= box;
    } else {
      Join(codes, box);
    }
  }

  // Everything is one component, whatever else comes.
  bool IsOne() const { return occupied_ == all_ && codes_[component_of_[0]] == all_; }

  // Numbers the strongly connected components: there is a way from every code in a box to the codes of the box's group.
  // What can be reached backwards from a component is an interval, and components are strongly connected where these
  // intervals are equal.
  std::size_t Number() {
    std::array<std::uint64_t, 64> reached;
    std::size_t classes = 0;
    for (std::size_t i = 0; i < used_; ++i) {
      if (codes_[i] == 0) continue;
      if ((box_[i] & occupied_) == codes_[i]) {
        number_[i] = static_cast<std::uint8_t>(classes);
        reached[classes++] = box_[i];
        continue;
      }
      std::uint64_t reach = box_[i];
      for (std::uint64_t before = 0; before != reach;) {
        before = reach;
        for (std::size_t j = 0; j < used_; ++j)
          if ((codes_[j] & reach) != 0) reach |= box_[j];
      }
      std::size_t number = 0;
      while (number < classes && reached[number] != reach) ++number;
      if (number == classes) reached[classes++] = reach;
      number_[i] = static_cast<std::uint8_t>(number);
    }
    return classes;
  }
  // After Number(), of a code that some group has.
  std::size_t NumberOf(unsigned code) const { return number_[component_of_[code]]; }

 private:
  void Join(std::uint64_t codes, std::uint64_t box) {
    std::size_t into = 64;
    for (std::uint64_t met = codes & occupied_; met != 0;) {
      into = component_of_[static_cast<std::size_t>(std::countr_zero(met))];
      codes |= codes_[into];
      box |= box_[into];
      met &= ~codes_[into];
      codes_[into] = 0;
      box_[into] = 0;
    }
    // A number that nothing has now: there are no more numbers than codes.
    if (into == 64) {
      into = 0;
      while (into < used_ && codes_[into] != 0) ++into;
      if (into == used_) ++used_;
    }
    codes_[into] = codes;
    box_[into] = box;
    occupied_ |= codes;
    for (std::uint64_t left = codes; left != 0; left &= left - 1)
      component_of_[static_cast<std::size_t>(std::countr_zero(left))] = static_cast<std::uint8_t>(into);
  }

  std::uint64_t occupied_ = 0;
  std::uint64_t all_ = 0;
  std::size_t used_ = 0;  // numbers that were given out; those without codes are free
  std::array<std::uint64_t, 64> codes_{};
  std::array<std::uint64_t, 64> box_{};
  std::array<std::uint8_t, 64> component_of_{};  // by code, of those that are occupied
  std::array<std::uint8_t, 64> number_{};
};

}  // namespace pentimento
