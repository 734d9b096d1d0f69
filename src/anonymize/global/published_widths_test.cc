#include "anonymize/global/published_widths.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"

namespace pentimento::global::published_widths_test {
namespace {

std::shared_ptr<const Taxonomy> RandomTaxonomy(Random& random, std::size_t leaves) {
  std::string text;
  std::size_t coarse = 0, fine = 0;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    if (leaf > 0 && random.Below(3) == 0) ++fine;
    if (leaf > 0 && random.Below(5) == 0) ++coarse, ++fine;
    text += "leaf " + std::to_string(leaf) + ";";
    // Some leaves hang higher up than others.
    if (coarse % 3 != 2) text += "fine " + std::to_string(fine) + ";";
    text += "coarse " + std::to_string(coarse) + ";*\n";
  }
  return std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "test").value());
}

void ExpectSameWidths(const Domain& domain, CategoryForm form) {
  const partition::ColumnShape shape(domain, form);
  const PublishedWidths widths(shape);
  for (Code lo = 0; lo < domain.size(); ++lo) {
    for (Code hi = lo; hi < domain.size(); ++hi)
      EXPECT_EQ(widths.Of({lo, hi}), shape.Width({lo, hi})) << lo << " to " << hi << " of " << domain.size();
  }
}

TEST(PublishedWidthsTest, EveryIntervalIsAsWideAsItsNode) {
  Random random(SeedFromNumber(1), "published widths");
  for (std::size_t leaves = 1; leaves < 40; ++leaves) {
    const auto taxonomy = RandomTaxonomy(random, leaves);
    for (const bool allows_missing : {false, true}) {
      ExpectSameWidths(Domain(taxonomy, allows_missing), CategoryForm::kTaxonomy);
      ExpectSameWidths(Domain(taxonomy, allows_missing), CategoryForm::kSets);
    }
  }
}

TEST(PublishedWidthsTest, NumbersAreAsWideAsTheyAreApart) {
  for (const bool allows_missing : {false, true})
    ExpectSameWidths(Domain(NumericRange{-3, 30, 0, {}}, allows_missing), CategoryForm::kTaxonomy);
}

}  // namespace
}  // namespace pentimento::global::published_widths_test
