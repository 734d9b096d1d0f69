// Numbers pairs of numbers from 0, in the order in which they come: what joint classes are refined by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/mix64.h"

namespace pentimento {

class PairNumbers {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit PairNumbers(std::size_t expected) {
    std::size_t places = 16;
    while (places < expected * 2) places *= 2;
    slots_.resize(places);
  }

  std::uint32_t count() const { return count_; }

  // The number of the pair; the next one where it is new.
  std::uint32_t Add(std::uint32_t first, std::uint32_t second) {
    if (std::size_t{count_} * 2 >= slots_.size()) Grow();
    Slot& slot = slots_[PlaceOf(KeyOf(first, second))];
    if (slot.number == kNone) slot = {KeyOf(first, second), count_++};
    return slot.number;
  }
  // kNone where it was never added.
  std::uint32_t Find(std::uint32_t first, std::uint32_t second) const {
    return slots_[PlaceOf(KeyOf(first, second))].number;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = kNone;
  };

  static std::uint64_t KeyOf(std::uint32_t first, std::uint32_t second) { return std::uint64_t{first} << 32 | second; }

  // Where the key is, or would be. At least half of the places are free, so one is found.
  std::size_t PlaceOf(std::uint64_t key) const {
    std::size_t place = Mix64()(key) & (slots_.size() - 1);
    while (slots_[place].number != kNone && slots_[place].key != key) place = (place + 1) & (slots_.size() - 1);
    return place;
  }

  void Grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kNone) slots_[PlaceOf(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint32_t count_ = 0;
};

}  // namespace pentimento
