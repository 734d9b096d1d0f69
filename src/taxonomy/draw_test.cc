#include "taxonomy/draw.h"

#include <gtest/gtest.h>

#include "fmt/core.h"

namespace pentimento::draw_test {
namespace {

Taxonomy Read(std::string_view text) { return Taxonomy::Parse(text, "t.csv").value(); }

constexpr std::string_view kSchool =
    "9th;Junior;Secondary;*\n"
    "10th;Junior;Secondary;*\n"
    "11th;Senior;Secondary;*\n"
    "Bachelors;University;*\n"
    "Masters;University;*\n"
    "None;*\n";

TEST(Draw, ShowsEveryNodeWithItsLeaves) {
  EXPECT_EQ(DrawTaxonomy(Read(kSchool), {}),
            "* (6 leaves)\n"
            "├─ Secondary (3 leaves)\n"
            "│  ├─ Junior (2 leaves)\n"
            "│  │  ├─ 9th\n"
            "│  │  └─ 10th\n"
            "│  └─ Senior (1 leaf)\n"
            "│     └─ 11th\n"
            "├─ University (2 leaves)\n"
            "│  ├─ Bachelors\n"
            "│  └─ Masters\n"
            "└─ None\n");
}

TEST(Draw, StopsAtTheDepthAskedFor) {
  EXPECT_EQ(DrawTaxonomy(Read(kSchool), {.max_depth = 1}),
            "* (6 leaves)\n"
            "├─ Secondary (3 leaves) …\n"
            "├─ University (2 leaves) …\n"
            "└─ None\n");
  EXPECT_EQ(DrawTaxonomy(Read(kSchool), {.max_depth = 0}), "* (6 leaves) …\n");
}

TEST(Draw, CountsTheChildrenItLeavesOut) {
  EXPECT_EQ(DrawTaxonomy(Read(kSchool), {.max_children = 1}),
            "* (6 leaves)\n"
            "├─ Secondary (3 leaves)\n"
            "│  ├─ Junior (2 leaves)\n"
            "│  │  ├─ 9th\n"
            "│  │  └─ … 1 more\n"
            "│  └─ … 1 more\n"
            "└─ … 2 more\n");
  EXPECT_EQ(DrawTaxonomy(Read(kSchool), {.max_children = 0}), "* (6 leaves)\n└─ … 3 more\n");
  EXPECT_EQ(DrawTaxonomy(Read(kSchool), {.max_depth = 1, .max_children = 1, .in_ascii = true}),
            "* (6 leaves)\n|- Secondary (3 leaves) ...\n`- ... 2 more\n");
}

TEST(Draw, SaysHowARootOfAnotherNameIsPublished) {
  EXPECT_EQ(DrawTaxonomy(Read("a;Any\n"), {}), "Any (1 leaf), published as *\n└─ a\n");
}

TEST(Draw, AVeryDeepTaxonomyIsCutOffNotDrawnForEver) {
  std::string line = "leaf";
  for (int i = 0; i < 100'000; ++i) line += fmt::format(";n{}", i);
  const std::string drawing = DrawTaxonomy(Read(line + ";*\n"), {});
  EXPECT_LT(drawing.size(), 20'000U);
  EXPECT_TRUE(drawing.ends_with("…\n"));
}

}  // namespace
}  // namespace pentimento::draw_test
