#include "engine/global/item_signatures.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "engine/global/items_of_values.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

// Up to here a note for every value takes no more time than the rows of a task.
constexpr Code kFewValues = Code{1} << 16;

// Which values of a column somebody has.
std::vector<std::uint8_t> ValuesThatOccur(const CodeColumn& column, Code value_count) {
  std::vector<std::uint8_t> occurs(value_count);
  std::mutex mutex;
  column.Visit([&](auto codes) {
    ParallelFor(codes.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint8_t> here(value_count);
      for (std::size_t row = begin; row < end; ++row) here[codes[row]] = 1;
      const std::scoped_lock lock(mutex);
      for (std::size_t value = 0; value < occurs.size(); ++value) occurs[value] |= here[value];
    });
  });
  return occurs;
}

// With one column a signature follows from the value, and rows need not be compared with each other.
Signatures SignaturesOfColumn(const GlobalClaim& claim, const CodeColumn& column, Code value_count) {
  const ItemSets sets = CollectItemSets(claim, 0, value_count);
  const std::vector<std::uint8_t> occurs = ValuesThatOccur(column, value_count);
  std::vector<std::uint32_t> present(sets.items.size(), 0);
  for (Code code = 0; code < value_count; ++code) present[sets.of_code[code]] |= occurs[code];
  std::vector<std::uint32_t> in_order;
  for (std::uint32_t set = 0; set < present.size(); ++set) {
    if (present[set] != 0) in_order.push_back(set);
  }
  std::ranges::sort(
      in_order, {}, [&](std::uint32_t set) -> const auto& { return sets.items[set]; });
  Signatures signatures;
  signatures.items.resize(claim.items.size());
  std::vector<Code> number_of_set(sets.items.size());
  for (Code number = 0; number < in_order.size(); ++number) {
    number_of_set[in_order[number]] = number;
    for (const std::size_t item : sets.items[in_order[number]]) signatures.items[item].signatures.push_back(number);
  }
  std::vector<Code> number_of_code(value_count);
  for (Code code = 0; code < value_count; ++code) number_of_code[code] = number_of_set[sets.of_code[code]];
  signatures.count = std::max<Code>(static_cast<Code>(in_order.size()), 1);
  signatures.of_row = CodeColumn(signatures.count, column.size());
  signatures.of_row.VisitMutable([&](auto& numbers) {
    using Narrow = std::remove_reference_t<decltype(numbers[0])>;
    column.Visit([&](auto codes) {
      ParallelFor(codes.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) numbers[row] = static_cast<Narrow>(number_of_code[codes[row]]);
      });
    });
  });
  return signatures;
}

// By the number of a combination: the items that its rows hold, ascending. No two combinations hold the same.
std::vector<std::vector<std::size_t>> ItemsHeld(const Combinations& combinations, std::span<const ItemSets> sets,
                                                std::span<const CodeColumn* const> sensitive) {
  std::vector<std::vector<std::size_t>> held;
  for (const std::uint32_t row : FirstRows(combinations)) {
    std::vector<std::size_t>& of_row = held.emplace_back();
    for (std::size_t column = 0; column < sensitive.size(); ++column) {
      const std::vector<std::size_t>& items = sets[column].items[sets[column].of_code[(*sensitive[column])[row]]];
      of_row.insert(of_row.end(), items.begin(), items.end());
    }
    std::ranges::sort(of_row);
  }
  return held;
}

}  // namespace

// Signatures are numbered by what they hold and not by where they first stand: a maker that looks at them in their
// order must not learn the order of the rows from it.
Signatures SignaturesOfItems(const GlobalClaim& claim, std::size_t rows, std::span<const CodeColumn* const> sensitive,
                             std::span<const Code> value_counts) {
  if (sensitive.size() == 1 && value_counts[0] <= kFewValues)
    return SignaturesOfColumn(claim, *sensitive[0], value_counts[0]);
  std::vector<ItemSets> sets;
  CombinationNumbering numbering(rows);
  for (std::size_t column = 0; column < sensitive.size(); ++column) {
    sets.push_back(CollectItemSets(claim, column, value_counts[column]));
    const std::vector<std::uint32_t>& of_code = sets.back().of_code;
    sensitive[column]->Visit([&](auto codes) {
      numbering.Refine(sets.back().items.size(), [&](std::size_t row) { return std::uint64_t{of_code[codes[row]]}; });
    });
  }
  const Combinations combinations = std::move(numbering).Finish();
  const std::vector<std::vector<std::size_t>> held = ItemsHeld(combinations, sets, sensitive);
  std::vector<std::uint32_t> in_order(held.size());
  std::iota(in_order.begin(), in_order.end(), 0U);
  std::ranges::sort(
      in_order, {}, [&](std::uint32_t combination) -> const auto& { return held[combination]; });
  std::vector<Code> signature_of(held.size());
  Signatures signatures;
  signatures.items.resize(claim.items.size());
  for (Code signature = 0; signature < in_order.size(); ++signature) {
    signature_of[in_order[signature]] = signature;
    for (const std::size_t item : held[in_order[signature]]) signatures.items[item].signatures.push_back(signature);
  }
  signatures.count = std::max<Code>(combinations.count, 1);
  signatures.of_row = CodeColumn(signatures.count, rows);
  signatures.of_row.VisitMutable([&](auto& codes) {
    using Narrow = std::remove_reference_t<decltype(codes[0])>;
    ParallelFor(rows, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row)
        codes[row] = static_cast<Narrow>(signature_of[combinations.of_row[row]]);
    });
  });
  return signatures;
}

}  // namespace pentimento
