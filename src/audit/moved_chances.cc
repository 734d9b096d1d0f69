#include "audit/moved_chances.h"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace pentimento {
namespace {

double LogBinomial(double n, double k) {
  int sign = 0;  // std::lgamma writes a global
  return ::lgamma_r(n + 1, &sign) - ::lgamma_r(k + 1, &sign) - ::lgamma_r(n - k + 1, &sign);
}

// Numbers of choices by how many rows are moved, up to a factor.
using Choices = std::vector<double>;

Choices ChoicesOf(const MovedValue& value, std::uint32_t moved) {
  Choices choices(moved + std::size_t{1}, 0.0);
  const double greatest = LogBinomial(value.rows, value.rows / 2);
  for (std::uint32_t x = value.least; x <= std::min(value.most, moved); ++x)
    choices[x] = std::exp(LogBinomial(value.rows, x) - greatest);
  return choices;
}

Choices Combine(const Choices& a, const Choices& b) {
  Choices both(a.size(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    for (std::size_t j = 0; i + j < both.size(); ++j) both[i + j] += a[i] * b[j];
  }
  const double greatest = *std::ranges::max_element(both);
  for (double& choices : both) choices /= greatest;
  return both;
}

}  // namespace

double MoveChances::Mean() const {
  double mean = 0;
  for (std::size_t i = 0; i < log_chance.size(); ++i)
    mean += std::exp(log_chance[i]) * (least + static_cast<double>(i));
  return mean;
}

double MoveChances::LogMoment(double slope) const {
  double greatest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < log_chance.size(); ++i)
    greatest = std::max(greatest, log_chance[i] + slope * (least + static_cast<double>(i)));
  double sum = 0;
  for (std::size_t i = 0; i < log_chance.size(); ++i)
    sum += std::exp(log_chance[i] + slope * (least + static_cast<double>(i)) - greatest);
  return greatest + std::log(sum);
}

MoveChances Hypergeometric(std::uint32_t rows, std::uint32_t kind, std::uint32_t moved) {
  MoveChances moves{.least = moved > rows - kind ? moved - (rows - kind) : 0, .log_chance = {}};
  const double all = LogBinomial(rows, moved);
  for (std::uint32_t x = moves.least; x <= std::min(kind, moved); ++x)
    moves.log_chance.push_back(LogBinomial(kind, x) + LogBinomial(rows - kind, moved - x) - all);
  return moves;
}

std::vector<MoveChances> ChancesWithinLimits(const MovedFromHome& home) {
  const std::size_t count = home.values.size();
  Choices none(home.moved + std::size_t{1}, 0.0);
  none[0] = 1;
  std::vector<Choices> before = {none}, after(count + 1, none);
  for (const MovedValue& value : home.values) before.push_back(Combine(before.back(), ChoicesOf(value, home.moved)));
  for (std::size_t v = count; v > 0; --v) after[v - 1] = Combine(after[v], ChoicesOf(home.values[v - 1], home.moved));
  std::vector<MoveChances> moves;
  for (std::size_t v = 0; v < count; ++v) {
    const Choices others = Combine(before[v], after[v + 1]), own = ChoicesOf(home.values[v], home.moved);
    MoveChances& of_value = moves.emplace_back(MoveChances{.least = home.values[v].least, .log_chance = {}});
    double sum = 0;
    const std::uint32_t most = std::min(home.values[v].most, home.moved);
    for (std::uint32_t x = of_value.least; x <= most; ++x) sum += own[x] * others[home.moved - x];
    for (std::uint32_t x = of_value.least; x <= most; ++x)
      of_value.log_chance.push_back(std::log(own[x] * others[home.moved - x] / sum));
  }
  return moves;
}

}  // namespace pentimento
