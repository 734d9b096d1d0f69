#include "anonymize/limits/signatures.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <type_traits>
#include <utility>

#include "anonymize/limits/dense_numbers.h"
#include "base/check.h"

namespace pentimento {
namespace {

struct NamedItem {
  std::uint32_t column;
  std::vector<Code> values;
  Ratio at_most;
};

// Every limit as single items; of two limits for the same values the stricter one.
std::vector<NamedItem> ItemsOf(const AlphaKClaim& claim) {
  std::map<std::pair<std::uint32_t, std::vector<Code>>, Ratio> strictest;
  const auto add = [&](std::uint32_t column, std::vector<Code> values, Ratio at_most) {
    const auto [entry, is_new] = strictest.try_emplace({column, std::move(values)}, at_most);
    if (!is_new) entry->second = std::min(entry->second, at_most);
  };
  for (const SensitiveLimit& limit : claim.limits) {
    if (limit.together) {
      add(limit.column, limit.values, limit.at_most);
    } else {
      for (const Code value : limit.values) add(limit.column, {value}, limit.at_most);
    }
  }
  std::vector<NamedItem> items;
  for (const auto& [where, at_most] : strictest) items.push_back({where.first, where.second, at_most});
  return items;
}

// For each value of a column the class of values that are limited alike, and which items those draw on.
struct ValueClasses {
  std::vector<Code> of_value;
  std::vector<std::vector<std::uint32_t>> items;  // by class, ascending

  Code count() const { return static_cast<Code>(items.size()); }
};
ValueClasses ClassesOf(std::uint32_t column, Code value_count, std::span<const NamedItem> items) {
  std::vector<std::vector<std::uint32_t>> items_of_value(value_count);
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].column != column) continue;
    for (const Code value : items[i].values) {
      if (value < value_count) items_of_value[value].push_back(i);
    }
  }
  ValueClasses classes;
  std::map<std::vector<std::uint32_t>, Code> numbers;
  for (std::vector<std::uint32_t>& its_items : items_of_value) {
    const auto [number, is_new] = numbers.try_emplace(its_items, classes.count());
    classes.of_value.push_back(number->second);
    if (is_new) classes.items.push_back(std::move(its_items));
  }
  return classes;
}

// Refines the numbers of the rows by one more column; numbers stay dense.
Code RefineBy(const CodeColumn& column, const ValueClasses& classes, std::vector<Code>& of_row, Code count) {
  std::vector<std::uint64_t> keys(of_row.size());
  column.Visit([&](const auto codes) {
    for (std::size_t row = 0; row < keys.size(); ++row)
      keys[row] = std::uint64_t{of_row[row]} * classes.count() + classes.of_value[codes[row]];
  });
  const std::size_t seen = NumberDensely(keys, std::uint64_t{count} * classes.count(), of_row).size();
  return static_cast<Code>(std::max<std::size_t>(seen, 1));
}

// One row of each signature: what it has, all of them have.
std::vector<std::size_t> RowOfEach(std::span<const Code> of_row, Code count) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> rows(count, kNone);
  std::size_t missing = of_row.empty() ? 0 : count;
  for (std::size_t row = 0; missing > 0; ++row) {
    if (rows[of_row[row]] != kNone) continue;
    rows[of_row[row]] = row;
    --missing;
  }
  return rows;
}

}  // namespace

ItemsOfSignatures::ItemsOfSignatures(std::span<const LimitedItem> items, Code count) : first_(std::size_t{count} + 1) {
  for (const LimitedItem& item : items) {
    for (const Code signature : item.signatures) ++first_[signature + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  items_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t item = 0; item < items.size(); ++item) {
    for (const Code signature : items[item].signatures) items_[next[signature]++] = item;
  }
}

Signatures CollectSignatures(std::size_t rows, std::span<const CodeColumn* const> sensitive,
                             std::span<const Code> value_counts, const AlphaKClaim& claim) {
  Check(sensitive.size() == value_counts.size(), "every sensitive column has a number of values");
  const std::vector<NamedItem> items = ItemsOf(claim);
  std::vector<Code> of_row(rows, 0);
  Signatures signatures;
  std::vector<ValueClasses> classes;
  for (std::uint32_t c = 0; c < sensitive.size(); ++c) {
    classes.push_back(ClassesOf(c, value_counts[c], items));
    signatures.count = RefineBy(*sensitive[c], classes.back(), of_row, signatures.count);
  }
  std::vector<LimitedItem> limited;
  for (const NamedItem& item : items) limited.push_back({{}, item.at_most});
  const std::vector<std::size_t> row_of_each = RowOfEach(of_row, signatures.count);
  for (Code s = 0; s < signatures.count && rows > 0; ++s) {
    for (std::size_t c = 0; c < sensitive.size(); ++c) {
      const Code of_value = classes[c].of_value[(*sensitive[c])[row_of_each[s]]];
      for (const std::uint32_t item : classes[c].items[of_value]) limited[item].signatures.push_back(s);
    }
  }
  std::erase_if(limited, [](const LimitedItem& item) { return item.signatures.empty(); });
  signatures.items = std::move(limited);
  signatures.of_row = CodeColumn(signatures.count, rows);
  signatures.of_row.VisitMutable([&](auto& codes) {
    for (std::size_t row = 0; row < rows; ++row)
      codes[row] = static_cast<std::remove_reference_t<decltype(codes[0])>>(of_row[row]);
  });
  return signatures;
}

std::vector<std::uint32_t> Signatures::CountRows() const {
  std::vector<std::uint32_t> rows(count);
  of_row.Visit([&](const auto codes) {
    for (const Code signature : codes) ++rows[signature];
  });
  return rows;
}

}  // namespace pentimento
