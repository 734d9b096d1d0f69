// What is on record about one made-up person in one quarter. A life is a pure function of one random word: who the
// person is (sex, birth, origin, schooling, marriages) is fixed for good; job and home last for a while; visit and
// disease belong to the quarter. So the same person is the same in every release, and the rest changes as it would.
// Of the diseases some stay for good: who came with one keeps it, and nobody gets one later, so that they stay as
// frequent as they were. All others are drawn anew each quarter, unless they are asked to stay.
#pragma once

#include <array>
#include <cstdint>

#include "engine/generate/draws.h"
#include "engine/generate/vocabulary.h"

namespace pentimento::people {

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
