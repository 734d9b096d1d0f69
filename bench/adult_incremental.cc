// A series over UCI Adult: adult_incremental PATH-OF-adult.data [BASE BATCH [DRAWS]]. For several k: who is safe when
// the releases are laid side by side, published independently (everything anew each time, boxes around the members) and
// as a series; and what the series loses against cutting everything at once by the same rule, over draws of the rows at
// random with a fixed seed, and for the rows as they stand in the file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "adult_codes.h"
#include "anonymize/incremental/insert_batch.h"
#include "anonymize/incremental/published_boxes.h"
#include "anonymize/partition/partition.h"
#include "audit/inference.h"
#include "base/random.h"
#include "guarantee/incremental/whole_history_testing.h"
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

IncrementalRelease AsRelease(const Classes& draft) {
  IncrementalRelease release{draft.columns, draft.boxes, {}, draft.of_row};
  for (CaseNumber number = 0; number < draft.of_row.size(); ++number) release.cases.push_back(number);
  return release;
}

double Percent(const IncrementalHistory& history, std::uint64_t k) {
  const Ratio safe = SafeRatio(Infer(history), k);
  return 100.0 * static_cast<double>(safe.num) / static_cast<double>(safe.den);
}

// The least discernibility that any tree of cuts of these rows could have, where any boundary between codes may be cut:
// all trees are tried. Of 4k rows and more, of which there are few, even parts are supposed.
double LeastOfCuts(const EncodedTable& table, std::vector<std::uint32_t> rows, std::size_t k) {
  // As many parts as k allows, of the same size.
  const auto at_best = [&](std::size_t size) {
    return static_cast<double>(size * size) / static_cast<double>(std::max<std::size_t>(size / k, 1));
  };
  if (rows.size() >= 4 * k) return at_best(rows.size());
  double least = static_cast<double>(rows.size() * rows.size());
  for (const CodeColumn& column : table.quasi_identifiers) {
    if (rows.size() < 2 * k || least <= at_best(rows.size())) break;
    std::ranges::sort(rows, {}, [&](std::uint32_t row) { return column[row]; });
    for (std::size_t at = k; at + k <= rows.size(); ++at) {
      const bool is_boundary = column[rows[at - 1]] != column[rows[at]];
      if (!is_boundary || at_best(at) + at_best(rows.size() - at) >= least) continue;
      const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(at);
      least =
          std::min(least, LeastOfCuts(table, {rows.begin(), middle}, k) + LeastOfCuts(table, {middle, rows.end()}, k));
    }
  }
  return least;
}

// The same for all refinements of the first release's groups, with who is in them after the second.
double LeastOfRefinements(const EncodedTable& table, const Classes& first, const Classes& second, std::uint64_t k) {
  std::vector<ClassNumber> whole_of_part(second.count());
  for (std::size_t row = 0; row < first.of_row.size(); ++row) whole_of_part[second.of_row[row]] = first.of_row[row];
  std::vector<std::vector<std::uint32_t>> rows_of_group(first.count());
  for (std::uint32_t row = 0; row < table.rows; ++row) rows_of_group[whole_of_part[second.of_row[row]]].push_back(row);
  double least = 0;
  for (std::vector<std::uint32_t>& rows : rows_of_group) least += LeastOfCuts(table, std::move(rows), k);
  return least;
}

// How much of the discernibility, in percent, is in groups that half as many people again have made of k to 4/3 k: too
// many for k, too few for 2k.
double ShareBetween(const Classes& draft, std::uint64_t k) {
  std::vector<std::uint64_t> sizes(draft.count());
  for (const ClassNumber group : draft.of_row) ++sizes[group];
  double between = 0, all = 0;
  for (const std::uint64_t size : sizes) {
    all += static_cast<double>(size * size);
    if (2 * size >= 3 * k && size < 2 * k) between += static_cast<double>(size * size);
  }
  return 100 * between / all;
}

struct Outcome {
  double safe_independent = 0;  // percent
  double safe_series = 0;
  double more = 0;             // discernibility of the series over that of cutting at once, less 1, in percent
  double least_more = 0;       // the same for the least that any refinement could have; of sets only
  double between = 0;          // ShareBetween of the series
  double between_at_once = 0;  // and of cutting at once
  bool holds = true;
};

