// What is on record about one made-up person in one quarter. A life is a pure function of one random word: who the
// person is (sex, birth, origin, schooling, marriages) is fixed for good; job and home last for a while; visit and
// disease belong to the quarter. So the same person is the same in every release, and the rest changes as it would.
// Of the diseases some stay for good: who came with one keeps it, and nobody gets one later, so that they stay as
// frequent as they were. All others are drawn anew each quarter, unless they are asked to stay.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/generate/vocabulary.h"

namespace pentimento::people {

// Draws for one made-up person. A stream of base/random.h hands every person one word; everything about the person
// follows from that word, so nobody's life depends on how many others are made, or in which order. Fast, integers
// only (the same people on every machine), and good enough for made-up data: never used for a release.

// The finalizer of MurmurHash3 in Stafford's 13th variant: a bijection that mixes all bits.
constexpr std::uint64_t Mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

class Draws {
 public:
  // Draws with another salt are unrelated: (life, "job since quarter 3") never shifts (life, "home since quarter 2").
  constexpr Draws(std::uint64_t life, std::uint64_t salt) : state_(Mix(life + 0x9e3779b97f4a7c15U * (salt + 1))) {}

  constexpr std::uint64_t Next() { return Mix(state_ += 0x9e3779b97f4a7c15U); }
  // [0, bound); the bias is below bound / 2^32.
  constexpr std::uint32_t Below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((Next() >> 32) * bound) >> 32);
  }
  constexpr bool Chance(std::uint32_t in_a_thousand) { return Below(1000) < in_a_thousand; }

 private:
  std::uint64_t state_;
};

// Picks i with probability shares[i] / sum, in constant time (Walker's alias method in integers).
class WeightedChoice {
 public:
  explicit WeightedChoice(std::span<const std::uint32_t> shares);  // at least one share is positive

  std::uint32_t Pick(Draws& draws) const {
    const std::uint32_t column = draws.Below(static_cast<std::uint32_t>(columns_.size()));
    const Column& chosen = columns_[column];
    return draws.Below(total_) < chosen.own ? column : chosen.other;
  }

 private:
  struct Column {
    std::uint32_t own;  // out of total_: how often the column stands for itself
    std::uint32_t other;
  };
  std::uint32_t total_ = 0;
  std::vector<Column> columns_;
};

// A bijection of [0, 2^bits) that looks like no order at all.
class Scramble {
 public:
  Scramble(unsigned bits, std::uint64_t key) : bits_(bits), mask_((std::uint32_t{1} << bits) - 1), key_(key) {}

  std::uint32_t operator()(std::uint32_t value) const {
    for (unsigned round = 0; round < 3; ++round) {
      const std::uint64_t round_key = Mix(key_ + round);
      value =
          (value * (static_cast<std::uint32_t>(round_key) | 1) + static_cast<std::uint32_t>(round_key >> 32)) & mask_;
      value ^= value >> (bits_ / 2);
    }
    return value;
  }

 private:
  unsigned bits_;
  std::uint32_t mask_;
  std::uint64_t key_;
};

// Ten years. Arrivals are below 90 years old, so nobody gets older than 99 within them.
inline constexpr std::uint32_t kLastQuarter = 40;
inline constexpr std::uint32_t kOldestAge = 99;
inline constexpr std::uint32_t kMostHours = 99;
inline constexpr std::uint32_t kVisitDays = 90;  // every quarter has as many
inline constexpr std::uint32_t kWards = 40;

// Positions in the vocabulary where nothing else is said.
struct Record {
  std::uint32_t age;
  std::uint32_t sex;
  std::uint32_t zip;
  std::uint32_t job;
  std::uint32_t education;
  std::uint32_t marital;
  std::uint32_t origin;
  std::uint32_t hours;  // worked in a week
  std::uint32_t disease;
  bool high_income;
  std::uint32_t weight_in_cents;
  std::uint32_t visit_day;  // of the quarter, below kVisitDays
  std::uint32_t ward;       // 1 to kWards
  std::uint64_t note;       // a word to make a note from
};

// A record with the number of the person it is about.
struct Row {
  std::uint64_t id;
  Record record;
};

class LifeModel {
 public:
  // The chance in a thousand that a disease that comes and goes is still there a quarter later, besides being drawn
  // again.
  explicit LifeModel(std::uint32_t stays_in_a_thousand = 0);

  // The record at `quarter` of somebody who came into the register at `arrival` <= quarter.
  Record At(std::uint64_t life, std::uint32_t arrival, std::uint32_t quarter) const;

 private:
  struct Since;

  std::uint32_t HoursOf(std::uint32_t job, Draws& draws) const;
  std::uint32_t DiseaseOf(std::uint64_t life, std::uint32_t arrival, std::uint32_t since, std::uint32_t age_then,
                          std::uint32_t age_on_arrival) const;

  WeightedChoice age_band_;
  WeightedChoice origin_;
  WeightedChoice schooling_;
  WeightedChoice zip_;
  std::array<WeightedChoice, kSchoolingTiers> job_;
  std::array<WeightedChoice, 3> disease_;
  std::array<WeightedChoice, 3> passing_disease_;  // those that do not stay
  std::uint32_t stays_in_a_thousand_;
};

}  // namespace pentimento::people
