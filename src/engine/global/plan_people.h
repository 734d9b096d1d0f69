// The people of a table as the account of a series knows them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/log_budget.h"
#include "engine/global/account.h"
#include "engine/global/bearable.h"

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
  // `spent`: by person of the table; `most_ever`: by anybody who was in the series, in the table or not.
  explicit SpentOnItem(std::span<const LogCost> spent, LogCost most_ever = 0);

  bool nothing() const { return most_ == 0; }
  // Whether nobody was told more of than 1/l. What is out stays out, so otherwise no release can promise it.
  bool Keeps(std::uint64_t l) const { return IsKeptSoFar(std::max(most_, most_ever_), l); }
  // What is left on average where the budget is this large, rounded down.
  LogCost MeanLeft(LogCost budget) const;

 private:
  __extension__ using Wide = unsigned __int128;

  std::span<const LogCost> spent_;
  Wide sum_ = 0;
  LogCost most_ = 0;
  LogCost most_ever_ = 0;
};

}  // namespace pentimento
