// A made-up register of people for tests, benchmarks and demonstrations: quarter after quarter the same population,
// which ages, moves, changes jobs, falls ill, leaves and is joined by others. Every value is invented.
//
// The register has `rows` places. Place i holds the same person whatever `rows` is, so a smaller table is the
// beginning of a larger one with the same seed. Each quarter a fiftieth of the places change hands: the person is
// gone for good and a newcomer with another id is there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "engine/generate/life.h"
#include "io/arrow_c_data.h"

namespace pentimento {

struct PeopleOptions {
  std::uint64_t rows = 1000;
  std::uint64_t seed = 1;
  std::uint32_t quarter = 0;  // 0 is the first quarter of 2026; at most people::kLastQuarter
  std::uint32_t stay = 0;     // how likely diseases that come and go are still there a quarter later, in percent
  bool typed = false;         // age and hours as 64-bit integers instead of text
};

// The columns, in order. The eight from age to hours are the quasi-identifiers.
inline constexpr std::array kPeopleColumns = {"person",    "age",     "sex",    "zip",   "job",
                                              "education", "marital", "origin", "hours", "disease",
                                              "income",    "weight",  "visit",  "ward",  "note"};

class PeopleGenerator {
 public:
  static constexpr std::size_t kBlockRows = 65'536;

  // kUsage where the options ask for more than can be made.
  static Result<PeopleGenerator> Create(const PeopleOptions& options);

  std::uint64_t block_count() const { return (options_.rows + kBlockRows - 1) / kBlockRows; }
  // One record batch. Blocks do not depend on each other, so they can be made side by side.
  ArrowArray MakeBlock(std::uint64_t block) const;
  // All blocks in order, a few made ahead in parallel. The stream stands on its own: it may outlive the generator.
  ArrowArrayStream OpenStream() const;

 private:
  using Day = std::array<char, 10>;  // 2026-01-17

  explicit PeopleGenerator(const PeopleOptions& options);
  std::vector<people::Row> RowsOf(std::uint64_t block) const;

  PeopleOptions options_;
  Seed seed_;
  people::LifeModel life_model_;
  std::vector<Day> days_;  // of the quarter
};

}  // namespace pentimento
