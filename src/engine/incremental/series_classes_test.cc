#include "engine/incremental/series_classes.h"

#include <gtest/gtest.h>

#include <vector>

namespace pentimento::series_classes_test {
namespace {

constexpr ClassNumber kAway = kNotInRelease;

// Four people, two of them in each half; then somebody who is in the first half, which is cut with the next release.
class Series {
 public:
  Series() {
    SegmentData& first = segments_.emplace_back();
    first.nodes.resize(2);
    first.splits = {{0, 0, 1, 2}};
    first.leaves = {{1, 0, 2}, {2, 2, 2}};
    first.members = {0, 1, 2, 3};
    first.new_members = 4;
    SegmentData& second = segments_.emplace_back();
    second.leaves = {{1, 0, 1}};
    second.members = {4};
    second.new_members = 1;
    SegmentData& third = segments_.emplace_back();
    third.nodes.resize(2);
    third.splits = {{1, 0, 3, 2}};
    third.leaves = {{3, 0, 2}, {4, 2, 1}};
    third.members = {0, 4, 1};
  }

  IncrementalView view() const {
    IncrementalView view{1, {}};
    for (const SegmentData& segment : segments_) view.segments.push_back(segment.view());
    return view;
  }

 private:
  std::vector<SegmentData> segments_;
};

std::vector<NamedMember> Named(std::uint32_t members) {
  std::vector<NamedMember> named;
  for (std::uint32_t member = 0; member < members; ++member) named.push_back({{member, 0}, member});
  return named;
}

TEST(SeriesClasses, AReleaseAfterWhichSomebodyCameHasClassesOfItsOwn) {
  const Series series;
  const std::vector<EarlierClasses> earlier = EarlierClassesOfSeries(series.view(), Named(5));
  ASSERT_EQ(earlier.size(), 1U);  // after the second release nobody came
  EXPECT_EQ(earlier.front().release, 0U);
  EXPECT_EQ(earlier.front().class_of, (std::vector<ClassNumber>{0, 0, 1, 1, kAway}));
  EXPECT_EQ(earlier.front().rows, (std::vector<std::uint32_t>{2, 2}));
  EXPECT_EQ(ClassesOfSeries(series.view(), Named(5)).class_of, (std::vector<ClassNumber>{0, 1, 2, 2, 0}));
}

TEST(SeriesClasses, WhoCameLaterIsCoveredByTheClassInWhichTheirLeafLies) {
  const std::vector<EarlierClasses> earlier = EarlierClassesOfSeries(Series().view(), Named(5));
  ASSERT_EQ(earlier.size(), 1U);
  EXPECT_EQ(earlier.front().covering, (std::vector<ClassNumber>{kAway, kAway, kAway, kAway, 0}));
}

TEST(SeriesClasses, WhoCameBackWasThereAsTheOlderCase) {
  std::vector<NamedMember> named = Named(4);
  named.push_back({{2, 0}, 4});
  const std::vector<EarlierClasses> earlier = EarlierClassesOfSeries(Series().view(), named);
  ASSERT_EQ(earlier.size(), 1U);
  EXPECT_EQ(earlier.front().class_of, (std::vector<ClassNumber>{0, 0, 1, 1}));
  EXPECT_EQ(earlier.front().covering, (std::vector<ClassNumber>{kAway, kAway, kAway, kAway}));
  EXPECT_EQ(ClassesOfSeries(Series().view(), named).class_of, (std::vector<ClassNumber>{0, 1, 0, 2}));
}

TEST(SeriesClasses, OneReleaseHasNoneBefore) {
  Series series;
  IncrementalView view = series.view();
  view.segments.resize(1);
  EXPECT_TRUE(EarlierClassesOfSeries(view, Named(4)).empty());
}

}  // namespace
}  // namespace pentimento::series_classes_test
