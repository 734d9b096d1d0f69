#include "engine/global/chance_so_far.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/global/account.h"

namespace pentimento {
namespace {

__extension__ using WideShare = unsigned __int128;

}  // namespace

Result<ChanceSoFar> ReadChanceSoFar(Ledger& ledger, const std::string& series) {
  PENTIMENTO_ASSIGN(const Account account, Account::Open(&ledger, series));
  const AccountAbout& about = account.about();
  if (about.releases.empty()) {
    return Error{
        ErrorCode::kUsage,
        fmt::format("the ledger has no account of the series '{}'; name the ledger that its releases were made "
                    "with",
                    series)};
  }
  ChanceSoFar so_far{.series = series, .releases = about.releases.size(), .people = account.people().size()};
  for (const AccountItem& item : about.items) so_far.items.push_back({item.column, item.is_set, item.l});
  const std::size_t items = so_far.items.size();
  for (std::size_t at = 0; at < account.spent().size(); ++at) {
    ChanceSoFar::Item& item = so_far.items[at % items];
    const ClassShare chance = ChanceOfCost(account.spent()[at]);
    item.largest = std::max(item.largest, chance);
    // Shares are below 2^33 and l is at most 2^32, so that ten times their product needs more than 64 bits.
    const WideShare of_limit = static_cast<WideShare>(chance) * item.l;
    item.near += of_limit * 10 > static_cast<WideShare>(kWholeClass) * 9 ? 1 : 0;
    item.above += account.spent()[at] > BudgetOfLimit(item.l) + kAppearanceMask ? 1 : 0;
  }
  return so_far;
}

}  // namespace pentimento
