#include "audit/hygiene.h"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <source_location>
#include <utility>

#include "base/check.h"
#include "base/mix64.h"
#include "base/parallel_sort.h"

namespace pentimento {
namespace {

__extension__ using WideInt = __int128;

// Rounding may make the logarithm of a chance too small by less than this, for up to 2^32 rows.
constexpr double kRounding = 1e-5;

double PFromLog(double log_p) {
  return std::min(1.0, std::max(std::exp(log_p + kRounding), std::numeric_limits<double>::min()));
}

double LogFactorial(double n) {
  int sign = 0;
  return ::lgamma_r(n + 1, &sign);  // std::lgamma writes a global
}

double LogChoose(double n, double k) { return LogFactorial(n) - LogFactorial(k) - LogFactorial(n - k); }

// How far shares a and b are apart: `draws` independent draws have a share of a or beyond with a chance of at most
// exp(-draws * Divergence(a, b)), if each is 1 with chance b (Chernoff); and so have draws without replacement
// (Hoeffding 1963, theorem 4).
double Divergence(double a, double b) {
  double sum = 0;
  if (a > 0) sum += a * std::log(a / b);
  if (a < 1) sum += (1 - a) * std::log((1 - a) / (1 - b));
  return std::max(0.0, sum);
}

struct Inversions {
  std::uint64_t count = 0;       // pairs of rows of which the first has the larger value
  std::uint64_t tied_pairs = 0;  // with equal values
  WideInt tied_variance = 0;     // the sum of t(t-1)(2t+5) over values that t rows have
};

Inversions CountInversions(std::span<const std::uint32_t> values) {
  Inversions found;
  std::vector<std::uint32_t> from(values.begin(), values.end());
  std::vector<std::uint32_t> to(values.size());
  for (std::size_t width = 1; width < from.size(); width *= 2) {
    for (std::size_t begin = 0; begin < from.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, from.size()), end = std::min(middle + width, from.size());
      std::size_t left = begin, right = middle;
      for (std::size_t at = begin; at < end; ++at) {
        const bool takes_left = left < middle && (right == end || from[left] <= from[right]);
        if (!takes_left) found.count += middle - left;
        to[at] = from[takes_left ? left++ : right++];
      }
    }
    std::swap(from, to);
  }
  for (std::size_t begin = 0, end = 0; begin < from.size(); begin = end) {
    while (end < from.size() && from[end] == from[begin]) ++end;
    const auto t = static_cast<WideInt>(end - begin);
    found.tied_pairs += static_cast<std::uint64_t>(t * (t - 1) / 2);
    found.tied_variance += t * (t - 1) * (2 * t + 5);
  }
  return found;
}

// Kendall's S: pairs of rows in order, less those that are not. The generating function of the inversions of a multiset
// is the product of [i] over all i up to n, divided by that over all i up to t for each value, where [i] is that of a
// uniform variable with i values. The centred variable has the logarithm f(iz) - f(z) with f(y) = log(sinh(y)/y) and
// z half the argument; f(y) - y^2/6 falls with y, because coth(y) - 1/y <= y/3. The numbers 1..t of all values can each
// be given a number of 1..n of its own that is no smaller, so the whole is no larger than what S's variance alone would
// give: S is sub-Gaussian with its own variance, for any n, and P(|S| >= s) <= 2 exp(-s^2 / (2 Var S)).
OrderResult TestTrend(std::span<const std::uint32_t> values) {
  OrderResult result{.test = OrderTest::kTrend, .compared = values.size()};
  const auto n = static_cast<WideInt>(values.size());
  const Inversions found = CountInversions(values);
  const auto variance = static_cast<double>(n * (n - 1) * (2 * n + 5) - found.tied_variance) / 18;
  if (variance <= 0) return result;
  const WideInt pairs = n * (n - 1) / 2 - found.tied_pairs;
  const auto s = static_cast<double>(pairs - 2 * static_cast<WideInt>(found.count));
  result.statistic = s / static_cast<double>(pairs);
  result.p = PFromLog(std::log(2.0) - s * s / (2 * variance));
  return result;
}

// Which two values a pair of rows has is given; which comes first is a fair coin, for each pair by itself.
OrderResult TestNeighbours(std::span<const std::uint32_t> values) {
  std::uint64_t up = 0, down = 0;
  for (std::size_t row = 0; row + 1 < values.size(); row += 2) {
    up += values[row] < values[row + 1] ? 1 : 0;
    down += values[row] > values[row + 1] ? 1 : 0;
  }
  OrderResult result{.test = OrderTest::kNeighbours, .compared = up + down};
  if (result.compared == 0) return result;
  const auto pairs = static_cast<double>(up + down);
  result.statistic = (static_cast<double>(up) - static_cast<double>(down)) / pairs;
  const double most = static_cast<double>(std::max(up, down)) / pairs;
  result.p = PFromLog(std::log(2.0) - pairs * Divergence(most, 0.5));
  return result;
}

// The number of orders with so many runs, of rows of two kinds, as a logarithm.
double LogOrdersWithRuns(std::uint64_t runs, double ones, double zeros) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const auto half = static_cast<double>(runs / 2);
  if (half < 1 || half > ones || half > zeros) return kNone;
  const double even = LogChoose(ones - 1, half - 1) + LogChoose(zeros - 1, half - 1);
  if (runs % 2 == 0) return even + std::log(2.0);
  return ones + zeros > 2 * half ? even + std::log((ones + zeros - 2 * half) / half) : kNone;
}

