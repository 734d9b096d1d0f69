#include "taxonomy/taxonomy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "base/random.h"
#include "base/rounds_testing.h"
#include "fmt/core.h"

namespace pentimento::taxonomy_test {
namespace {

Taxonomy Read(std::string_view text) { return Taxonomy::Parse(text, "t.csv").value(); }

// What Parse says to a text it refuses.
std::string Refusal(std::string_view text) {
  const auto taxonomy = Taxonomy::Parse(text, "t.csv");
  if (taxonomy.ok()) return "accepted";
  EXPECT_EQ(taxonomy.error().code, ErrorCode::kBadPolicy);
  return taxonomy.error().message;
}

std::vector<std::string> LeafLabels(const Taxonomy& taxonomy) {
  std::vector<std::string> labels;
  for (Code code = 0; code < taxonomy.leaf_count(); ++code) labels.push_back(taxonomy.leaf_label(code));
  return labels;
}

using Labels = std::vector<std::string>;

constexpr std::string_view kSchool =
    "9th;Junior;Secondary;*\n"
    "10th;Junior;Secondary;*\n"
    "11th;Senior;Secondary;*\n"
    "Bachelors;University;*\n"
    "Masters;University;*\n"
    "None;*\n";

TEST(TaxonomyParse, RaggedDepthsMakeOneTree) {
  const Taxonomy school = Read(kSchool);
  EXPECT_EQ(school.leaf_count(), 6U);
  EXPECT_EQ(school.height(), 3U);
  EXPECT_EQ(school.nodes().size(), 11U);
  EXPECT_EQ(LeafLabels(school), (Labels{"9th", "10th", "11th", "Bachelors", "Masters", "None"}));
  const auto& secondary = school.node(*school.FindNode("Secondary"));
  EXPECT_EQ(secondary.leaves, (Interval{0, 2}));
  EXPECT_EQ(secondary.depth, 1U);
  EXPECT_EQ(secondary.parent, Taxonomy::kRoot);
  EXPECT_EQ(secondary.children.size(), 2U);
  EXPECT_EQ(school.node(school.leaf_node(5)).depth, 1U);
  EXPECT_EQ(school.root().leaves, (Interval{0, 5}));
}

TEST(TaxonomyParse, LeavesScatteredOverTheFileAreGatheredBelowTheirParent) {
  EXPECT_EQ(LeafLabels(Read("a;X;*\nb;Y;*\nc;X;*\nd;Y;*\n")), (Labels{"a", "c", "b", "d"}));
}

TEST(TaxonomyParse, TheFirstLineDecidesTheSeparator) {
  EXPECT_EQ(LeafLabels(Read("a,X,*\nb,X,*\n")), (Labels{"a", "b"}));
  EXPECT_EQ(LeafLabels(Read("a,b;X;*\nc,d;X;*\n")), (Labels{"a,b", "c,d"}));
  EXPECT_EQ(LeafLabels(Read("\"a;b\",X,*\nc;d,X,*\n")), (Labels{"a;b", "c;d"}));
  EXPECT_EQ(LeafLabels(Read("\n  \na,X,*\n")), (Labels{"a"}));
}

TEST(TaxonomyParse, QuotedLabelsAreReadAsInCsv) {
  EXPECT_EQ(LeafLabels(Read("\"a;b\";X;*\n\"say \"\"no\"\"\";X;*\n \"c\" ;\"X\";\"*\"\n")),
            (Labels{"a;b", "say \"no\"", "c"}));
  EXPECT_EQ(LeafLabels(Read("\" a \";*\n b ;*\n")), (Labels{" a ", "b"}));
}

TEST(TaxonomyParse, ByteOrderMarkAndWindowsLineEndsAreNoPartOfLabels) {
  const Taxonomy taxonomy = Read(
      "\xEF\xBB\xBF"
      "a;X;*\r\nb;X;*\r\n\r\n");
  EXPECT_EQ(LeafLabels(taxonomy), (Labels{"a", "b"}));
  EXPECT_EQ(taxonomy.node(Taxonomy::kRoot).label, "*");
}

TEST(TaxonomyParse, TheLastLineNeedsNoLineBreak) { EXPECT_EQ(LeafLabels(Read("a;*\nb;*")), (Labels{"a", "b"})); }

TEST(TaxonomyParse, ALabelRepeatedNextToItselfIsPadding) {
  const Taxonomy taxonomy = Read("a;a;X;*;*\nb;Y;Y;*;*\n");
  EXPECT_EQ(taxonomy.nodes().size(), 5U);
  EXPECT_EQ(taxonomy.ToText(), "a;X;*\nb;Y;*\n");
}

TEST(TaxonomyParse, OneLeafIsATaxonomy) {
  const Taxonomy taxonomy = Read("only;*\n");
  EXPECT_EQ(taxonomy.leaf_count(), 1U);
  EXPECT_EQ(taxonomy.height(), 1U);
  EXPECT_EQ(taxonomy.Cover({0, 0}), taxonomy.leaf_node(0));
  EXPECT_EQ(taxonomy.Decompose({0, 0}), (std::vector<Taxonomy::NodeId>{taxonomy.leaf_node(0)}));
}

TEST(TaxonomyParse, TheRootMayHaveAnotherNameAndIsFoundByBoth) {
  const Taxonomy taxonomy = Read("a;Any\nb;Any\n");
  EXPECT_EQ(taxonomy.node(Taxonomy::kRoot).label, "Any");
  EXPECT_EQ(taxonomy.FindNode("Any"), Taxonomy::kRoot);
  EXPECT_EQ(taxonomy.FindNode("*"), Taxonomy::kRoot);
  EXPECT_EQ(taxonomy.ToText(), "a;*\nb;*\n");
}

TEST(TaxonomyParse, AnEmptyFileIsRefused) {
  for (const char* empty : {"", "\n", " \r\n\t\n", "\xEF\xBB\xBF"}) {
    EXPECT_TRUE(Refusal(empty).starts_with("t.csv:1: the taxonomy is empty; write one line")) << Refusal(empty);
  }
}

TEST(TaxonomyParse, ALineWithOneLabelIsRefused) {
  EXPECT_TRUE(Refusal("a;*\nb\n").starts_with("t.csv:2: the line holds the one label 'b'"));
  EXPECT_TRUE(Refusal("a;a\n").starts_with("t.csv:1: the line holds the one label 'a'"));
  EXPECT_TRUE(Refusal("*\n").starts_with("t.csv:1: the line holds the one label '*'"));
}

TEST(TaxonomyParse, ACycleIsRefused) {
  EXPECT_EQ(Refusal("a;B;a;*\n"),
            "t.csv:1: 'a' is its own ancestor (a cycle): it stands twice on the line with other labels between; "
            "remove or rename one");
  EXPECT_EQ(Refusal("a;A;B;*\n\nb;B;A;*\n"),
            "t.csv:3: 'B' stands below 'A' here but above it on an earlier line (a cycle); put them in one order");
  EXPECT_NE(Refusal("a;Any;B;Any\n").find("a cycle"), std::string::npos);
}

TEST(TaxonomyParse, ADuplicateLeafIsRefused) {
  EXPECT_EQ(Refusal("a;X;*\nb;X;*\na;X;*\n"), "t.csv:3: the leaf 'a' is already on line 1; keep one of the two lines");
}

TEST(TaxonomyParse, TwoRootsAreRefused) {
  EXPECT_EQ(
      Refusal("a;X;*\nb;X\n"),
      "t.csv:2: the line ends in 'X' but line 1 ends in '*': there can be one root; end every line in the same label");
  EXPECT_TRUE(Refusal("a;One\nb;Two\n").starts_with("t.csv:2: the line ends in 'Two'"));
}

TEST(TaxonomyParse, ALabelWithTwoParentsIsRefused) {
  EXPECT_EQ(
      Refusal("a;Other;X;*\nb;Other;Y;*\n"),
      "t.csv:2: 'Other' stands below 'Y' here but below 'X' on line 1; a label has one parent: rename one of the two");
  EXPECT_TRUE(Refusal("a;Other;X;*\nb;Other;*\n").starts_with("t.csv:2: 'Other' stands below '*'"));
}

TEST(TaxonomyParse, ALeafThatIsAlsoAnInnerNodeIsRefused) {
  EXPECT_EQ(Refusal("X;*\na;X;*\n"),
            "t.csv:2: 'X' is a leaf on line 1 and has labels below it on line 2; rename one of the two");
  EXPECT_EQ(Refusal("a;X;*\nX;*\n"),
            "t.csv:2: 'X' is a leaf on line 2 and has labels below it on line 1; rename one of the two");
}

TEST(TaxonomyParse, BadUtf8IsRefusedWithItsPlace) {
  for (const char* bad : {"\xFF", "\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"}) {
    EXPECT_EQ(Refusal(fmt::format("a;*\nbc{};*\n", bad)),
              "t.csv:2: byte 3 of the line is not valid UTF-8; save the file as UTF-8");
  }
  EXPECT_EQ(LeafLabels(Read("Zürich;*\n東京;*\n😀;*\n")), (Labels{"Zürich", "東京", "😀"}));
}

TEST(TaxonomyParse, LabelsThatCouldNotBeReadBackAreRefused) {
  EXPECT_TRUE(Refusal("a;;*\n").starts_with("t.csv:1: label 2 of 3 is empty"));
  EXPECT_TRUE(Refusal("a;*;\n").starts_with("t.csv:1: label 3 of 3 is empty"));
  EXPECT_TRUE(Refusal(";*\n").starts_with("t.csv:1: label 1 of 2 is empty"));
  EXPECT_TRUE(Refusal("\"  \";*\n").starts_with("t.csv:1: label 1 of 2 is empty"));
  EXPECT_TRUE(Refusal("*;Any\n").starts_with("t.csv:1: label 1 of 2 is '*'"));
  EXPECT_TRUE(Refusal("a;*;Any\n").starts_with("t.csv:1: label 2 of 3 is '*'"));
  EXPECT_TRUE(Refusal("{a|b};*\n").starts_with("t.csv:1: label 1 of 2 starts with '{'"));
  EXPECT_TRUE(Refusal("a;{Any\n").starts_with("t.csv:1: label 2 of 2 starts with '{'"));
  EXPECT_TRUE(Refusal("a\x1b[2J;*\n").starts_with("t.csv:1: label 1 of 2 holds a control character"));
  EXPECT_TRUE(Refusal("a\tb;*\n").starts_with("t.csv:1: label 1 of 2 holds a control character"));
  EXPECT_TRUE(Refusal("a\xC2\x9Bz;*\n").starts_with("t.csv:1: label 1 of 2 holds a control character"));
  EXPECT_TRUE(Refusal("a;*\rb;*\n").starts_with("t.csv:1: label 2 of 3 holds a control character"));
}

TEST(TaxonomyParse, BrokenQuotesAreRefused) {
  EXPECT_TRUE(Refusal("\"a;*\n").starts_with("t.csv:1: a quoted label has no closing quote"));
  EXPECT_TRUE(Refusal("a;*\n\"b\nc\";*\n").starts_with("t.csv:2: a quoted label has no closing quote"));
  EXPECT_TRUE(Refusal("\"a\"b;*\n").starts_with("t.csv:1: text follows the closing quote"));
  EXPECT_TRUE(Refusal("x;*\n5\" pipe;*\n").starts_with("t.csv:2: a quote stands inside an unquoted label"));
}

TEST(TaxonomyRead, ReadsAFileAndNamesItInMessages) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("taxonomy_test_{}.csv", getpid());
  std::ofstream(path) << kSchool;
  const auto school = Taxonomy::ReadFile(path);
  std::ofstream(path) << "a;*\na;*\n";
  const auto broken = Taxonomy::ReadFile(path);
  std::filesystem::remove(path);
  const auto gone = Taxonomy::ReadFile(path);
  ASSERT_TRUE(school.ok());
  EXPECT_EQ(school->leaf_count(), 6U);
  ASSERT_FALSE(broken.ok());
  EXPECT_TRUE(broken.error().message.starts_with(path.string() + ":2: ")) << broken.error().message;
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, ErrorCode::kBadPolicy);
  EXPECT_NE(gone.error().message.find("there is no such file"), std::string::npos) << gone.error().message;
  EXPECT_FALSE(Taxonomy::ReadFile(std::filesystem::temp_directory_path()).ok());
}

