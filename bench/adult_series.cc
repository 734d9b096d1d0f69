// A series over UCI Adult: adult_series PATH-OF-adult.data [BASE BATCH [DRAWS]]. For several k: who is safe when the
// releases are laid side by side, published independently (everything anew each time, boxes around the members) and as
// a series; and what the series loses against cutting everything at once by the same rule. Rows are drawn at random
// with a fixed seed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "adult_codes.h"
#include "anonymize/incremental/insert_batch.h"
#include "anonymize/incremental/published_boxes.h"
#include "anonymize/partition/partition.h"
#include "audit/inference.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "guarantee/incremental_k_anonymity.h"
#include "utility/metrics.h"

namespace pentimento {
namespace {

EncodedTable Part(const EncodedTable& table, std::span<const std::uint32_t> rows) {
  EncodedTable part;
  part.rows = rows.size();
  for (const CodeColumn& column : table.quasi_identifiers) {
    CodeColumn codes(column.bits() == 8 ? 1 << 8 : 1 << 16, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) codes.Set(i, column[rows[i]]);
    part.quasi_identifiers.push_back(std::move(codes));
  }
  return part;
}

SeriesRelease AsRelease(const Draft& draft) {
  SeriesRelease release{draft.columns, draft.boxes, {}, draft.group_of_row};
  for (CaseNumber number = 0; number < draft.group_of_row.size(); ++number) release.cases.push_back(number);
  return release;
}

double Percent(const SeriesHistory& history, std::uint64_t k) {
  const Ratio safe = SafeRatio(Infer(history), k);
  return 100.0 * static_cast<double>(safe.num) / static_cast<double>(safe.den);
}

struct Sums {
  double safe_independent = 0;  // percent
  double safe_series = 0;
  double series = 0;  // discernibility
  double at_once = 0;
  double update_seconds = 0;
  double at_once_seconds = 0;
  bool holds = true;
};

void Add(const EncodedTable& all, std::span<const Domain> domains, std::span<const std::uint32_t> rows,
         std::size_t base, std::uint64_t k, CategoryForm form, Sums& sums) {
  const EncodedTable first = Part(all, rows.first(base));
  const EncodedTable batch = Part(all, rows.subspan(base));
  const EncodedTable both = Part(all, rows);
  const auto anonymize = [&](const EncodedTable& table, BoxKind boxes) {
    return AnonymizeByPartition(table, domains, {k, form, boxes}).value();
  };
  const SeriesHistory independent = {AsRelease(anonymize(first, BoxKind::kMembers)),
                                     AsRelease(anonymize(both, BoxKind::kMembers))};
  SeriesView view{domains.size(), {}};
  const SeriesStep one = InsertBatch(view, domains, first, {}, {.k = k, .form = form}).value();
  view.segments.push_back(one.segment.view());
  SeriesHistory series = {AsRelease(BoxesOfMembers(view, domains, form))};
  Stopwatch watch;
  const SeriesStep two = InsertBatch(view, domains, batch, {}, {.k = k, .form = form}).value();
  sums.update_seconds += watch.Lap();
  view.segments.push_back(two.segment.view());
  const Draft published = BoxesOfMembers(view, domains, form);
  series.push_back(AsRelease(published));
  (void)watch.Lap();
  const Draft at_once = anonymize(both, BoxKind::kRegion);
  sums.at_once_seconds += watch.Lap();
  sums.series += static_cast<double>(Measure(published, domains, k).discernibility);
  sums.at_once += static_cast<double>(Measure(at_once, domains, k).discernibility);
  sums.safe_independent += Percent(independent, k);
  sums.safe_series += Percent(series, k);
  sums.holds = sums.holds && !FindViolationOfHistory(series, k).has_value();
}

std::vector<std::uint32_t> DrawRows(std::size_t all, std::size_t wanted, std::uint64_t draw) {
  std::vector<std::uint32_t> rows(all);
  std::iota(rows.begin(), rows.end(), 0U);
  Random random(SeedFromNumber(draw + 1), "adult series");
  for (std::size_t i = rows.size(); i > 1; --i)
    std::swap(rows[i - 1], rows[random.Below(static_cast<std::uint32_t>(i))]);
  rows.resize(wanted);
  return rows;
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: adult_series PATH-OF-adult.data [BASE BATCH [DRAWS]]\n");
    return 2;
  }
  const adult::Encoded encoded = adult::Encode(adult::ReadRows(argv[1]), adult::LeafOrder::kAlphabetical);
  const std::size_t base = argc > 3 ? std::strtoull(argv[2], nullptr, 10) : 12'000;
  const std::size_t batch = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 6'000;
  if (base + batch > encoded.table.rows) {
    fmt::print(stderr, "adult_series: there are only {} rows\n", encoded.table.rows);
    return 2;
  }
  const std::size_t draws = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 10;
  fmt::print(
      "| k | categories | safe, independent | safe, series | holds | discernibility, series | at once | more | update, "
      "ms | at "
      "once, ms |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const CategoryForm form : {CategoryForm::kTaxonomy, CategoryForm::kSets}) {
    for (const std::uint64_t k : {2, 5, 10, 20, 50}) {
      Sums sums;
      for (std::size_t draw = 0; draw < draws; ++draw) {
        const std::vector<std::uint32_t> rows = DrawRows(encoded.table.rows, base + batch, draw);
        Add(encoded.table, encoded.domains, rows, base, k, form, sums);
      }
      const auto mean = [&](double sum) { return sum / static_cast<double>(draws); };
      fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {} | {:.0f} | {:.0f} | {:+.1f} % | {:.1f} | {:.1f} |\n", k,
                 form == CategoryForm::kSets ? "sets" : "taxonomy", mean(sums.safe_independent), mean(sums.safe_series),
                 sums.holds ? "yes" : "NO", mean(sums.series), mean(sums.at_once),
                 100 * (sums.series / sums.at_once - 1), 1000 * mean(sums.update_seconds),
                 1000 * mean(sums.at_once_seconds));
    }
  }
  return 0;
}

}  // namespace
}  // namespace pentimento

int main(int argc, char** argv) { return pentimento::Main(argc, argv); }
