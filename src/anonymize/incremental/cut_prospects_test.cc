#include "anonymize/incremental/cut_prospects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "anonymize/partition/grow_regions.h"
#include "base/random.h"

namespace pentimento::cut_prospects_test {
namespace {

std::vector<Domain> SomeDomains(Random& random) {
  static const auto kTree = std::make_shared<const Taxonomy>(
      Taxonomy::Parse("a;A;X;*\nb;A;X;*\nc;B;X;*\nd;B;X;*\ne;B;X;*\nf;C;Y;*\ng;D;Y;*\nh;D;Y;*\ni;Z;*\nj;*\n", "tree")
          .value());
  static const auto kFlat =
      std::make_shared<const Taxonomy>(Taxonomy::Flat(std::vector<std::string>{"p", "q", "r", "s", "t"}).value());
  std::vector<Domain> domains;
  const std::size_t columns = 1 + random.Below(4);
  for (std::size_t c = 0; c < columns; ++c) {
    const bool allows_missing = random.Below(2) == 0;
    const std::uint32_t kind = random.Below(5);
    if (kind == 0) {
      domains.emplace_back(NumericRange{0, 9, 0, {}}, allows_missing);
    } else {
      domains.emplace_back(kind < 4 ? kTree : kFlat, allows_missing);
    }
  }
  return domains;
}

// A region, and the codes of people in it, row after row. Most of them are alike, so that often nothing can be cut.
struct Group {
  Box region;
  std::vector<std::uint16_t> codes;
};

Group SomeGroup(Random& random, std::span<const Domain> domains, std::size_t rows) {
  Group group{Box(domains.size()), std::vector<std::uint16_t>(rows * domains.size() + kBoundaryLanes)};
  for (std::size_t c = 0; c < domains.size(); ++c) {
    Interval& region = group.region[c];
    region.lo = random.Below(domains[c].size());
    region.hi = region.lo + random.Below(domains[c].size() - region.lo);
    if (random.Below(2) == 0) region = domains[c].root();
    const std::uint32_t usual = random.Below(static_cast<std::uint32_t>(region.size()));
    for (std::size_t row = 0; row < rows; ++row) {
      const bool is_usual = random.Below(3) != 0;
      const std::uint32_t code = is_usual ? usual : random.Below(static_cast<std::uint32_t>(region.size()));
      group.codes[row * domains.size() + c] = static_cast<std::uint16_t>(region.lo + code);
    }
  }
  return group;
}

bool IsCut(const Group& group, std::span<const Domain> domains, std::size_t rows, std::uint64_t k, CategoryForm form) {
  const RegionRoot root{0, rows, group.region};
  const auto codes = std::span<const std::uint16_t>(group.codes).first(rows * domains.size());
  return !GrowRegions(CodeLanes(codes), rows, domains, {&root, 1}, k, form).nodes.front().is_leaf();
}

TEST(CutProspects, NeverOverlooksACutAndMostlyKnowsThatThereIsNone) {
  Random random(SeedFromNumber(1), "prospects");
  std::size_t cut = 0;
  std::size_t hopeless = 0;
  std::size_t hoped_in_vain = 0;
  for (int turn = 0; turn < 30000; ++turn) {
    const std::vector<Domain> domains = SomeDomains(random);
    const CategoryForm form = random.Below(4) == 0 ? CategoryForm::kSets : CategoryForm::kTaxonomy;
    const std::uint64_t k = 1 + random.Below(6);
    const std::size_t rows = 2 * k + random.Below(20);
    const Group group = SomeGroup(random, domains, rows);
    const bool may_be_cut = CutProspects(domains, form, k).MayBeCut(group.codes.data(), rows, [&](std::size_t column) {
      return group.region[column];
    });
    const bool is_cut = IsCut(group, domains, rows, k, form);
    ASSERT_TRUE(may_be_cut || !is_cut) << "turn " << turn;
    ++(is_cut ? cut : may_be_cut ? hoped_in_vain : hopeless);
  }
  EXPECT_GT(cut, 5000U);
  EXPECT_GT(hopeless, 5000U);
  EXPECT_LT(hoped_in_vain, 1000U);
}

// Four people and four: "p" and "q" together are published like everybody, and so are "r" and "s".
TEST(CutProspects, ABoundaryBetweenPartsThatArePublishedLikeTheWholeIsNone) {
  const std::vector<Domain> domains{Domain(
      std::make_shared<const Taxonomy>(Taxonomy::Flat(std::vector<std::string>{"p", "q", "r", "s"}).value()), false)};
  const auto region = [&](std::size_t) { return domains[0].root(); };
  std::vector<std::uint16_t> codes{0, 0, 1, 1, 2, 2, 3, 3};
  codes.resize(codes.size() + kBoundaryLanes);
  EXPECT_FALSE(CutProspects(domains, CategoryForm::kTaxonomy, 4).MayBeCut(codes.data(), 8, region));
  EXPECT_TRUE(CutProspects(domains, CategoryForm::kSets, 4).MayBeCut(codes.data(), 8, region));
  codes[2] = codes[3] = 0;
  EXPECT_TRUE(CutProspects(domains, CategoryForm::kTaxonomy, 4).MayBeCut(codes.data(), 8, region));
}

TEST(CutProspects, LargeGroupsAndWideCodesAreLeftToWhoeverLooksForTheBestCut) {
  const std::vector<Domain> domains{Domain(
      std::make_shared<const Taxonomy>(Taxonomy::Flat(std::vector<std::string>{"p", "q", "r", "s"}).value()), false)};
  const auto region = [&](std::size_t) { return domains[0].root(); };
  std::vector<std::uint16_t> codes(400);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i % 4);
  EXPECT_TRUE(CutProspects(domains, CategoryForm::kTaxonomy, 190).MayBeCut(codes.data(), 390, region));
  const std::vector<std::uint32_t> wide(20, 1);
  EXPECT_TRUE(CutProspects(domains, CategoryForm::kTaxonomy, 2).MayBeCut(wide.data(), 4, region));
}

}  // namespace
}  // namespace pentimento::cut_prospects_test
