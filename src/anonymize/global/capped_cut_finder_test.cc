#include "anonymize/global/capped_cut_finder.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "anonymize/partition/packed_rows.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::global::capped_cut_finder_test {
namespace {

using Rows = partition::PackedRows<std::uint16_t, 8, false>;

struct Node {
  std::vector<Domain> domains;
  EncodedTable table;
  Signatures signatures;
  BudgetLevels levels;
  CodeColumn keys;
};

Domain Flat(Code size) {
  std::vector<std::string> values;
  for (Code code = 0; code < size; ++code) values.push_back("v" + std::to_string(code));
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), false);
}

// Seven towns of five places, of which the first three have a node of their own; a value may be missing.
Domain Deep() {
  std::string text;
  for (int town = 0; town < 7; ++town) {
    for (int place = 0; place < 5; ++place) {
      const std::string name = std::to_string(town);
      text += name + std::to_string(place) + (place < 3 ? ";" + name + "-old" : "") + ";town" + name + ";*\n";
    }
  }
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "towns").value()), true);
}

Node RandomNode(Random& random, std::size_t rows) {
  Node made;
  made.domains = {
      Domain(NumericRange{0, 199, 0, {}}, true),  Flat(2),  Flat(9), Domain(NumericRange{0, 9, 0, {}}, false),
      Domain(NumericRange{0, 999, 0, {}}, false), Flat(30), Deep(),  Flat(4000)};
  made.table.rows = rows;
  for (const Domain& domain : made.domains) {
    CodeColumn& column = made.table.quasi_identifiers.emplace_back(domain.size(), rows);
    // Few codes, so that gains are often equal, or all there are.
    const Code among = random.Below(2) == 0 ? std::min<Code>(domain.size(), 3) : domain.size();
    for (std::size_t row = 0; row < rows; ++row) column.Set(row, random.Below(among));
  }
  made.signatures = {CodeColumn(4, rows), 4, {{{1}, {1, 1}}, {{2}, {1, 1}}, {{1, 2}, {1, 1}}}};
  made.levels.items = 3;
  made.levels.count = 1 + random.Below(4);
  std::uint64_t share = 1 + random.Below(4);
  for (std::size_t level = 0; level < made.levels.count; ++level, share += random.Below(4))
    made.levels.caps.insert(made.levels.caps.end(), {{share, 24}, {share + 1, 24}, {share + 2, 24}});
  const std::uint32_t rarity = 1 + random.Below(30);
  const CappedItems items(made.signatures, made.levels, true);
  made.keys = CodeColumn(items.key_count(), rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const Code signature = random.Below(rarity) == 0 ? random.Below(4) : 0;
    made.keys.Set(row, items.KeyOf(signature, random.Below(static_cast<std::uint32_t>(made.levels.count))));
  }
  return made;
}

// Every boundary between two occupied bins, and every column along its taxonomy, with counts of its own for each. Ties
// go to the one that comes first, and columns with few rows among many codes come last.
class PlainSearch {
 public:
  PlainSearch(const Node& node, const CutSearch& search, std::span<const Interval> members)
      : node_(node), search_(search), members_(members), rows_(node.table.rows) {}

