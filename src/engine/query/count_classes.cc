#include "engine/query/count_classes.h"

#include <algorithm>
#include <bit>

#include "base/parallel.h"

#if defined(__x86_64__)
#define PENTIMENTO_BIT_COUNTS __attribute__((target("popcnt,bmi")))
#endif

namespace pentimento {
namespace {

constexpr std::size_t kParts = 64;            // of the blocks: they are added up in this order, whatever the threads
constexpr std::size_t kQueriesAtOnce = 4096;  // bounds what the parts hold

[[gnu::always_inline]] inline std::uint64_t Ones(std::uint64_t word) {
  return static_cast<std::uint64_t>(__builtin_popcountll(word));
}

[[gnu::always_inline]] inline std::uint64_t OnesIn(const std::uint64_t* words, std::uint32_t count) {
  std::uint64_t ones = 0;
  for (std::uint32_t i = 0; i < count; ++i) ones += Ones(words[i]);
  return ones;
}

// Calls add(a, b) for each class of the run in which both sets have a bit.
template <typename AddClass>
[[gnu::always_inline]] inline void ForEachClass(const ClassRun& run, const std::uint64_t* nss, const std::uint64_t* ss,
                                                const AddClass& add) {
  if (run.class_size > kWordBits) {
    const std::uint32_t words = (run.class_size + kWordBits - 1) / kWordBits;
    for (std::uint32_t word = 0; word < run.words; word += words) {
      const std::uint64_t a = OnesIn(nss + word, words), b = OnesIn(ss + word, words);
      if (a != 0 && b != 0) add(a, b);
    }
    return;
  }
  const auto& starts = kLaneStart[run.class_size];
  const std::uint64_t lane = ~std::uint64_t{0} >> (kWordBits - run.class_size);
  for (std::uint32_t word = 0; word < run.words; ++word) {
    if (ss[word] == 0) continue;
    for (std::uint64_t left = nss[word]; left != 0;) {
      const int start = starts[static_cast<std::size_t>(std::countr_zero(left))];
      const std::uint64_t a = Ones(left >> start & lane), b = Ones(ss[word] >> start & lane);
      if (b != 0) add(a, b);
      left &= ~(lane << start);
    }
  }
}

[[gnu::always_inline]] inline CountEstimate CountOneSensitive(const WordBlock& block, const std::uint64_t* nss,
                                                              const std::uint64_t* ss) {
  CountEstimate sum;
  for (const ClassRun& run : block.runs) {
    EqualClasses classes(run.class_size);
    ForEachClass(
        run, nss, ss, [&](std::uint64_t a, std::uint64_t b) __attribute__((always_inline)) { classes.Add(a, b); });
    sum += classes.Sum();
    nss += run.words;
    ss += run.words;
  }
  return sum;
}

CountEstimate CountOnePlainly(const WordBlock& block, const std::uint64_t* nss, const std::uint64_t* ss) {
  return CountOneSensitive(block, nss, ss);
}

#if defined(PENTIMENTO_BIT_COUNTS)
PENTIMENTO_BIT_COUNTS CountEstimate CountOneFast(const WordBlock& block, const std::uint64_t* nss,
                                                 const std::uint64_t* ss) {
  return CountOneSensitive(block, nss, ss);
}
const auto CountOne =
    __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") ? CountOneFast : CountOnePlainly;
#else
const auto CountOne = CountOnePlainly;
#endif

// Several SS tables: seldom asked, so class by class and without haste.
CountEstimate CountSeveral(const WordBlock& block, const std::uint64_t* nss,
                           const std::vector<const std::uint64_t*>& sensitive) {
  CountEstimate sum;
  std::vector<std::uint64_t> b(sensitive.size());
  std::uint32_t first = 0;
  for (const ClassRun& run : block.runs) {
    const bool in_words = run.class_size > kWordBits;
    const std::uint32_t step = in_words ? (run.class_size + kWordBits - 1) / kWordBits : 1;
    const std::uint32_t lanes = in_words ? 1 : kWordBits / run.class_size;
    const std::uint64_t lane = in_words ? ~std::uint64_t{0} : ~std::uint64_t{0} >> (kWordBits - run.class_size);
    for (std::uint32_t word = first; word < first + run.words; word += step) {
      for (std::uint32_t i = 0; i < lanes; ++i) {
        const std::uint32_t start = i * (in_words ? 0 : run.class_size);
        const auto count = [&](const std::uint64_t* bits) {
          return in_words ? OnesIn(bits + word, step) : Ones(bits[word] >> start & lane);
        };
        const std::uint64_t a = count(nss);
        if (a == 0) continue;
        std::ranges::transform(sensitive, b.begin(), count);
        if (std::ranges::find(b, 0U) == b.end()) sum += EstimateInClass(run.class_size, a, b);
      }
    }
    first += run.words;
  }
  return sum;
}

// Room for the rows that are found in a block, table by table.
class Found {
 public:
  Found(std::size_t tables, std::uint32_t words) : words_(words), bits_(tables * words) {}
  std::uint64_t* of_table(std::size_t table) { return bits_.data() + table * words_; }

 private:
  std::uint32_t words_;
  std::vector<std::uint64_t> bits_;
};

CountEstimate CountInBlock(const WordBlock& block, std::span<const MatchIndex> tables, const ClassQuery& query,
                           Found& found) {
  std::uint64_t* nss = found.of_table(0);
  tables[0].Find(block, query.of_table[0], nss);
  std::vector<const std::uint64_t*> sensitive;
  for (std::size_t table = 1; table < tables.size(); ++table) {
    if (query.of_table[table].empty()) continue;
    tables[table].Find(block, query.of_table[table], found.of_table(table));
    sensitive.push_back(found.of_table(table));
  }
  if (sensitive.empty()) return KnownCount(static_cast<double>(OnesIn(nss, block.words)));
  if (sensitive.size() == 1) return CountOne(block, nss, sensitive.front());
  return CountSeveral(block, nss, sensitive);
}

void AddAnswers(const ClassLayout& layout, std::span<const MatchIndex> tables, std::span<const ClassQuery> queries,
                std::span<CountEstimate> answers) {
  const std::size_t parts = std::min(kParts, layout.blocks.size());
  std::vector<std::vector<CountEstimate>> of_part(parts, std::vector<CountEstimate>(queries.size()));
  ParallelFor(parts, 1, [&](std::size_t begin, std::size_t end) {
    Found found(tables.size(), layout.largest_block);
    for (std::size_t part = begin; part < end; ++part) {
      const std::size_t last = layout.blocks.size() * (part + 1) / parts;
      for (std::size_t block = layout.blocks.size() * part / parts; block < last; ++block) {
        for (std::size_t i = 0; i < queries.size(); ++i)
          of_part[part][i] += CountInBlock(layout.blocks[block], tables, queries[i], found);
      }
    }
  });
  for (const std::vector<CountEstimate>& counts : of_part) {
    for (std::size_t i = 0; i < queries.size(); ++i) answers[i] += counts[i];
  }
}

}  // namespace

std::vector<CountEstimate> CountInClasses(const ClassLayout& layout, std::span<const MatchIndex> tables,
                                          std::span<const ClassQuery> queries) {
  std::vector<CountEstimate> answers(queries.size());
  for (std::size_t first = 0; first < queries.size(); first += kQueriesAtOnce) {
    const std::size_t count = std::min(kQueriesAtOnce, queries.size() - first);
    AddAnswers(layout, tables, queries.subspan(first, count), std::span(answers).subspan(first, count));
  }
  return answers;
}

}  // namespace pentimento
