#include "anonymize/global/taxonomy_paths.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"

namespace pentimento::global::taxonomy_paths_test {
namespace {

// Ways of any length, some of them over nodes with a single child.
Domain RandomDomain(Random& random, std::size_t leaves, bool allows_missing) {
  std::string text;
  std::size_t fine = 0, coarse = 0;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    if (leaf > 0 && random.Below(3) == 0) ++fine;
    if (leaf > 0 && random.Below(6) == 0) ++coarse, ++fine;
    text += "leaf " + std::to_string(leaf) + ";";
    if (coarse % 3 != 2) text += "fine " + std::to_string(fine) + ";";
    if (coarse % 4 == 1) text += "only " + std::to_string(coarse) + ";";
    if (coarse % 5 != 3) text += "coarse " + std::to_string(coarse) + ";";
    text += leaves % 2 == 0 ? "all;*\n" : "*\n";
  }
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "test").value()), allows_missing);
}

TEST(TaxonomyPathsTest, ChildrenAndLabelsAreThoseThatClimbingFinds) {
  Random random(SeedFromNumber(1), "taxonomy paths");
  for (std::size_t leaves = 1; leaves < 45; ++leaves) {
    for (const bool allows_missing : {false, true}) {
      const Domain domain = RandomDomain(random, leaves, allows_missing);
      const partition::ColumnShape shape(domain, CategoryForm::kTaxonomy);
      const TaxonomyPaths paths(shape);
      ASSERT_EQ(paths.has_rows(), domain.size() > 1);
      for (Code lo = 0; lo < domain.size() && paths.has_rows(); ++lo) {
        EXPECT_EQ(paths.Cover({lo, lo}), domain.Cover({lo, lo}, CategoryForm::kTaxonomy));
        for (Code hi = lo + 1; hi < domain.size(); ++hi) {
          EXPECT_EQ(paths.Cover({lo, hi}), domain.Cover({lo, hi}, CategoryForm::kTaxonomy)) << lo << " to " << hi;
          const partition::NodeToCut node(shape, {lo, hi});
          const Interval* const child_of = paths.ChildrenOver({lo, hi});
          for (Code code = lo; code <= hi; ++code)
            ASSERT_EQ(child_of[code], node.ChildOf(code)) << code << " in " << lo << " to " << hi << " of " << leaves;
        }
      }
    }
  }
}

TEST(TaxonomyPathsTest, NumbersAndSetsHaveNone) {
  Random random(SeedFromNumber(2), "taxonomy paths");
  const Domain categories = RandomDomain(random, 9, true), numbers(NumericRange{0, 9, 0, {}}, false);
  EXPECT_FALSE(TaxonomyPaths(partition::ColumnShape(categories, CategoryForm::kSets)).has_rows());
  EXPECT_FALSE(TaxonomyPaths(partition::ColumnShape(numbers, CategoryForm::kTaxonomy)).has_rows());
}

}  // namespace
}  // namespace pentimento::global::taxonomy_paths_test
