#include "engine/query/count_classes.h"

#include <algorithm>
#include <bit>

#include "base/parallel.h"

#if defined(__x86_64__)
#define PENTIMENTO_BIT_COUNTS __attribute__((target("popcnt")))
#endif

namespace pentimento {
namespace {

constexpr std::size_t kBlockParts = 64;       // of the blocks: they are added up in this order, whatever the threads
constexpr std::size_t kQueriesAtOnce = 4096;  // bounds what the parts hold

[[gnu::always_inline]] inline std::uint64_t Ones(std::uint64_t word) {
  return static_cast<std::uint64_t>(__builtin_popcountll(word));
}

[[gnu::always_inline]] inline std::uint64_t OnesIn(const std::uint64_t* words, std::uint32_t count) {
  std::uint64_t ones = 0;
  for (std::uint32_t i = 0; i < count; ++i) ones += Ones(words[i]);
  return ones;
}

// Eight numbers of 16 bits: wide enough for what a block of small classes adds up to, and every processor has them.
// Sums need all 16 bits, so they have no sign.
using Numbers = std::int16_t __attribute__((vector_size(16)));
using Sums = std::uint16_t __attribute__((vector_size(16)));
using Pair = std::uint64_t __attribute__((vector_size(16)));
constexpr std::uint32_t kWordsOfPair = 2;
constexpr std::uint32_t kWordsBeforeOverflow = 30;  // 15 pairs of words add at most 15 * 8^4 to a number

// How many bits each lane of up to 16 bits has: in its place.
[[gnu::always_inline]] inline Pair OnesByLane(Pair bits, std::uint32_t lane_bits) {
  const auto fold = [](Pair pair, int shift, std::uint64_t mask) __attribute__((always_inline)) {
    return (pair & mask) + (pair >> shift & mask);
  };
  if (lane_bits >= 2) bits = fold(bits, 1, 0x5555555555555555ULL);
  if (lane_bits >= 4) bits = fold(bits, 2, 0x3333333333333333ULL);
  if (lane_bits >= 8) bits = fold(bits, 4, 0x0F0F0F0F0F0F0F0FULL);
  if (lane_bits >= 16) bits = fold(bits, 8, 0x00FF00FF00FF00FFULL);
  return bits;
}

std::uint64_t SumOf(Sums sums) {
  std::uint64_t sum = 0;
  for (int i = 0; i < 8; ++i) sum += sums[i];
  return sum;
}

// At most kWordsBeforeOverflow words of classes that have at most 16 rows, eight lanes at a time.
void AddFewSmallClasses(std::uint32_t size, std::uint32_t words, const std::uint64_t* nss, const std::uint64_t* ss,
                        EqualClasses& classes) {
  const std::uint32_t lane_bits = LaneBits(size);
  const auto lane = static_cast<std::int16_t>((1U << lane_bits) - 1);
  const auto n = static_cast<std::int16_t>(size);
  Sums products{}, spreads{}, least{}, most{}, naive{};
  for (std::uint32_t word = 0; word < words; word += kWordsOfPair) {
    const Pair nss_ones = OnesByLane(Pair{nss[word], nss[word + 1]}, lane_bits);
    const Pair ss_ones = OnesByLane(Pair{ss[word], ss[word + 1]}, lane_bits);
    for (std::uint32_t shift = 0; shift < kWidestCommonLane; shift += lane_bits) {
      const Numbers a = reinterpret_cast<Numbers>(nss_ones >> shift) & lane;
      const Numbers b = reinterpret_cast<Numbers>(ss_ones >> shift) & lane;
      const Numbers product = a * b, sure = a + b - n;
      products += reinterpret_cast<Sums>(product);
      spreads += reinterpret_cast<Sums>(product * (n - a) * (n - b));
      least += reinterpret_cast<Sums>(sure & (sure > 0));
      most += reinterpret_cast<Sums>(a < b ? a : b);
      naive += reinterpret_cast<Sums>(b & (a > 0));
    }
  }
  classes.AddSums({SumOf(products), SumOf(spreads), SumOf(least), SumOf(most), SumOf(naive)});
}

void AddSmallClasses(const ClassRun& run, const std::uint64_t* nss, const std::uint64_t* ss, EqualClasses& classes) {
  for (std::uint32_t word = 0; word < run.words; word += kWordsBeforeOverflow)
    AddFewSmallClasses(run.class_size, std::min(kWordsBeforeOverflow, run.words - word), nss + word, ss + word,
                       classes);
}

// Classes of more than 16 rows, one after the other.
[[gnu::always_inline]] inline void AddLargerClasses(const ClassRun& run, const std::uint64_t* nss,
                                                    const std::uint64_t* ss, EqualClasses& classes) {
  if (run.class_size > kWordBits) {
    const std::uint32_t words = (run.class_size + kWordBits - 1) / kWordBits;
    for (std::uint32_t word = 0; word < run.words; word += words) {
      const std::uint64_t a = OnesIn(nss + word, words), b = OnesIn(ss + word, words);
      if (a != 0) classes.Add(a, b);
    }
    return;
  }
  const std::uint64_t lane = ~std::uint64_t{0} >> (kWordBits - run.class_size);
  for (std::uint32_t word = 0; word < run.words; ++word) {
    for (std::uint32_t start = 0; start + run.class_size <= kWordBits; start += run.class_size) {
      const std::uint64_t a = Ones(nss[word] >> start & lane);
      if (a != 0) classes.Add(a, Ones(ss[word] >> start & lane));
    }
  }
}

void AddLargerPlainly(const ClassRun& run, const std::uint64_t* nss, const std::uint64_t* ss, EqualClasses& classes) {
  AddLargerClasses(run, nss, ss, classes);
}

#if defined(PENTIMENTO_BIT_COUNTS)
PENTIMENTO_BIT_COUNTS void AddLargerFast(const ClassRun& run, const std::uint64_t* nss, const std::uint64_t* ss,
                                         EqualClasses& classes) {
  AddLargerClasses(run, nss, ss, classes);
}
const auto AddLarger = __builtin_cpu_supports("popcnt") ? AddLargerFast : AddLargerPlainly;
#else
const auto AddLarger = AddLargerPlainly;
#endif

CountEstimate CountOne(const WordBlock& block, const std::uint64_t* nss, const std::uint64_t* ss) {
  CountEstimate sum;
  for (const ClassRun& run : block.runs) {
    EqualClasses classes(run.class_size);
    (run.class_size <= kWidestCommonLane ? AddSmallClasses : AddLarger)(run, nss, ss, classes);
    sum += classes.Sum();
    nss += run.words;
    ss += run.words;
  }
  return sum;
}

// Several SS tables: seldom asked, so class by class and without haste.
CountEstimate CountSeveral(const WordBlock& block, const std::uint64_t* nss,
                           const std::vector<const std::uint64_t*>& sensitive) {
  CountEstimate sum;
  std::vector<std::uint64_t> b(sensitive.size());
  std::uint32_t first = 0;
  for (const ClassRun& run : block.runs) {
    const bool in_words = run.class_size > kWordBits;
    const std::uint32_t step = in_words ? (run.class_size + kWordBits - 1) / kWordBits : 1;
    const std::uint32_t lane_bits = in_words ? kWordBits : LaneBits(run.class_size);
    const std::uint64_t lane = ~std::uint64_t{0} >> (kWordBits - lane_bits);
    for (std::uint32_t word = first; word < first + run.words; word += step) {
      for (std::uint32_t start = 0; start + lane_bits <= kWordBits; start += lane_bits) {
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

// Room for the rows that are found in a block, table by table; used for one query after the other.
class Found {
 public:
  Found(std::size_t tables, std::uint32_t words) : words_(words), bits_(tables * words) {}
  std::uint64_t* of_table(std::size_t table) { return bits_.data() + table * words_; }

  std::vector<const std::uint64_t*> sensitive;  // those of SS tables that a query asks for

 private:
  std::uint32_t words_;
  std::vector<std::uint64_t> bits_;
};

CountEstimate CountInBlock(const WordBlock& block, std::span<const MatchIndex> tables, const ClassQuery& query,
                           Found& found) {
  std::uint64_t* nss = found.of_table(0);
  tables[0].Find(block, query.of_table[0], nss);
  std::vector<const std::uint64_t*>& sensitive = found.sensitive;
  sensitive.clear();
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
  const std::size_t parts = std::min(kBlockParts, layout.blocks.size());
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
