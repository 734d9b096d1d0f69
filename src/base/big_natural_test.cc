#include "base/big_natural.h"

#include <gtest/gtest.h>

namespace pentimento::big_natural_test {
namespace {

BigNatural Product(std::initializer_list<std::uint64_t> factors) {
  BigNatural product(1);
  for (const std::uint64_t factor : factors) product *= factor;
  return product;
}

TEST(BigNatural, ComparesLikeTheNumbersWhereTheyAreSmall) {
  for (std::uint64_t a = 0; a < 20; ++a) {
    for (std::uint64_t b = 0; b < 20; ++b) {
      EXPECT_EQ(BigNatural(a) <=> BigNatural(b), a <=> b);
      EXPECT_EQ(Product({a, b}), BigNatural(a * b));
    }
  }
}

TEST(BigNatural, CarriesFromDigitToDigit) {
  constexpr std::uint64_t kLargest = UINT64_MAX;
  // (2^64 - 1)^2 = 2^128 - 2^65 + 1 lies between these two, and next to neither.
  const BigNatural square = Product({kLargest, kLargest});
  EXPECT_LT(Product({kLargest, kLargest - 1}), square);
  EXPECT_LT(square, Product({std::uint64_t{1} << 63, kLargest, 2}));
  // (2^64 - 1)(2^32 + 1) = (2^32 - 1)(2^32 + 1)^2: the same number by two ways.
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;
  EXPECT_EQ(Product({kLargest, kHalf + 1}), Product({kHalf - 1, kHalf + 1, kHalf + 1}));
}

TEST(BigNatural, TellsLongProductsApartThatDifferByALittle) {
  BigNatural left(1), right(1);
  for (std::uint64_t i = 1; i <= 3000; ++i) {
    left *= i;
    right *= 3001 - i;
  }
  EXPECT_EQ(left, right);
  left *= UINT64_MAX - 1;
  right *= UINT64_MAX;
  EXPECT_LT(left, right);
  EXPECT_GT(right, left);
}

TEST(BigNatural, TimesZeroIsZero) {
  EXPECT_EQ(Product({UINT64_MAX, UINT64_MAX, 0}), BigNatural(0));
  EXPECT_LT(BigNatural(0), BigNatural(1));
}

}  // namespace
}  // namespace pentimento::big_natural_test
