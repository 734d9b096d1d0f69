#include "anonymize/limits/signatures.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "anonymize/limits/dense_numbers.h"
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

__extension__ using Wide = unsigned __int128;

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

// Which values a row has, by value.
std::vector<std::uint8_t> ValuesThatOccur(const CodeColumn& column, Code value_count) {
  std::vector<std::uint8_t> occurs(value_count, 0);
  column.Visit([&](const auto codes) {
    ParallelFor(codes.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      // Looked at first: hardly ever something has to be written, and threads do not disturb each other.
      for (std::size_t row = begin; row < end; ++row) {
        const std::atomic_ref<std::uint8_t> of_value(occurs[codes[row]]);
        if (of_value.load(std::memory_order_relaxed) == 0) of_value.store(1, std::memory_order_relaxed);
      }
    });
  });
  return occurs;
}

// The same as for several columns, which is the usual case: signatures follow from values by a table.
Signatures CollectFromOne(std::size_t rows, const CodeColumn& column, Code value_count,
                          std::span<const NamedItem> items) {
  const ValueClasses classes = ClassesOf(0, value_count, items);
  std::vector<std::uint8_t> is_there(classes.count(), 0);
  const std::vector<std::uint8_t> occurs = ValuesThatOccur(column, value_count);
  for (Code value = 0; value < value_count; ++value) is_there[classes.of_value[value]] |= occurs[value];
  Signatures signatures;
  std::vector<Code> of_class(classes.count(), 0);
  std::vector<std::vector<Code>> signatures_of(items.size());
  Code count = 0;
  for (Code number = 0; number < classes.count(); ++number) {
    if (is_there[number] == 0) continue;
    for (const std::uint32_t item : classes.items[number]) signatures_of[item].push_back(count);
    of_class[number] = count++;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!signatures_of[i].empty()) signatures.items.push_back({std::move(signatures_of[i]), items[i].at_most});
  }
  signatures.count = std::max<Code>(count, 1);
  signatures.of_row = CodeColumn(signatures.count, rows);
  signatures.of_row.VisitMutable([&](auto& of_row) {
    using Narrow = std::remove_reference_t<decltype(of_row[0])>;
    std::vector<Narrow> of_value(value_count);
    for (Code value = 0; value < value_count; ++value)
      of_value[value] = static_cast<Narrow>(of_class[classes.of_value[value]]);
    column.Visit([&](const auto codes) {
      ParallelFor(rows, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) of_row[row] = of_value[codes[row]];
      });
    });
  });
  return signatures;
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

// Rounded down to a fraction whose parts are below 2^32, so that no product below overflows.
Ratio RoundDown(Ratio ratio) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 32;
  if (ratio.den < kLimit) return ratio;
  const std::uint64_t den = kLimit - 1;
  return {static_cast<std::uint64_t>(Wide{ratio.num} * den / ratio.den), den};
}

}  // namespace

Signatures CollectSignatures(std::size_t rows, std::span<const CodeColumn* const> sensitive,
                             std::span<const Code> value_counts, const AlphaKClaim& claim) {
  Check(sensitive.size() == value_counts.size(), "every sensitive column has a number of values");
  const std::vector<NamedItem> items = ItemsOf(claim);
  if (sensitive.size() == 1) return CollectFromOne(rows, *sensitive[0], value_counts[0], items);
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

SensitiveRule::SensitiveRule(const Signatures& signatures, std::uint64_t k)
    : k_(k), signature_count_(signatures.count) {
  for (const LimitedItem& item : signatures.items) {
    // All rows may have it. Divided by the rows of a person, even this would refuse something.
    if (item.at_most >= Ratio{1, 1}) continue;
    const Ratio at_most = RoundDown(item.at_most);
    const auto first = static_cast<std::uint32_t>(signatures_.size());
    signatures_.insert(signatures_.end(), item.signatures.begin(), item.signatures.end());
    items_.push_back({first, static_cast<std::uint32_t>(signatures_.size()), at_most.num, at_most.den});
  }
  fewest_persons_ = FewestPersons();
}

// One row of a signature alone needs as many people as its strictest limit asks for, and a class has at least one row.
std::uint64_t SensitiveRule::FewestPersons() const {
  std::vector<std::uint64_t> needed(signature_count_, 1);
  for (const Item& item : items_) {
    const std::uint64_t of_item =
        item.num == 0 ? std::numeric_limits<std::uint64_t>::max() : (item.den + item.num - 1) / item.num;
    for (const Code signature : signatures_of(item)) needed[signature] = std::max(needed[signature], of_item);
  }
  const auto fewest = std::min_element(needed.begin(), needed.end());
  return std::max({k_, std::uint64_t{1}, fewest == needed.end() ? 1 : *fewest});
}

bool SensitiveRule::KeepsLimits(std::span<const std::uint32_t> counts, std::uint64_t persons,
                                std::uint64_t most_rows) const {
  for (const Item& item : items_) {
    std::uint64_t count = 0;
    for (std::uint32_t s = item.first; s < item.past; ++s) count += counts[signatures_[s]];
    if (Wide{count} * item.den * most_rows > Wide{item.num} * persons) return false;
  }
  return true;
}

}  // namespace pentimento
