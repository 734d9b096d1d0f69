// What the partition loses on UCI Adult: adult_quality PATH-OF-adult.data [k]. Eight quasi-identifiers, the 30,162
// rows without '?', flat taxonomies whose values are in alphabetical order or from the most frequent on.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "adult_codes.h"
#include "anonymize/partition/partition.h"
#include "utility/metrics.h"

namespace pentimento {
namespace {

using namespace adult;

void Report(const Encoded& encoded, LeafOrder order, const PartitionOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Classes draft = AnonymizeByPartition(encoded.table, encoded.domains, options).value();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  const Metrics metrics = Measure(draft, encoded.domains, options.k);
  fmt::print("{:<9} {:<8} {:<13} classes {:>5}  discernibility {:>10}  NCP {:>7.3f} %  C_AVG {:.3f}  {:.1f} ms\n",
             options.form == CategoryForm::kSets ? "sets" : "taxonomy",
             options.boxes == BoxKind::kMembers ? "members" : "region",
             order == LeafOrder::kAlphabetical ? "alphabetical" : "by frequency", metrics.classes,
             static_cast<std::uint64_t>(metrics.discernibility), metrics.ncp_percent, metrics.c_avg.value_or(0),
             took.count());
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: adult_quality PATH-OF-adult.data [k]\n");
    return 2;
  }
  const std::uint64_t k = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10;
  const auto rows = ReadRows(argv[1]);
  fmt::print("{} rows, k = {}\n", rows.size(), k);
  for (const LeafOrder order : {LeafOrder::kAlphabetical, LeafOrder::kByFrequency}) {
    const Encoded encoded = Encode(rows, order);
    for (const CategoryForm form : {CategoryForm::kSets, CategoryForm::kTaxonomy}) {
      for (const BoxKind boxes : {BoxKind::kMembers, BoxKind::kRegion}) Report(encoded, order, {k, form, boxes});
    }
  }
  return 0;
}

}  // namespace
}  // namespace pentimento

int main(int argc, char** argv) { return pentimento::Main(argc, argv); }
