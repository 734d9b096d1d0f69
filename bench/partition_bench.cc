// How fast the partition is on synthetic rows, against a yardstick measured in the same run: sorting the same rows by
// their first quasi-identifier with std::sort, once. The limited ones also keep alpha of a sensitive column.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "anonymize/limits/signatures.h"
#include "anonymize/partition/partition.h"
#include "base/parallel.h"
#include "base/random.h"

namespace pentimento {
namespace {

enum Shape : std::int64_t { kCensus, kUniform };

// The sizes of Adult's domains and a postal code; the first two are numeric.
constexpr std::array<Code, 8> kCensusSizes = {74, 1000, 16, 7, 14, 5, 2, 41};
constexpr Code kUniformSize = 1000;
// How many of Adult's 45,222 people have which occupation.
constexpr std::array<std::uint32_t, 14> kOccupations = {6020, 6008, 5984, 5540, 5408, 4808, 2970,
                                                        2316, 2046, 1480, 1420, 976,  232,  14};

struct Workload {
  std::vector<Domain> domains;
  EncodedTable table;
};

Domain FlatDomain(Code size) {
  std::vector<std::string> values;
  for (Code code = 0; code < size; ++code) values.push_back("v" + std::to_string(code));
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), false);
}

Workload MakeWorkload(Shape shape, std::size_t rows) {
  Workload work;
  work.table.rows = rows;
  for (std::size_t c = 0; c < kCensusSizes.size(); ++c) {
    const Code size = shape == kCensus ? kCensusSizes[c] : kUniformSize;
    const bool is_numeric = c < 2 || shape == kUniform;
    work.domains.push_back(is_numeric ? Domain(NumericRange{0, static_cast<std::int64_t>(size) - 1, 0, {}}, false)
                                      : FlatDomain(size));
    CodeColumn codes(size, rows);
    Random random(SeedFromNumber(c), "partition bench");
    for (std::size_t row = 0; row < rows; ++row) {
      // Census columns are skewed: low codes are frequent.
      const double draw = random.Uniform();
      codes.Set(row, static_cast<Code>((shape == kCensus ? draw * draw : draw) * static_cast<double>(size)));
    }
    work.table.quasi_identifiers.push_back(std::move(codes));
  }
  return work;
}

Signatures MakeSignatures(std::size_t rows, std::uint64_t k, std::uint64_t one_over_alpha) {
  const auto values = static_cast<Code>(kOccupations.size());
  std::vector<Code> occupation_of;
  for (Code value = 0; value < values; ++value) occupation_of.insert(occupation_of.end(), kOccupations[value], value);
  CodeColumn codes(values, rows);
  Random random(SeedFromNumber(0), "sensitive bench");
  for (std::size_t row = 0; row < rows; ++row)
    codes.Set(row,
              occupation_of[static_cast<std::size_t>(random.Uniform() * static_cast<double>(occupation_of.size()))]);
  SensitiveLimit alpha{0, std::vector<Code>(values), false, Ratio{1, one_over_alpha}};
  std::iota(alpha.values.begin(), alpha.values.end(), Code{0});
  const std::array<const CodeColumn*, 1> columns = {&codes};
  return CollectSignatures(rows, columns, std::array{values}, AlphaKClaim{k, {alpha}});
}

// Kept between benchmarks, because making ten million rows takes longer than partitioning them.
const Workload& CachedWorkload(Shape shape, std::size_t rows) {
  static Workload work;
  static std::pair<Shape, std::size_t> made{kCensus, 0};
  if (made != std::pair(shape, rows)) work = {}, work = MakeWorkload(shape, rows), made = {shape, rows};
  return work;
}

// Arguments: shape, rows, threads, form.
void BM_Partition(benchmark::State& state) {
  const Workload& work = CachedWorkload(static_cast<Shape>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const ThreadLimit limit(static_cast<std::size_t>(state.range(2)));
  const PartitionOptions options{10, state.range(3) == 0 ? CategoryForm::kSets : CategoryForm::kTaxonomy,
                                 BoxKind::kMembers};
  std::size_t groups = 0;
  for (auto _ : state) groups = AnonymizeByPartition(work.table, work.domains, options).value().count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["groups"] = static_cast<double>(groups);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
  state.counters["rows/s"] =
      benchmark::Counter(static_cast<double>(state.range(1)), benchmark::Counter::kIsIterationInvariantRate);
}

enum Limited : std::int64_t { kLimitedSets, kLimitedTaxonomy, kLimitedTwoTables };

// Arguments: rows, threads, alpha as one over, k, what is made.
void BM_LimitedPartition(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const Workload& work = CachedWorkload(kCensus, rows);
  const ThreadLimit limit(static_cast<std::size_t>(state.range(1)));
  const auto k = static_cast<std::uint64_t>(state.range(3));
  const Signatures signatures = MakeSignatures(rows, k, static_cast<std::uint64_t>(state.range(2)));
  const auto made = static_cast<Limited>(state.range(4));
  PartitionOptions options{k, made == kLimitedSets ? CategoryForm::kSets : CategoryForm::kTaxonomy, BoxKind::kMembers};
  options.signatures = &signatures;
  if (made == kLimitedTwoTables) options.bags = SeedFromNumber(1);
  std::size_t groups = 0;
  for (auto _ : state) {
    groups = made == kLimitedTwoTables ? GroupByPartition(work.table, work.domains, options).value().count()
                                       : AnonymizeByPartition(work.table, work.domains, options).value().count();
  }
  state.counters["groups"] = static_cast<double>(groups);
  state.counters["rows/s"] =
      benchmark::Counter(static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate);
}

void BM_YardstickSort(benchmark::State& state) {
  const Workload& work = CachedWorkload(static_cast<Shape>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) {
    std::vector<std::pair<Code, std::uint32_t>> rows(work.table.rows);
    for (std::uint32_t row = 0; row < rows.size(); ++row) rows[row] = {work.table.quasi_identifiers[0][row], row};
    std::sort(rows.begin(), rows.end());
    benchmark::DoNotOptimize(rows.data());
  }
  state.counters["rows/s"] =
      benchmark::Counter(static_cast<double>(state.range(1)), benchmark::Counter::kIsIterationInvariantRate);
}

void Arguments(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"uniform", "rows", "threads", "taxonomy"});
  for (const std::int64_t rows : {1'000'000, 10'000'000}) {
    for (const std::int64_t shape : {kCensus, kUniform}) {
      for (const std::int64_t threads : {1, 2}) bench->Args({shape, rows, threads, 0});
      if (shape == kCensus) bench->Args({shape, rows, 1, 1});
    }
  }
}

BENCHMARK(BM_Partition)->Apply(Arguments)->Unit(benchmark::kMillisecond)->UseRealTime();
void LimitedArguments(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "threads", "one_over_alpha", "k", "sets_taxonomy_two-tables"});
  for (const std::int64_t rows : {1'000'000, 10'000'000}) {
    for (const std::int64_t made : {kLimitedSets, kLimitedTaxonomy, kLimitedTwoTables}) {
      bench->Args({rows, 1, 3, 2, made});
      bench->Args({rows, 1, 5, 10, made});
    }
  }
}
BENCHMARK(BM_LimitedPartition)->Apply(LimitedArguments)->Unit(benchmark::kMillisecond)->UseRealTime();

BENCHMARK(BM_YardstickSort)
    ->Args({kCensus, 1'000'000})
    ->Args({kCensus, 10'000'000})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace pentimento

BENCHMARK_MAIN();