TEST(TaxonomyFlat, PutsEveryValueBelowTheRoot) {
  const auto sex = Taxonomy::Flat(std::vector<std::string>{"Female", "Male"});
  ASSERT_TRUE(sex.ok());
  EXPECT_EQ(sex->ToText(), "Female;*\nMale;*\n");
  EXPECT_EQ(sex->height(), 1U);
}

TEST(TaxonomyFlat, RefusesListsThatCouldNotBeReadBack) {
  for (const Labels& bad : {Labels{}, Labels{"a", "a"}, Labels{"a", ""}, Labels{"a", "*"}, Labels{"a", "{b"},
                            Labels{"a", "b\nc"}, Labels{"a", "\xFF"}}) {
    const auto taxonomy = Taxonomy::Flat(bad);
    ASSERT_FALSE(taxonomy.ok());
    EXPECT_EQ(taxonomy.error().code, ErrorCode::kBadPolicy);
    EXPECT_TRUE(bad.empty() || taxonomy.error().message.starts_with("value 2 of the list")) << taxonomy.error().message;
  }
}

TEST(TaxonomyFind, LeavesAndInnerNodesAreToldApart) {
  const Taxonomy school = Read(kSchool);
  for (Code code = 0; code < school.leaf_count(); ++code) EXPECT_EQ(school.FindLeaf(school.leaf_label(code)), code);
  for (Taxonomy::NodeId id = 0; id < school.nodes().size(); ++id) EXPECT_EQ(school.FindNode(school.node(id).label), id);
  for (const char* none : {"", "*", "Secondary", "9t", "9thh", "zzz"}) EXPECT_FALSE(school.FindLeaf(none)) << none;
  EXPECT_FALSE(school.FindNode(""));
  EXPECT_FALSE(school.FindNode("masters"));
}

