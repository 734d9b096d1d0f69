#include "anonymize/recode/branch_counter.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <string>

#include "anonymize/partition/packed_rows.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::recode::branch_counter_test {
namespace {

Domain Tree(std::string_view text, bool allows_missing) {
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "test").value()), allows_missing);
}
Domain Flat(Code leaves) {
  std::vector<std::string> values;
  for (Code leaf = 0; leaf < leaves; ++leaf) values.push_back("v" + std::to_string(leaf));
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), false);
}
Domain Numbers(std::int64_t hi, bool allows_missing) { return Domain(NumericRange{0, hi, 0, {}}, allows_missing); }

const char* const kDeep = "a;x;p;*\nb;x;p;*\nc;y;p;*\nd;z;*\ne;z;*\nf;*\n";

// The child above a code, from the definition.
Code ChildOf(const Domain& domain, const std::vector<Code>& members, Interval bounds, Code code) {
  if (domain.is_numeric()) {
    if (domain.IsMissing(bounds.hi)) return domain.IsMissing(code) ? 1 : 0;
    std::vector<Code> sorted = members;
    std::ranges::sort(sorted);
    const Code median = sorted[sorted.size() / 2];
    const auto below = std::ranges::count_if(sorted, [&](Code each) { return each < median; });
    const auto above = std::ranges::count_if(sorted, [&](Code each) { return each > median; });
    return code >= (below >= above ? median : median + 1) ? 1 : 0;
  }
  const Taxonomy& taxonomy = domain.taxonomy();
  const Taxonomy::Node& node = domain.IsMissing(bounds.hi) ? taxonomy.root() : taxonomy.node(taxonomy.Cover(bounds));
  for (Code child = 0; child < node.children.size(); ++child) {
    if (taxonomy.node(node.children[child]).leaves.Contains(code)) return child;
  }
  return static_cast<Code>(node.children.size());
}

void ExpectCounts(const Domain& domain, const std::vector<Code>& codes, const std::vector<Code>& signature_of,
                  Code signature_count) {
  EncodedTable table;
  table.rows = codes.size();
  table.quasi_identifiers.emplace_back(domain.size(), codes.size());
  CodeColumn signatures(signature_count, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) {
    table.quasi_identifiers[0].Set(row, codes[row]);
    signatures.Set(row, signature_of[row]);
  }
  const partition::PackedRows<std::uint32_t, 0, false, true> rows(table, &signatures);
  const auto [lo, hi] = std::ranges::minmax(codes);
  if (lo == hi) return;
  Signatures limited;
  limited.count = signature_count;
  const ClassRule rule(&limited, 1);
  BranchCounter counter(rule);
  using Records = std::remove_cvref_t<decltype(rows)>::Records;
  const ColumnOfNode<Records> node{rows.records(partition::Buffer::kFront), 0, 0, codes.size(), {lo, hi}};
  const ColumnLevels levels(domain);
  const std::optional<Level> level = counter.Count(node, levels, {});
  ASSERT_TRUE(level);

  std::map<Code, std::map<Code, std::uint32_t>> expected;
  std::map<Code, Code> child_of;
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const auto [child, is_new] = child_of.try_emplace(codes[row], 0);
    if (is_new) child->second = ChildOf(domain, codes, {lo, hi}, codes[row]);
    EXPECT_EQ(level->ChildOf(codes[row]), child->second);
    ++expected[child->second][signature_of[row]];
  }
  ASSERT_EQ(counter.counts().branches.size(), expected.size());
  auto next = expected.begin();
  for (const Branch& branch : counter.counts().branches) {
    EXPECT_EQ(branch.child, next->first);
    std::map<Code, std::uint32_t> counted;
    std::uint32_t sum = 0;
    for (const SignatureCount& count : counter.counts().CountsOf(branch)) {
      counted[count.signature] = count.rows;
      sum += count.rows;
    }
    EXPECT_EQ(counted, (next++)->second);
    EXPECT_EQ(branch.rows, sum);
  }
}

// Small and large nodes, few and many signatures: in a table by child, by sorting, the median from counts and from the
// codes.
TEST(BranchCounter, CountsAsTheDefinitionDoes) {
  Random random(SeedFromNumber(1), "test");
  for (std::size_t round = 0; round < TestRounds(1'500); ++round) {
    const std::array<Domain, 6> domains = {Tree(kDeep, false), Tree(kDeep, true),       Flat(40),
                                           Numbers(60, false), Numbers(100'000, false), Numbers(80, true)};
    const Domain& domain = domains[random.Below(6)];
    const Code signature_count = std::array<Code, 4>{1, 3, 14, 3'000}[random.Below(4)];
    const std::size_t rows = 2 + random.Below(random.Below(4) == 0 ? 2'000 : 30);
    const Code most = 1 + random.Below(domain.size());
    std::vector<Code> codes(rows);
    std::vector<Code> signature_of(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      codes[row] = random.Below(20) == 0 ? random.Below(domain.size()) : random.Below(most);
      signature_of[row] = random.Below(signature_count);
    }
    ExpectCounts(domain, codes, signature_of, signature_count);
  }
}

TEST(ColumnLevels, PublishTheSmallestNodeOverTheMembers) {
  for (const char* const text : {kDeep, "a;x;*\nb;x;*\n", "a;*\nb;*\n"}) {
    for (const bool allows_missing : {false, true}) {
      const Domain domain = Tree(text, allows_missing);
      const ColumnLevels levels(domain);
      for (Code lo = 0; lo < domain.size(); ++lo) {
        for (Code hi = lo; hi < domain.size(); ++hi)
          EXPECT_EQ(levels.PublishedWidth({lo, hi}),
                    domain.RelativeWidth(domain.Cover({lo, hi}, CategoryForm::kTaxonomy)));
      }
    }
  }
}

}  // namespace
}  // namespace pentimento::recode::branch_counter_test
