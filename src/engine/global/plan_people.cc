#include "engine/global/plan_people.h"

#include <algorithm>

namespace pentimento {

PlanPeople FindPeople(const Account& account, std::span<const IdentityHash> identities) {
  PlanPeople people;
  people.appearances.resize(identities.size());
  people.spent.assign(account.items(), std::vector<LogCost>(identities.size()));
  const std::span<const IdentityHash> known = account.people();
  std::size_t at = 0;
  for (std::size_t person = 0; person < identities.size(); ++person) {
    while (at < known.size() && known[at] < identities[person]) ++at;
    if (at == known.size() || known[at] != identities[person]) {
      ++people.newcomers;
      continue;
    }
    people.appearances[person] = account.appearances()[at];
    for (std::size_t item = 0; item < account.items(); ++item)
      people.spent[item][person] = account.spent()[at * account.items() + item];
  }
  return people;
}

SpentOnItem::SpentOnItem(std::span<const LogCost> spent, LogCost most_ever) : spent_(spent), most_ever_(most_ever) {
  for (const LogCost one : spent) {
    sum_ += one;
    most_ = std::max(most_, one);
  }
}

LogCost SpentOnItem::MeanLeft(LogCost budget) const {
  if (spent_.empty()) return budget;
  if (most_ <= budget) return static_cast<LogCost>((Wide{budget} * spent_.size() - sum_) / spent_.size());
  Wide left = 0;
  for (const LogCost one : spent_) left += budget > one ? budget - one : 0;
  return static_cast<LogCost>(left / spent_.size());
}

}  // namespace pentimento