// The chance of so many runs or of a number further out, by the exact distribution of Wald and Wolfowitz. Terms are
// added from there outwards. Of either parity they are log-concave, so once two in a row are tiny beyond the mean those
// that are left are no larger, and are added as if they were as large.
double LogTailOfRuns(std::uint64_t runs, double ones, double zeros, bool is_low) {
  const double all = LogChoose(ones + zeros, ones);
  const auto most = static_cast<std::uint64_t>(2 * std::min(ones, zeros) + (ones == zeros ? 0 : 1));
  const double first = LogOrdersWithRuns(runs, ones, zeros);
  double sum = 1, before = 1;
  for (std::uint64_t r = runs; is_low ? r > 2 : r < most;) {
    r = is_low ? r - 1 : r + 1;
    const double term = std::exp(LogOrdersWithRuns(r, ones, zeros) - first);
    sum += term;
    if (std::max(term, before) < 1e-16) {
      sum += static_cast<double>(is_low ? r : most - r) * std::max(term, before);
      break;
    }
    before = term;
  }
  return first + std::log(sum) - all;
}

struct Runs {
  std::uint64_t runs = 0;
  std::uint64_t ones = 0;
  std::uint64_t zeros = 0;
};

template <typename IsOne>
Runs CountRuns(std::span<const std::uint32_t> values, const IsOne& is_one) {
  Runs found;
  bool before = false;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const bool now = is_one(values[row]);
    found.runs += row == 0 || now != before ? 1 : 0;
    ++(now ? found.ones : found.zeros);
    before = now;
  }
  return found;
}

OrderResult ResultOfRuns(OrderTest test, const Runs& found) {
  OrderResult result{.test = test, .compared = found.ones + found.zeros};
  if (found.ones == 0 || found.zeros == 0) return result;
  const auto ones = static_cast<double>(found.ones), zeros = static_cast<double>(found.zeros);
  const double expected = 1 + 2 * ones * zeros / (ones + zeros);
  const auto runs = static_cast<double>(found.runs);
  result.statistic = (expected - runs) / (runs < expected ? expected - 2 : expected);
  if (runs == expected) return result;
  result.p = PFromLog(std::log(2.0) + LogTailOfRuns(found.runs, ones, zeros, runs < expected));
  return result;
}

std::vector<std::uint32_t> Sorted(std::span<const std::uint32_t> values) {
  std::vector<std::uint32_t> sorted(values.begin(), values.end());
  ParallelSort(sorted.begin(), sorted.end(), std::less());
  return sorted;
}

OrderResult TestHalves(std::span<const std::uint32_t> values, std::span<const std::uint32_t> sorted) {
  if (values.empty()) return {.test = OrderTest::kHalves};
  const std::uint32_t median = sorted[sorted.size() / 2];
  const bool with_median = median > sorted.front();  // otherwise all values would be in one half
  return ResultOfRuns(OrderTest::kHalves, CountRuns(values, [&](std::uint32_t value) {
                        return with_median ? value >= median : value > median;
                      }));
}

