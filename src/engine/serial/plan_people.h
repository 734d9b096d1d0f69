// The people of a table as the account of a series knows them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/log_budget.h"
#include "engine/serial/account.h"

namespace pentimento {

// In the order of the identities they were found by.
struct PlanPeople {
  std::uint64_t newcomers = 0;              // who were in no release of the series
  std::vector<std::uint32_t> appearances;   // by person
  std::vector<std::vector<LogCost>> spent;  // by item, then by person

  std::size_t count() const { return appearances.size(); }
};

// `identities`: ascending, each once.
PlanPeople FindPeople(const Account& account, std::span<const IdentityHash> identities);

// What is spent on one item, in numbers that hold for any l.
class SpentOnItem {
 public:
  explicit SpentOnItem(std::span<const LogCost> spent);

  bool nothing() const { return most_ == 0; }
  LogCost most() const { return most_; }
  // What is left on average where the budget is this large, rounded down.
  LogCost MeanLeft(LogCost budget) const;

 private:
  __extension__ using Wide = unsigned __int128;

  std::span<const LogCost> spent_;
  Wide sum_ = 0;
  LogCost most_ = 0;
};

}  // namespace pentimento