TEST(TaxonomyText, ParseOfToTextIsTheSameTaxonomy) {
  for (const std::string_view text : {kSchool, std::string_view("\"a;b\";\"say \"\"x\"\"\";*\n\" c \";*\nd,e;*\n"),
                                      std::string_view("a;A;B;C;*\n"), std::string_view("\"\xEF\xBB\xBFz\";*\n")}) {
    const Taxonomy first = Read(text);
    const Taxonomy second = Read(first.ToText());
    ASSERT_EQ(second.nodes().size(), first.nodes().size());
    for (Taxonomy::NodeId id = 0; id < first.nodes().size(); ++id) {
      EXPECT_EQ(second.node(id).label, first.node(id).label);
      EXPECT_EQ(second.node(id).leaves, first.node(id).leaves);
      EXPECT_EQ(second.node(id).parent, first.node(id).parent);
      EXPECT_EQ(second.node(id).children, first.node(id).children);
    }
    EXPECT_EQ(second.ToText(), first.ToText());
  }
}

// A random tree as text: every leaf hangs below one of a few inner nodes, which hang below each other.
std::string RandomText(Random& random) {
  const std::uint32_t inner = random.Below(6);
  std::vector<std::string> path_up = {"*"};
  for (std::uint32_t i = 0; i < inner; ++i) {
    path_up.push_back(fmt::format("n{};{}", i, path_up[random.Below(static_cast<std::uint32_t>(path_up.size()))]));
  }
  std::string text;
  const std::uint32_t leaves = 1 + random.Below(9);
  for (std::uint32_t i = 0; i < leaves; ++i) {
    text += fmt::format("leaf{};{}\n", i, path_up[random.Below(static_cast<std::uint32_t>(path_up.size()))]);
  }
  return text;
}

