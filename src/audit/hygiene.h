// Whether the order of the rows of a published file tells anything: of the order of the input, of another file, of its
// own values. Each test asks how likely something as orderly would be if the order had been drawn at random.
//
// 1. The null of every test: all orders of these rows are equally likely. Values may be equal.
// 2. `p` is never too small: it is an upper bound of the chance, not an approximation, for any number of rows.
//    hygiene.cc says for each test why. Where there is nothing to compare it is 1.
// 3. Nobody is found by a test alone. Several tests have several chances to err: see CorrectForNumber.
//
// All of it costs O(n log n). Values are codes or ranks that sort like the values; of values that do not sort, any
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pentimento {

enum class OrderTest {
  kTrend,           // rank correlation of values and rows (Kendall)
  kNeighbours,      // of rows 1 and 2, 3 and 4, ...: in how many pairs the second is the larger one
  kHalves,          // runs of values above and below the median (Wald and Wolfowitz)
  kClusters,        // runs where the values are dealt into two parts as large as each other, whatever their order
  kKeptNeighbours,  // rows that follow each other here and in the other order
  kSamePlace,       // equal values in the same rows of two files
};

std::string_view ToString(OrderTest test);

struct OrderResult {
  OrderTest test = OrderTest::kTrend;
  // 0 as expected, 1 in perfect order or agreement, below 0 the other way round. kKeptNeighbours: the share of rows.
  double statistic = 0;
  std::uint64_t compared = 0;  // rows, or pairs of rows, or kept neighbours that were possible
  double p = 1;
};

// The values of one column of a file, row after row: kTrend, kNeighbours, kHalves and kClusters.
std::vector<OrderResult> TestRowOrder(std::span<const std::uint32_t> values);

// The same of values that do not sort: only whether equal ones lie together.
OrderResult TestClusters(std::span<const std::uint32_t> values);

// For each row the place that it has in another order: kTrend, kNeighbours, kHalves and kKeptNeighbours.
// REQUIRES: no two places are equal; PlacesInOther makes them.
std::vector<OrderResult> TestAgainstOrder(std::span<const std::uint32_t> places);

// Two columns of as many rows, where nothing links the rows but their place.
OrderResult TestSamePlace(std::span<const std::uint32_t> here, std::span<const std::uint32_t> there);

// For each row here whose key occurs once in either file, in the order of the rows: its row in the other file.
std::vector<std::uint32_t> PlacesInOther(std::span<const std::uint64_t> keys, std::span<const std::uint64_t> other);

// Ids that sort like values: the values in the order of the ids, as ranks, for TestRowOrder. An id with several rows
// counts once, with the mean of its values.
std::vector<std::uint32_t> ValuesInOrderOf(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> values);

// The p of each result times how many there are (Bonferroni), at most 1. One below kOrderIsFound is a finding: among
// releases whose order is drawn at random it comes up less than once in a million, whatever the tests have in common.
std::vector<OrderResult> CorrectForNumber(std::vector<OrderResult> results);
inline constexpr double kOrderIsFound = 1e-6;

}  // namespace pentimento
