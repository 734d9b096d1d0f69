#include "engine/serial/item_signatures.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/parallel.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

// The values of a column by the items they belong to: values of the same items share a number.
struct ItemSets {
  std::vector<std::uint32_t> of_code;
  std::vector<std::vector<std::size_t>> items;  // by number
};

ItemSets CollectSets(const GlobalClaim& claim, std::size_t column, Code value_count) {
  std::vector<std::vector<std::size_t>> items_of_code(value_count);
  for (std::size_t item = 0; item < claim.items.size(); ++item) {
    if (claim.items[item].column != column) continue;
    for (const Code value : claim.items[item].values) items_of_code[value].push_back(item);
  }
  ItemSets sets;
  std::map<std::vector<std::size_t>, std::uint32_t> known;
  for (const std::vector<std::size_t>& items : items_of_code) {
    const auto [place, is_new] = known.try_emplace(items, static_cast<std::uint32_t>(sets.items.size()));
    if (is_new) sets.items.push_back(items);
    sets.of_code.push_back(place->second);
  }
  return sets;
}

}  // namespace

Signatures SignaturesOfItems(const GlobalClaim& claim, std::size_t rows, std::span<const CodeColumn* const> sensitive,
                             std::span<const Code> value_counts) {
  std::vector<ItemSets> sets;
  CombinationNumbering numbering(rows);
  for (std::size_t column = 0; column < sensitive.size(); ++column) {
    sets.push_back(CollectSets(claim, column, value_counts[column]));
    const std::vector<std::uint32_t>& of_code = sets.back().of_code;
    sensitive[column]->Visit([&](auto codes) {
      numbering.Refine(sets.back().items.size(), [&](std::size_t row) { return std::uint64_t{of_code[codes[row]]}; });
    });
  }
  const Combinations combinations = std::move(numbering).Finish();
  Signatures signatures;
  signatures.count = std::max<Code>(combinations.count, 1);
  signatures.of_row = CodeColumn(signatures.count, rows);
  signatures.of_row.VisitMutable([&](auto& codes) {
    using Narrow = std::remove_reference_t<decltype(codes[0])>;
    ParallelFor(rows, std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) codes[row] = static_cast<Narrow>(combinations.of_row[row]);
    });
  });
  signatures.items.resize(claim.items.size());
  const std::vector<std::uint32_t> first_rows = FirstRows(combinations);
  for (Code signature = 0; signature < first_rows.size(); ++signature) {
    for (std::size_t column = 0; column < sensitive.size(); ++column) {
      const std::uint32_t set = sets[column].of_code[(*sensitive[column])[first_rows[signature]]];
      for (const std::size_t item : sets[column].items[set]) signatures.items[item].signatures.push_back(signature);
    }
  }
  return signatures;
}

}  // namespace pentimento