// Fewest nodes that fill the interval, by trying every node at every place.
std::size_t FewestNodes(const Taxonomy& taxonomy, Interval codes) {
  std::vector<std::size_t> fewest(codes.size() + 1, SIZE_MAX);  // by number of codes filled from the left
  fewest[0] = 0;
  for (std::size_t filled = 0; filled < codes.size(); ++filled) {
    for (const auto& node : taxonomy.nodes()) {
      if (fewest[filled] == SIZE_MAX || node.leaves.lo != codes.lo + filled || node.leaves.hi > codes.hi) continue;
      std::size_t& after = fewest[filled + node.leaves.size()];
      after = std::min(after, fewest[filled] + 1);
    }
  }
  return fewest.back();
}

TEST(TaxonomyIntervals, CoverAndDecomposeAgreeWithTryingEveryNode) {
  Random random(SeedFromNumber(7), "taxonomy test");
  for (std::size_t round = 0; round < TestRounds(500); ++round) {
    const Taxonomy taxonomy = Read(RandomText(random));
    for (Code lo = 0; lo < taxonomy.leaf_count(); ++lo) {
      for (Code hi = lo; hi < taxonomy.leaf_count(); ++hi) {
        const Interval codes = {lo, hi};
        const auto& cover = taxonomy.node(taxonomy.Cover(codes));
        EXPECT_TRUE(cover.leaves.Contains(codes));
        for (const auto& node : taxonomy.nodes()) {
          EXPECT_TRUE(node.depth <= cover.depth || !node.leaves.Contains(codes));
        }
        const auto parts = taxonomy.Decompose(codes);
        EXPECT_EQ(parts.size(), FewestNodes(taxonomy, codes));
        EXPECT_EQ(taxonomy.node(parts.front()).leaves.lo, lo);
        EXPECT_EQ(taxonomy.node(parts.back()).leaves.hi, hi);
        for (std::size_t i = 1; i < parts.size(); ++i) {
          EXPECT_EQ(taxonomy.node(parts[i]).leaves.lo, taxonomy.node(parts[i - 1]).leaves.hi + 1);
        }
      }
    }
  }
}

