#include "anonymize/limits/count_classes.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "anonymize/limits/class_blocks.h"
#include "anonymize/limits/dense_numbers.h"
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

// The values of one SS table as single numbers, in the order of the values.
struct Combinations {
  std::vector<Code> of_row;  // below `count`; empty where `column` says the same
  const CodeColumn* column = nullptr;
  std::size_t count = 0;
  std::vector<Code> values;  // by combination, one per column; empty where the number is the value
};

Code CodesBelow(const CodeColumn& column) {
  return column.Visit([](const auto codes) { return codes.empty() ? 0 : Code{*std::ranges::max_element(codes)} + 1; });
}

// Column by column, so that a key is never more than a number of rows times a number of codes.
Combinations Combine(std::size_t rows, std::span<const CodeColumn* const> sensitive,
                     std::span<const std::uint32_t> columns) {
  Check(!columns.empty(), "an SS table has a column");
  Combinations combined{.of_row = {}, .column = sensitive[columns[0]], .count = 0, .values = {}};
  combined.count = CodesBelow(*combined.column);
  if (columns.size() == 1) return combined;
  combined.of_row.resize(rows);
  combined.column->Visit([&](const auto codes) { std::copy(codes.begin(), codes.end(), combined.of_row.begin()); });
  combined.values.resize(combined.count);
  std::iota(combined.values.begin(), combined.values.end(), Code{0});
  std::vector<std::uint64_t> keys(rows);
  for (std::size_t c = 1; c < columns.size(); ++c) {
    const std::uint64_t size = CodesBelow(*sensitive[columns[c]]);
    sensitive[columns[c]]->Visit([&](const auto codes) {
      for (std::size_t row = 0; row < rows; ++row) keys[row] = combined.of_row[row] * size + codes[row];
    });
    const std::vector<std::uint64_t> seen = NumberDensely(keys, combined.count * size, combined.of_row);
    std::vector<Code> values;
    values.reserve(seen.size() * (c + 1));
    for (const std::uint64_t key : seen) {
      const Code* const before = combined.values.data() + key / size * c;
      values.insert(values.end(), before, before + c);
      values.push_back(static_cast<Code>(key % size));
    }
    combined.values = std::move(values);
    combined.count = seen.size();
  }
  return combined;
}

// Entries of neighbouring classes, as short as they can be until it is known how many there are.
struct Entries {
  std::vector<std::uint32_t> of_class;  // how many, class after class
  std::vector<Code> values;
  std::vector<std::uint32_t> counts;

  void Add(Code value, std::uint32_t count) {
    values.push_back(value);
    counts.push_back(count);
  }
};

// Counts the values of one class after another. A bit for each value that occurs tells where to look, so that a class
// of ten costs ten steps and not as many as there are values; where even the bits are too many, sorting does.
class ClassCounter {
 public:
  explicit ClassCounter(std::size_t value_count) : counts_(value_count), occurs_((value_count + 63) / 64) {}

  template <typename Value>
  void Count(std::span<Value> values, Entries& entries) {
    const std::size_t before = entries.values.size();
    if (values.size() * 4 < occurs_.size()) {
      CountBySorting(values, entries);
    } else {
      CountByMarking(values, entries);
    }
    entries.of_class.push_back(static_cast<std::uint32_t>(entries.values.size() - before));
  }

 private:
  template <typename Value>
  void CountByMarking(std::span<Value> values, Entries& entries) {
    for (const Value value : values) {
      ++counts_[value];
      occurs_[value / 64] |= std::uint64_t{1} << (value % 64);
    }
    for (std::size_t word = 0; word < occurs_.size(); ++word) {
      for (std::uint64_t bits = occurs_[word]; bits != 0; bits &= bits - 1) {
        const auto value = static_cast<Code>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        entries.Add(value, counts_[value]);
        counts_[value] = 0;
      }
      occurs_[word] = 0;
    }
  }

