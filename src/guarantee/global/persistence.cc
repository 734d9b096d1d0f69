#include "guarantee/global/persistence.h"

#include <algorithm>
#include <bit>

#include "base/big_natural.h"
#include "base/certified_log.h"
#include "base/check.h"

namespace pentimento {
namespace {

__extension__ using WideLog = __int128;  // in units of 2^-62

constexpr int kDroppedLogBits = kFineLogBits - 62;

// Of ln(number), for 1 <= number <= 2^32, in units of 2^-62: below the truth by less than 2 of them, and above it.
struct WholeLog {
  WideLog at_least = 0;
  WideLog at_most = 0;
};

WholeLog LogOfWhole(std::uint64_t number) {
  const auto doublings = static_cast<unsigned>(std::bit_width(number)) - 1;
  const LogBounds rest = BoundLog(number, std::uint64_t{1} << doublings), two = BoundLog(2, 1);
  const FineLog at_least = rest.at_least + doublings * two.at_least, at_most = rest.at_most + doublings * two.at_most;
  return {static_cast<WideLog>(at_least >> kDroppedLogBits), static_cast<WideLog>(at_most >> kDroppedLogBits) + 1};
}

// times * ln(number), where 0 * ln(0) is 0. At most 2^32 * 23 * 2^62 < 2^99.
WideLog AtLeast(std::uint64_t times, std::uint64_t number) {
  return times == 0 ? 0 : WideLog{times} * LogOfWhole(number).at_least;
}
WideLog AtMost(std::uint64_t times, std::uint64_t number) {
  return times == 0 ? 0 : WideLog{times} * LogOfWhole(number).at_most;
}

bool IsConsistent(const HeldAgain& seen) {
  return seen.again <= seen.had && seen.had <= seen.known && seen.known <= seen.rows && seen.again <= seen.holders &&
         seen.holders <= seen.rows && seen.rows <= std::uint64_t{1} << 32;
}

// Whether it would show if all had it again who can.
bool CouldShow(HeldAgain seen, std::uint64_t items) {
  seen.again = std::min(seen.had, seen.holders);
  return IsBeyondChance(seen, items);
}

// again/had > times * holders/rows. Exactly equal is not above.
bool IsAboveFrequency(const HeldAgain& seen, Ratio times) {
  BigNatural again(seen.again), expected(seen.holders);
  ((again *= seen.rows) *= times.den);
  ((expected *= seen.had) *= times.num);
  return again > expected;
}

}  // namespace

// Drawn without putting back from N rows of which H have the item, n rows have a or more of it with a chance of at most
//   (f/q)^a * ((1-f)/(1-q))^(n-a),   f = H/N, q = a/n > f
// (Hoeffding 1963, theorem 1 and section 6). Its logarithm needs no sum over millions of cases, and each logarithm is
// rounded so that the bound only gets larger: claim 2 of the header. It asks for a person more than the exact tail.
bool IsBeyondChance(const HeldAgain& seen, std::uint64_t items) {
  Check(items >= 1 && items <= std::uint64_t{1} << 32, "no item is looked at");
  if (!IsAboveFrequency(seen, {1, 1})) return false;
  const std::uint64_t others = seen.had - seen.again, free = seen.rows - seen.holders;
  const WideLog surprise = AtLeast(seen.again, seen.again) + AtLeast(others, others) + AtLeast(seen.had, seen.rows) -
                           AtMost(seen.had, seen.had) - AtMost(seen.again, seen.holders) - AtMost(others, free);
  return surprise >= AtMost(1, kOneFalseAlarmIn) + AtMost(1, items);
}

Persistence ClassifyPersistence(const HeldAgain& seen, Ratio most, std::uint64_t items) {
  Check(IsConsistent(seen), "more people have an item again than had it");
  if (seen.had == 0) return Persistence::kUnknown;
  const bool is_too_much = IsAboveFrequency(seen, most);
  const bool is_remarkable = IsAboveFrequency(seen, kRemarkablePersistence);
  if (!is_too_much && !is_remarkable) return CouldShow(seen, items) ? Persistence::kComesAndGoes : Persistence::kTooFew;
  if (!IsBeyondChance(seen, items)) return Persistence::kTooFew;
  return is_too_much ? Persistence::kRefused : Persistence::kStays;
}

}  // namespace pentimento
