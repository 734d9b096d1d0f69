#include "engine/incremental/renamed_labels.h"

#include <gtest/gtest.h>

namespace pentimento::renamed_labels_test {
namespace {

Taxonomy Tree(const char* text) { return Taxonomy::Parse(text, "jobs").value(); }

const char* const kJobs = "nurse;Medical;*\ndoctor;Medical;*\ncook;Kitchen;*\nwaiter;Kitchen;*\n";

TEST(RenamedLabels, AreFoundInAnyOrderOfLines) {
  const auto found =
      FindRenamed(Tree(kJobs), Tree("cook;Kitchen;*\nwaiter;Kitchen;*\ndoctor;Health;*\nnurse;Health;*\n"));
  ASSERT_TRUE(found);
  using Labels = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(found->labels, (Labels{{"Medical", "Health"}}));
  EXPECT_EQ(found->taxonomy.ToText(), "nurse;Health;*\ndoctor;Health;*\ncook;Kitchen;*\nwaiter;Kitchen;*\n");
  EXPECT_EQ(found->taxonomy.FindNode("Health"), found->taxonomy.Cover({0, 1}));
  EXPECT_FALSE(found->taxonomy.FindNode("Medical"));
  EXPECT_TRUE(HaveSameShape(Tree(kJobs), found->taxonomy));
}

TEST(RenamedLabels, OtherLeavesOrAnotherShapeAreNoOtherName) {
  for (const char* other : {"nurse;Medical;*\ndoctor;Medical;*\ncook;Kitchen;*\n",
                            "midwife;Medical;*\ndoctor;Medical;*\ncook;Kitchen;*\nwaiter;Kitchen;*\n",
                            "nurse;Medical;*\ncook;Medical;*\ndoctor;Kitchen;*\nwaiter;Kitchen;*\n",
                            "nurse;*\ndoctor;*\ncook;*\nwaiter;*\n",
                            "nurse;A;Medical;*\ndoctor;A;Medical;*\ncook;Kitchen;*\nwaiter;Kitchen;*\n",
                            "nurse;Medical;All;*\ndoctor;Medical;All;*\ncook;Kitchen;All;*\nwaiter;Kitchen;All;*\n",
                            "nurse;Medical;*\ndoctor;Medical;*\ncook;*\nwaiter;*\n"}) {
    EXPECT_FALSE(FindRenamed(Tree(kJobs), Tree(other))) << other;
    EXPECT_FALSE(HaveSameShape(Tree(kJobs), Tree(other))) << other;
  }
}

TEST(RenamedLabels, ALabelThatStoodForSomethingElseIsFound) {
  const auto swapped =
      FindRenamed(Tree(kJobs), Tree("nurse;Kitchen;*\ndoctor;Kitchen;*\ncook;Medical;*\nwaiter;Medical;*\n"));
  ASSERT_TRUE(swapped);
  EXPECT_TRUE(FindMovedLabel(Tree(kJobs), swapped->taxonomy));
  const auto renamed =
      FindRenamed(Tree(kJobs), Tree("nurse;Health;*\ndoctor;Health;*\ncook;Kitchen;*\nwaiter;Kitchen;*\n"));
  ASSERT_TRUE(renamed);
  EXPECT_FALSE(FindMovedLabel(Tree(kJobs), renamed->taxonomy));
}

}  // namespace
}  // namespace pentimento::renamed_labels_test