  std::optional<partition::Cut> Find() {
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < members_.size(); ++c) {
      if (members_[c].lo < members_[c].hi) columns.push_back(c);
    }
    std::ranges::stable_sort(columns, std::greater<>(),
                             [&](std::size_t c) { return search_.shapes[c].Width(members_[c]); });
    const std::size_t bins = std::clamp<std::size_t>(rows_ / 2, 16, 64);
    for (std::size_t first = 0; first < columns.size() && !best_; first += 4) {
      const std::size_t past = std::min(first + 4, columns.size());
      std::stable_partition(
          columns.begin() + static_cast<std::ptrdiff_t>(first), columns.begin() + static_cast<std::ptrdiff_t>(past),
          [&](std::size_t c) { return !search_.shapes[c].follows_taxonomy() || members_[c].size() <= 16 * rows_; });
      for (std::size_t i = first; i < past; ++i) {
        const partition::ColumnShape& shape = search_.shapes[columns[i]];
        if (shape.follows_taxonomy()) {
          TryChildren(columns[i]);
        } else {
          TryColumn(columns[i], partition::LayOutBins(shape, members_[columns[i]], bins), false);
        }
      }
    }
    for (std::size_t i = 0; i < columns.size() && !best_ && !has_sizes_; ++i) {
      const partition::ColumnShape& shape = search_.shapes[columns[i]];
      if (shape.follows_taxonomy()) continue;
      TryColumn(columns[i], partition::LayOutBins(shape, members_[columns[i]], std::size_t{1} << 20), true);
    }
    return best_;
  }

 private:
  // A part of a cut, and the rows in it.
  struct Part {
    Interval leaves;
    std::vector<std::size_t> rows;
    Interval members{0xFFFFFFFF, 0};

    void Add(std::size_t row, Code code) {
      rows.push_back(row);
      members = {std::min(members.lo, code), std::max(members.hi, code)};
    }
  };

  std::size_t LevelOf(const Part& part) const {
    std::size_t lowest = kMostLevels;
    for (const std::size_t row : part.rows) lowest = std::min(lowest, CappedItems::LevelOf(node_.keys[row]));
    return lowest;
  }
  bool IsLegal(const Part& part) const {
    std::vector<std::uint64_t> counts(search_.items.item_count());
    for (const std::size_t row : part.rows) {
      for (const std::uint32_t item : search_.items.ItemsOf(CappedItems::SignatureOf(node_.keys[row]))) ++counts[item];
    }
    const auto caps = search_.items.CapsOf(LevelOf(part));
    for (std::size_t item = 0; item < counts.size(); ++item) {
      if (counts[item] > 0 && !caps[item].Allows(counts[item], part.rows.size())) return false;
    }
    return part.rows.size() >= search_.prices.k();
  }
  std::int64_t PriceOf(const Part& part, HeldItems& held, std::size_t lowest) const {
    std::vector<std::uint32_t> counts(held.kinds());
    for (const std::size_t row : part.rows) held.AddTo(counts, CappedItems::SignatureOf(node_.keys[row]));
    return counts.empty() ? 0 : held.PriceOfPart(counts, part.rows.size(), LevelOf(part), rows_, lowest);
  }

  void TryChildren(std::size_t column) {
    const partition::ColumnShape& shape = search_.shapes[column];
    const partition::NodeToCut to_cut(shape, members_[column]);
    std::map<Code, Part> by_child;
    Part all, rest;
    HeldItems held(search_.items);
    for (std::size_t row = 0; row < rows_; ++row) {
      const Code code = node_.table.quasi_identifiers[column][row];
      const Interval child = to_cut.ChildOf(code);
      by_child[child.lo].leaves = child;
      by_child[child.lo].Add(row, code);
      all.Add(row, code);
      if (const std::uint32_t signature = CappedItems::SignatureOf(node_.keys[row])) held.AddToNode(signature);
    }
    held.FinishNode(rows_, LevelOf(all));
    std::vector<Part> standing;
    const auto join_rest = [&](const Part& part) {
      rest.rows.insert(rest.rows.end(), part.rows.begin(), part.rows.end());
    };
    for (const auto& [lo, part] : by_child) IsLegal(part) ? standing.push_back(part) : join_rest(part);
    while (!standing.empty() && !rest.rows.empty() && !IsLegal(rest)) {
      const auto smallest = std::ranges::min_element(standing, {}, [](const Part& part) { return part.rows.size(); });
      join_rest(*smallest);
      standing.erase(smallest);
    }
    if (standing.empty()) return;
    std::int64_t gain = 0, price = 0;
    for (const Part& part : standing) {
      gain +=
          static_cast<std::int64_t>(part.rows.size()) * (shape.Width(members_[column]) - shape.Width(part.members)) -
          search_.prices.LeftOver(part.rows.size());
      price += PriceOf(part, held, LevelOf(all));
    }
    if (!rest.rows.empty()) {
      gain -= search_.prices.LeftOver(rest.rows.size());
      price += PriceOf(rest, held, LevelOf(all));
    }
    gain -= price / 2;
    if (best_ && gain <= gain_) return;
    gain_ = gain;
    children_.clear();
    for (const Part& part : standing) {
      children_.push_back({part.leaves, part.rows.size()});
    }
    best_ = partition::Cut{.column = column, .runs = children_};
  }

  void TryColumn(std::size_t column, const partition::Bins& bins, bool single_codes) {
    const CodeColumn& codes = node_.table.quasi_identifiers[column];
    const auto is_occupied = [&](Code from, Code to) {
      for (std::size_t row = 0; row < rows_; ++row) {
        if (codes[row] >= from && codes[row] <= to) return true;
      }
      return false;
    };
    const Interval members = members_[column];
    std::optional<std::size_t> last;
    const std::size_t count = ((members.hi - bins.base) >> bins.shift) + 1;
    for (std::size_t bin = 0; bin < count; ++bin) {
      if (!is_occupied(bins.FirstCode(bin), bins.FirstCode(bin + 1) - 1)) continue;
      // Single codes end where the next one begins that somebody has.
      if (last)
        TryBoundary(column, bins.FirstCode(bin), (single_codes ? bins.FirstCode(bin) : bins.FirstCode(*last + 1)) - 1);
      last = bin;
    }
  }

  void TryBoundary(std::size_t column, Code at, Code below_hi) {
    const partition::ColumnShape& shape = search_.shapes[column];
    const Interval members = members_[column];
    HeldItems held(search_.items);
    std::vector<std::uint32_t> below_has;
    std::uint64_t below = 0;
    std::size_t lowest_below = kMostLevels, lowest_above = kMostLevels;
    for (std::size_t row = 0; row < rows_; ++row) {
      const Code key = node_.keys[row];
      const bool is_below = node_.table.quasi_identifiers[column][row] < at;
      std::size_t& lowest = is_below ? lowest_below : lowest_above;
      lowest = std::min(lowest, CappedItems::LevelOf(key));
      below += is_below ? 1 : 0;
      if (CappedItems::SignatureOf(key) == 0) continue;
      held.AddToNode(CappedItems::SignatureOf(key));
      if (is_below) below_has.push_back(CappedItems::SignatureOf(key));
    }
    const std::uint64_t above = rows_ - below;
    if (std::min(below, above) < search_.prices.k()) return;
    has_sizes_ = true;
    held.FinishNode(rows_, std::min(lowest_below, lowest_above));
    held.ClearBelow();
    for (const std::uint32_t signature : below_has) held.AddBelow(signature);
    if (!held.Keeps(below, above, lowest_below, lowest_above)) return;
    const std::int64_t width = shape.Width(members);
    const std::int64_t gain = static_cast<std::int64_t>(below) * (width - shape.Width({members.lo, below_hi})) +
                              static_cast<std::int64_t>(above) * (width - shape.Width({at, members.hi})) -
                              search_.prices.LeftOver(below) - search_.prices.LeftOver(above) -
                              held.Price(below, above, lowest_below, lowest_above);
    if (best_ && gain <= gain_) return;
    gain_ = gain;
    best_ = partition::Cut{.column = column, .at = at, .below = below, .runs = {}};
  }

  const Node& node_;
  const CutSearch& search_;
  std::span<const Interval> members_;
  std::size_t rows_;
  bool has_sizes_ = false;
  std::optional<partition::Cut> best_;
  std::vector<partition::CutRun> children_;  // of the best cut
  std::int64_t gain_ = 0;
};

