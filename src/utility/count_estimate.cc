#include "utility/count_estimate.h"

namespace pentimento {

CountInterval ChanceInterval(const CountEstimate& count) {
  const double reach = 1.96 * count.standard_error();
  return {std::clamp(count.estimate - reach, count.least, count.most),
          std::clamp(count.estimate + reach, count.least, count.most)};
}

CountEstimate KnownCount(double rows) { return {rows, 0, rows, rows, rows}; }

CountEstimate EstimateInClass(std::uint64_t size, std::uint64_t a, std::span<const std::uint64_t> b) {
  const double n = static_cast<double>(size);
  CountEstimate count = KnownCount(static_cast<double>(a));
  if (a == 0) return count;
  double met = 1;  // the share of the class that meets all sensitive predicates, under independence
  for (const std::uint64_t one : b) {
    const double y = static_cast<double>(one);
    met *= y / n;
    // The rows left so far are a random number H. Given H, those that also meet this predicate are hypergeometric, so
    // the variance is the mean of theirs, E[H(n-H)] y(n-y) / (n^2 (n-1)), and the variance of their mean, Hy/n.
    const double mean_of_spread = n * count.estimate - count.variance - count.estimate * count.estimate;
    const double within = n > 1 ? mean_of_spread * y * (n - y) / (n * n * (n - 1)) : 0.0;
    count.variance = std::max(0.0, within) + count.variance * (y / n) * (y / n);
    count.estimate *= y / n;
    count.least = std::max(0.0, count.least + y - n);
    count.most = std::min(count.most, y);
  }
  count.naive = b.empty() ? count.estimate : n * met;
  return count;
}

CountEstimate EstimateInBox(double rows, double part, bool certain) {
  return {rows * part, rows * part * (1 - part), certain ? rows : 0.0, rows, part > 0 ? rows : 0.0};
}

}  // namespace pentimento
