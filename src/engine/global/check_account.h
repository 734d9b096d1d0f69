// The account of a series under the global guarantee against the tables that it was published in. Whose group is whose
// is not in the ledger, so everybody's costs are added up: what all people together have spent must cover what the
// published groups cost all who are in them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/log_budget.h"
#include "base/result.h"
#include "engine/global/account.h"
#include "ledger/ledger.h"

namespace pentimento {

__extension__ using SumOfCosts = unsigned __int128;

// What a published release shows, counted from its files alone.
struct PublishedExposure {
  std::uint64_t rows = 0;
  // By item of the account.
  std::vector<std::uint64_t> holders;
  std::vector<SumOfCosts> cost;  // of everybody in the release together
};

// `folder`: of the release.
Result<PublishedExposure> CountExposure(const std::filesystem::path& folder, const AccountAbout& about);

// What does not fit, for people to read; nothing where the account covers these releases, which are all of the series.
// More may be spent than they cost: somebody who could be in two groups pays for the worse one.
std::vector<std::string> FindAccountProblems(const Account& account, std::span<const PublishedExposure> releases);

struct AccountCheck {
  std::vector<std::string> covered;     // series
  std::vector<std::string> incomplete;  // series with a release that is not as it was published, or cannot be read
  std::vector<std::string> problems;
};

// Every series of the ledger whose releases are in `out`; `intact` are those that are there as they were published.
Result<AccountCheck> CheckAccounts(Ledger& ledger, const std::filesystem::path& out,
                                   std::span<const std::string> intact);

}  // namespace pentimento