TEST(CappedCutFinderTest, TheCutIsTheOneThatLookingAtEveryBoundaryFinds) {
  Random random(SeedFromNumber(2), "capped cuts");
  int cuts = 0, into_children = 0, free_of_holders = 0;
  for (std::size_t round = 0; round < TestRounds(1500); ++round) {
    const Node node = RandomNode(random, 2 + random.Below(round % 10 == 0 ? 300 : 60));
    const CategoryForm form = random.Below(2) == 0 ? CategoryForm::kSets : CategoryForm::kTaxonomy;
    const CappedItems items(node.signatures, node.levels, true);
    const partition::CutPrices prices(1 + random.Below(8), node.table.rows);
    std::vector<partition::ColumnShape> shapes;
    for (const Domain& domain : node.domains) shapes.emplace_back(domain, form);
    const CutSearch search{shapes, prices, items};
    const HoldersFirst order(node.keys);
    const KeyOfRow key_of_row(node.keys);
    Rows rows(node.table, order);
    Box members(node.domains.size());
    rows.Bounds(partition::Buffer::kFront, 0, rows.size(), members);
    const partition::NodeView view{0, rows.size(), partition::Buffer::kFront, members, {}};
    CappedCutFinder<Rows> finder(rows, key_of_row, search);
    const std::optional<partition::Cut> found = finder.FindCut(view);
    PlainSearch plain_search(node, search, members);
    const std::optional<partition::Cut> plain = plain_search.Find();
    ASSERT_EQ(found.has_value(), plain.has_value()) << "round " << round;
    if (!found) continue;
    ++cuts;
    free_of_holders += order.holders() == 0 ? 1 : 0;
    EXPECT_EQ(found->column, plain->column) << "round " << round;
    EXPECT_EQ(found->at, plain->at) << "round " << round;
    EXPECT_EQ(found->below, plain->below) << "round " << round;
    ASSERT_EQ(found->runs.size(), plain->runs.size()) << "round " << round;
    for (std::size_t part = 0; part < found->runs.size(); ++part) {
      EXPECT_EQ(found->runs[part].leaves, plain->runs[part].leaves) << "round " << round;
      EXPECT_EQ(found->runs[part].persons, plain->runs[part].persons) << "round " << round;
    }
    into_children += found->runs.empty() ? 0 : 1;
  }
  EXPECT_GT(cuts, TestRounds(500));
  EXPECT_GT(into_children, TestRounds(100));
  EXPECT_GT(free_of_holders, TestRounds(30));
}

}  // namespace
}  // namespace pentimento::global::capped_cut_finder_test