// Different values dealt into two parts with as many rows, nearly, whatever their order: those of the second part,
// ascending. Depends on how often each value occurs alone.
std::vector<std::uint32_t> DealValues(std::span<const std::uint32_t> sorted) {
  struct Dealt {
    std::uint64_t key;
    std::uint32_t value;
    std::uint64_t rows;
  };
  std::vector<Dealt> values;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    values.push_back({Mix64()(sorted[begin]), sorted[begin], end - begin});
  }
  ParallelSort(values.begin(), values.end(), [](const Dealt& a, const Dealt& b) {
    return a.rows != b.rows ? a.rows > b.rows : std::pair(a.key, a.value) < std::pair(b.key, b.value);
  });
  std::uint64_t first = 0, second = 0;
  std::vector<std::uint32_t> in_second;
  for (const Dealt& dealt : values) {
    if (second < first) in_second.push_back(dealt.value);
    (second < first ? second : first) += dealt.rows;
  }
  ParallelSort(in_second.begin(), in_second.end(), std::less());
  return in_second;
}

OrderResult TestClustersOf(std::span<const std::uint32_t> values, std::span<const std::uint32_t> sorted) {
  const std::vector<std::uint32_t> ones = DealValues(sorted);
  return ResultOfRuns(OrderTest::kClusters,
                      CountRuns(values, [&](std::uint32_t value) { return std::ranges::binary_search(ones, value); }));
}

std::vector<std::uint32_t> DenseRanks(std::span<const std::uint32_t> values, std::span<const std::uint32_t> sorted) {
  std::vector<std::uint32_t> ranks;
  ranks.reserve(values.size());
  for (const std::uint32_t value : values)
    ranks.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(sorted, value) - sorted.begin()));
  return ranks;
}

// Any s of the n-1 places can be where a row is followed by its successor; then the rows are n-s blocks in some order.
// So n-1 choose s times (n-s)!/n! sets of s such places are expected, which is below 1/s!, and at least one there must
// be. Once for those that follow, once for those that go before.
OrderResult TestKeptNeighbours(std::span<const std::uint32_t> ranks) {
  std::uint64_t forward = 0, backward = 0;
  for (std::size_t row = 1; row < ranks.size(); ++row) {
    forward += ranks[row] == std::uint64_t{ranks[row - 1]} + 1 ? 1 : 0;
    backward += ranks[row - 1] == std::uint64_t{ranks[row]} + 1 ? 1 : 0;
  }
  OrderResult result{.test = OrderTest::kKeptNeighbours, .compared = ranks.empty() ? 0 : ranks.size() - 1};
  if (result.compared == 0) return result;
  const auto kept = static_cast<double>(std::max(forward, backward));
  result.statistic = (forward >= backward ? kept : -kept) / static_cast<double>(result.compared);
  result.p = PFromLog(std::log(2.0) - LogFactorial(kept));
  return result;
}

// By key, ascending: the only row that has it. Keys that several rows have are left out.
std::vector<std::pair<std::uint64_t, std::uint32_t>> RowsOfKeys(std::span<const std::uint64_t> keys) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> rows;
  rows.reserve(keys.size());
  for (std::size_t row = 0; row < keys.size(); ++row) rows.emplace_back(keys[row], static_cast<std::uint32_t>(row));
  ParallelSort(rows.begin(), rows.end(), std::less());
  std::size_t kept = 0;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].first == rows[begin].first) ++end;
    if (end - begin == 1) rows[kept++] = rows[begin];
  }
  rows.resize(kept);
  return rows;
}

}  // namespace

std::string_view ToString(OrderTest test) {
  switch (test) {
    case OrderTest::kTrend:
      return "rank correlation";
    case OrderTest::kNeighbours:
      return "neighbouring rows in order";
    case OrderTest::kHalves:
      return "runs above and below the median";
    case OrderTest::kClusters:
      return "runs of equal values";
    case OrderTest::kKeptNeighbours:
      return "neighbours kept from the other order";
    case OrderTest::kSamePlace:
      return "equal values at the same place";
  }
  FailCheck("a test of order without a name", std::source_location::current());
}

std::vector<OrderResult> TestRowOrder(std::span<const std::uint32_t> values) {
  const std::vector<std::uint32_t> sorted = Sorted(values);
  return {TestTrend(values), TestNeighbours(values), TestHalves(values, sorted), TestClustersOf(values, sorted)};
}

