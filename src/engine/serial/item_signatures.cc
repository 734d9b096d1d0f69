#include "engine/serial/item_signatures.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

#include "base/parallel.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

constexpr std::size_t kRowGrain = std::size_t{1} << 16;
// Up to here a note for every value takes no more time than the rows of a task.
constexpr Code kFewValues = Code{1} << 16;

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

// Which values of a column somebody has.
std::vector<std::uint8_t> ValuesThatOccur(const CodeColumn& column, Code value_count) {
  std::vector<std::uint8_t> occurs(value_count);
  std::mutex mutex;
  column.Visit([&](auto codes) {
    ParallelFor(codes.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
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
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  const ItemSets sets = CollectSets(claim, 0, value_count);
  const std::vector<std::uint8_t> occurs = ValuesThatOccur(column, value_count);
  Signatures signatures;
  signatures.items.resize(claim.items.size());
  std::vector<std::uint32_t> number_of_set(sets.items.size(), kNone);
  std::vector<std::uint32_t> number_of_code(value_count);
  std::uint32_t count = 0;
  for (Code code = 0; code < value_count; ++code) {
    if (occurs[code] == 0) continue;
    std::uint32_t& number = number_of_set[sets.of_code[code]];
    if (number == kNone) {
      number = count++;
      for (const std::size_t item : sets.items[sets.of_code[code]]) signatures.items[item].signatures.push_back(number);
    }
    number_of_code[code] = number;
  }
  signatures.count = std::max<Code>(count, 1);
  signatures.of_row = CodeColumn(signatures.count, column.size());
  signatures.of_row.VisitMutable([&](auto& numbers) {
    using Narrow = std::remove_reference_t<decltype(numbers[0])>;
    column.Visit([&](auto codes) {
      ParallelFor(codes.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) numbers[row] = static_cast<Narrow>(number_of_code[codes[row]]);
      });
    });
  });
  return signatures;
}

}  // namespace

Signatures SignaturesOfItems(const GlobalClaim& claim, std::size_t rows, std::span<const CodeColumn* const> sensitive,
                             std::span<const Code> value_counts) {
  if (sensitive.size() == 1 && value_counts[0] <= kFewValues)
    return SignaturesOfColumn(claim, *sensitive[0], value_counts[0]);
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
    ParallelFor(rows, kRowGrain, [&](std::size_t begin, std::size_t end) {
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