Outcome Try(const adult::Encoded& adult, std::span<const std::uint32_t> rows, std::size_t base, std::uint64_t k,
            CategoryForm form) {
  const std::span<const Domain> domains = adult.domains;
  const EncodedTable first = Part(adult.table, rows.first(base));
  const EncodedTable batch = Part(adult.table, rows.subspan(base));
  const EncodedTable both = Part(adult.table, rows);
  const auto anonymize = [&](const EncodedTable& table, BoxKind boxes) {
    return AnonymizeByPartition(table, domains, {k, form, boxes}).value();
  };
  const IncrementalHistory independent = {AsRelease(anonymize(first, BoxKind::kMembers)),
                                          AsRelease(anonymize(both, BoxKind::kMembers))};
  IncrementalView view{domains.size(), {}};
  const IncrementalStep one = InsertBatch(view, domains, first, {}, {.k = k, .form = form}).value();
  view.segments.push_back(one.segment->view());
  const Classes before = BoxesOfMembers(view, domains, form);
  const IncrementalStep two = InsertBatch(view, domains, batch, {}, {.k = k, .form = form}).value();
  view.segments.push_back(two.segment->view());
  const Classes after = BoxesOfMembers(view, domains, form);
  const IncrementalHistory series = {AsRelease(before), AsRelease(after)};
  const auto discernibility = [&](const Classes& draft) {
    return static_cast<double>(Measure(draft, domains, k).discernibility);
  };
  const Classes anew = anonymize(both, BoxKind::kRegion);
  const double at_once = discernibility(anew);
  const auto more = [&](double than_at_once) { return 100 * (than_at_once / at_once - 1); };
  return {Percent(independent, k),
          Percent(series, k),
          more(discernibility(after)),
          form == CategoryForm::kSets ? more(LeastOfRefinements(both, before, after, k)) : 0,
          ShareBetween(after, k),
          ShareBetween(anew, k),
          !FindViolationOfHistory(series, k).has_value()};
}

std::vector<std::uint32_t> FileOrder(std::size_t rows) {
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

std::vector<std::uint32_t> DrawRows(std::size_t all, std::size_t wanted, std::uint64_t draw) {
  std::vector<std::uint32_t> rows = FileOrder(all);
  Random random(SeedFromNumber(draw + 1), "adult series");
  for (std::size_t i = rows.size(); i > 1; --i)
    std::swap(rows[i - 1], rows[random.Below(static_cast<std::uint32_t>(i))]);
  rows.resize(wanted);
  return rows;
}

template <typename Field>
std::vector<double> Sorted(const std::vector<Outcome>& outcomes, Field field) {
  std::vector<double> values;
  for (const Outcome& outcome : outcomes) values.push_back(outcome.*field);
  std::ranges::sort(values);
  return values;
}

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

auto CountAbove15(const std::vector<double>& percents) {
  return std::ranges::count_if(percents, [](double percent) { return percent > 15; });
}

void PrintLine(std::uint64_t k, CategoryForm form, const Outcome& as_in_file, const std::vector<Outcome>& drawn) {
  const std::vector<double> more = Sorted(drawn, &Outcome::more);
  const std::vector<double> least = Sorted(drawn, &Outcome::least_more);
  const auto quantile = [&](std::size_t tenths) { return more[(more.size() - 1) * tenths / 10]; };
  const bool holds = as_in_file.holds && std::ranges::all_of(drawn, &Outcome::holds);
  fmt::print(
      "| {} | {} | {:.1f} % | {:.1f} % | {} | {:+.1f} % | {:+.1f} % | {:+.1f} % | {:+.1f} % | {:+.1f} % | {} of {} | "
      "{:.0f} % | "
      "{:.0f} % | ",
      k, form == CategoryForm::kSets ? "sets" : "taxonomy", Mean(Sorted(drawn, &Outcome::safe_independent)),
      Mean(Sorted(drawn, &Outcome::safe_series)), holds ? "yes" : "NO", as_in_file.more, Mean(more), quantile(5),
      quantile(9), more.back(), CountAbove15(more), more.size(), Mean(Sorted(drawn, &Outcome::between)),
      Mean(Sorted(drawn, &Outcome::between_at_once)));
  if (form == CategoryForm::kSets) {
    fmt::print("{:+.1f} % | {:+.1f} % | {} of {} |\n", Mean(least), least.back(), CountAbove15(least), least.size());
  } else {
    fmt::print("| | |\n");
  }
  (void)std::fflush(stdout);
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: adult_incremental PATH-OF-adult.data [BASE BATCH [DRAWS]]\n");
    return 2;
  }
  const adult::Encoded encoded = adult::Encode(adult::ReadRows(argv[1]), adult::LeafOrder::kAlphabetical);
  const std::size_t base = argc > 3 ? std::strtoull(argv[2], nullptr, 10) : 12'000;
  const std::size_t batch = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 6'000;
  const std::size_t draws = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 10;
  if (base + batch > encoded.table.rows || base == 0 || draws == 0) {
    fmt::print(stderr, "adult_incremental: there are {} rows to draw from, and at least one draw is needed\n",
               encoded.table.rows);
    return 2;
  }
  fmt::print(
      "| k | categories | safe, independent | safe, series | holds | file order | mean | median | 90 % of draws | "
      "worst "
      "| above 15 % | in 1.5k to 2k | at once in 1.5k to 2k | least, mean | least, worst | least above 15 % "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const CategoryForm form : {CategoryForm::kTaxonomy, CategoryForm::kSets}) {
    for (const std::uint64_t k : {2, 5, 10, 20, 50}) {
      std::vector<Outcome> drawn;
      for (std::size_t draw = 0; draw < draws; ++draw)
        drawn.push_back(Try(encoded, DrawRows(encoded.table.rows, base + batch, draw), base, k, form));
      PrintLine(k, form, Try(encoded, FileOrder(base + batch), base, k, form), drawn);
    }
  }
  return 0;
}

}  // namespace
}  // namespace pentimento

int main(int argc, char** argv) { return pentimento::Main(argc, argv); }
