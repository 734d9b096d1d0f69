#include "base/random.h"

#include <gtest/gtest.h>

#include <vector>

namespace pentimento::random_test {
namespace {

// In the middle of a block, at its end, and over many blocks.
TEST(Random, ManyNumbersAtOnceAreThoseOfTheStream) {
  for (const std::size_t before : {0, 1, 1000, 1024, 1025}) {
    for (const std::size_t count : {0, 1, 23, 24, 1024, 3000, 200'000}) {
      Random one_by_one(SeedFromNumber(4), "numbers");
      Random at_once(SeedFromNumber(4), "numbers");
      for (std::size_t i = 0; i < before; ++i) ASSERT_EQ(one_by_one.Next32(), at_once.Next32());
      const std::vector<std::uint32_t> numbers = at_once.Numbers(count);
      ASSERT_EQ(numbers.size(), count);
      for (const std::uint32_t number : numbers) ASSERT_EQ(number, one_by_one.Next32());
      EXPECT_EQ(at_once.Next32(), one_by_one.Next32()) << "the stream goes on after them";
    }
  }
}

}  // namespace
}  // namespace pentimento::random_test
