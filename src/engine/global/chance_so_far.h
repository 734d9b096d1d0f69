// How close a series under the global guarantee has come to its limits, from its account: the largest chance so far
// that somebody ever had a value, and how many people are near the limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/log_budget.h"
#include "base/result.h"
#include "ledger/ledger.h"

namespace pentimento {

struct ChanceSoFar {
  struct Item {
    std::string column;
    bool is_set = false;
    std::uint64_t l = 0;
    ClassShare largest = 0;   // rounded up
    std::uint64_t near = 0;   // people above nine tenths of 1/l
    std::uint64_t above = 0;  // above 1/l: none, unless a later release promised a larger l
  };
  std::string series;
  std::uint64_t releases = 0;
  std::uint64_t people = 0;
  std::vector<Item> items = {};  // values are not named
};

// kUsage where the ledger has no such series.
Result<ChanceSoFar> ReadChanceSoFar(Ledger& ledger, const std::string& series);

}  // namespace pentimento