OrderResult TestClusters(std::span<const std::uint32_t> values) { return TestClustersOf(values, Sorted(values)); }

std::vector<OrderResult> TestAgainstOrder(std::span<const std::uint32_t> places) {
  const std::vector<std::uint32_t> sorted = Sorted(places);
  Check(std::ranges::adjacent_find(sorted) == sorted.end(), "no two rows have one place in another order");
  return {TestTrend(places), TestNeighbours(places), TestHalves(places, sorted),
          TestKeptNeighbours(DenseRanks(places, sorted))};
}

// The rows that are in the second part here are a draw without replacement from all rows, as far as the other column
// goes: how many of them are in the second part there is hypergeometric.
OrderResult TestSamePlace(std::span<const std::uint32_t> here, std::span<const std::uint32_t> there) {
  Check(here.size() == there.size(), "two columns that are compared place by place have as many rows");
  OrderResult result{.test = OrderTest::kSamePlace, .compared = here.size()};
  const std::vector<std::uint32_t> second = DealValues(Sorted(here));
  std::uint64_t ones_here = 0, ones_there = 0, both = 0;
  for (std::size_t row = 0; row < here.size(); ++row) {
    const bool is_here = std::ranges::binary_search(second, here[row]);
    const bool is_there = std::ranges::binary_search(second, there[row]);
    ones_here += is_here ? 1 : 0;
    ones_there += is_there ? 1 : 0;
    both += is_here && is_there ? 1 : 0;
  }
  if (ones_here == 0 || ones_there == 0 || ones_here == here.size() || ones_there == here.size()) return result;
  const auto n = static_cast<double>(here.size()), a = static_cast<double>(ones_here),
             b = static_cast<double>(ones_there), met = static_cast<double>(both);
  result.statistic = (met * n - a * b) / std::sqrt(a * b * (n - a) * (n - b));
  // Each of the four counts of the two parts is such a draw, and bounds the same chance.
  const double divergence =
      std::max({a * Divergence(met / a, b / n), b * Divergence(met / b, a / n),
                (n - a) * Divergence((b - met) / (n - a), b / n), (n - b) * Divergence((a - met) / (n - b), a / n)});
  result.p = PFromLog(std::log(2.0) - divergence);
  return result;
}

std::vector<std::uint32_t> PlacesInOther(std::span<const std::uint64_t> keys, std::span<const std::uint64_t> other) {
  const auto here = RowsOfKeys(keys), there = RowsOfKeys(other);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;  // here and there
  std::size_t t = 0;
  for (const auto& [key, row] : here) {
    while (t < there.size() && there[t].first < key) ++t;
    if (t < there.size() && there[t].first == key) rows.emplace_back(row, there[t].second);
  }
  ParallelSort(rows.begin(), rows.end(), std::less());
  std::vector<std::uint32_t> places;
  places.reserve(rows.size());
  for (const auto& row : rows) places.push_back(row.second);
  return places;
}

std::vector<std::uint32_t> ValuesInOrderOf(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> values) {
  Check(ids.size() == values.size(), "every row has an id and a value");
  std::vector<std::uint64_t> rows;
  rows.reserve(ids.size());
  for (std::size_t row = 0; row < ids.size(); ++row) rows.push_back(std::uint64_t{ids[row]} << 32 | values[row]);
  ParallelSort(rows.begin(), rows.end(), std::less());
  std::vector<double> means;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    std::uint64_t sum = 0;
    while (end < rows.size() && rows[end] >> 32 == rows[begin] >> 32) sum += static_cast<std::uint32_t>(rows[end++]);
    means.push_back(static_cast<double>(sum) / static_cast<double>(end - begin));
  }
  std::vector<double> sorted = means;
  ParallelSort(sorted.begin(), sorted.end(), std::less());
  std::vector<std::uint32_t> ranks;
  ranks.reserve(means.size());
  for (const double mean : means)
    ranks.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(sorted, mean) - sorted.begin()));
  return ranks;
}

std::vector<OrderResult> CorrectForNumber(std::vector<OrderResult> results) {
  const auto number = static_cast<double>(results.size());
  for (OrderResult& result : results) result.p = std::min(1.0, result.p * number);
  return results;
}

}  // namespace pentimento
