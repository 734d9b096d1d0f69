#include "audit/box_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check_testing.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::box_index_test {
namespace {

std::vector<std::uint32_t> FindMeeting(const BoxIndex& index, const Box& box) {
  std::vector<std::uint32_t> found;
  index.ForEachMeeting(box, [&](std::uint32_t number) { found.push_back(number); });
  std::ranges::sort(found);
  return found;
}

Interval DrawInterval(Random& random, std::uint32_t codes, bool is_wide) {
  if (is_wide && random.Below(3) == 0) return {0, codes - 1};
  const Code lo = random.Below(codes);
  return {lo, std::min(codes - 1, lo + random.Below(is_wide ? codes : 3))};
}

TEST(BoxIndex, FindsWhatALookAtEveryBoxFinds) {
  Random random(SeedFromNumber(1), "boxes");
  for (std::size_t round = 0; round < TestRounds(300); ++round) {
    const std::size_t columns = 1 + random.Below(3);
    const std::uint32_t count = random.Below(120), codes = 2 + random.Below(40);
    std::vector<Interval> boxes;
    for (std::uint32_t i = 0; i < count * columns; ++i) boxes.push_back(DrawInterval(random, codes, round % 2 == 0));
    const BoxIndex index(columns, boxes);
    for (int ask = 0; ask < 20; ++ask) {
      Box box;
      for (std::size_t c = 0; c < columns; ++c) {
        const Code code = random.Below(codes);
        box.push_back(ask % 2 == 0 ? Interval{code, code} : DrawInterval(random, codes, true));
      }
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < count; ++i) {
        if (std::ranges::equal(index.box(i), box, [](Interval a, Interval b) { return a.Intersects(b); }))
          expected.push_back(i);
      }
      ASSERT_EQ(FindMeeting(index, box), expected) << round;
    }
  }
}

TEST(BoxIndex, EndsOfTheCodesAndManyEqualBoxesAreFound) {
  constexpr Code kLast = 0xffffffff;
  std::vector<Interval> boxes(100, Interval{kLast, kLast});
  boxes.push_back({0, 0});
  boxes.push_back({0, kLast});
  const BoxIndex index(1, boxes);
  EXPECT_EQ(FindMeeting(index, {{0, 0}}), (std::vector<std::uint32_t>{100, 101}));
  EXPECT_EQ(FindMeeting(index, {{kLast, kLast}}).size(), 101);
  EXPECT_EQ(FindMeeting(index, {{5, 5}}), (std::vector<std::uint32_t>{101}));
  EXPECT_TRUE(FindMeeting(BoxIndex(1, {}), {{5, 5}}).empty());
  EXPECT_NE(FailedCheckIn([] { BoxIndex(0, {}); }).find("columns"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::box_index_test
