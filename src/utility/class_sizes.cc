#include "utility/class_sizes.h"

#include <algorithm>

namespace pentimento {
namespace {

// Bins of one width from `from` on; the last of at most `most` ends at `to`, however far that is.
void AddBins(std::uint64_t from, std::uint64_t to, std::uint64_t width, std::size_t most, std::vector<SizeBin>& bins) {
  for (std::size_t i = 0; i < most && from <= to; ++i) {
    const std::uint64_t end = i + 1 == most ? to : std::min(to, from + width - 1);
    bins.push_back({from, end});
    from = end + 1;
  }
}

// So that 19 of 20 classes lie within `bins` of them.
std::uint64_t WidthOf(const std::vector<std::uint32_t>& sorted, std::uint64_t from, std::size_t bins) {
  const std::uint64_t most = sorted[(sorted.size() - 1) * 19 / 20];
  return most < from ? 1 : (most - from) / bins + 1;
}

}  // namespace

std::vector<SizeBin> CountClassSizes(std::span<const std::uint32_t> sizes, std::uint64_t k) {
  std::vector<std::uint32_t> sorted;
  for (const std::uint32_t size : sizes) {
    if (size > 0) sorted.push_back(size);
  }
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  const std::uint64_t least = sorted.front(), largest = sorted.back();
  std::vector<SizeBin> bins;
  // A few bins for what is too small; the rest from k on.
  constexpr std::size_t kBelow = 8;
  const bool is_split = least < k && k <= largest;
  if (is_split) AddBins(least, k - 1, (k - least + kBelow - 1) / kBelow, kBelow, bins);
  const std::uint64_t from = is_split ? k : least;
  const std::size_t left = kMostSizeBins - bins.size();
  AddBins(from, largest, WidthOf(sorted, from, left - 1), left, bins);
  std::size_t at = 0;
  for (const std::uint32_t size : sorted) {
    while (bins[at].to < size) ++at;
    ++bins[at].classes;
    bins[at].rows += size;
  }
  return bins;
}

}  // namespace pentimento
