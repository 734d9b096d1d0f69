#include "anonymize/sensitive/count_classes.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "anonymize/sensitive/dense_numbers.h"
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kRowGrain = 1 << 16;
constexpr std::size_t kClassesPerBlock = 1 << 13;

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

// Entries of neighbouring classes.
struct Entries {
  std::vector<ClassNumber> classes;
  std::vector<Code> values;
  std::vector<std::uint64_t> counts;

  void Add(ClassNumber number, Code value, std::uint64_t count) {
    classes.push_back(number);
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
  void Count(ClassNumber number, std::span<Value> values, Entries& entries) {
    if (values.size() * 4 < occurs_.size()) {
      CountBySorting(number, values, entries);
      return;
    }
    for (const Value value : values) {
      ++counts_[value];
      occurs_[value / 64] |= std::uint64_t{1} << (value % 64);
    }
    for (std::size_t word = 0; word < occurs_.size(); ++word) {
      for (std::uint64_t bits = occurs_[word]; bits != 0; bits &= bits - 1) {
        const auto value = static_cast<Code>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        entries.Add(number, value, counts_[value]);
        counts_[value] = 0;
      }
      occurs_[word] = 0;
    }
  }

 private:
  template <typename Value>
  static void CountBySorting(ClassNumber number, std::span<Value> values, Entries& entries) {
    std::sort(values.begin(), values.end());
    for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
      while (end < values.size() && values[end] == values[begin]) ++end;
      entries.Add(number, values[begin], end - begin);
    }
  }

  std::vector<std::uint32_t> counts_;
  std::vector<std::uint64_t> occurs_;
};

// A counting sort of the values by class, then class by class.
template <typename Value>
std::vector<Entries> CountByClass(std::span<const ClassNumber> class_of_row, std::span<const std::uint32_t> begin,
                                  std::span<const Value> value_of_row, std::size_t value_count) {
  std::vector<Value> by_class(value_of_row.size());
  std::vector<std::uint32_t> next(begin.begin(), begin.end());
  for (std::size_t row = 0; row < value_of_row.size(); ++row) by_class[next[class_of_row[row]]++] = value_of_row[row];
  const std::size_t classes = begin.size() - 1;
  std::vector<Entries> blocks((classes + kClassesPerBlock - 1) / kClassesPerBlock);
  ParallelFor(blocks.size(), 1, [&](std::size_t first, std::size_t past) {
    ClassCounter counter(value_count);
    for (std::size_t block = first; block < past; ++block) {
      const std::size_t end = std::min((block + 1) * kClassesPerBlock, classes);
      for (std::size_t c = block * kClassesPerBlock; c < end; ++c) {
        const auto values = std::span(by_class).subspan(begin[c], begin[c + 1] - begin[c]);
        counter.Count(static_cast<ClassNumber>(c), values, blocks[block]);
      }
    }
  });
  return blocks;
}

SensitiveCounts Gather(const std::vector<Entries>& blocks, std::span<const std::uint32_t> columns,
                       const Combinations& combined) {
  SensitiveCounts gathered;
  gathered.columns.assign(columns.begin(), columns.end());
  std::size_t entries = 0;
  for (const Entries& block : blocks) entries += block.counts.size();
  gathered.class_of_entry.reserve(entries);
  gathered.count.reserve(entries);
  gathered.values.reserve(entries * columns.size());
  for (const Entries& block : blocks) {
    gathered.class_of_entry.insert(gathered.class_of_entry.end(), block.classes.begin(), block.classes.end());
    gathered.count.insert(gathered.count.end(), block.counts.begin(), block.counts.end());
    if (combined.values.empty()) {
      gathered.values.insert(gathered.values.end(), block.values.begin(), block.values.end());
      continue;
    }
    for (const Code combination : block.values) {
      const Code* const codes = combined.values.data() + std::size_t{combination} * columns.size();
      gathered.values.insert(gathered.values.end(), codes, codes + columns.size());
    }
  }
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

TwoTables CountClasses(Grouping grouping, std::span<const CodeColumn* const> sensitive,
                       const std::vector<std::vector<std::uint32_t>>& tables, const Seed& seed) {
  TwoTables counted{.classes = grouping.classes, .class_of_row = std::move(grouping.class_of_row), .sensitive = {}};
  const std::vector<ClassNumber> number = RandomPermutation(counted.classes, seed);
  std::vector<std::uint32_t> begin(std::size_t{counted.classes} + 1);
  for (ClassNumber& of_row : counted.class_of_row) {
    of_row = number[of_row];
    ++begin[of_row + std::size_t{1}];
  }
  Check(std::find(begin.begin() + 1, begin.end(), 0U) == begin.end(), "every class has a row");
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (const std::vector<std::uint32_t>& columns : tables) {
    const Combinations combined = Combine(counted.class_of_row.size(), sensitive, columns);
    if (!combined.of_row.empty()) {
      const std::span<const Code> codes = combined.of_row;
      counted.sensitive.push_back(
          Gather(CountByClass(counted.class_of_row, begin, codes, combined.count), columns, combined));
      continue;
    }
    combined.column->Visit([&](const auto codes) {
      Check(codes.size() == counted.class_of_row.size(), "a sensitive column has a value for each row");
      counted.sensitive.push_back(
          Gather(CountByClass(counted.class_of_row, begin, codes, combined.count), columns, combined));
    });
  }
  return counted;
}

}  // namespace pentimento
