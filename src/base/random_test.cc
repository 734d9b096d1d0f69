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

TEST(Random, ACursorLeavesWhatItDidNotUse) {
  Random plain(SeedFromNumber(3), "test");
  Random looked_at(SeedFromNumber(3), "test");
  Random choice(SeedFromNumber(4), "test");
  for (int round = 0; round < 20; ++round) {
    {
      Random::Cursor cursor(looked_at);
      for (int i = 0; i < 500; ++i) {
        const std::uint32_t is_used = choice.Below(2);
        const std::uint32_t number = cursor.Peek32();
        cursor.Skip(is_used);
        if (is_used == 0) continue;
        ASSERT_EQ(number, plain.Next32());
      }
    }
    ASSERT_EQ(looked_at.Next32(), plain.Next32());
  }
}

}  // namespace
}  // namespace pentimento::random_test