  template <typename Value>
  static void CountBySorting(std::span<Value> values, Entries& entries) {
    std::sort(values.begin(), values.end());
    for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
      while (end < values.size() && values[end] == values[begin]) ++end;
      entries.Add(values[begin], static_cast<std::uint32_t>(end - begin));
    }
  }

  std::vector<std::uint32_t> counts_;
  std::vector<std::uint64_t> occurs_;
};

// Block after block of classes.
template <typename Value>
std::vector<Entries> CountByClass(const ClassBlocks& blocks, std::span<const Value> value_of_row,
                                  std::size_t value_count) {
  std::vector<Entries> entries(blocks.count());
  blocks.ForEachClass(value_of_row, value_count, [&] {
    return [&entries, counter = ClassCounter(value_count)](std::size_t block, std::span<Value> values) mutable {
      Check(!values.empty(), "every class has a row");
      counter.Count(values, entries[block]);
    };
  });
  return entries;
}

SensitiveCounts Gather(const std::vector<Entries>& blocks, std::span<const std::uint32_t> columns,
                       const Combinations& combined) {
  SensitiveCounts gathered;
  gathered.columns.assign(columns.begin(), columns.end());
  std::vector<std::size_t> first_entry = {0};
  for (const Entries& block : blocks) first_entry.push_back(first_entry.back() + block.counts.size());
  gathered.class_of_entry.resize(first_entry.back());
  gathered.count.resize(first_entry.back());
  gathered.values.resize(first_entry.back() * columns.size());
  ParallelFor(blocks.size(), 1, [&](std::size_t first, std::size_t past) {
    for (std::size_t b = first; b < past; ++b) {
      std::size_t entry = first_entry[b];
      auto number = static_cast<ClassNumber>(b * ClassBlocks::kClasses);
      for (const std::uint32_t of_class : blocks[b].of_class) {
        std::fill_n(&gathered.class_of_entry[entry], of_class, number++);
        entry += of_class;
      }
      std::ranges::copy(blocks[b].counts, gathered.count.begin() + static_cast<std::ptrdiff_t>(first_entry[b]));
      Code* value = gathered.values.data() + first_entry[b] * columns.size();
      for (const Code combination : blocks[b].values) {
        if (combined.values.empty()) {
          *value++ = combination;
        } else {
          value =
              std::copy_n(combined.values.data() + std::size_t{combination} * columns.size(), columns.size(), value);
        }
      }
    }
  });
  return gathered;
}

std::vector<ClassNumber> RandomPermutation(std::uint32_t count, const Seed& seed) {
  std::vector<ClassNumber> permutation(count);
  std::iota(permutation.begin(), permutation.end(), ClassNumber{0});
  Random random(seed, "class-ids");
  for (std::uint32_t i = count; i > 1; --i) std::swap(permutation[i - 1], permutation[random.Below(i)]);
  return permutation;
}

}  // namespace

Draft CountClasses(Classes grouping, std::span<const CodeColumn* const> sensitive,
                   const std::vector<std::vector<std::uint32_t>>& tables, const Seed& seed) {
  Draft counted{std::move(grouping), {}};
  const std::vector<ClassNumber> number = RandomPermutation(counted.classes.count(), seed);
  ParallelFor(counted.classes.of_row.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) counted.classes.of_row[row] = number[counted.classes.of_row[row]];
  });
  const ClassBlocks blocks(counted.classes.of_row, counted.classes.count());
  for (const std::vector<std::uint32_t>& columns : tables) {
    const Combinations combined = Combine(counted.classes.of_row.size(), sensitive, columns);
    const auto count = [&](const auto codes) {
      using Value = std::remove_const_t<typename decltype(codes)::element_type>;
      Check(codes.size() == counted.classes.of_row.size(), "a sensitive column has a value for each row");
      counted.sensitive.push_back(Gather(CountByClass<Value>(blocks, codes, combined.count), columns, combined));
    };
    if (combined.of_row.empty()) {
      combined.column->Visit(count);
    } else {
      count(std::span<const Code>(combined.of_row));
    }
  }
  return counted;
}

}  // namespace pentimento