TEST(TaxonomyIntervals, EveryNodeCoversTheLeavesOfItsChildrenAndNoOthers) {
  Random random(SeedFromNumber(8), "taxonomy test");
  for (std::size_t round = 0; round < TestRounds(500); ++round) {
    const Taxonomy taxonomy = Read(RandomText(random));
    for (Taxonomy::NodeId id = 0; id < taxonomy.nodes().size(); ++id) {
      const auto& node = taxonomy.node(id);
      if (node.children.empty()) {
        EXPECT_EQ(node.leaves.size(), 1U);
        EXPECT_EQ(taxonomy.leaf_node(node.leaves.lo), id);
        continue;
      }
      Code next = node.leaves.lo;
      for (const Taxonomy::NodeId child : node.children) {
        EXPECT_EQ(taxonomy.node(child).parent, id);
        EXPECT_EQ(taxonomy.node(child).depth, node.depth + 1);
        EXPECT_EQ(taxonomy.node(child).leaves.lo, next);
        next = taxonomy.node(child).leaves.hi + 1;
      }
      EXPECT_EQ(next, node.leaves.hi + 1);
    }
  }
}

TEST(TaxonomyParse, AnyTextIsEitherRefusedOrReadsBack) {
  Random random(SeedFromNumber(9), "taxonomy test");
  constexpr std::string_view kCharacters = "abcd;;;;***\n\n\"\", \t\r{|}\\\xC3\xA4";
  int accepted = 0;
  for (std::size_t round = 0; round < TestRounds(200'000); ++round) {
    std::string text;
    for (std::uint32_t i = random.Below(16); i > 0; --i) text += kCharacters[random.Below(kCharacters.size())];
    const auto taxonomy = Taxonomy::Parse(text, "t.csv");
    if (!taxonomy.ok()) continue;
    ++accepted;
    const auto again = Taxonomy::Parse(taxonomy->ToText(), "t.csv");
    ASSERT_TRUE(again.ok()) << text;
    ASSERT_EQ(LeafLabels(*again), LeafLabels(*taxonomy)) << text;
    ASSERT_EQ(again->ToText(), taxonomy->ToText()) << text;
  }
  EXPECT_GT(accepted, TestRounds(1000));
}

// Wall clock of a loaded machine: the limits are far from linear cost and far below quadratic.
class TaxonomyScale : public testing::Test {
 protected:
  void TearDown() override { EXPECT_LT(std::chrono::steady_clock::now() - start_, std::chrono::seconds(20)); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

TEST_F(TaxonomyScale, AHundredThousandLeavesBelowOneNode) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += fmt::format("value {};group {};*\n", i, i % 100);
  const Taxonomy taxonomy = Read(text);
  EXPECT_EQ(taxonomy.leaf_count(), 100'000U);
  for (Code code = 0; code < taxonomy.leaf_count(); ++code)
    ASSERT_EQ(taxonomy.FindLeaf(taxonomy.leaf_label(code)), code);
  EXPECT_EQ(taxonomy.Decompose({1, 99'998}).size(), 98U + 2 * 999U);
  EXPECT_EQ(Read(taxonomy.ToText()).leaf_count(), 100'000U);
}

TEST_F(TaxonomyScale, ALineOfAHundredThousandLevels) {
  std::string line = "leaf";
  for (int i = 0; i < 100'000; ++i) line += fmt::format(";n{}", i);
  const Taxonomy taxonomy = Read(line + ";*\n");
  EXPECT_EQ(taxonomy.height(), 100'001U);
  EXPECT_EQ(taxonomy.Cover({0, 0}), taxonomy.leaf_node(0));
  EXPECT_EQ(taxonomy.Decompose({0, 0}).size(), 1U);
}

}  // namespace
}  // namespace pentimento::taxonomy_test
