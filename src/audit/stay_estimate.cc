#include "audit/stay_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace pentimento {
namespace {

constexpr double kFits = 0.001;

// Scales open unknowns; fixed ones are known already.
class ProportionalFit {
 public:
  explicit ProportionalFit(const StayBounds& bounds)
      : margins_(bounds.margins()), fitted_(margins_.unknowns()), left_(margins_.sums.size(), 0) {
    for (std::uint32_t u = 0; u < margins_.unknowns(); ++u) {
      const std::uint32_t joint = margins_.joint_of[u];
      const bool is_open = IsOpen(u) && !bounds.is_contradicted(joint);
      fitted_[u] = is_open ? margins_.joint.size[joint] : margins_.least[u];
      if (!is_open) continue;
      for (const std::uint32_t entry : margins_.entries_of(u)) Open(entry, u);
      Open(margins_.entries + joint, u);
    }
  }

  // How far the worst sum was off before it was scaled.
  double Round() {
    double worst = 0;
    for (std::uint32_t s = 0; s < left_.size(); ++s) {
      if (left_[s] != 0) worst = std::max(worst, Scale(s));
    }
    return worst;
  }

  double fitted(std::uint32_t unknown) const {
    return std::clamp<double>(fitted_[unknown], margins_.least[unknown], margins_.most[unknown]);
  }

 private:
  bool IsOpen(std::uint32_t unknown) const { return margins_.least[unknown] < margins_.most[unknown]; }

  void Open(std::uint32_t sum, std::uint32_t unknown) {
    if (left_[sum] == 0) left_[sum] = margins_.sums[sum].total - margins_.sums[sum].least;
    left_[sum] += margins_.least[unknown];
  }

  template <typename Use>
  void ForEachOpen(std::uint32_t sum, Use use) {
    if (sum < margins_.entries) {
      for (const std::uint32_t u : margins_.unknowns_of_entry(sum)) {
        if (IsOpen(u)) use(fitted_[u]);
      }
      return;
    }
    const std::uint32_t joint = sum - margins_.entries;
    for (std::uint32_t u = margins_.begin[joint]; u < margins_.begin[joint + 1]; ++u) {
      if (IsOpen(u)) use(fitted_[u]);
    }
  }

  double Scale(std::uint32_t sum) {
    double fitted = 0;
    ForEachOpen(sum, [&](double number) { fitted += number; });
    if (fitted <= 0) return 0;
    const double wanted = left_[sum];
    ForEachOpen(sum, [&](double& number) { number *= wanted / fitted; });
    return std::abs(wanted - fitted);
  }

  const StayMargins& margins_;
  std::vector<double> fitted_;       // by unknown
  std::vector<std::uint32_t> left_;  // by sum: what the fixed unknowns leave to the open ones; 0 where none is open
};

}  // namespace

bool IsShareAbove(std::uint32_t part, std::uint32_t whole, Ratio bar) {
  __extension__ using Wide = unsigned __int128;
  return Wide{part} * bar.den > Wide{whole} * bar.num;
}

StayEstimate EstimateAbove(const StayBounds& bounds, Ratio alpha, std::uint32_t rounds) {
  const StayMargins& margins = bounds.margins();
  ProportionalFit fit(bounds);
  StayEstimate estimate;
  while (estimate.rounds < rounds && !estimate.converged) {
    ++estimate.rounds;
    estimate.converged = fit.Round() < kFits;
  }
  const double bar = static_cast<double>(alpha.num) / static_cast<double>(alpha.den);
  for (std::uint32_t j = 0; j < margins.joint.known(); ++j) {
    if (bounds.is_contradicted(j)) continue;
    const std::uint32_t size = margins.joint.size[j];
    bool is_above = false;
    for (std::uint32_t u = margins.begin[j]; u < margins.begin[j + 1] && !is_above; ++u)
      // What fits up to a rounding is not above.
      is_above = IsShareAbove(margins.least[u], size, alpha) || fit.fitted(u) > (bar + 1e-6) * size;
    if (is_above) estimate.above_alpha += size;
  }
  return estimate;
}

}  // namespace pentimento
